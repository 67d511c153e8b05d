import { Election } from './election.ts';
import type { LeaderElectorOptions } from './elector-options.ts';

/**
 * Elects one leader among several processes, by a Lease of the cluster.
 *
 * Promises
 * - `onStartedLeading` begins only when this process has the lease. Its signal aborts when the lease is lost, and at
 *   the latest when another process may take it.
 * - After a process has ended or hangs, another one leads within `leaseDurationMs` and two retry periods.
 * - A lease is released only when the work has ended, and only if the server says that it is still this process's.
 *
 * Does not promise that no two processes act as leaders at the same time: a process that was frozen acts on what it
 * knew before, until it asks. Call {@link assertLeading} before each write, or send writes through
 * `fencedTransport`. A request that has been sent cannot be called back. Clocks may differ by any amount, but not run
 * at rates that differ by more than `leaseDurationMs / renewDeadlineMs`.
 *
 * Source: client-go tools/leaderelection. Different from it: a leader that finds the lease in another's hands ends at
 * once; the fence; a release waits for the work and checks the holder on the server.
 * @example
 * const alone = new LeaderElector({
 *   client,
 *   name: 'reporter',
 *   namespace: 'shop',
 *   onStartedLeading: async (leading) => {
 *     while (!leading.aborted) await new Promise((resolve) => setTimeout(resolve, 1000));
 *   },
 *   onStoppedLeading: () => console.log('another one leads'),
 * });
 * await alone.run(signal);
 */
export class LeaderElector {
  readonly #election: Election;

  /** Throws `argument` for options that cannot work. Sends nothing before {@link run}. */
  constructor(options: LeaderElectorOptions) {
    this.#election = new Election(options);
  }

  get identity(): string {
    return this.#election.identity;
  }

  /** The identity of the leader that was seen last; undefined before the first look, and while there is no leader. */
  get leader(): string | undefined {
    return this.#election.leader;
  }

  /**
   * Whether the Lease, as it was seen last, names this process. Does not ask whether it has expired since; see
   * {@link isLeading}. Source: client-go LeaderElector.IsLeader.
   */
  get isLeader(): boolean {
    return this.#election.isLeader;
  }

  /**
   * Whether no other process can have the lease at this moment. Reads the clocks, so it is right also directly after
   * the process was frozen. While the work ends after {@link run} was asked to end, it is still true.
   */
  get isLeading(): boolean {
    return this.#election.isLeading;
  }

  /**
   * How long {@link isLeading} is true if the lease is not renewed, ms; 0 if it is not. For work that another program
   * has to end in time.
   */
  get leadsForMs(): number {
    return this.#election.leadsForMs;
  }

  /** Throws `leadership` unless {@link isLeading}. For use before each write. */
  assertLeading(): void {
    this.#election.assertLeading();
  }

  /**
   * Throws `leadership` if this process is the leader and has not renewed the lease for its duration and
   * `healthToleranceMs`: then its timers do not run, and it should be restarted. For a liveness check. Source: client-go
   * HealthzAdaptor.
   */
  check(): void {
    this.#election.check();
  }

  /**
   * Waits for the lease, leads until the signal aborts, and then waits for the work to end. Resolves when that is done.
   *
   * Rejects with `leadership` if the lease was lost, with the error of the work if it failed, and with `argument` if it
   * is running already. If the work fails while it ends, the lease is not released, because a part of it may run on. It
   * may be called again after it has ended.
   */
  run(signal: AbortSignal): Promise<void> {
    return this.#election.run(signal);
  }
}
