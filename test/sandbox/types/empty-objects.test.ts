import { describe, expect, it } from 'vitest';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { emptyObject, fillIn } from '../../../src/sandbox/types/empty-objects.ts';

const find = (resource: string, group = '') =>
  builtinTypes().find(({ gvr }) => gvr.resource === resource && gvr.group === group) as ApiType;
const custom: ApiType = { ...find('pods'), custom: { columns: [], selectableFields: [], schema: undefined } };

describe('an empty object', () => {
  it('has the fields that Go always writes', () => {
    expect(emptyObject(find('pods'))).toEqual({ metadata: {}, spec: { containers: null }, status: {} });
    expect(emptyObject(find('configmaps'))).toEqual({ metadata: {} });
    expect(emptyObject(custom)).toEqual({ metadata: {} });
  });

  it('has the field names of its type, not those of the store', () => {
    expect(emptyObject(find('events', 'events.k8s.io'))).toMatchObject({
      regarding: {},
      deprecatedFirstTimestamp: null,
    });
  });

  it('is a new one each time', () => {
    Object.assign(emptyObject(find('pods')).spec as object, { containers: [] });
    expect(emptyObject(find('pods')).spec).toEqual({ containers: null });
  });
});

describe('filling in', () => {
  it('adds what is absent at every depth, and keeps what is there', () => {
    const object = { metadata: { name: 'd' }, spec: { replicas: 2, template: { metadata: { labels: { a: 'b' } } } } };
    expect(fillIn(object, find('deployments', 'apps'))).toEqual({
      metadata: { name: 'd' },
      spec: {
        replicas: 2,
        selector: null,
        strategy: {},
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: null } },
      },
      status: {},
    });
  });

  it('replaces a null struct, but no other null', () => {
    const filled = fillIn({ metadata: {}, spec: null, status: null, extra: null }, find('deployments', 'apps'));
    expect([filled.spec, filled.status, filled.extra]).toEqual([expect.objectContaining({ strategy: {} }), {}, null]);
    expect(
      fillIn({ metadata: {}, provisioner: null }, find('storageclasses', 'storage.k8s.io')).provisioner,
    ).toBeNull();
  });

  it('does nothing to a custom resource', () => {
    expect(fillIn({ metadata: {}, spec: null }, custom)).toEqual({ metadata: {}, spec: null });
  });
});
