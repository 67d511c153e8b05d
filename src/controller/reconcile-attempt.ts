import { type Scope, scope } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import type { Logger } from '../kit/logger.ts';
import { type OnWrite, observingWrites } from '../model/stored-write.ts';
import type { ControllerMetrics } from './controller-metrics.ts';
import type { ControllerOptions } from './controller-options.ts';
import { isPanic, isStop, isTerminal, type ReconcileRequest, type Result, recovered } from './reconciler.ts';
import { checkedResult, type Settled } from './run-outcome.ts';

/** Calls the reconciler for one run, within its time, and decides what its result or its error means. */
export class ReconcileAttempt {
  readonly #options: Pick<ControllerOptions, 'reconcile' | 'reconcileTimeoutMs' | 'recoverPanic'>;
  readonly #clock: Clock;
  readonly #metrics: ControllerMetrics;

  constructor(
    options: Pick<ControllerOptions, 'reconcile' | 'reconcileTimeoutMs' | 'recoverPanic'>,
    clock: Clock,
    metrics: ControllerMetrics,
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /**
   * Resolves when the reconciler has ended. Never rejects. `work` aborts when all runs have to end. `onWrite` is called
   * with each write of the run.
   */
  async run(request: ReconcileRequest, logger: Logger, work: AbortSignal, onWrite: OnWrite): Promise<Settled> {
    using run = scope(work);
    const late = { isTimeout: false };
    using _deadline = this.#deadline(run, late);
    try {
      const reconcile = () => this.#options.reconcile(request, { signal: run.signal, logger });
      const result = await observingWrites(onWrite, reconcile);
      return { kind: 'done', result: checkedResult(result as Result | undefined) };
    } catch (error) {
      return this.#meaningOf(error, late);
    }
  }

  #deadline(run: Scope, late: { isTimeout: boolean }): Disposable | undefined {
    const { reconcileTimeoutMs } = this.#options;
    if (reconcileTimeoutMs === undefined) return undefined;
    return this.#clock.after(reconcileTimeoutMs, () => {
      if (run.signal.aborted) return;
      late.isTimeout = true;
      this.#metrics.timeouts.add();
      run.abort(new InformerError('hook', `the reconcile took longer than ${reconcileTimeoutMs}ms`));
    });
  }

  #meaningOf(thrown: unknown, { isTimeout }: { isTimeout: boolean }): Settled {
    const { recoverPanic = true } = this.#options;
    if (isStop(thrown)) return { kind: 'fatal', error: thrown };
    const isPanicking = isPanic(thrown);
    if (isPanicking) this.#metrics.panics.add();
    if (isPanicking && !recoverPanic) return { kind: 'fatal', error: thrown };
    const terminal = isTerminal(thrown);
    this.#metrics.errors.add();
    if (terminal) this.#metrics.terminalErrors.add();
    return { kind: 'failed', error: isPanicking ? recovered(thrown) : thrown, isTerminal: terminal, isTimeout };
  }
}
