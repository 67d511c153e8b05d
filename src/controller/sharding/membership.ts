import type { Clock } from '../../kit/clock.ts';
import { type Attempt, LeaseCandidate } from '../election/acquire-or-renew.ts';
import { Fence } from '../election/fence.ts';
import { type LeaseClient, LeaseLock } from '../election/lease-lock.ts';
import { TimedAttempts } from '../election/timed-attempts.ts';

export interface MembershipOptions {
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly lease: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly clock: Clock;
  /** Called with what each attempt came to. */
  readonly onAttempt: (attempt: Attempt) => void;
}

/** Keeps the Lease that says to the other replicas that this one lives. */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #candidate: LeaseCandidate;
  readonly #attempts: TimedAttempts;
  readonly #fence: Fence;

  constructor(options: MembershipOptions) {
    const { client, namespace, lease: name, labels, leaseDurationMs, clock } = options;
    this.#options = options;
    const lock = new LeaseLock({ client, namespace, name, labels, isUntracked: true });
    const durationSeconds = Math.trunc(leaseDurationMs / 1000);
    this.#candidate = new LeaseCandidate({ ...options, lock, durationSeconds, onSlowPath: () => {} });
    this.#attempts = new TimedAttempts(clock, options);
    this.#fence = new Fence(clock, durationSeconds * 1000);
  }

  /** Whether the others know that this replica lives. */
  get isKnown(): boolean {
    return this.#fence.isOpen;
  }

  /** Renews the Lease until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, retryPeriodMs, renewDeadlineMs, onAttempt } = this.#options;
    while (!signal.aborted) {
      const attempt = await this.#attempts.run(signal, (limited) => this.#candidate.acquire(limited));
      if (signal.aborted) return;
      const isHeld = attempt.kind === 'held';
      if (isHeld) this.#fence.renewed(attempt.sentAt);
      onAttempt(attempt);
      const pauseMs = isHeld ? this.#fence.pauseMs(retryPeriodMs, renewDeadlineMs / 2) : retryPeriodMs;
      await clock.sleep(pauseMs, { signal }).catch(() => {});
    }
  }
}
