import { describe, expect, it } from 'vitest';
import type { Result } from '../../src/controller/reconciler.ts';
import {
  checkedResult,
  errorFields,
  outcomeOf,
  runOutcomeOf,
  type Settled,
  skippedField,
} from '../../src/controller/run-outcome.ts';

const done = (result: Result): Settled => ({ kind: 'done', result });
const failed = (more: object = {}): Settled => ({
  kind: 'failed',
  error: 1,
  isTerminal: false,
  isTimeout: false,
  ...more,
});

describe('the outcome of a run', () => {
  it.each<[Settled, string, string]>([
    [done({}), 'success', 'success'],
    [done({ requeueAfterMs: 0 }), 'success', 'success'],
    [done({ requeueAfterMs: -1 }), 'success', 'success'],
    [done({ requeueAfterMs: 1 }), 'requeue-after', 'requeue_after'],
    [failed(), 'error', 'error'],
    [failed({ isTerminal: true }), 'terminal', 'error'],
    [failed({ isTimeout: true }), 'timeout', 'error'],
    [failed({ isTimeout: true, isTerminal: true }), 'timeout', 'error'],
    [{ kind: 'fatal', error: 1 }, 'stop', 'error'],
  ])('%j is %s in the history and %s in the metrics', (settled, history, metrics) => {
    expect([runOutcomeOf(settled), outcomeOf(settled)]).toEqual([history, metrics]);
  });

  it('is skipped with a text as its reason only', () => {
    expect(skippedField({ skipped: 'not mine' })).toEqual({ skipped: 'not mine' });
    for (const skipped of [undefined, true, 7]) expect(skippedField({ skipped } as Result)).toEqual({});
  });

  it('of a failure has its text and the exit code of the nearest cause that has one', () => {
    const cause = Object.assign(new Error('inner'), {
      exitCode: 3,
      cause: Object.assign(new Error('deep'), { exitCode: 4 }),
    });
    expect(errorFields(new Error('outer', { cause }))).toEqual({ error: 'outer', exitCode: 3 });
    expect(errorFields(Object.assign(new Error('odd'), { exitCode: '7' }))).toEqual({ error: 'odd' });
    expect(errorFields(undefined)).toEqual({ error: expect.any(String) });
    expect(errorFields(Object.assign(new Error('zero'), { exitCode: 0 }))).toEqual({ error: 'zero', exitCode: 0 });
  });
});

describe('the result of a reconcile', () => {
  it.each([undefined, null, 7, 'text'])('is empty where it is %s', (result) => {
    expect(checkedResult(result as never)).toEqual({});
  });

  it('is passed on as it is, with keys that mean something else', () => {
    const result = { requeueAfterMs: 5, priority: 1, keepCauses: true, skipped: 'x', other: 'kept' };
    expect(checkedResult(result)).toBe(result);
  });

  it.each([
    [{ priority: 'high' }, 'priority'],
    [{ requeueAfterMs: '30' }, 'requeueAfterMs'],
    [{ keepCauses: 1 }, 'keepCauses'],
    [{ requeueAfter: '30s' }, 'requeueAfter'],
    [{ Requeue: true }, 'Requeue'],
    [{ myPriority: 1 }, 'myPriority'],
    [{ causes: [] }, 'causes'],
  ])('%j is refused: it would be ignored', (result, name) => {
    expect(() => checkedResult(result as never)).toThrow(name);
  });
});
