import { describe, expect, it } from 'vitest';
import { isObjectDelta, keyOfDeltas } from '../../../src/informer/store/delta-fifo.ts';
import { Tombstone } from '../../../src/model/object.ts';
import { pod } from '../../support/objects.ts';

it('finds the key of objects, tombstones and lists of deltas [FIFO-27]', () => {
  const foo = pod('ns/foo', 1);
  expect(keyOfDeltas(foo)).toBe('ns/foo');
  expect(keyOfDeltas(new Tombstone('ns/foo', undefined))).toBe('ns/foo');
  expect(
    keyOfDeltas([
      { type: 'Added', object: pod('x', 1) },
      { type: 'Updated', object: foo },
    ]),
  ).toBe('ns/foo');
  expect(keyOfDeltas([{ type: 'Deleted', object: new Tombstone('ns/foo', foo) }])).toBe('ns/foo');
  expect(() => keyOfDeltas([])).toThrow('0 length Deltas');
  expect(() => keyOfDeltas({})).toThrow('object has no meta');
});

describe('a delta', () => {
  it.each(['Added', 'Updated', 'Deleted'] as const)('of type %s is a change of one object', (type) => {
    expect(isObjectDelta({ type, object: pod('a', 1), key: 'a' })).toBe(true);
  });

  it('is no change of one object when it is a list, a resync, a bookmark or a continuity event', () => {
    const event = { kind: 'gap', from: '1', why: 'gone', at: 0 } as const;
    const others = [
      { type: 'ReplacedAll', objects: [], resourceVersion: '1' } as const,
      { type: 'SyncAll' } as const,
      { type: 'Bookmark', resourceVersion: '1' } as const,
      { type: 'Continuity', event } as const,
    ];
    expect(others.map((delta) => isObjectDelta(delta))).toEqual([false, false, false, false]);
  });
});

it.each([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'ns/foo'],
  ['a type alone', { type: 'Added' }],
  ['an object alone', { object: pod('ns/foo', 1) }],
])('%s has no key', (_, value) => {
  expect(() => keyOfDeltas(value)).toThrow('object has no meta');
});

it('an object with fields like those of a delta has its own key', () => {
  const alike = { ...pod('ns/own', 1), type: 'Added', object: pod('ns/foo', 1) };
  expect(keyOfDeltas(alike)).toBe('ns/own');
  expect(keyOfDeltas([[alike], { type: 'Added', object: pod('ns/foo', 1) }])).toBe('ns/foo');
});
