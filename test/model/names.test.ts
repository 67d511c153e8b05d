import { describe, expect, it } from 'vitest';
import { formatGvr, parseGroupVersion, parseGvr, pathOf } from '../../src/model/gvr.ts';
import { ExplicitKey, keyOf, splitKey } from '../../src/model/key.ts';
import { queryOf } from '../../src/model/list-options.ts';
import { Tombstone } from '../../src/model/object.ts';
import { compareResourceVersions } from '../../src/model/resource-version.ts';

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

describe('types', () => {
  it.each([
    ['apps/v1/deployments', { group: 'apps', version: 'v1', resource: 'deployments' }],
    ['v1/pods', { group: '', version: 'v1', resource: 'pods' }],
  ])('%s reads and prints', (text, gvr) => {
    expect(parseGvr(text)).toEqual(gvr);
    expect(formatGvr(gvr)).toBe(text);
  });

  it('take a leading slash for the core group and refuse the rest', () => {
    expect(parseGvr('/v1/pods')).toEqual({ group: '', version: 'v1', resource: 'pods' });
    for (const text of ['pods', 'a/b/c/d', 'apps//deployments', '']) expect(() => parseGvr(text)).toThrow('group/version/resource');
    expect(() => parseGroupVersion('a/b/c')).toThrow('unexpected GroupVersion');
  });

  it('make paths with their parts escaped', () => {
    expect(pathOf({ group: '', version: 'v1', resource: 'pods' }, { namespace: 'shop' })).toBe('/api/v1/namespaces/shop/pods');
    expect(pathOf({ group: 'apps', version: 'v1', resource: 'deployments' }, { namespace: 'a', name: 'b:c?d', subresource: 'scale' })).toBe(
      '/apis/apps/v1/namespaces/a/deployments/b%3Ac%3Fd/scale',
    );
    expect(pathOf({ group: '', version: 'v1', resource: 'nodes' }, { name: 'n' })).toBe('/api/v1/nodes/n');
  });

  it('make query strings without what is unset', () => {
    expect(queryOf({ watch: true, resourceVersion: '', limit: 0, labelSelector: 'a in (b)', sendInitialEvents: true })).toBe(
      'watch=true&labelSelector=a+in+%28b%29&sendInitialEvents=true',
    );
    expect(queryOf({ resourceVersion: '0', limit: 500 })).toBe('resourceVersion=0&limit=500');
  });
});

describe('resource versions', () => {
  it('compare by length, then text, beyond any number’s reach', () => {
    expect(compareResourceVersions('9', '10')).toBeLessThan(0);
    expect(compareResourceVersions('99999999999999999999', '99999999999999999998')).toBeGreaterThan(0);
    expect(compareResourceVersions('7', '7')).toBe(0);
  });

  it('are not comparable unless plain decimals', () => {
    for (const odd of ['', '0', '01', 'abc', '-1']) expect(compareResourceVersions(odd, '5')).toBeUndefined();
  });
});
