import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask } from '../../support/sandbox-requests.ts';

interface Schema {
  readonly type?: string;
  readonly properties: Readonly<Record<string, Record<string, unknown>>>;
  readonly required?: readonly string[];
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly patch?: { readonly requestBody: { readonly content: object } } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let sandbox: Sandbox;
const CORE = 'io.k8s.api.core.v1';

beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1 });
});

afterAll(() => sandbox.stop());

const documentAt = async (path: string) => (await ask<Document>(sandbox, 'GET', `/openapi/v3/${path}`)).body;
const index = async () =>
  (await ask<{ paths: Record<string, { serverRelativeURL: string }> }>(sandbox, 'GET', '/openapi/v3')).body
    .paths as Readonly<Record<string, { serverRelativeURL: string }>>;

const crd = (group: string, description: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `apples.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'apples', kind: 'Apple' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description,
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
});

describe('OpenAPI v3', () => {
  it('a document has a schema with merge rules for every kind', async () => {
    const { components } = await documentAt('api/v1');
    const pod = components.schemas[`${CORE}.Pod`];
    expect(pod).toMatchObject({ 'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }] });
    expect(Object.keys(pod?.properties ?? {})).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
    const spec = components.schemas[`${CORE}.PodSpec`];
    expect(spec?.required).toEqual(['containers']);
    expect(spec?.properties.containers).toMatchObject({
      type: 'array',
      items: { allOf: [{ $ref: `#/components/schemas/${CORE}.Container` }], default: {} },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(spec?.properties.terminationGracePeriodSeconds).toMatchObject({ type: 'integer', format: 'int64' });
  });

  it('a document refers to no schema outside of it', async () => {
    for (const path of Object.keys(await index())) {
      const document = await documentAt(path);
      const referred = JSON.stringify(document).matchAll(/#\/components\/schemas\/([^"]+)/g);
      const lacking = [...referred].map(([, name = '']) => name).filter((name) => !document.components.schemas[name]);
      expect([path, lacking]).toEqual([path, []]);
    }
  });

  it('lists the patches that a kind accepts', async () => {
    const patch = (d: Document, path: string) => Object.keys(d.paths[path]?.patch?.requestBody.content ?? {});
    const core = await documentAt('api/v1');
    expect(patch(core, '/api/v1/namespaces/{namespace}/pods/{name}')).toContain(
      'application/strategic-merge-patch+json',
    );
    sandbox.apply(crd('patches.example.com', ''));
    const custom = await documentAt('apis/patches.example.com/v1');
    const path = '/apis/patches.example.com/v1/namespaces/{namespace}/apples/{name}';
    expect(patch(custom, path)).not.toContain('application/strategic-merge-patch+json');
  });

  it('contains the schema of a definition, under a new hash when that changes', async () => {
    sandbox.apply(crd('fruit.example.com', 'Grows on trees.'));
    const before = (await index())['apis/fruit.example.com/v1']?.serverRelativeURL;
    const { components } = await documentAt('apis/fruit.example.com/v1');
    const schema = components.schemas['com.example.fruit.v1.Apple'];
    expect(schema).toMatchObject({
      description: 'Grows on trees.',
      properties: { spec: { properties: { size: { type: 'integer' } } } },
    });
    sandbox.apply(crd('fruit.example.com', 'Falls from trees.'));
    const after = (await index())['apis/fruit.example.com/v1']?.serverRelativeURL;
    expect(after).not.toBe(before);
    const { status, headers } = await ask(sandbox, 'GET', before ?? '');
    expect([status, headers.location]).toEqual([301, after]);
  });
});
