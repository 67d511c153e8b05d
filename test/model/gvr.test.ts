import { describe, expect, it } from 'vitest';
import { formatGroupResource, formatGvr, parseGroupVersion, parseGvr, pathOf, sameGvr } from '../../src/model/gvr.ts';

describe('a resource type', () => {
  it.each([
    ['apps/v1/deployments', { group: 'apps', version: 'v1', resource: 'deployments' }],
    ['v1/pods', { group: '', version: 'v1', resource: 'pods' }],
  ])('%s is parsed and formatted', (text, gvr) => {
    expect(parseGvr(text)).toEqual(gvr);
    expect(formatGvr(gvr)).toBe(text);
  });

  it('accepts a leading slash for the core group, and refuses other forms', () => {
    expect(parseGvr('/v1/pods')).toEqual({ group: '', version: 'v1', resource: 'pods' });
    for (const text of ['pods', 'a/b/c/d', 'apps//deployments', ''])
      expect(() => parseGvr(text)).toThrow('group/version/resource');
    expect(() => parseGroupVersion('a/b/c')).toThrow('unexpected GroupVersion');
  });

  it.each([
    ['deployments.apps/v1', 'did you mean apps/v1/deployments?'],
    ['pods/v1', 'did you mean v1/pods?'],
    ['widgets.example.com/v1beta1', 'did you mean example.com/v1beta1/widgets?'],
    ['v1/Pod', 'write it as apps/v1/deployments'],
    ['Pod/v1', 'write it as apps/v1/deployments'],
    [' v1/pods', 'write it as apps/v1/deployments'],
    ['apps/v1/deployments ', 'write it as apps/v1/deployments'],
    ['Apps/v1/deployments', 'write it as apps/v1/deployments'],
  ])('refuses %j, which no server has, with a hint', (text, hint) => {
    expect(() => parseGvr(text)).toThrow(
      expect.objectContaining({ code: 'argument', hint: expect.stringContaining(hint) }),
    );
  });

  it('has paths whose parts are escaped', () => {
    expect(pathOf({ group: '', version: 'v1', resource: 'pods' }, { namespace: 'shop' })).toBe(
      '/api/v1/namespaces/shop/pods',
    );
    expect(
      pathOf(
        { group: 'apps', version: 'v1', resource: 'deployments' },
        { namespace: 'a', name: 'b:c?d', subresource: 'scale' },
      ),
    ).toBe('/apis/apps/v1/namespaces/a/deployments/b%3Ac%3Fd/scale');
    expect(pathOf({ group: '', version: 'v1', resource: 'nodes' }, { name: 'n' })).toBe('/api/v1/nodes/n');
  });

  it('is formatted as kubectl prints a resource, with the group behind it', () => {
    expect(formatGroupResource({ group: 'apps', resource: 'deployments' })).toBe('deployments.apps');
    expect(formatGroupResource({ group: '', resource: 'pods' })).toBe('pods');
  });

  it('equals another one when group, version and resource are the same', () => {
    const pods = { group: 'a', version: 'v1', resource: 'pods' };
    expect(sameGvr(pods, { ...pods })).toBe(true);
    for (const other of [{ group: 'b' }, { version: 'v2' }, { resource: 'nodes' }]) {
      expect(sameGvr(pods, { ...pods, ...other })).toBe(false);
    }
  });

  it('refuses a path for an empty name, and for parts that would change the path', () => {
    const pods = { group: '', version: 'v1', resource: 'pods' };
    expect(() => pathOf(pods, { namespace: 'a', name: '' })).toThrow('the name of the object may not be empty');
    expect(() => pathOf(pods, { namespace: '..' })).toThrow("the namespace may not be '..'");
    expect(() => pathOf({ ...pods, resource: 'pods/x' })).toThrow("the resource type may not contain '/'");
    expect(() => pathOf({ ...pods, group: 'a%b' })).toThrow("the group of the resource type may not contain '%'");
    expect(() => pathOf({ ...pods, version: '' })).toThrow('the version of the resource type may not be empty');
    expect(() => pathOf(pods, { name: 'a', subresource: '.' })).toThrow("the subresource may not be '.'");
  });
});
