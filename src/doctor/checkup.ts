import { abortable } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { type CheckResult, failed, type HealthFinding, problem, skipped } from './finding.ts';

export interface CheckupOptions {
  readonly clock: Clock;
  /** Ends the checkup; its reason is thrown. */
  readonly signal: AbortSignal;
  /** The time limit of each check, ms. */
  readonly limitMs: number;
  /** Called with each finding as soon as it is there. */
  readonly onFinding?: ((finding: HealthFinding) => void) | undefined;
}

export interface CheckSetup {
  /** The type, namespace or file that is examined. */
  readonly of?: string | undefined;
  /** Ids of checks, of the same `of` or without one, that must have found no problem. */
  readonly needs?: readonly string[] | undefined;
  /** The next step when the time is over. */
  readonly whenSlow?: string | undefined;
}

/**
 * Runs checks one after the other, each with a time limit, and collects what they find. A check whose needs have failed
 * is skipped, with the check that failed first as its reason. An error of a check is a finding.
 */
export class Checkup {
  readonly findings: HealthFinding[] = [];
  readonly #options: CheckupOptions;
  /** The first check that failed, by the key of each check that could not succeed because of it. */
  readonly #blocked = new Map<string, string>();

  constructor(options: CheckupOptions) {
    this.#options = options;
  }

  /** Runs a check. Rejects only with the reason of the checkup's signal. */
  async check(
    id: string,
    { of, needs = [], whenSlow }: CheckSetup,
    run: (signal: AbortSignal) => Promise<CheckResult> | CheckResult,
  ): Promise<CheckResult> {
    const { clock, signal } = this.#options;
    signal.throwIfAborted();
    const cause = needs.map((need) => this.#blocked.get(key(need, of)) ?? this.#blocked.get(key(need))).find(Boolean);
    if (cause !== undefined) {
      this.#blocked.set(key(id, of), cause);
      return this.#add({ id, of, ...skipped(`${cause} failed`), ms: 0 });
    }
    const startedAt = clock.monotonic();
    const outcome = await this.#limited(run, whenSlow);
    if (outcome.status === 'problem' || outcome.status === 'skipped') this.#blocked.set(key(id, of), id);
    return this.#add({ id, of, ...outcome, ms: Math.round(clock.monotonic() - startedAt) });
  }

  async #limited(
    run: (signal: AbortSignal) => Promise<CheckResult> | CheckResult,
    whenSlow?: string,
  ): Promise<CheckResult> {
    const { clock, signal, limitMs } = this.#options;
    const late = new InformerError('sync', 'the time of this check is over');
    const limit = new AbortController();
    const timer = clock.after(limitMs, () => limit.abort(late));
    const either = AbortSignal.any([signal, limit.signal]);
    try {
      return await abortable(
        Promise.resolve().then(() => run(either)),
        either,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!limit.signal.aborted) return failed(error);
      return problem(`timed out: no answer within ${limitMs / 1000}s`, whenSlow ?? WAIT_LONGER);
    } finally {
      timer.cancel();
      limit.abort(late); // what the check has left open ends with it
    }
  }

  #add(finding: HealthFinding): HealthFinding {
    this.findings.push(finding);
    this.#options.onFinding?.(finding);
    return finding;
  }
}

const WAIT_LONGER = 'is the network slow? --request-timeout 60s gives each check more time';

const key = (id: string, of = '') => `${id} ${of}`;
