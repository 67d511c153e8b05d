import type { LeaderElectorOptions } from '../../src/controller/election/elector-options.ts';
import { LeaderElector } from '../../src/controller/election/leader-elector.ts';
import { LEASES } from '../../src/controller/election/lease-lock.ts';
import type { Lease, LeaseSpec } from '../../src/controller/election/lease-record.ts';
import type { Clock } from '../../src/kit/clock.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { settled } from '../../src/testing/fake-clock.ts';
import { type InProcess, type InProcessSetup, inProcess } from './in-process.ts';

export const LEASE_KEY = 'shop/operator';

/** A clock whose time can jump without a timer, as for a process that was frozen, or whose wall clock was set. */
export interface SkippingClock extends Clock {
  skippedMs: number;
  setForwardMs: number;
}

export function skipping(clock: Clock): SkippingClock {
  const skipped = {
    skippedMs: 0,
    setForwardMs: 0,
    now: () => clock.now() + skipped.skippedMs + skipped.setForwardMs,
    monotonic: () => clock.monotonic() + skipped.skippedMs,
    sleep: (ms: number, options?: { signal?: AbortSignal | undefined }) => clock.sleep(ms, options),
    after: (ms: number, run: () => void) => clock.after(ms, run),
    yield: () => clock.yield(),
  };
  return skipped;
}

/** One candidate with a log of its callbacks: `started`, `aborted`, `stopped`, `leader a`. */
export interface CandidateRun extends AsyncDisposable {
  readonly elector: LeaderElector;
  readonly log: string[];
  readonly abort: AbortController;
  /** Never rejects: resolves with the error of the run, or with nothing. */
  readonly ended: Promise<unknown>;
}

export interface Election extends InProcess {
  lease(): Lease | undefined;
  spec(): LeaseSpec | undefined;
  /** Writes the Lease as another process would. */
  put(spec: LeaseSpec, labels?: Record<string, string>): void;
  /** Methods of the requests for the Lease so far. */
  verbs(): string[];
  elector(identity: string, options?: Partial<LeaderElectorOptions>): LeaderElector;
  start(identity: string, options?: Partial<LeaderElectorOptions>): Promise<CandidateRun>;
  /** Moves the time, in steps (of 500 ms by default), so that requests settle between timers. */
  pass(ms: number, stepMs?: number): Promise<void>;
}

export async function election(setup: InProcessSetup = {}): Promise<Election> {
  const place = await inProcess({
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }],
    ...setup,
  });
  const { sandbox, clock, client, sent } = place;
  const build = (identity: string, log: string[], options: Partial<LeaderElectorOptions>) =>
    new LeaderElector({
      client,
      clock,
      name: 'operator',
      namespace: 'shop',
      identity,
      logger: silentLogger,
      random: () => 0,
      onStartedLeading: (signal) => {
        log.push('started');
        signal.addEventListener('abort', () => log.push('aborted'));
      },
      onStoppedLeading: () => log.push('stopped'),
      onNewLeader: (leader) => log.push(`leader ${leader}`),
      ...options,
    });
  const all: Election = {
    ...place,
    lease: () => sandbox.get(LEASES, LEASE_KEY) as Lease | undefined,
    spec: () => all.lease()?.spec ?? undefined,
    put(spec, labels) {
      const metadata = { namespace: 'shop', name: 'operator', ...(labels ? { labels } : {}) };
      sandbox.apply([{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }]);
    },
    verbs: () => sent.filter(({ path }) => path.includes('/leases')).map(({ method }) => method),
    elector: (identity, options = {}) => build(identity, [], options),
    async start(identity, options = {}) {
      const log: string[] = [];
      const abort = new AbortController();
      const elector = build(identity, log, options);
      const ended = elector.run(abort.signal).then(
        () => undefined,
        (error: unknown) => error,
      );
      await calm();
      return {
        elector,
        log,
        abort,
        ended,
        async [Symbol.asyncDispose]() {
          abort.abort();
          await calm();
          await clock.advance(60_000);
          await ended;
        },
      };
    },
    async pass(ms, stepMs = 500) {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.tick(Math.min(stepMs, left));
        await calm();
      }
    },
  };
  return all;
}

/** Lets requests to the sandbox settle. They need no timer, but several turns of the event loop. */
export async function calm(): Promise<void> {
  for (let i = 0; i < 5; i++) await settled();
}
