import { describe, expect, it } from 'vitest';
import { shared } from '../../../src/sandbox/store/structure-sharing.ts';

describe('the states of an object', () => {
  it('share the memory of what did not change, at every depth', () => {
    const before = {
      spec: { containers: [{ name: 'a', env: [{ name: 'X' }] }, { name: 'b' }] },
      status: { phase: 'Pending' },
    };
    const next = shared(before, structuredClone({ ...before, status: { phase: 'Running' } }));
    expect(next).toEqual({ ...before, status: { phase: 'Running' } });
    expect(next.spec).toBe(before.spec);
    expect(next.status).not.toBe(before.status);
    const other = shared(before, { spec: { containers: [structuredClone(before.spec.containers[0]), { name: 'c' }] } });
    expect(other.spec.containers[0]).toBe(before.spec.containers[0]);
  });

  it.each([
    ['a member that is missing', { a: 1, b: 2 }, { a: 1 }],
    ['a member more', { a: 1 }, { a: 1, b: 2 }],
    ['another order', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['a list that is shorter', [1, 2], [1]],
    ['a list that is longer', [1], [1, 2]],
    ['a list where a map was', { 0: 'x' }, ['x']],
    ['a map where a list was', ['x'], { 0: 'x' }],
    ['nothing where something was', { a: { b: 1 } }, { a: null }],
    ['an empty map where a list was', [], {}],
    ['undefined where nothing was', {}, { a: undefined }],
  ])('differ by %s', (_what, before, next) => {
    const wanted = JSON.stringify(next);
    const kept = shared({ part: before }, { part: structuredClone(next) });
    expect(JSON.stringify(kept.part)).toBe(wanted);
    expect(kept.part).not.toBe(before);
  });
});
