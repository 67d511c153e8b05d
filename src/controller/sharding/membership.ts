import { abortable, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { type Attempt, LeaseCandidate } from '../election/candidate.ts';
import { Fence } from '../election/fence.ts';
import { type LeaseClient, LeaseLock } from '../election/lease-lock.ts';

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
  readonly #fence: Fence;

  constructor(options: MembershipOptions) {
    const { client, namespace, lease: name, labels, leaseDurationMs, clock } = options;
    this.#options = options;
    const lock = new LeaseLock({ client, namespace, name, labels, isUntracked: true });
    const durationSeconds = Math.trunc(leaseDurationMs / 1000);
    this.#candidate = new LeaseCandidate({ ...options, lock, durationSeconds, onSlowPath: () => {} });
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
      const attempt = await this.#attempt(signal);
      if (signal.aborted) return;
      const isHeld = attempt.kind === 'held';
      if (isHeld) this.#fence.renewed(attempt.sentAt);
      onAttempt(attempt);
      const pauseMs = isHeld ? this.#fence.pauseMs(retryPeriodMs, renewDeadlineMs / 2) : retryPeriodMs;
      await clock.sleep(pauseMs, { signal }).catch(() => {});
    }
  }

  async #attempt(signal: AbortSignal): Promise<Attempt> {
    const { clock, renewDeadlineMs } = this.#options;
    const limitMs = Math.max(SHORTEST_ATTEMPT_MS, renewDeadlineMs / 2);
    using limited = scope(signal);
    const late = new InformerError('transport', `no answer about the lease within ${limitMs / 1000}s`);
    using _limit = clock.after(limitMs, () => limited.abort(late));
    return await abortable(this.#candidate.acquire(limited.signal), limited.signal).catch(
      (error) => ({ kind: 'failed', error }) as const,
    );
  }
}

/** The least time for one attempt, ms. Source: client-go resourcelock NewFromKubeconfig. */
const SHORTEST_ATTEMPT_MS = 1_000;
