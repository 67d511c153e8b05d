import { describe, expect, it } from 'vitest';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { typesOf } from '../../../src/sandbox/types/custom/crd-types.ts';
import { TypeRegistry } from '../../../src/sandbox/types/type-registry.ts';

const custom = (group: string, ...versions: string[]) =>
  typesOf({
    metadata: {},
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'apples', kind: 'Apple' },
      versions: versions.map((name) => ({ name, served: true })),
    },
  });

describe('the registry of types', () => {
  it('finds a type by path and by kind', () => {
    const types = new TypeRegistry(builtinTypes());
    expect(types.find({ group: 'apps', version: 'v1', resource: 'deployments' })?.kind).toBe('Deployment');
    expect(types.findKind('apps/v1', 'Deployment')?.gvr.resource).toBe('deployments');
    expect([
      types.find({ group: 'apps', version: 'v2', resource: 'deployments' }),
      types.findKind('v1', 'Deployment'),
    ]).toEqual([undefined, undefined]);
  });

  it('finds no kind that cannot be read', () => {
    expect(new TypeRegistry(builtinTypes()).findKind('v1', 'Binding')).toBeUndefined();
  });

  it('has built-in groups in their order, then custom groups by name, each with its versions', () => {
    const types = new TypeRegistry(builtinTypes());
    const before = types.groups.map(({ name }) => name);
    types.put('apples.z.io', custom('z.io', 'v1'));
    types.put('apples.a.io', custom('a.io', 'v1beta1', 'v1'));
    expect(types.groups.map(({ name }) => name)).toEqual([...before, 'a.io', 'z.io']);
    expect(types.group('a.io')?.versions.map(({ version }) => version)).toEqual(['v1', 'v1beta1']);
    expect(types.version('a.io', 'v1')?.types.map(({ kind }) => kind)).toEqual(['Apple']);
    expect(types.version('a.io', 'v3')).toBeUndefined();
  });

  it('replaces the types of one stored resource, and counts every change', () => {
    const types = new TypeRegistry(builtinTypes());
    const { generation } = types;
    types.put('apples.a.io', custom('a.io', 'v1'));
    types.put('apples.a.io', custom('a.io', 'v2'));
    expect(types.all.filter((t) => t.storage === 'apples.a.io').map(({ gvr }) => gvr.version)).toEqual(['v2']);
    types.put('apples.a.io', []);
    expect([types.group('a.io'), types.generation - generation]).toEqual([undefined, 3]);
  });
});
