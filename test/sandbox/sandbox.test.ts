import { expect, it } from 'vitest';
import { parseManifests, Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { ask, configMapNamed, PODS, podNamed } from './../support/sandbox-requests.ts';

const start = () => Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1 });

it('applies fixtures as they stand: status, uid, age, owners, and a namespace that was missing', async () => {
  await using sandbox = await start();
  const [pod] = sandbox.apply({
    ...podNamed('p'),
    metadata: {
      name: 'p',
      namespace: 'new',
      uid: 'u-1',
      creationTimestamp: '2020-01-01T00:00:00Z',
      resourceVersion: '77',
      labels: { a: 'b' },
    },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  });
  expect(pod).toMatchObject({
    metadata: { uid: 'u-1', creationTimestamp: '2020-01-01T00:00:00Z' },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  });
  expect(pod?.metadata.resourceVersion).toBe(sandbox.resourceVersion);
  expect(sandbox.get({ apiVersion: 'v1', kind: 'Namespace' }, 'new')).toBeDefined();
});

it('updates what is there and keeps its identity', async () => {
  await using sandbox = await start();
  const [first] = sandbox.apply(configMapNamed('a', { n: '1' }));
  const [second] = sandbox.apply(configMapNamed('a', { n: '2' }));
  expect(second?.metadata.uid).toBe(first?.metadata.uid);
  expect(second?.data).toEqual({ n: '2' });
});

it('keeps the status a fixture does not speak of', async () => {
  await using sandbox = await start();
  sandbox.apply({ ...podNamed('p'), status: { phase: 'Running' } });
  const [again] = sandbox.apply({ ...podNamed('p', { now: 'labelled' }) });
  expect(again?.status).toMatchObject({ phase: 'Running' });
});

it('hands out copies', async () => {
  await using sandbox = await start();
  const object = configMapNamed('a', { n: '1' });
  const [applied] = sandbox.apply(object);
  (applied?.data as Record<string, string>).n = 'changed';
  expect(sandbox.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/a')?.data).toEqual({ n: '1' });
  expect(object).toEqual(configMapNamed('a', { n: '1' }));
});

it('says which type it does not serve', async () => {
  await using sandbox = await start();
  expect(() => sandbox.apply({ apiVersion: 'example.com/v1', kind: 'Apple', metadata: { name: 'x' } })).toThrow(
    'the sandbox serves no example.com/v1 Apple',
  );
  expect(() => sandbox.list({ group: 'x', version: 'v1', resource: 'y' })).toThrow('the sandbox serves no x/v1/y');
});

it('refuses requests while it restarts and after it stopped', async () => {
  const clock = new FakeClock();
  const sandbox = await Sandbox.start({ socket: false, clock });
  const restart = sandbox.restart({ downMs: 1_000 });
  await expect(ask(sandbox, 'GET', PODS)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await clock.advance(1_000);
  await restart;
  expect((await ask(sandbox, 'GET', PODS)).status).toBe(200);
  await sandbox.stop();
  await expect(ask(sandbox, 'GET', PODS)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('moves its clock, when that is one that is moved', async () => {
  await using sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), scenario: 'rollout', seed: 1 });
  const before = Number(sandbox.resourceVersion);
  await sandbox.advance(10_000);
  expect(Number(sandbox.resourceVersion)).toBeGreaterThan(before);
  await using live = await Sandbox.start({ socket: false });
  await expect(live.advance(1)).rejects.toThrow('this sandbox runs on a clock that moves by itself');
});

it('forgets what is too old: a watch gets 410, a page says how to go on', async () => {
  const clock = new FakeClock();
  await using sandbox = await Sandbox.start({ socket: false, clock, historyMs: 60_000 });
  sandbox.apply([podNamed('a'), podNamed('b')]);
  const since = sandbox.resourceVersion;
  const { body: page } = await ask(sandbox, 'GET', `${PODS}?limit=1`);
  sandbox.apply(podNamed('c'));
  await clock.advance(120_000);
  const watch = await ask(sandbox, 'GET', `${PODS}?watch=1&timeoutSeconds=1&resourceVersion=${since}`);
  expect(watch.body).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  const next = await ask(sandbox, 'GET', `${PODS}?limit=1&continue=${page.metadata.continue}`);
  expect([next.status, next.body.reason, typeof next.body.metadata.continue]).toEqual([410, 'Expired', 'string']);
});

it('comes back once when it is restarted twice at a time', async () => {
  const clock = new FakeClock();
  await using sandbox = await Sandbox.start({ socket: false, clock });
  const both = [sandbox.restart({ downMs: 1_000 }), sandbox.restart()];
  await clock.advance(1_000);
  await Promise.all(both);
  expect((await ask(sandbox, 'GET', PODS)).status).toBe(200);
});

it.each([
  ['GET', '/api/v1/namespaces/default/pods/p/log', 'the log subresource of pods'],
  ['POST', '/api/v1/namespaces/default/pods/p/exec', 'the exec subresource of pods'],
  ['GET', '/apis/autoscaling/v1/horizontalpodautoscalers', 'autoscaling/v1 HorizontalPodAutoscaler'],
  ['GET', '/openapi/v2', 'OpenAPI v2'],
  ['GET', '/api/v1/watch/pods', 'the deprecated /watch/ paths'],
])('says with 501 that it does not do %s %s', async (method, path, what) => {
  await using sandbox = await start();
  sandbox.apply(podNamed('p'));
  const { status, body } = await ask(sandbox, method, path, method === 'POST' ? {} : undefined);
  expect([status, body.kind, body.reason]).toEqual([501, 'Status', 'NotImplemented']);
  expect(body.message).toContain(`the sandbox does not implement ${what}`);
});

it('lets the administrator do everything and be anybody', async () => {
  await using sandbox = await start();
  const access = await ask(sandbox, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    spec: { resourceAttributes: { verb: 'list', resource: 'pods' } },
  });
  expect([access.status, access.body.status.allowed]).toEqual([201, true]);
  const who = await ask(
    sandbox,
    'POST',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    {},
    { 'impersonate-user': 'jane', 'impersonate-group': 'dev' },
  );
  expect(who.body.status.userInfo).toEqual({ username: 'jane', groups: ['dev', 'system:authenticated'] });
});

it('reads manifests: documents, lists, JSON, octal modes, text that looks like dates', () => {
  const objects = parseManifests(`
# a comment alone
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {day: 2026-01-01, yes: "yes"}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Secret, metadata: {name: b}, mode: 0644}
- {apiVersion: v1, kind: PodList, items: [{apiVersion: v1, kind: Pod, metadata: {name: c}}]}
---
{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "d"}}
`);
  expect(objects.map((o) => `${o.kind} ${o.metadata.name}`)).toEqual(['ConfigMap a', 'Secret b', 'Pod c', 'Namespace d']);
  expect(objects[0]?.data).toEqual({ day: '2026-01-01', yes: 'yes' });
  expect(objects[1]?.mode).toBe(0o644);
});

it.each([
  ['a: [', 'cannot read deploy.yaml'],
  ['just text', 'deploy.yaml holds a document that is no Kubernetes object'],
  ['kind: Pod\nmetadata: {name: x}', 'deploy.yaml holds a document that is no Kubernetes object'],
])('refuses the manifest %j', (text, message) => {
  expect(() => parseManifests(text, 'deploy.yaml')).toThrow(message);
});

it('a manifest of a few hundred bytes that stands for millions of values is refused with its source', () => {
  const bomb = Array.from({ length: 9 }, (_, i) =>
    i === 0 ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]' : `a${i}: &a${i} [${Array(9).fill(`*a${i - 1}`)}]`,
  );
  const text = ['apiVersion: v1', 'kind: ConfigMap', 'metadata: {name: bomb}', ...bomb].join('\n');
  expect(text.length).toBeLessThan(600);
  expect(() => parseManifests(text, 'bomb.yaml')).toThrow('cannot read bomb.yaml: yaml: document contains excessive aliasing');
  const fair = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fair, labels: &l {a: b}}\ndata: *l';
  expect(parseManifests(fair)).toMatchObject([{ data: { a: 'b' } }]);
});
