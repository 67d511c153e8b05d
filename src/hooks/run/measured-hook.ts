import { isStop, isTerminal } from '../../controller/reconciler.ts';
import type { Clock } from '../../kit/clock.ts';
import { causesOf } from '../../kit/error.ts';
import type { MetricsProvider } from '../../kit/metrics.ts';
import type { Hook } from '../hook.ts';

/** Seconds: from a module that only looks to a program that waits for another system. */
const DURATIONS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

type Outcome = 'ok' | 'error' | 'permanent' | 'bad_configuration' | 'aborted';

/** The hook with its runs measured and counted by how they ended; failed runs of an executable also by exit code. */
export function measuredHook(hook: Hook, metrics: MetricsProvider | undefined, clock: Clock): Hook {
  if (!metrics) return hook;
  const labels = { hook: hook.name };
  const seconds = metrics.histogram('kubectl_informer_hook_duration_seconds', labels, DURATIONS);
  const ended = (outcome: Outcome) => metrics.counter('kubectl_informer_hook_runs_total', { ...labels, outcome }).add();
  return {
    name: hook.name,
    kill: () => hook.kill?.(),
    close: async () => hook.close?.(),
    async run(request, run) {
      const startedAt = clock.monotonic();
      try {
        const reply = await hook.run(request, run);
        ended('ok');
        return reply;
      } catch (error) {
        ended(run.signal.aborted ? 'aborted' : outcomeOf(error));
        const code = exitCodeOf(error);
        if (code !== undefined) metrics.counter('kubectl_informer_hook_exits_total', { ...labels, code }).add();
        throw error;
      } finally {
        seconds.observe((clock.monotonic() - startedAt) / 1000);
      }
    },
  };
}

function outcomeOf(error: unknown): Outcome {
  if (isStop(error)) return 'bad_configuration';
  return isTerminal(error) ? 'permanent' : 'error';
}

function exitCodeOf(error: unknown): string | undefined {
  const codes = [...causesOf(error)].map((each) => (each as { exitCode?: unknown } | undefined)?.exitCode);
  const code = codes.find((each) => typeof each === 'number');
  return code === undefined ? undefined : String(code);
}
