import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatGroupVersion } from '../../../src/model/gvr.ts';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { describeField } from '../../../src/sandbox/types/fields/descriptions.ts';
import { allMessages, builtinMessage } from '../../../src/sandbox/types/fields/field-table.ts';
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
  (await ask<{ paths: Record<string, { serverRelativeURL: string }> }>(sandbox, 'GET', '/openapi/v3')).body.paths as Readonly<
    Record<string, { serverRelativeURL: string }>
  >;

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

describe('the field table', () => {
  it('knows every built-in kind that is served', () => {
    const unknown = builtinTypes().filter((t) => !builtinMessage(formatGroupVersion(t.gvr), t.kind));
    expect(unknown.map((t) => `${formatGroupVersion(t.gvr)} ${t.kind}`)).toEqual(['autoscaling/v1 HorizontalPodAutoscaler']);
  });

  it('names fields only by what may stand in JSON, and types that it has', () => {
    const fields = allMessages().flatMap((m) => [...m.fields.values()]);
    expect(fields.map((f) => f.name).filter((name) => !/^[$a-zA-Z][A-Za-z0-9-]*$/.test(name))).toEqual([]);
    expect(fields.map((f) => f.type.is).filter((is) => is === undefined)).toEqual([]);
  });

  it('reads all marks of its notation', () => {
    const field = (message: string, name: string) => builtinMessage('v1', message)?.fields.get(name);
    expect(field('PodSpec', 'volumes')).toMatchObject({
      keys: ['name'],
      patchKey: 'name',
      patchStrategy: 'merge,retainKeys',
      required: false,
    });
    expect(field('PodSpec', 'containers')).toMatchObject({ keys: ['name'], required: true });
    expect(field('PodSpec', 'nodeSelector')).toMatchObject({ atomic: true, type: { is: 'map' } });
    expect(field('PodSpec', 'restartPolicy')?.type).toEqual({ is: 'scalar', scalar: '', values: ['Always', 'Never', 'OnFailure'] });
    expect(builtinMessage('meta.k8s.io/v1', 'ObjectMeta')?.fields.get('finalizers')).toMatchObject({ set: true, patchStrategy: 'merge' });
    expect(builtinMessage('apps/v1', 'DeploymentSpec')?.fields.get('strategy')?.patchStrategy).toBe('retainKeys');
    expect(builtinMessage('policy/v1', 'PodDisruptionBudgetSpec')?.fields.get('selector')?.patchStrategy).toBe('replace');
    expect(builtinMessage('v1', 'ObjectReference')?.atomic).toBe(true);
  });

  it('describes no message and no field that there is not', async () => {
    const { META_TEXTS } = await import('../../../src/sandbox/types/fields/meta-texts.ts');
    const { CORE_TEXTS } = await import('../../../src/sandbox/types/fields/core-texts.ts');
    const { OTHER_TEXTS } = await import('../../../src/sandbox/types/fields/other-texts.ts');
    const known = new Map<string, Set<string>>();
    for (const { name, fields } of allMessages()) known.set(name, new Set([...(known.get(name) ?? []), ...fields.keys()]));
    for (const scalar of ['Quantity', 'Time', 'MicroTime', 'IntOrString']) known.set(scalar, new Set());
    const wrong: string[] = [];
    let message = '';
    for (const line of `${META_TEXTS}${CORE_TEXTS}${OTHER_TEXTS}`.split('\n').filter((l) => l !== '')) {
      const [name = ''] = line.trim().split(' ');
      if (!line.startsWith(' ')) message = name;
      if (line.startsWith(' ') ? !known.get(message)?.has(name) : !known.has(name)) wrong.push(`${message} ${name}`);
    }
    expect(wrong).toEqual([]);
    expect(describeField('Container', 'image')).toBe('The image it runs.');
    expect(describeField('DeploymentCondition', 'reason'), 'as in every condition').toMatch(/^One word /);
    expect(describeField('Deployment', 'spec')).toBeUndefined();
  });
});

describe('OpenAPI v3', () => {
  it('gives a schema with merge rules for every kind of a document', async () => {
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

  it('refers to no schema that is not in the same document', async () => {
    for (const path of Object.keys(await index())) {
      const document = await documentAt(path);
      const referred = JSON.stringify(document).matchAll(/#\/components\/schemas\/([^"]+)/g);
      const lacking = [...referred].map(([, name = '']) => name).filter((name) => !document.components.schemas[name]);
      expect([path, lacking]).toEqual([path, []]);
    }
  });

  it('says which patches a kind takes', async () => {
    const patch = (d: Document, path: string) => Object.keys(d.paths[path]?.patch?.requestBody.content ?? {});
    const core = await documentAt('api/v1');
    expect(patch(core, '/api/v1/namespaces/{namespace}/pods/{name}')).toContain('application/strategic-merge-patch+json');
    sandbox.apply(crd('patches.example.com', ''));
    const custom = await documentAt('apis/patches.example.com/v1');
    const path = '/apis/patches.example.com/v1/namespaces/{namespace}/apples/{name}';
    expect(patch(custom, path)).not.toContain('application/strategic-merge-patch+json');
  });

  it('gives a definition its own schema, under a new hash when that changes', async () => {
    sandbox.apply(crd('fruit.example.com', 'Grows on trees.'));
    const before = (await index())['apis/fruit.example.com/v1']?.serverRelativeURL;
    const { components } = await documentAt('apis/fruit.example.com/v1');
    const schema = components.schemas['com.example.fruit.v1.Apple'];
    expect(schema).toMatchObject({ description: 'Grows on trees.', properties: { spec: { properties: { size: { type: 'integer' } } } } });
    sandbox.apply(crd('fruit.example.com', 'Falls from trees.'));
    const after = (await index())['apis/fruit.example.com/v1']?.serverRelativeURL;
    expect(after).not.toBe(before);
    const { status, headers } = await ask(sandbox, 'GET', before ?? '');
    expect([status, headers.location]).toEqual([301, after]);
  });

  it('may be kept for good under its hash, and is not sent twice', async () => {
    const path = (await index())['apis/apps/v1']?.serverRelativeURL ?? '';
    const first = await ask(sandbox, 'GET', path);
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({ 'cache-control': 'public, immutable', vary: 'Accept', expires: expect.stringMatching(/GMT$/) });
    expect((await ask(sandbox, 'GET', path, undefined, { 'if-none-match': first.headers.etag ?? '' })).status).toBe(304);
    const whatever = await ask(sandbox, 'GET', '/openapi/v3/apis/apps/v1');
    expect([whatever.headers.etag, whatever.headers['cache-control']]).toEqual([first.headers.etag, undefined]);
  });

  it.each([
    ['/openapi/v3/apis/nonsense/v1', {}, 404],
    ['/openapi/v3/apis/apps/v1', { accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf' }, 406],
    ['/openapi/v3/apis/apps/v1', { accept: 'application/json' }, 200],
  ])('answers %s with %o by %i', async (path, headers: Record<string, string>, status) => {
    expect((await ask(sandbox, 'GET', path, undefined, headers)).status).toBe(status);
  });
});
