import { describe, expect, it } from 'vitest';
import { afterSteps } from '../../src/shell-operator/json-patch-steps.ts';

const OBJECT = { a: { 'b/c': 1 }, list: ['x', 'y'] };

describe('a JSON patch', () => {
  it.each<[object, object]>([
    [
      { op: 'add', path: '/a/d', value: 2 },
      { a: { 'b/c': 1, d: 2 }, list: ['x', 'y'] },
    ],
    [
      { op: 'add', path: '/list/1', value: 'n' },
      { ...OBJECT, list: ['x', 'n', 'y'] },
    ],
    [
      { op: 'add', path: '/list/-', value: 'n' },
      { ...OBJECT, list: ['x', 'y', 'n'] },
    ],
    [{ op: 'add', path: '', value: { z: 1 } }, { z: 1 }],
    [
      { op: 'replace', path: '/a/b~1c', value: 2 },
      { ...OBJECT, a: { 'b/c': 2 } },
    ],
    [
      { op: 'replace', path: '/list/0', value: 'n' },
      { ...OBJECT, list: ['n', 'y'] },
    ],
    [
      { op: 'remove', path: '/a/b~1c' },
      { ...OBJECT, a: {} },
    ],
    [
      { op: 'remove', path: '/list/0' },
      { ...OBJECT, list: ['y'] },
    ],
    [
      { op: 'copy', from: '/list/0', path: '/first' },
      { ...OBJECT, first: 'x' },
    ],
    [
      { op: 'move', from: '/list', path: '/moved' },
      { a: { 'b/c': 1 }, moved: ['x', 'y'] },
    ],
    [{ op: 'test', path: '/list/1', value: 'y' }, OBJECT],
  ])('%j', (step, expected) => {
    const before = structuredClone(OBJECT);
    expect(afterSteps(before, [step])).toEqual(expected);
    expect(before).toEqual(OBJECT);
  });

  it.each([
    [{ op: 'remove', path: '/none' }, 'there is nothing at'],
    [{ op: 'replace', path: '/list/2', value: 1 }, 'there is nothing at'],
    [{ op: 'add', path: '/list/3', value: 1 }, 'the list has no place 3'],
    [{ op: 'add', path: '/list/-1', value: 1 }, 'the list has no place -1'],
    [{ op: 'add', path: '/list/01', value: 1 }, 'the list has no place 01'],
    [{ op: 'add', path: '/list/', value: 1 }, 'the list has no place'],
    [{ op: 'remove', path: '/list/-1' }, 'there is nothing at'],
    [{ op: 'copy', from: '/list/1e0', path: '/a/x' }, 'there is nothing at'],
    [{ op: 'add', path: '/none/x', value: 1 }, 'there is nothing for x'],
    [{ op: 'add', path: 'a', value: 1 }, 'is no path'],
    [{ op: 'test', path: '/list/1', value: 'z' }, 'the test of /list/1 failed'],
    [{ op: 'swap', path: '/a' }, 'there is no step "swap"'],
  ])('%j is refused', (step, why) => {
    expect(() => afterSteps(OBJECT, [step])).toThrow(why);
  });
});
