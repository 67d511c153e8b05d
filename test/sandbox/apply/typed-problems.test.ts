import { expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { checkTyped } from '../../../src/sandbox/apply/typed-problems.ts';
import { Sandbox } from '../../../src/sandbox/index.ts';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { typesOf } from '../../../src/sandbox/types/custom/crd-types.ts';
import { ask } from '../../support/sandbox-requests.ts';

const DEPLOYMENT = builtinTypes().find(({ kind }) => kind === 'Deployment') as ApiType;

const containers = (...names: { name: string; image?: string; foo?: number }[]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: names } },
  },
});

it.each<[string, object, string]>([
  [
    'a field that does not exist',
    containers({ name: 'a', foo: 1 }),
    '.spec.template.spec.containers[name="a"].foo: field not declared in schema',
  ],
  [
    'a duplicate item',
    containers({ name: 'a' }, { name: 'a' }),
    '.spec.template.spec.containers: duplicate entries for key [name="a"]',
  ],
  [
    'an item without its key',
    { ...containers(), spec: { template: { spec: { containers: [{ image: 'i' }] } } } },
    '.spec.template.spec.containers: element 0: associative list with keys has an element that omits key field "name" (and doesn\'t have default value)',
  ],
  [
    'values of wrong types',
    { ...containers(), spec: { replicas: '3', paused: 1 } },
    'errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.paused: expected boolean, got &{1}',
  ],
])('refuses %s with 500, as a real server does', async (_what, body, problem) => {
  await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
  const path = '/apis/apps/v1/namespaces/default/deployments/web?fieldManager=one';
  const answer = await ask(sandbox, 'PATCH', path, body, { 'content-type': 'application/apply-patch+yaml' });
  expect([answer.status, answer.body.message]).toEqual([
    500,
    `failed to create typed patch object (/web; apps/v1, Kind=Deployment): ${problem}`,
  ]);
});

function problem(type: ApiType, configuration: object): string | undefined {
  try {
    checkTyped(type, { metadata: { name: 'web', namespace: 'shop' }, ...configuration } as UnknownObject, 'web');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

it('accepts a configuration of its type, with nulls and without fields', () => {
  expect(problem(DEPLOYMENT, {})).toBeUndefined();
  expect(problem(DEPLOYMENT, { ...containers({ name: 'a', image: 'i' }), spec: { replicas: null } })).toBeUndefined();
});

it('names namespace, object, version and kind, and several problems on a line each', () => {
  expect(problem(DEPLOYMENT, { spec: { replicas: 'many', colour: 'red' } })).toBe(
    [
      'failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): errors:',
      '  .spec.colour: field not declared in schema',
      '  .spec.replicas: expected numeric (int or float), got string',
    ].join('\n'),
  );
});

const properties = {
  size: { type: 'integer' },
  ratio: { type: 'number' },
  tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  ports: {
    type: 'array',
    items: { type: 'object', properties: { name: { type: 'string' }, open: { type: 'boolean' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  either: { 'x-kubernetes-int-or-string': true },
};
const schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
const [CUSTOM] = typesOf({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boxes.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
} as unknown as UnknownObject) as [ApiType];

it.each<[spec: object, problem: string | undefined]>([
  [
    { size: 3, ratio: 0.5, either: 'x', labels: { a: 'b' }, tags: ['a', 'b'], ports: [{ name: 'a', open: true }] },
    undefined,
  ],
  [{ size: null }, undefined],
  [{ size: '3' }, '.spec.size: expected numeric (int or float), got string'],
  [{ labels: { a: 1 } }, '.spec.labels.a: expected string, got &value.valueUnstructured{Value:1}'],
  [{ tags: {} }, '.spec.tags: expected list, got &{map[]}'],
  [{ labels: ['a', null] }, '.spec.labels: expected map, got &{[a <nil>]}'],
  [
    { labels: { a: { b: [1] } } },
    '.spec.labels.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":[]interface {}{1}}}',
  ],
  [{ size: { a: 1 } }, '.spec.size: expected numeric (int or float), got map[string]interface {}'],
  [{ tags: ['a', 'a'] }, '.spec.tags: duplicate entries for key [="a"]'],
  [{ ports: [{ name: 'a', open: 'yes' }] }, '.spec.ports[name="a"].open: expected boolean, got &{yes}'],
  [{ ports: [{ name: 'a', colour: 1 }] }, '.spec.ports[name="a"].colour: field not declared in schema'],
])('checks the spec %j of a custom resource by its schema', (spec, expected) => {
  const prefix = 'failed to create typed patch object (shop/web; example.com/v1, Kind=Box): ';
  expect(problem(CUSTOM, { spec })).toBe(expected && prefix + expected);
});
