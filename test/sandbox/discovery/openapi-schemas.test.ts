import { expect, it } from 'vitest';
import { SchemaSet } from '../../../src/sandbox/discovery/openapi-schemas.ts';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';

const CORE = 'io.k8s.api.core.v1';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const POD = builtinTypes().find(({ kind }) => kind === 'Pod') as ApiType;

interface Schema {
  readonly properties: Readonly<Record<string, Record<string, unknown>>>;
  readonly [field: string]: unknown;
}

function schemas(...types: ApiType[]): Readonly<Record<string, Schema>> {
  const set = new SchemaSet();
  for (const type of types) set.add(type);
  return set.all() as Readonly<Record<string, Schema>>;
}

const custom = (schema?: object) =>
  ({
    ...POD,
    gvr: { group: 'fruit.example.com', version: 'v1', resource: 'apples' },
    kind: 'Apple',
    custom: { schema },
  }) as unknown as ApiType;

it('adds the schema of a kind, of every type below it, and of nothing else', () => {
  const all = schemas(POD);
  expect(Object.keys(all)).toEqual([...Object.keys(all)].sort());
  expect(Object.keys(all)).toEqual(
    expect.arrayContaining([`${CORE}.Pod`, `${CORE}.Container`, `${META}.ObjectMeta`, `${META}.Time`]),
  );
  expect(all).not.toHaveProperty([`${CORE}.Service`]);
});

it('returns the name of the schema, and no name for a kind that is not known', () => {
  const set = new SchemaSet();
  expect([
    set.add(POD),
    set.addKind('autoscaling/v1', 'Scale'),
    set.addKind('v1', 'Nonsense'),
    set.add(custom()),
  ]).toEqual([`${CORE}.Pod`, 'io.k8s.api.autoscaling.v1.Scale', undefined, 'com.example.fruit.v1.Apple']);
});

it.each<[message: string, field: string, schema: object]>([
  ['Pod', 'spec', { allOf: [{ $ref: `#/components/schemas/${CORE}.PodSpec` }], default: {} }],
  ['PodSpec', 'hostNetwork', { type: 'boolean' }],
  ['PodSpec', 'priority', { type: 'integer', format: 'int32' }],
  ['PodSpec', 'terminationGracePeriodSeconds', { type: 'integer', format: 'int64' }],
  [
    'PodSpec',
    'nodeSelector',
    { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
  ],
  ['Container', 'command', { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' }],
  [
    'Container',
    'ports',
    {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      'x-kubernetes-patch-merge-key': 'containerPort',
      'x-kubernetes-patch-strategy': 'merge',
    },
  ],
  ['PodStatus', 'startTime', { allOf: [{ $ref: `#/components/schemas/${META}.Time` }] }],
])('describes the type and the merge rules of %s.%s', (message, field, expected) => {
  expect(schemas(POD)[`${CORE}.${message}`]?.properties[field]).toMatchObject(expected);
});

it('a scalar with a name has no default, an object has one', () => {
  const { properties } = schemas(POD)[`${CORE}.PodStatus`] as Schema;
  expect(properties.startTime).not.toHaveProperty('default');
});

it('a built-in kind has its group, version and kind', () => {
  expect(schemas(POD)[`${CORE}.Pod`]?.['x-kubernetes-group-version-kind']).toEqual([
    { group: '', version: 'v1', kind: 'Pod' },
  ]);
});

it('a custom kind has the schema of its definition, with kind, apiVersion and metadata', () => {
  const apple = schemas(custom({ type: 'object', description: 'A fruit.', properties: { spec: { type: 'object' } } }))[
    'com.example.fruit.v1.Apple'
  ];
  expect(apple).toMatchObject({
    description: 'A fruit.',
    type: 'object',
    'x-kubernetes-group-version-kind': [{ group: 'fruit.example.com', version: 'v1', kind: 'Apple' }],
  });
  expect(Object.keys(apple?.properties ?? {})).toEqual(['apiVersion', 'kind', 'spec', 'metadata']);
  expect(apple?.properties.metadata).toMatchObject({ allOf: [{ $ref: `#/components/schemas/${META}.ObjectMeta` }] });
  expect(schemas(custom())['com.example.fruit.v1.Apple']).toMatchObject({
    'x-kubernetes-preserve-unknown-fields': true,
  });
});

it('ends at a type that contains itself', () => {
  const crd = builtinTypes().find(({ kind }) => kind === 'CustomResourceDefinition') as ApiType;
  const [name] = Object.keys(schemas(crd)).filter((key) => key.endsWith('.JSONSchemaProps'));
  expect(JSON.stringify(schemas(crd)[name ?? '']?.properties.not)).toContain(name);
});
