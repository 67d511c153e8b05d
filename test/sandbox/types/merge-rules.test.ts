import { describe, expect, it } from 'vitest';
import type { ApiType, JsonSchema } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { fieldShape, hasShape, shapeOf } from '../../../src/sandbox/types/merge-rules.ts';
import { EVERY_TYPE } from '../../support/gated-types.ts';

const type = (kind: string) => {
  const found = builtinTypes().find((t) => t.kind === kind);
  if (!found) throw new Error(`no ${kind}`);
  return found;
};

describe('merge rules', () => {
  const at = (kind: string, ...path: string[]) =>
    path.reduce(
      (shape, field) => (field === '[]' ? shape?.items : fieldShape(shape, field)),
      shapeOf(type(kind)) as ReturnType<typeof fieldShape>,
    );

  it('are known for every built-in type, except one old version', () => {
    expect(
      builtinTypes(EVERY_TYPE)
        .filter((t) => !hasShape(t))
        .map((t) => `${t.kind} ${t.gvr.version}`),
    ).toEqual(['HorizontalPodAutoscaler v1']);
  });

  it('can differ between an apply and a strategic merge patch', () => {
    const spec = ['spec', 'template', 'spec'];
    expect(at('Deployment', ...spec, 'containers')).toMatchObject({
      keys: ['name'],
      patchMerges: true,
      patchKey: 'name',
    });
    expect(at('Deployment', ...spec, 'containers', '[]', 'ports')).toMatchObject({
      keys: ['containerPort', 'protocol'],
      patchKey: 'containerPort',
    });
    expect(at('Deployment', ...spec, 'containers', '[]', 'resources', 'claims')).toMatchObject({ keys: ['name'] });
    expect(at('Deployment', ...spec, 'containers', '[]', 'resources', 'claims')?.patchMerges).toBeUndefined();
    expect(at('Job', 'status', 'conditions')).toMatchObject({ patchMerges: true, patchKey: 'type' });
    expect(at('Job', 'status', 'conditions')?.keys).toBeUndefined();
    expect(at('Deployment', 'metadata', 'finalizers')).toMatchObject({ set: true, patchMerges: true });
    expect(at('Deployment', 'spec', 'selector')).toEqual({ atomic: true });
    expect(at('Service', 'spec', 'selector')).toEqual({ atomic: true });
  });
});

describe('the merge rules of a custom type', () => {
  const custom = (schema: JsonSchema | undefined): ApiType => ({
    ...type('Pod'),
    custom: { columns: [], selectableFields: [], schema },
  });
  const list = (more: JsonSchema): JsonSchema => ({ type: 'array', items: { type: 'object' }, ...more });

  it('come from its schema', () => {
    const shape = shapeOf(
      custom({
        properties: {
          map: list({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] }),
          set: list({ 'x-kubernetes-list-type': 'set' }),
          plain: list({}),
          atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
          values: { additionalProperties: { 'x-kubernetes-map-type': 'atomic' } },
        },
      }),
    );
    expect(fieldShape(shape, 'map')).toMatchObject({ keys: ['a', 'b'] });
    expect(fieldShape(shape, 'set')).toMatchObject({ set: true });
    expect(fieldShape(shape, 'plain')).toEqual({ items: {} });
    expect(fieldShape(shape, 'atomic')).toEqual({ atomic: true });
    expect(fieldShape(fieldShape(shape, 'values'), 'any')).toEqual({ atomic: true });
  });

  it('are those of metadata in every type, also without a schema', () => {
    const owners = fieldShape(fieldShape(shapeOf(custom(undefined)), 'metadata'), 'ownerReferences');
    expect(owners).toMatchObject({ keys: ['uid'] });
    expect(hasShape(custom(undefined))).toBe(true);
  });

  it('have nothing for a name that every JavaScript object has', () => {
    expect(fieldShape(shapeOf(custom({ properties: {} })), 'constructor')).toBeUndefined();
  });
});
