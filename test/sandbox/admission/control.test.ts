import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask } from '../../support/sandbox-requests.ts';
import {
  jsonPatch,
  scriptWebhooks,
  type WebhookScript,
  webhook,
  webhookConfiguration,
} from '../../support/webhook-script.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap' };
const DEPLOYMENTS = { apiVersion: 'apps/v1', kind: 'Deployment' };
const map = (name: string, more: object = {}) => ({ metadata: { name, ...more }, data: { a: '1' } });

let sandbox: Sandbox;
let hooks: WebhookScript;
beforeEach(async () => {
  sandbox = await Sandbox.start({ socket: false, seed: 1 });
  hooks = await scriptWebhooks();
});
afterEach(async () => {
  await hooks[Symbol.asyncDispose]();
  await sandbox.close();
});

const validating = (...webhooks: object[]) => sandbox.apply(webhookConfiguration('Validating', webhooks));
const mutating = (...webhooks: object[]) => sandbox.apply(webhookConfiguration('Mutating', webhooks));
const pathsOf = () => hooks.reviews.map(({ path }) => path.split('?')[0]);

describe('reviews', () => {
  it('a mutating webhook sees a new object without uid, a validating one with all that is stored', async () => {
    mutating(webhook(hooks, '/m'));
    validating(webhook(hooks, '/v'));
    const { status, body } = await ask(sandbox, 'POST', MAPS, { metadata: { generateName: 'x-' }, data: { a: '1' } });
    expect(status).toBe(201);
    const [first, second] = hooks.reviews.map(({ request }) => request);
    expect(first?.object?.metadata).not.toHaveProperty('uid');
    expect(first).not.toHaveProperty('name');
    expect(second).toMatchObject({ name: body.metadata.name, object: { metadata: { uid: body.metadata.uid } } });
    expect(second?.object?.metadata.managedFields).toEqual(body.metadata.managedFields);
  });

  it('a review names request, resource, user, options and dry run as a real server does', async () => {
    validating(webhook(hooks, '/v', { timeoutSeconds: 7 }));
    await ask(sandbox, 'POST', `${MAPS}?fieldManager=me&dryRun=All`, map('a'));
    expect(hooks.reviews[0]?.path).toBe('/v?timeout=7s');
    const { uid: _uid, object: _object, ...request } = hooks.reviews[0]?.request ?? { uid: '', object: null };
    expect(request).toEqual({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'a',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: expect.objectContaining({ username: expect.any(String) }),
      oldObject: null,
      dryRun: true,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'], fieldManager: 'me' },
    });
    expect(sandbox.get(CONFIG_MAPS, 'default/a')).toBeUndefined();
  });

  it('each kind of write is one operation, with the object before and after', async () => {
    validating(webhook(hooks, '/v'));
    await ask(sandbox, 'POST', MAPS, map('a'));
    await ask(sandbox, 'PUT', `${MAPS}/a`, { ...map('a'), data: { a: '2' } });
    await ask(sandbox, 'PATCH', `${MAPS}/a`, { data: { a: '3' } });
    await ask(sandbox, 'DELETE', `${MAPS}/a`);
    const seen = hooks.reviews.map(({ request: { operation, object, oldObject } }) => [
      operation,
      (object?.data as { a?: string } | undefined)?.a,
      (oldObject?.data as { a?: string } | undefined)?.a,
    ]);
    expect(seen).toEqual([
      ['CREATE', '1', undefined],
      ['UPDATE', '2', '1'],
      ['UPDATE', '3', '2'],
      ['DELETE', undefined, '3'],
    ]);
  });

  it('a deleted collection is decided about object by object, before the first one is deleted', async () => {
    validating(webhook(hooks, '/v'));
    sandbox.apply([map('a'), map('b')].map((o) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...o })));
    hooks.answer = ({ oldObject }) => ({ allowed: oldObject?.metadata.name !== 'b', status: { message: 'not b' } });
    expect(await ask(sandbox, 'DELETE', MAPS)).toMatchObject({ status: 400 });
    expect(sandbox.list(CONFIG_MAPS)).toHaveLength(2);
    hooks.answer = () => ({ allowed: true });
    expect((await ask(sandbox, 'DELETE', MAPS)).body.items).toHaveLength(2);
    expect(sandbox.list(CONFIG_MAPS)).toHaveLength(0);
  });

  it('scale, binding and eviction are shown as their own kinds', async () => {
    validating(webhook(hooks, '/v'));
    const containers = [{ name: 'c', image: 'i' }];
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
    const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template };
    sandbox.apply([
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } },
    ]);
    const pods = '/api/v1/namespaces/default/pods/p';
    await ask(sandbox, 'PATCH', '/apis/apps/v1/namespaces/default/deployments/d/scale', { spec: { replicas: 2 } });
    await ask(sandbox, 'POST', `${pods}/binding`, { target: { kind: 'Node', name: 'n' } });
    await ask(sandbox, 'POST', `${pods}/eviction`, { metadata: { name: 'p' } });
    const seen = hooks.reviews.map(({ request: { operation, kind, subResource } }) => [
      operation,
      kind.kind,
      subResource,
    ]);
    expect(seen).toEqual([
      ['UPDATE', 'Scale', 'scale'],
      ['CREATE', 'Binding', 'binding'],
      ['CREATE', 'Eviction', 'eviction'],
    ]);
    expect(sandbox.get(DEPLOYMENTS, 'default/d')?.spec).toMatchObject({
      replicas: 2,
    });
  });

  it('an object that changes while a webhook thinks is asked about again', async () => {
    validating(webhook(hooks, '/v'));
    sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', ...map('a') });
    hooks.answer = () => {
      if (hooks.reviews.length === 1)
        sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { late: 'yes' } });
      return { allowed: true };
    };
    const { body } = await ask(sandbox, 'PATCH', `${MAPS}/a`, { data: { b: '2' } });
    expect(body.data).toEqual({ b: '2', late: 'yes' });
    expect(hooks.reviews[1]?.request.oldObject?.data).toEqual({ late: 'yes' });
  });
});

describe('mutating webhooks', () => {
  it('their patches are stored, in the order of names and webhooks', async () => {
    sandbox.apply(webhookConfiguration('Mutating', [webhook(hooks, '/third')], 'b'));
    sandbox.apply(webhookConfiguration('Mutating', [webhook(hooks, '/first'), webhook(hooks, '/second')], 'a'));
    hooks.answer = ({ object }, path) =>
      jsonPatch({
        op: 'add',
        path: '/data/order',
        value: `${(object as { data?: { order?: string } }).data?.order ?? ''}${path}`,
      });
    const { body } = await ask(sandbox, 'POST', MAPS, map('a'));
    expect(body.data).toEqual({ a: '1', order: '/first/second/third' });
  });

  it('one with reinvocationPolicy IfNeeded is called again only after a later one changed the object', async () => {
    const again = { reinvocationPolicy: 'IfNeeded' };
    mutating(webhook(hooks, '/one', again), webhook(hooks, '/two'), webhook(hooks, '/three', again));
    hooks.answer = (_, path) =>
      path === '/two' ? jsonPatch({ op: 'add', path: '/data/b', value: '2' }) : { allowed: true };
    await ask(sandbox, 'POST', MAPS, map('a'));
    expect(pathsOf()).toEqual(['/one', '/two', '/three', '/one']);
  });

  it('cannot change what the client cannot change', async () => {
    mutating(webhook(hooks, '/m'));
    sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', ...map('a') });
    const { uid } = sandbox.get(CONFIG_MAPS, 'default/a')?.metadata ?? {};
    hooks.answer = () => jsonPatch({ op: 'add', path: '/metadata/uid', value: 'x' });
    const { body } = await ask(sandbox, 'PATCH', `${MAPS}/a`, { data: { b: '2' } });
    expect(body.metadata.uid).toBe(uid);
  });

  it.each([
    [
      { op: 'remove', path: '/data/no' },
      "error in remove for path: '/data/no': Unable to remove nonexistent key: no: missing value",
    ],
    [{ op: 'remove', path: '/no/no' }, 'remove operation does not apply: doc is missing path: "/no/no": missing value'],
    [
      { op: 'replace', path: '/no/no', value: '1' },
      'replace operation does not apply: doc is missing path: /no/no: missing value',
    ],
    [
      { op: 'add', path: '/no/no', value: '1' },
      'add operation does not apply: doc is missing path: "/no/no": missing value',
    ],
    [{ op: 'test', path: '/data/a', value: 'x' }, 'testing value /data/a failed: test failed'],
    [
      { op: 'add', path: '/data/x', value: 1 },
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
  ])('a patch that fails fails the write: %o', async (operation, problem) => {
    mutating(webhook(hooks, '/m'));
    hooks.answer = () => jsonPatch(operation);
    const { status, body } = await ask(sandbox, 'POST', MAPS, map('a'));
    expect([status, body.message]).toEqual([500, `Internal error occurred: ${problem}`]);
  });
});

const DENIED = 'admission webhook "v.example.com" denied the request';
const FAILED = 'Internal error occurred: failed calling webhook "v.example.com": ';

describe('refusals', () => {
  it.each([
    [{ message: 'no way' }, 400, `${DENIED}: no way`],
    [{ message: 'no way', code: 403, reason: 'Forbidden' }, 403, `${DENIED}: no way`],
    [{ reason: 'Because' }, 400, `${DENIED}: Because`],
    [{ code: 200, message: 'x' }, 400, `${DENIED}: x`],
    [undefined, 400, `${DENIED} without explanation`],
  ])('a webhook refuses with %o', async (given, code, message) => {
    validating(webhook(hooks, '/v'));
    hooks.answer = () => ({ allowed: false, ...(given ? { status: given } : {}) });
    const { status, body } = await ask(sandbox, 'POST', MAPS, map('a'));
    expect([status, body.code, body.message]).toEqual([code, code, message]);
  });

  it('warnings are headers of every answer, each once', async () => {
    validating(webhook(hooks, '/v'));
    hooks.answer = () => ({ allowed: false, warnings: ['a "b"', 'c', 'c'] });
    const { headers } = await ask(sandbox, 'POST', MAPS, map('a'));
    expect(headers.warning).toBe('299 - "a \\"b\\"", 299 - "c"');
  });

  it.each<[string, number | Record<string, unknown>, string]>([
    ['another uid', { uid: 'x', allowed: true }, 'received invalid webhook response: expected response.uid='],
    ['a patch', jsonPatch(), 'received invalid webhook response: validating webhook may not return response.patch'],
    ['404', 404, 'failed to call webhook: the server could not find the requested resource'],
    [
      '500',
      500,
      'failed to call webhook: an error on the server ("unknown") has prevented the request from succeeding',
    ],
    [
      'no body',
      200,
      'failed to call webhook: 0-length response with status code: 200 and content type: application/json',
    ],
  ])('a webhook that answers with %s fails the write', async (_, answer, problem) => {
    validating(webhook(hooks, '/v'));
    hooks.answer = () => answer;
    const { status, body } = await ask(sandbox, 'POST', MAPS, map('a'));
    expect([status, body.message]).toEqual([500, expect.stringContaining(`${FAILED}${problem}`)]);
  });

  it('a webhook whose certificate caBundle does not vouch for, or that is not there, fails the write', async () => {
    const { url } = hooks;
    validating(webhook(hooks, '/v', { clientConfig: { url: `${url}/v` } }));
    expect((await ask(sandbox, 'POST', MAPS, map('a'))).body.message).toBe(
      `${FAILED}failed to call webhook: Post "${url}/v?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    );
    const service = { namespace: 'default', name: 'hooks', port: 8443 };
    validating(webhook(hooks, '/v', { clientConfig: { service } }));
    expect((await ask(sandbox, 'POST', MAPS, map('a'))).body.message).toBe(
      `${FAILED}failed to call webhook: Post "https://hooks.default.svc:8443/?timeout=10s": service "hooks" not found`,
    );
  });

  it('failurePolicy Ignore ignores failures, not refusals', async () => {
    validating(webhook(hooks, '/v', { failurePolicy: 'Ignore' }));
    hooks.answer = () => 500;
    expect((await ask(sandbox, 'POST', MAPS, map('a'))).status).toBe(201);
    hooks.answer = () => ({ allowed: false });
    expect((await ask(sandbox, 'POST', MAPS, map('b'))).status).toBe(400);
  });

  it('a dry run is refused by a webhook that may have side effects', async () => {
    validating(webhook(hooks, '/v', { sideEffects: 'Some' }));
    const { status, body } = await ask(sandbox, 'POST', `${MAPS}?dryRun=All`, map('a'));
    expect([status, body.message]).toEqual([400, 'admission webhook "v.example.com" does not support dry run']);
    expect(hooks.reviews).toEqual([]);
  });
});

it('timeoutSeconds is measured by the clock of the sandbox', async () => {
  const clock = new FakeClock();
  await using slow = await Sandbox.start({ socket: false, clock });
  slow.apply(webhookConfiguration('Validating', [webhook(hooks, '/v', { timeoutSeconds: 2 })]));
  const asked = new Promise<void>((resolve) => {
    hooks.answer = () => {
      resolve();
      return 'silent';
    };
  });
  const answer = ask(slow, 'POST', MAPS, map('a'));
  await asked;
  await clock.advance(2_000);
  expect((await answer).body.message).toBe(
    `${FAILED}failed to call webhook: Post "${hooks.url}/v?timeout=2s": context deadline exceeded`,
  );
});

it('a service is resolved by an option, and its certificate is checked for the name of the service', async () => {
  await using named = await scriptWebhooks('hooks.infra.svc');
  await using other = await Sandbox.start({
    socket: false,
    resolveService: ({ namespace, name, port }) => {
      expect({ namespace, name, port }).toEqual({ namespace: 'infra', name: 'hooks', port: 443 });
      return `127.0.0.1:${named.port}`;
    },
  });
  const service = { namespace: 'infra', name: 'hooks', path: '/v' };
  other.apply(
    webhookConfiguration('Validating', [webhook(named, '/v', { clientConfig: { service, caBundle: named.caBundle } })]),
  );
  expect((await ask(other, 'POST', MAPS, map('a'))).status).toBe(201);
  expect(named.reviews.map(({ path }) => path)).toEqual(['/v?timeout=10s']);
});

describe('which writes a webhook is asked about', () => {
  it.each([
    [
      'another resource',
      { rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }] },
      0,
    ],
    [
      'another operation',
      { rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['*'] }] },
      0,
    ],
    [
      'cluster scope',
      { rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['*'], scope: 'Cluster' }] },
      0,
    ],
    [
      'subresources only',
      { rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/status'] }] },
      0,
    ],
    [
      'its resource',
      {
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['configmaps'],
            scope: 'Namespaced',
          },
        ],
      },
      1,
    ],
    ['a namespace without the label', { namespaceSelector: { matchLabels: { hooked: 'yes' } } }, 0],
    [
      'a namespace without a forbidden label',
      { namespaceSelector: { matchExpressions: [{ key: 'off', operator: 'DoesNotExist' }] } },
      1,
    ],
    ['an object without the label', { objectSelector: { matchLabels: { hooked: 'yes' } } }, 0],
    [
      'an object with the label',
      { objectSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] } },
      1,
    ],
    ['a condition that is false', { matchConditions: [{ name: 'c', expression: 'object.data.a == "2"' }] }, 0],
    [
      'a condition that is true',
      { matchConditions: [{ name: 'c', expression: 'request.operation == "CREATE" && has(object.data.a)' }] },
      1,
    ],
  ])('%s', async (_, matching, times) => {
    validating(webhook(hooks, '/v', matching));
    expect((await ask(sandbox, 'POST', MAPS, map('x', { labels: { app: 'a' } }))).status).toBe(201);
    expect(hooks.reviews).toHaveLength(times);
  });

  it('a condition without a value follows the failurePolicy', async () => {
    const matchConditions = [{ name: 'c', expression: 'object.spec.replicas == 1' }];
    validating(webhook(hooks, '/v', { matchConditions }));
    const { status, body } = await ask(sandbox, 'POST', MAPS, map('a'));
    expect([status, body.message]).toEqual([
      403,
      `configmaps "a" is forbidden: expression 'object.spec.replicas == 1' resulted in error: no such key: spec`,
    ]);
    validating(webhook(hooks, '/v', { matchConditions, failurePolicy: 'Ignore' }));
    expect((await ask(sandbox, 'POST', MAPS, map('a'))).status).toBe(201);
    expect(hooks.reviews).toEqual([]);
  });

  it('an equivalent version is asked about in the version of the rule, unless matchPolicy is Exact', async () => {
    const rules = [{ apiGroups: ['events.k8s.io'], apiVersions: ['v1'], operations: ['*'], resources: ['events'] }];
    validating(webhook(hooks, '/exact', { rules, matchPolicy: 'Exact' }), webhook(hooks, '/equivalent', { rules }));
    const involvedObject = { kind: 'Pod', name: 'p', namespace: 'default' };
    const event = { metadata: { name: 'e' }, involvedObject, message: 'm', reason: 'r' };
    expect((await ask(sandbox, 'POST', '/api/v1/namespaces/default/events', event)).status).toBe(201);
    expect(pathsOf()).toEqual(['/equivalent']);
    expect(hooks.reviews[0]?.request).toMatchObject({
      kind: { group: 'events.k8s.io' },
      requestKind: { group: '' },
      object: { apiVersion: 'events.k8s.io/v1', note: 'm', regarding: { name: 'p' } },
    });
  });

  it('never about the configuration of admission itself', async () => {
    validating(webhook(hooks, '/v'));
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/test';
    expect((await ask(sandbox, 'DELETE', path)).status).toBe(200);
    expect(hooks.reviews).toEqual([]);
  });
});
