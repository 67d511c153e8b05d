import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { eventually } from '../../../src/testing/index.ts';
import { type Answer, ask, briefly, type Loose, startWatch } from '../../support/sandbox-requests.ts';
import {
  type Scripted,
  scriptWebhooks,
  type WebhookScript,
  webhook,
  webhookConfiguration,
} from '../../support/webhook-script.ts';

const GROUP = 'shop.example.com';
const OLD = `/apis/${GROUP}/v1alpha1/namespaces/default/gadgets`;
const NEW = `/apis/${GROUP}/v1/namespaces/default/gadgets`;
const CRD = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.${GROUP}`;

/** `hostPort: a:1` of v1alpha1 is `host: a, port: '1'` of v1. */
function convert(object: UnknownObject, apiVersion: string): UnknownObject {
  const { hostPort = '', host, port } = object.spec as { hostPort?: string; host?: string; port?: string };
  const [name, number] = hostPort.split(':');
  return {
    ...object,
    apiVersion,
    spec: apiVersion.endsWith('/v1') ? { host: name, port: number } : { hostPort: `${host}:${port}` },
  };
}

interface Asked {
  readonly desiredAPIVersion: string;
  readonly objects: readonly UnknownObject[];
}

const converts = (request: unknown): Scripted => {
  const { desiredAPIVersion, objects } = request as Asked;
  return { result: { status: 'Success' }, convertedObjects: objects.map((each) => convert(each, desiredAPIVersion)) };
};

const text = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
const spec = (properties: object) => ({ type: 'object', properties: { spec: { type: 'object', properties } } });

function definition(hooks: WebhookScript, stored = 'v1alpha1'): UnknownObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: stored === 'v1',
          selectableFields: [{ jsonPath: '.spec.host' }],
          additionalPrinterColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.host' }],
          schema: { openAPIV3Schema: spec({ ...text('host', 'port'), mode: { type: 'string', default: 'new' } }) },
        },
        {
          name: 'v1alpha1',
          served: true,
          storage: stored === 'v1alpha1',
          schema: { openAPIV3Schema: spec(text('hostPort')) },
        },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url: `${hooks.url}/convert`, caBundle: hooks.caBundle },
        },
      },
    },
  };
}

let sandbox: Sandbox;
let hooks: WebhookScript;
beforeEach(async () => {
  sandbox = await Sandbox.start({ socket: false, seed: 1 });
  hooks = await scriptWebhooks();
  hooks.answer = converts;
  sandbox.apply(definition(hooks));
});
afterEach(async () => {
  await hooks[Symbol.asyncDispose]();
  await sandbox.close();
});

const old = (name: string, hostPort = 'a:1') => ({ metadata: { name }, spec: { hostPort } });
const specOf = ({ body }: Answer<Loose>) => body.spec;
const problemOf = ({ status, body }: Answer<Loose>) => [status, body.message];
const BROKEN = `conversion webhook for ${GROUP}/v1alpha1, Kind=Gadget failed: an error on the server ("unknown") has prevented the request from succeeding`;

describe('a custom resource that a webhook converts', () => {
  it('is read and written in each version, and stored in one', async () => {
    await ask(sandbox, 'POST', OLD, old('a'));
    expect(specOf(await ask(sandbox, 'GET', `${NEW}/a`))).toEqual({ host: 'a', port: '1' });
    const made = await ask(sandbox, 'POST', NEW, { metadata: { name: 'b' }, spec: { host: 'b', port: '2' } });
    // what the webhook does not keep is not in the answer: no default is set again
    expect([made.status, made.body.apiVersion, specOf(made)]).toEqual([201, `${GROUP}/v1`, { host: 'b', port: '2' }]);
    await ask(sandbox, 'PATCH', `${NEW}/b`, { spec: { port: '3' } });
    expect(sandbox.get({ apiVersion: `${GROUP}/v1alpha1`, kind: 'Gadget' }, 'default/b')?.spec).toEqual({
      hostPort: 'b:3',
    });
    expect(() => sandbox.get({ apiVersion: `${GROUP}/v1`, kind: 'Gadget' }, 'default/b')).toThrow(
      /which takes a request/,
    );
  });

  it('is listed, selected and printed in the version that is asked for', async () => {
    await ask(sandbox, 'POST', OLD, old('a'));
    await ask(sandbox, 'POST', OLD, old('b', 'b:2'));
    const { body } = await ask(sandbox, 'GET', NEW);
    expect(body.items.map(({ apiVersion, spec: of }) => [apiVersion, of])).toEqual([
      [`${GROUP}/v1`, { host: 'a', port: '1' }],
      [`${GROUP}/v1`, { host: 'b', port: '2' }],
    ]);
    const selected = await ask(sandbox, 'GET', `${NEW}?fieldSelector=spec.host%3Db`);
    expect(selected.body.items.map(({ metadata }) => metadata.name)).toEqual(['b']);
    const table = await ask(sandbox, 'GET', NEW, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body.rows.map(({ cells }) => cells)).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ]);
  });

  it('is watched in a version that is not the stored one, each state converted once', async () => {
    const { body } = await ask(sandbox, 'GET', NEW);
    const path = `${NEW}?watch=1&resourceVersion=${body.metadata.resourceVersion}`;
    await using whole = await startWatch(sandbox, path);
    await using selected = await startWatch(sandbox, `${path}&fieldSelector=spec.host%3Db`);
    hooks.reviews.length = 0;
    await ask(sandbox, 'POST', OLD, old('a'));
    await ask(sandbox, 'PATCH', `${OLD}/a`, { spec: { hostPort: 'b:2' } });
    await ask(sandbox, 'PATCH', `${OLD}/a`, { spec: { hostPort: 'c:3' } });
    await ask(sandbox, 'DELETE', `${OLD}/a`);
    await eventually(() => whole.events.length === 4 && selected.events.length === 2);
    expect(briefly(whole.events)).toEqual(['ADDED a', 'MODIFIED a', 'MODIFIED a', 'DELETED a']);
    expect(whole.events.map(({ object }) => object.spec.host)).toEqual(['a', 'b', 'c', 'c']);
    expect(briefly(selected.events)).toEqual(['ADDED a', 'DELETED a']);
    expect(
      hooks.reviews.filter(({ request }) => (request as unknown as Asked).desiredAPIVersion === `${GROUP}/v1`),
    ).toHaveLength(4);
  });

  it('is deleted and marked for deletion in each version, one and many', async () => {
    const held = { name: 'held', finalizers: ['example.com/f'] };
    await ask(sandbox, 'POST', NEW, { metadata: held, spec: { host: 'h', port: '1' } });
    for (const name of ['a', 'b']) await ask(sandbox, 'POST', OLD, old(name));
    const { body } = await ask(sandbox, 'DELETE', NEW);
    expect(body.items.map(({ metadata, spec: of }) => [metadata.name, of.host])).toEqual([
      ['a', 'a'],
      ['b', 'a'],
      ['held', 'h'],
    ]);
    const left = await ask(sandbox, 'GET', `${OLD}/held`);
    expect([left.body.metadata.deletionTimestamp, specOf(left)]).toEqual([expect.any(String), { hostPort: 'h:1' }]);
    await ask(sandbox, 'PATCH', `${NEW}/held`, { metadata: { finalizers: null } });
    expect((await ask(sandbox, 'GET', OLD)).body.items).toEqual([]);
  });

  it('keeps the version it was stored in until it is written again', async () => {
    await ask(sandbox, 'POST', OLD, old('a'));
    const { body } = await ask(sandbox, 'GET', CRD);
    await ask(sandbox, 'PUT', CRD, { ...definition(hooks, 'v1'), metadata: body.metadata });
    await eventually(
      async () => (await ask(sandbox, 'GET', CRD)).body.status.storedVersions?.toString() === 'v1alpha1,v1',
    );
    hooks.reviews.length = 0;
    expect(specOf(await ask(sandbox, 'GET', `${NEW}/a`))).toEqual({ host: 'a', port: '1' });
    await ask(sandbox, 'PATCH', `${NEW}/a`, { metadata: { labels: { touched: 'yes' } } });
    const asked = hooks.reviews.length;
    expect(asked).toBeGreaterThan(0);
    expect(specOf(await ask(sandbox, 'GET', `${NEW}/a`))).toEqual({ host: 'a', port: '1', mode: 'new' });
    expect(hooks.reviews).toHaveLength(asked);
  });

  it('is shown to admission webhooks in the version of their rules', async () => {
    const seen: unknown[] = [];
    hooks.answer = (request, path) => {
      if (path === '/convert') return converts(request);
      seen.push([request.resource.version, request.object?.spec]);
      return { allowed: true };
    };
    const rules = [{ apiGroups: [GROUP], apiVersions: ['v1'], operations: ['*'], resources: ['gadgets'] }];
    sandbox.apply(webhookConfiguration('Validating', [webhook(hooks, '/v', { rules })]));
    expect((await ask(sandbox, 'POST', OLD, old('a'))).status).toBe(201);
    expect(seen).toEqual([['v1', { host: 'a', port: '1' }]]);
  });
});

describe('a conversion that fails', () => {
  it('fails the request with the text of a real server; the stored version is not concerned', async () => {
    await ask(sandbox, 'POST', OLD, old('a'));
    hooks.answer = () => 500;
    expect(problemOf(await ask(sandbox, 'GET', `${NEW}/a`))).toEqual([500, BROKEN]);
    const write = BROKEN.replace('v1alpha1', 'v1');
    const made = await ask(sandbox, 'POST', NEW, { metadata: { name: 'b' }, spec: { host: 'b', port: '2' } });
    expect(problemOf(made)).toEqual([500, write]);
    expect((await ask(sandbox, 'GET', `${OLD}/b`)).status).toBe(404);
    expect((await ask(sandbox, 'GET', `${OLD}/a`)).status).toBe(200);
    expect((await ask(sandbox, 'GET', `${NEW}/none`)).status).toBe(404);
  });

  it.each<[string, (object: UnknownObject) => object | undefined, string]>([
    [
      'another name',
      (object) => ({ ...object, metadata: { ...object.metadata, name: 'x' } }),
      'returned invalid object: must have the same name: a != x',
    ],
    [
      'another uid',
      (object) => ({ ...object, metadata: { ...object.metadata, uid: 'x' } }),
      'returned invalid object: must have the same UID: ',
    ],
    [
      'the version before',
      (object) => ({ ...object, apiVersion: `${GROUP}/v1alpha1` }),
      `returned invalid object at index 0: invalid groupVersion (expected ${GROUP}/v1, received ${GROUP}/v1alpha1)`,
    ],
    [
      'another kind',
      (object) => ({ ...object, kind: 'Thing' }),
      'returned invalid object at index 0: invalid kind (expected Gadget, received Thing)',
    ],
    [
      'labels that are none',
      (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 'b c' } } }),
      'returned invalid metadata: metadata.labels: Invalid value: "b c": a valid label',
    ],
    ['nothing', () => undefined, 'returned 0 objects, expected 1'],
  ])('is one with %s', async (_name, change, why) => {
    await ask(sandbox, 'POST', OLD, old('a'));
    hooks.answer = (request) => {
      const { objects, desiredAPIVersion } = request as unknown as Asked;
      const changed = objects
        .map((each) => change(convert(each, desiredAPIVersion)))
        .filter((each) => each !== undefined);
      return { result: { status: 'Success' }, convertedObjects: changed };
    };
    const { status, body } = await ask(sandbox, 'GET', `${NEW}/a`);
    expect([status, body.message.startsWith(`conversion webhook for ${GROUP}/v1alpha1, Kind=Gadget ${why}`)]).toEqual([
      500,
      true,
    ]);
  });

  it('says why the webhook refused, and what it may change', async () => {
    await ask(sandbox, 'POST', OLD, old('a'));
    hooks.answer = () => ({ result: { status: 'Failure', message: 'no such host' } });
    expect(problemOf(await ask(sandbox, 'GET', `${NEW}/a`))[1]).toMatch(/failed: no such host$/);
    hooks.answer = (request) => {
      const { objects, desiredAPIVersion } = request as unknown as Asked;
      const changed = objects.map((each) => ({
        ...convert(each, desiredAPIVersion),
        metadata: { ...each.metadata, labels: { by: 'hook' }, finalizers: ['example.com/x'] },
      }));
      return { result: { status: 'Success' }, convertedObjects: changed };
    };
    const { body } = await ask(sandbox, 'GET', `${NEW}/a`);
    expect([body.metadata.labels, 'finalizers' in body.metadata]).toEqual([{ by: 'hook' }, false]);
  });

  it('leaves watches open and silent, and their events come when it works again; new lists fail', async () => {
    await ask(sandbox, 'POST', OLD, old('a'));
    await using watching = await startWatch(sandbox, `${NEW}?watch=1`);
    await eventually(() => watching.events.length === 1);
    hooks.answer = () => 500;
    await ask(sandbox, 'POST', OLD, old('b'));
    const [list, stale] = await Promise.all([
      ask(sandbox, 'GET', NEW),
      ask(sandbox, 'GET', `${NEW}?resourceVersion=0`),
    ]);
    expect(problemOf(list)).toEqual([500, BROKEN]);
    expect(stale.body.items.map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect([briefly(watching.events), watching.ended()]).toEqual([['ADDED a'], undefined]);
    hooks.answer = converts;
    await eventually(() => watching.events.length === 2);
    expect(briefly(watching.events)).toEqual(['ADDED a', 'ADDED b']);
  });
});
