import { expect, it } from 'vitest';
import { StopError, TerminalError } from '../../../src/controller/reconciler.ts';
import type { Hook } from '../../../src/hooks/hook.ts';
import { measuredHook } from '../../../src/hooks/run/measured-hook.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { readableMetrics } from '../../support/prometheus.ts';

const failure = (exitCode: number) => Object.assign(new InformerError('hook', 'failed'), { exitCode });

it('counts the runs of a hook by their ends and exit codes, measures them, and passes on reply, error and kill', async () => {
  const clock = new FakeClock();
  const { metrics, values } = await readableMetrics();
  const ends: (() => unknown)[] = [
    () => 'reply',
    () => Promise.reject(failure(75)),
    () => Promise.reject(new TerminalError(failure(65))),
    () => Promise.reject(new StopError('no')),
  ];
  let kills = 0;
  const hook: Hook = {
    name: 'h.sh',
    async run() {
      clock.tick(2000);
      return await ends.shift()?.();
    },
    kill: () => void kills++,
  };
  const measured = measuredHook(hook, metrics, clock);
  const run = (signal = new AbortController().signal) => measured.run({} as never, { signal, logger: silentLogger });
  expect(await run()).toBe('reply');
  await expect(run()).rejects.toThrow('failed');
  await expect(run()).rejects.toThrow('terminal');
  await expect(run()).rejects.toThrow('no');
  ends.push(() => Promise.reject(failure(143)));
  await expect(run(AbortSignal.abort())).rejects.toThrow('failed');
  measured.kill?.();
  expect([kills, await values()]).toMatchObject([
    1,
    {
      'kubectl_informer_hook_runs_total{hook="h.sh",outcome="ok"}': 1,
      'kubectl_informer_hook_runs_total{hook="h.sh",outcome="error"}': 1,
      'kubectl_informer_hook_runs_total{hook="h.sh",outcome="permanent"}': 1,
      'kubectl_informer_hook_runs_total{hook="h.sh",outcome="bad_configuration"}': 1,
      'kubectl_informer_hook_runs_total{hook="h.sh",outcome="aborted"}': 1,
      'kubectl_informer_hook_exits_total{code="75",hook="h.sh"}': 1,
      'kubectl_informer_hook_exits_total{code="65",hook="h.sh"}': 1,
      'kubectl_informer_hook_duration_seconds_sum{hook="h.sh"}': 10,
    },
  ]);
});

it('is the hook itself where nothing is measured', () => {
  const hook: Hook = { name: 'h', run: async () => undefined };
  expect(measuredHook(hook, undefined, new FakeClock())).toBe(hook);
});
