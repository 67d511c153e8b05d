import { describe, expect, it } from 'vitest';
import { Index, indexByNamespace, reading, UNFILED, valuesFrom } from '../../../src/informer/store/object-index.ts';

const index = () => new Index<unknown>(() => []);

/** Everything that can be read of an index. */
const stateOf = (of: Index<unknown>, keys: readonly string[]) => ({
  values: Object.fromEntries([...of.values()].sort().map((value) => [value, [...of.keysOf(value)].sort()])),
  counts: [...of.values()].sort().map((value) => of.countOf(value)),
  keys: keys.map((key) => [...of.valuesOf(key)]),
});

describe('an index', () => {
  it('has the function that it is made with', () => {
    const fn = () => ['x'];
    expect(new Index(fn).fn).toBe(fn);
  });

  it('has the keys of a value and the values of a key: none, one or several', () => {
    const one = index();
    one.file('a', ['x']);
    one.file('b', ['x', 'y']);
    one.file('c', []);
    expect(stateOf(one, ['a', 'b', 'c', 'unknown'])).toEqual({
      values: { x: ['a', 'b'], y: ['b'] },
      counts: [2, 1],
      keys: [['x'], ['x', 'y'], [], []],
    });
    expect([[...one.keysOf('z')], one.countOf('z')]).toEqual([[], 0]);
  });

  it.each<[string, string[][], Record<string, string[]>]>([
    ['another value', [['x'], ['y']], { y: ['a'], z: ['b'] }],
    ['a value more', [['x'], ['x', 'y']], { x: ['a'], y: ['a'], z: ['b'] }],
    ['a value less', [['x', 'y'], ['y']], { y: ['a'], z: ['b'] }],
    [
      'the same values',
      [
        ['x', 'y'],
        ['x', 'y'],
      ],
      { x: ['a'], y: ['a'], z: ['b'] },
    ],
    [
      'as many others',
      [
        ['x', 'y'],
        ['v', 'w'],
      ],
      { v: ['a'], w: ['a'], z: ['b'] },
    ],
    [
      'as many others, one the same',
      [
        ['x', 'y'],
        ['x', 'w'],
      ],
      { w: ['a'], x: ['a'], z: ['b'] },
    ],
    ['no value', [['x', 'z'], []], { z: ['b'] }],
    ['a value that another key has', [['x'], ['z']], { z: ['a', 'b'] }],
    ['a value twice', [['x', 'x'], ['x']], { x: ['a'], z: ['b'] }],
  ])('follows a key that is filed again with %s', (_, filed, values) => {
    const one = index();
    one.file('b', ['z']);
    for (const each of filed) {
      one.file('a', each);
      one.ranges.find({}, one.values()); // sorts the values, which then follow
    }
    const state = stateOf(one, ['a', 'b']);
    expect(state.values).toEqual(values);
    expect(state.keys).toEqual([filed.at(-1), ['z']]);
    expect(one.ranges.find({}, one.values())).toEqual(Object.keys(values));
  });

  it('shares one text for a value of several keys', () => {
    const one = index();
    const texts = ['shared value', ['shared', 'value'].join(' '), ['shared', 'value'].join(' ')];
    for (const [i, text] of texts.entries()) one.file(`k${i}`, [text]);
    expect([...one.values()]).toEqual(['shared value']);
    one.file('k0', []);
    one.file('k1', []);
    expect([...one.keysOf('shared value')]).toEqual(['k2']);
    one.file('k2', []);
    expect([...one.values()]).toEqual([]);
  });

  it('knows the objects whose function threw, until they are filed', () => {
    const one = index();
    one.file('a', ['x']);
    one.file('a', UNFILED);
    one.file('b', UNFILED);
    expect([one.valuesOf('a') === UNFILED, one.valuesOf('b') === UNFILED, [...one.values()]]).toEqual([true, true, []]);
    one.file('a', ['y']);
    one.file('b', []);
    expect([one.valuesOf('a'), one.valuesOf('b')]).toEqual([['y'], []]);
    expect(one.valuesOf('b')).not.toBe(UNFILED);
  });
});

it('the values of an object are those of the function for what the store opens', () => {
  const store = {
    openPart: (cached: string, fields: readonly unknown[] | undefined) => `${fields ?? 'all'} of ${cached}`,
  };
  expect(valuesFrom('i', (object: string) => [object], 'k', store, 'entry')).toEqual(['all of entry']);
  const ofPhase = reading([['status', 'phase']], (object: string) => [object]);
  expect(valuesFrom('i', ofPhase, 'k', store, 'entry')).toEqual(['status,phase of entry']);
});

it.each<[string, () => unknown, RegExp]>([
  ['throws', () => JSON.parse('{'), /JSON/],
  ['returns no list', () => 'x', /it returned string in place of a list$/],
  ['returns null', () => null, /it returned null in place of a list$/],
  ['returns something else first', () => [5, 'x'], /it returned a list with number in place of a text$/],
  ['returns something else last', () => ['x', undefined], /it returned a list with undefined in place of a text$/],
])('a function that %s is an error that names index and key', (_, fn, reason) => {
  const values = () => valuesFrom('i', fn as () => string[], 'shop/a', { openPart: (cached) => cached }, {});
  expect(values).toThrow(reason);
  expect(values).toThrow('unable to calculate an index entry for key "shop/a" on index "i": ');
});

it('the index of every informer has the namespace of an object, and the empty text for one without', () => {
  expect(indexByNamespace({ metadata: { name: 'a', namespace: 'shop' } })).toEqual(['shop']);
  expect(indexByNamespace({ metadata: { name: 'a' } })).toEqual(['']);
  expect(indexByNamespace('no object')).toEqual([]);
});
