import { afterEach, beforeEach, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { byPriority } from '../../../src/sandbox/types/custom/crd-types.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, briefly, startWatch } from '../../support/sandbox-requests.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const APPLES = '/apis/example.com/v1/namespaces/default/apples';
let clock: FakeClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = new FakeClock();
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterEach(() => sandbox.stop());

const SPEC = {
  type: 'object',
  required: ['color'],
  properties: {
    color: { type: 'string', enum: ['red', 'green'] },
    weight: { type: 'integer', minimum: 1, maximum: 9, default: 5 },
    tags: { type: 'array', maxItems: 2, items: { type: 'string', pattern: '^[a-z]+$' } },
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const definition = (versions?: object[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'apples.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'apples', singular: 'apple', kind: 'Apple', shortNames: ['ap'] },
    versions: versions ?? [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.color' }],
        additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: SPEC, status: { type: 'object', properties: { ripe: { type: 'boolean' } } } },
          },
        },
      },
    ],
  },
});

const apple = (name: string, spec: object) => ({
  apiVersion: 'example.com/v1',
  kind: 'Apple',
  metadata: { name },
  spec,
});

it('serves the type shortly after its definition was created, as discovery and conditions then show', async () => {
  await ask(sandbox, 'POST', CRDS, definition());
  expect((await ask(sandbox, 'GET', APPLES)).status).toBe(404);
  await clock.advance(100);
  expect((await ask(sandbox, 'GET', APPLES)).status).toBe(200);
  const crd = await ask(sandbox, 'GET', `${CRDS}/apples.example.com`);
  expect(crd.body.status.conditions).toMatchObject([
    { type: 'NamesAccepted', status: 'True' },
    { type: 'Established', status: 'True' },
  ]);
  const group = await ask<{ resources: { name: string }[] }>(sandbox, 'GET', '/apis/example.com/v1');
  expect(group.body.resources.map((r) => r.name)).toEqual(['apples', 'apples/status']);
});

it('serves the type at once when the definition is applied in code', () => {
  sandbox.apply([definition(), apple('fuji', { color: 'red' })]);
  expect(sandbox.get({ group: 'example.com', version: 'v1', resource: 'apples' }, 'default/fuji')).toMatchObject({
    spec: { color: 'red', weight: 5 },
  });
});

it('deletes the objects with their definition: open watches end, lists are 404', async () => {
  sandbox.apply([definition(), apple('fuji', { color: 'red' })]);
  await using watching = await startWatch(sandbox, '/apis/example.com/v1/apples?watch=1');
  await ask(sandbox, 'DELETE', `${CRDS}/apples.example.com`);
  await clock.advance(1_000);
  expect(briefly(watching.events)).toEqual(['ADDED fuji', 'DELETED fuji']);
  expect(watching.ended()).toBeNull();
  const gone = await ask<string>(sandbox, 'GET', APPLES);
  expect([gone.status, gone.body]).toEqual([404, '404 page not found\n']);
  expect((await ask(sandbox, 'GET', `${CRDS}/apples.example.com`)).status).toBe(404);
});

it('ends the open watches of a version that is no longer served, after all earlier changes, and answers 404 from then on', async () => {
  const version = (name: string, served: boolean) => ({
    ...definition().spec.versions[0],
    name,
    served,
    storage: name === 'v1',
  });
  const list = '/apis/example.com/v2/namespaces/default/apples';
  sandbox.apply(definition([version('v1', true), version('v2', true)]));
  await using watching = await startWatch(sandbox, `${list}?watch=1`);
  sandbox.apply(definition([version('v1', true), version('v2', false)]));
  sandbox.apply(apple('late', { color: 'red' }));
  await clock.advance(1_000);
  expect(briefly(watching.events)).toEqual(['ADDED late']);
  expect(watching.ended()).toBeNull();
  const gone = await ask<string>(sandbox, 'GET', `${list}?watch=1`);
  expect([gone.status, gone.body]).toEqual([404, '404 page not found\n']);
});

it('ends the open watches of a version whose definition changes; a new watch can resume at their version', async () => {
  sandbox.apply([definition(), apple('fuji', { color: 'red' })]);
  const list = '/apis/example.com/v1/namespaces/default/apples';
  await using watching = await startWatch(sandbox, `${list}?watch=1`);
  const since = sandbox.resourceVersion;
  sandbox.apply(definition([{ ...definition().spec.versions[0], additionalPrinterColumns: [] }]));
  await clock.advance(999);
  expect(watching.ended()).toBeUndefined();
  await clock.advance(1);
  expect(watching.ended()).toBeNull();
  sandbox.apply(apple('gala', { color: 'green' }));
  await using again = await startWatch(sandbox, `${list}?watch=1&resourceVersion=${since}`);
  await clock.advance(5_000);
  expect(briefly(again.events)).toEqual(['ADDED gala']);
  expect(again.ended()).toBeUndefined();
});

it('a definition that is created again has no objects, and an older watch gets 410', async () => {
  sandbox.apply([definition(), apple('fuji', { color: 'red' })]);
  const version = sandbox.resourceVersion;
  await ask(sandbox, 'DELETE', `${CRDS}/apples.example.com`);
  await clock.advance(1_000);
  sandbox.apply(definition());
  expect((await ask(sandbox, 'GET', APPLES)).body.items).toEqual([]);
  await using watching = await startWatch(sandbox, `/apis/example.com/v1/apples?watch=1&resourceVersion=${version}`);
  await clock.advance(1);
  expect(watching.events).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
});

it.each<[object, string]>([
  [{ weight: 3 }, 'spec.color: Required value'],
  [{ color: 'blue' }, 'spec.color: Unsupported value: "blue": supported values: "red", "green"'],
  [
    { color: 'red', weight: 0 },
    'spec.weight: Invalid value: 0: spec.weight in body should be greater than or equal to 1',
  ],
  [
    { color: 'red', weight: 'x' },
    'spec.weight: Invalid value: "string": spec.weight in body must be of type integer: "string"',
  ],
  [{ color: 'red', tags: ['a', 'b', 'c'] }, 'spec.tags: Too many: 3: must have at most 2 items'],
  [{ color: 'red', tags: ['A'] }, 'spec.tags[0]: Invalid value: "A": spec.tags[0] in body should match \'^[a-z]+$\''],
])('refuses %j', async (spec, problem) => {
  sandbox.apply(definition());
  const { status, body } = await ask(sandbox, 'POST', APPLES, apple('bad', spec));
  expect(status).toBe(422);
  expect(body.message).toBe(`Apple.example.com "bad" is invalid: ${problem}`);
});

it('drops unknown fields with a warning, and refuses them when strict', async () => {
  sandbox.apply(definition());
  const spec = { color: 'red', extra: 1, any: { free: { as: 'air' } } };
  const pruned = await ask(sandbox, 'POST', APPLES, apple('a', spec));
  expect(pruned.body.spec).toEqual({ color: 'red', weight: 5, any: { free: { as: 'air' } } });
  expect(pruned.headers.warning).toBe('299 - "unknown field \\"spec.extra\\""');
  const strict = await ask(sandbox, 'POST', `${APPLES}?fieldValidation=Strict`, apple('b', spec));
  expect([strict.status, strict.body.message]).toEqual([
    400,
    expect.stringContaining('strict decoding error: unknown field "spec.extra"'),
  ]);
});

it('shows an object in every served version under that version', async () => {
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  });
  sandbox.apply([definition([version('v1beta1', false), version('v1', true)]), apple('fuji', { color: 'red' })]);
  const old = await ask(sandbox, 'GET', '/apis/example.com/v1beta1/namespaces/default/apples/fuji');
  expect(old.body).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: { color: 'red' } });
  const group = await ask<{ preferredVersion: { version: string } }>(sandbox, 'GET', '/apis/example.com');
  expect(group.body.preferredVersion.version).toBe('v1');
});

it('selects by the selectable fields of the definition, in lists and watches', async () => {
  sandbox.apply([definition(), apple('fuji', { color: 'red' }), apple('granny', { color: 'green' })]);
  await using watching = await startWatch(
    sandbox,
    '/apis/example.com/v1/apples?watch=1&fieldSelector=spec.color%3Dred',
  );
  sandbox.apply(apple('fuji', { color: 'green' }));
  await clock.advance(1);
  expect(briefly(watching.events)).toEqual(['ADDED fuji', 'DELETED fuji']);
  expect((await ask(sandbox, 'GET', `${APPLES}?fieldSelector=spec.weight%3D5`)).status).toBe(400);
});

it('refuses an update without a version', async () => {
  sandbox.apply([definition(), apple('fuji', { color: 'red' })]);
  const { status, body } = await ask(sandbox, 'PUT', `${APPLES}/fuji`, apple('fuji', { color: 'green' }));
  expect(status).toBe(422);
  expect(body.message).toContain('metadata.resourceVersion: Invalid value: 0: must be specified for an update');
});

it('prefers stable versions, then the newest', () => {
  expect(['v1alpha1', 'v2', 'v1beta2', 'foo', 'v10', 'v1beta1', 'v1'].sort(byPriority)).toEqual([
    'v10',
    'v2',
    'v1',
    'v1beta2',
    'v1beta1',
    'v1alpha1',
    'foo',
  ]);
});

it('continues the deletion of a definition in a restored server: finalizers still delay its objects', async () => {
  sandbox.apply([
    definition(),
    { ...apple('a', { color: 'red' }), metadata: { name: 'a', finalizers: ['example.com/x'] } },
  ]);
  await ask(sandbox, 'DELETE', `${CRDS}/apples.example.com`);
  await clock.advance(1_000);
  await sandbox.restore(sandbox.snapshot());
  await clock.advance(1_000);
  expect((await ask(sandbox, 'GET', `${APPLES}/a`)).body.metadata).toMatchObject({ finalizers: ['example.com/x'] });
  await ask(sandbox, 'PATCH', `${APPLES}/a`, { metadata: { finalizers: null } });
  await clock.advance(1_000);
  expect((await ask(sandbox, 'GET', APPLES)).status).toBe(404);
  expect((await ask(sandbox, 'GET', `${CRDS}/apples.example.com`)).status).toBe(404);
});
