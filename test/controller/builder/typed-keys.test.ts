import { describe, expect, it } from 'vitest';
import {
  atCluster,
  clusterKey,
  recordKey,
  splitClusterKey,
  withoutCluster,
} from '../../../src/controller/builder/typed-keys.ts';

describe('the key of an object of one of several clusters', () => {
  it.each([
    [{ cluster: 'eu', namespace: 'shop', name: 'web' }, 'eu/shop/web', 'shop/web'],
    [{ cluster: 'eu', namespace: '', name: 'web' }, 'eu//web', 'web'],
  ])('of %j is %s', (place, key, own) => {
    expect(clusterKey(place)).toBe(key);
    expect(splitClusterKey(key)).toEqual(place);
    expect(withoutCluster(key)).toBe(own);
    expect(atCluster('eu', own)).toBe(key);
    expect(atCluster('us', key)).toBe(key);
  });

  it.each(['', 'web', 'shop/web', '/shop/web', 'eu/shop/', 'eu/shop/web/x'])('is not %j', (text) => {
    expect(() => splitClusterKey(text)).toThrow('unexpected key format');
  });
});

describe('the key of a record', () => {
  it('does not depend on the order of the fields, at any depth', () => {
    const one = recordKey({ a: 1, b: [{ d: null, c: 'x' }], e: undefined });
    expect(one).toBe(recordKey({ b: [{ c: 'x', d: null }], a: 1 }));
    expect(JSON.parse(one)).toEqual({ a: 1, b: [{ c: 'x', d: null }] });
  });

  it.each([
    [{ a: Number.NaN }],
    [{ a: new Date(0) }],
    [{ a: 1n }],
    [{ a: () => 1 }],
    [undefined],
    [new Map()],
    [[undefined]],
  ])('is refused where JSON would change it: %#', (record) => {
    expect(() => recordKey(record)).toThrow('cannot be a part of the key of a controller');
  });
});
