import { describe, expect, it, vi } from 'vitest';
import type { ReconcileRequest } from '../../src/controller/reconciler.ts';
import { createObjectReconciler, isPanic, isTerminal, TerminalError } from '../../src/controller/reconciler.ts';
import { InformerError } from '../../src/kit/error.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import type { KubeObject } from '../../src/model/object.ts';

const request: ReconcileRequest = {
  key: 'shop/web',
  namespace: 'shop',
  name: 'web',
  causes: [],
  droppedCauses: 0,
  attempt: 1,
  before: undefined,
  gone: undefined,
};
const context = { signal: new AbortController().signal, logger: silentLogger };

describe('a reconciler of objects', () => {
  it('gets the object as it is at the start of the run', async () => {
    const reconcile = vi.fn(() => ({ requeueAfterMs: 5 }));
    const run = createObjectReconciler({ get: (key): KubeObject => ({ metadata: { name: key } }) }, reconcile);
    expect(await run(request, context)).toEqual({ requeueAfterMs: 5 });
    expect(reconcile).toHaveBeenCalledWith({ metadata: { name: 'shop/web' } }, request, context);
  });

  it('is not called for an object that does not exist, and the run succeeds [CTL-15]', async () => {
    const reconcile = vi.fn();
    expect(await createObjectReconciler({ get: () => undefined }, reconcile)(request, context)).toEqual({});
    expect(reconcile).not.toHaveBeenCalled();
  });
});

it('a reconciler of objects refuses what cannot read or reconcile', () => {
  const get = () => undefined;
  expect(() => createObjectReconciler({} as { get: typeof get }, () => {})).toThrow('get of the objects');
  expect(() => createObjectReconciler({ get }, 'no' as never)).toThrow('reconcile');
});

describe('a thrown value', () => {
  it('is terminal if it or one of its causes is [CTL-03]', () => {
    const terminal = new TerminalError(new Error('bad spec'));
    expect(terminal.message).toBe('terminal error: bad spec');
    expect(new TerminalError().message).toBe('nil terminal error');
    expect(
      [terminal, new Error('outer', { cause: terminal }), new AggregateError([new Error('a'), terminal])].map(
        isTerminal,
      ),
    ).toEqual([true, true, true]);
    expect([new Error('bad spec'), 'terminal error', undefined].map(isTerminal)).toEqual([false, false, false]);
  });

  it.each([
    ['a text', 'boom', true],
    ['nothing', undefined, true],
    ["the engine's own error", new TypeError('x is undefined'), true],
    ['a failed fetch', new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }), false],
    ['an ordinary error', new Error('no'), false],
    ['an InformerError', new InformerError('hook', 'no'), false],
  ])('%s: whether it is a panic [CTL-08]', (_, thrown, expected) => {
    expect(isPanic(thrown)).toBe(expected);
  });
});
