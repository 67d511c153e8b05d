import type { Counter, Histogram, MetricsProvider } from '../kit/metrics.ts';

/** The outcome of a run: the value of the label `result`. */
export type ReconcileOutcome = 'success' | 'requeue_after' | 'error';

/** Seconds. Source: controller-runtime pkg/internal/controller/metrics. */
const BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 1.75,
  2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** Seconds. Source: controller-runtime pkg/client/consistency.go. */
const WAIT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 6, 8, 10];

/** The metrics of one controller, under controller-runtime's names. Every series exists from the start, with 0. */
export class ControllerMetrics implements Disposable {
  readonly errors: Counter;
  readonly terminalErrors: Counter;
  readonly panics: Counter;
  readonly timeouts: Counter;
  readonly #outcomes: Readonly<Record<ReconcileOutcome, Counter>>;
  /** The seconds that runs waited for the writes of earlier runs. */
  readonly waited: Readonly<Record<'success' | 'timeout', Histogram>>;
  readonly #seconds: Histogram;
  readonly #observed: Disposable[];

  constructor(
    provider: MetricsProvider,
    { name, workers, active }: { name: string; workers: number; active: () => number },
  ) {
    const labels = { controller: name };
    const counter = (metric: string) => provider.counter(`controller_runtime_${metric}`, labels);
    const total = (result: ReconcileOutcome) =>
      provider.counter('controller_runtime_reconcile_total', { ...labels, result });
    this.errors = counter('reconcile_errors_total');
    this.terminalErrors = counter('terminal_reconcile_errors_total');
    this.panics = counter('reconcile_panics_total');
    this.timeouts = counter('reconcile_timeouts_total');
    this.#outcomes = { success: total('success'), requeue_after: total('requeue_after'), error: total('error') };
    // always 0: see docs/decisions/client-go-departures.md
    provider.counter('controller_runtime_reconcile_total', { ...labels, result: 'requeue' });
    this.#seconds = provider.histogram('controller_runtime_reconcile_time_seconds', labels, BUCKETS);
    const wait = (result: string) =>
      provider.histogram(
        'controller_runtime_client_consistency_wait_duration_seconds',
        { ...labels, operation: 'reconcile', result },
        WAIT_BUCKETS,
      );
    this.waited = { success: wait('success'), timeout: wait('timeout') };
    this.#observed = [
      provider.observe('controller_runtime_max_concurrent_reconciles', labels, () => workers),
      provider.observe('controller_runtime_active_workers', labels, active),
    ];
  }

  ran(outcome: ReconcileOutcome, ms: number): void {
    this.#outcomes[outcome].add();
    this.#seconds.observe(ms / 1000);
  }

  [Symbol.dispose](): void {
    for (const gauge of this.#observed.splice(0)) gauge[Symbol.dispose]();
  }
}
