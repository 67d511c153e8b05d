import { describe, expect, it } from 'vitest';
import { ExplicitKey, keyOf, partsOfKey, splitKey } from '../../src/model/key.ts';
import { Tombstone } from '../../src/model/object.ts';

describe('keys', () => {
  it('are namespace/name, or the name alone [KEY-01]', () => {
    expect(keyOf({ metadata: { namespace: 'a', name: 'b' } })).toBe('a/b');
    expect(keyOf({ metadata: { name: 'b' } })).toBe('b');
    expect(keyOf(new ExplicitKey('x/y'))).toBe('x/y');
    expect(() => keyOf({ name: 'b' })).toThrow('object has no meta');
    expect(() => keyOf(undefined)).toThrow('object has no meta');
  });

  it('split at one slash [KEY-02]', () => {
    expect(splitKey('b')).toEqual({ namespace: '', name: 'b' });
    expect(splitKey('a/b')).toEqual({ namespace: 'a', name: 'b' });
    expect(splitKey('/b')).toEqual({ namespace: '', name: 'b' });
    expect(() => splitKey('a/b/c')).toThrow('unexpected key format');
  });

  it('of a tombstone are its own, with or without an object [KEY-03]', () => {
    expect(keyOf(new Tombstone('a/b', undefined))).toBe('a/b');
    expect(keyOf(new Tombstone('a/b', { metadata: { namespace: 'c', name: 'd' } }))).toBe('a/b');
  });
});

it('takes a key of a server apart whose name has a slash, which splitKey refuses', () => {
  expect(partsOfKey('b')).toEqual({ namespace: '', name: 'b' });
  expect(partsOfKey('/b')).toEqual({ namespace: '', name: 'b' });
  expect(partsOfKey('a/b/c')).toEqual({ namespace: 'a', name: 'b/c' });
});
