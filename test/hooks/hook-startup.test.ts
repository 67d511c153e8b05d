import { afterEach, beforeEach, expect, it } from 'vitest';
import { isTerminal, StopError } from '../../src/controller/reconciler.ts';
import { ActionRunner } from '../../src/hooks/action-runner.ts';
import type { HookRequest } from '../../src/hooks/hook.ts';
import { runHookStartup } from '../../src/hooks/hook-startup.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { CONFIG_MAP, cluster, deployments } from '../support/hook-cluster.ts';

let place: Awaited<ReturnType<typeof cluster>>;
beforeEach(async () => {
  place = await cluster();
});
afterEach(() => place.sandbox.stop());

function startUp(
  reply: unknown,
  { timeoutMs, clock = new FakeClock() }: { timeoutMs?: number; clock?: FakeClock } = {},
) {
  const asked: HookRequest[] = [];
  const lines: string[] = [];
  const { client, types } = place;
  const options = {
    hook: {
      name: 'guard.ts',
      run: async (
        request: HookRequest,
        run: { signal: AbortSignal; onOutput?: ((line: string, on: 'stdout') => void) | undefined },
      ) => {
        asked.push(request);
        run.onOutput?.('hello', 'stdout');
        return typeof reply === 'function' ? reply(run.signal) : reply;
      },
    },
    primary: deployments,
    actions: new ActionRunner({ client, mode: 'write', primary: deployments, types }),
    snapshots: () => ({ snapshots: { pods: [] } }),
    onOutput: (name: string, line: string) => void lines.push(`${name} | ${line}`),
    timeoutMs,
    clock,
  };
  const signal = new AbortController().signal;
  return { asked, lines, run: runHookStartup(options, { attempt: 2, signal, logger: silentLogger }) };
}

it('asks the hook about no object, with the snapshots, and carries out what it replies', async () => {
  const data = { seen: '1' };
  const apply = { ...CONFIG_MAP, metadata: { name: 'state', namespace: 'shop' }, data };
  const { asked, lines, run } = startUp({ actions: [{ apply }] });
  await run;
  expect(asked).toEqual([
    {
      version: 1,
      event: 'startup',
      key: '',
      gvr: 'apps/v1/deployments',
      object: null,
      changed: [],
      causes: [],
      attempt: 2,
      snapshots: { pods: [] },
    },
  ]);
  expect(lines).toEqual(['onStartup | hello']);
  expect(place.find('v1/configmaps', 'shop/state')).toMatchObject({ data });
});

it.each([
  [{ error: 'no database' }, 'hook guard.ts replied with an error: no database'],
  [
    { actions: [{ patch: { metadata: { labels: { a: 'b' } } } }] },
    'the action patch names no object of apps/v1/deployments',
  ],
  [{ actions: [{ event: { reason: 'A', message: 'b' } }] }, 'the action event names no object'],
  [{ action: [] }, 'action'],
])('fails with the reply %j', async (reply, message) => {
  await expect(startUp(reply).run).rejects.toThrow(message);
});

it('ends the command for a reply that asks for a later run', async () => {
  await expect(startUp({ requeueAfter: '5s' }).run).rejects.toThrow(StopError);
});

it.each([
  [{ error: 'no team' }, false],
  [{ error: 'no team', permanent: true }, true],
])('for the reply %j says whether another try can help', async (reply, isFinal) => {
  const error = await startUp(reply).run.catch((thrown) => thrown);
  expect(isTerminal(error)).toBe(isFinal);
  expect(error.message).toContain('hook guard.ts replied with an error: no team');
});

it('aborts the hook’s signal after the time limit of a run', async () => {
  const clock = new FakeClock();
  const waiting = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const { run } = startUp(waiting, { timeoutMs: 1000, clock });
  const failed = expect(run).rejects.toThrow('hook guard.ts took longer than 1s');
  await clock.advance(1000);
  await failed;
});
