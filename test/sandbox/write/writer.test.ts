import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, CONFIG_MAPS, configMapNamed, PODS, podNamed } from '../../support/sandbox-requests.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const clock = new FakeClock();
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterEach(() => sandbox.stop());

const deployment = (replicas = 1) => ({
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
  },
});

describe('create', () => {
  it('makes different names from generateName', async () => {
    const names = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const { status, body } = await ask(sandbox, 'POST', CONFIG_MAPS, { metadata: { generateName: 'cm-' } });
      expect(status).toBe(201);
      expect(body.metadata.name).toMatch(/^cm-[a-z0-9]{5}$/);
      names.add(body.metadata.name ?? '');
    }
    expect(names.size).toBe(20);
  });

  it('ignores what only the server sets', async () => {
    const metadata = {
      name: 'a',
      uid: 'mine',
      generation: 9,
      creationTimestamp: '1999-01-01T00:00:00Z',
      deletionTimestamp: '1999-01-01T00:00:00Z',
    };
    const { body } = await ask(sandbox, 'POST', PODS, { ...podNamed('a'), metadata, status: { phase: 'Running' } });
    expect(body.metadata).toMatchObject({ generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' });
    expect(body.metadata.uid).not.toBe('mine');
    expect(body.metadata.deletionTimestamp).toBeUndefined();
    expect(body.status.phase).toBe('Pending');
  });

  it.each([
    ['an object that is there', configMapNamed('taken'), 409, 'configmaps "taken" already exists'],
    ['a name that is none', configMapNamed('Not_A_Name'), 422, 'metadata.name: Invalid value: "Not_A_Name"'],
    ['no name at all', { data: {} }, 422, 'metadata.name: Required value: name or generateName is required'],
    [
      'another namespace than the path',
      { metadata: { name: 'x', namespace: 'other' } },
      400,
      'does not match the namespace sent on the request',
    ],
    ['another kind', { kind: 'Secret', metadata: { name: 'x' } }, 400, 'cannot be handled as a ConfigMap'],
    [
      'another version',
      { apiVersion: 'v2', metadata: { name: 'x' } },
      400,
      'does not match the expected API version (v1)',
    ],
    ['a label that is none', configMapNamed('x', {}, { a: 'b c' }), 422, 'metadata.labels: Invalid value: "b c"'],
  ])('refuses %s', async (_what, object, code, message) => {
    sandbox.apply(configMapNamed('taken'));
    const { status, body } = await ask(sandbox, 'POST', CONFIG_MAPS, object);
    expect(status).toBe(code);
    expect(body.message).toContain(message);
  });

  it('stores nothing in a dry run, but answers as usual', async () => {
    const before = sandbox.resourceVersion;
    const { status, body } = await ask(sandbox, 'POST', `${CONFIG_MAPS}?dryRun=All`, configMapNamed('a'));
    expect([status, body.metadata.name]).toEqual([201, 'a']);
    expect(sandbox.resourceVersion).toBe(before);
    expect((await ask(sandbox, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(404);
  });
});

describe('update', () => {
  it('refuses a stale resourceVersion, and accepts an update without one', async () => {
    const [first] = sandbox.apply(configMapNamed('a', { n: '1' }));
    const second = await ask(sandbox, 'PUT', `${CONFIG_MAPS}/a`, { ...first, data: { n: '2' } });
    expect(second.status).toBe(200);
    const stale = await ask(sandbox, 'PUT', `${CONFIG_MAPS}/a`, { ...first, data: { n: '3' } });
    expect([stale.status, stale.body.reason]).toEqual([409, 'Conflict']);
    const blind = await ask(sandbox, 'PUT', `${CONFIG_MAPS}/a`, configMapNamed('a', { n: '4' }));
    expect([blind.status, blind.body.data.n]).toEqual([200, '4']);
  });

  it('keeps the version when nothing changes, and sends no event', async () => {
    sandbox.apply(configMapNamed('a', { n: '1' }));
    const before = sandbox.resourceVersion;
    await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/a`, { data: { n: '1' } });
    await ask(sandbox, 'PUT', `${CONFIG_MAPS}/a`, configMapNamed('a', { n: '1' }));
    expect(sandbox.resourceVersion).toBe(before);
  });

  it('increases the generation for the spec, not for labels or status', async () => {
    await ask(sandbox, 'POST', DEPLOYMENTS, deployment());
    const generationOf = async (patch: object, door = '') =>
      (await ask(sandbox, 'PATCH', `${DEPLOYMENTS}/web${door}`, patch)).body.metadata.generation;
    expect(await generationOf({ metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(await generationOf({ spec: { replicas: 2 } })).toBe(2);
    expect(await generationOf({ status: { replicas: 2 } }, '/status')).toBe(2);
    expect(await generationOf({ spec: { replicas: 2 } })).toBe(2);
  });

  it('changes status only through its subresource, and only status there', async () => {
    await ask(sandbox, 'POST', DEPLOYMENTS, deployment());
    const main = await ask(sandbox, 'PATCH', `${DEPLOYMENTS}/web`, { status: { replicas: 7 } });
    expect(main.body.status).toEqual({});
    const door = await ask(sandbox, 'PATCH', `${DEPLOYMENTS}/web/status`, {
      status: { replicas: 7 },
      spec: { replicas: 9 },
    });
    expect(door.body.status).toEqual({ replicas: 7 });
    expect(door.body.spec.replicas).toBe(1);
  });

  it('refuses the uid of another object', async () => {
    sandbox.apply(configMapNamed('a'));
    const other = { metadata: { uid: 'other' } };
    const patch = await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/a`, other);
    const problem = 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "other": field is immutable';
    expect([patch.status, patch.body.message, patch.body.details.causes.length]).toEqual([422, problem, 2]);
    const put = await ask(sandbox, 'PUT', `${CONFIG_MAPS}/a`, { metadata: { name: 'a', uid: 'other' } });
    expect(put.status).toBe(409);
    expect(put.body.message).toContain('Precondition failed: UID in precondition: other');
  });

  it('ignores another creation time', async () => {
    const [made] = sandbox.apply(configMapNamed('a'));
    const metadata = { name: 'a', creationTimestamp: '2001-01-01T00:00:00Z' };
    for (const method of ['PATCH', 'PUT']) {
      const { status, body } = await ask(sandbox, method, `${CONFIG_MAPS}/a`, { metadata });
      expect([status, body.metadata.creationTimestamp]).toEqual([200, made?.metadata.creationTimestamp]);
    }
  });

  it('never changes an object that a reader has', async () => {
    const [held] = sandbox.apply(configMapNamed('a', { n: '1' }));
    const listed = sandbox.list({ apiVersion: 'v1', kind: 'ConfigMap' });
    await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/a`, { data: { n: '2' } });
    expect([held?.data, listed[0]?.data]).toEqual([{ n: '1' }, { n: '1' }]);
  });
});

describe('scale', () => {
  it('shows and sets the replicas of a workload', async () => {
    await ask(sandbox, 'POST', DEPLOYMENTS, deployment(2));
    const seen = await ask(sandbox, 'GET', `${DEPLOYMENTS}/web/scale`);
    expect(seen.body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=web' },
    });
    await ask(sandbox, 'PUT', `${DEPLOYMENTS}/web/scale`, { ...seen.body, spec: { replicas: 5 } });
    expect((await ask(sandbox, 'GET', `${DEPLOYMENTS}/web`)).body.spec.replicas).toBe(5);
  });
});

describe('delete', () => {
  it('waits for finalizers, and removes the object with the last one', async () => {
    await ask(sandbox, 'POST', CONFIG_MAPS, {
      metadata: { name: 'a', finalizers: ['example.com/x', 'example.com/y'] },
    });
    const marked = await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`);
    expect(marked.body.metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z');
    await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/a`, { metadata: { finalizers: ['example.com/y'] } });
    expect((await ask(sandbox, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(200);
    await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/a`, { metadata: { finalizers: null } });
    expect((await ask(sandbox, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(404);
  });

  it('checks preconditions first', async () => {
    sandbox.apply(configMapNamed('a'));
    const refused = await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`, { preconditions: { resourceVersion: '1' } });
    expect(refused.status).toBe(409);
    expect((await ask(sandbox, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(200);
  });

  it('deletes a collection by selector', async () => {
    sandbox.apply([configMapNamed('a', {}, { x: 'y' }), configMapNamed('b', {}, { x: 'y' }), configMapNamed('c')]);
    const { body } = await ask(sandbox, 'DELETE', `${CONFIG_MAPS}?labelSelector=x%3Dy`);
    expect(body.items.map((o) => o.metadata.name)).toEqual(['a', 'b']);
    expect(sandbox.list({ apiVersion: 'v1', kind: 'ConfigMap' }).map((o) => o.metadata.name)).toEqual(['c']);
  });

  it('does nothing in a dry run', async () => {
    sandbox.apply(configMapNamed('a'));
    expect((await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a?dryRun=All`)).status).toBe(200);
    expect((await ask(sandbox, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(200);
  });
});

it('shows an event under both of its API groups', async () => {
  const event = {
    metadata: { name: 'e' },
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    note: 'hello',
    reason: 'R',
    type: 'Normal',
    action: 'A',
  };
  await ask(sandbox, 'POST', '/apis/events.k8s.io/v1/namespaces/default/events', event);
  const core = await ask<Record<string, unknown>>(sandbox, 'GET', '/api/v1/namespaces/default/events/e');
  expect(core.body).toMatchObject({ apiVersion: 'v1', kind: 'Event', involvedObject: { name: 'p' }, message: 'hello' });
  expect(core.body.note).toBeUndefined();
  const found = await ask(sandbox, 'GET', '/apis/events.k8s.io/v1/events?fieldSelector=regarding.name%3Dp');
  expect(found.body.items).toHaveLength(1);
});

it('increases the generation of a deployment for annotations too, and ignores labels in its status subresource', async () => {
  await ask(sandbox, 'POST', DEPLOYMENTS, deployment());
  const annotated = await ask(sandbox, 'PATCH', `${DEPLOYMENTS}/web`, { metadata: { annotations: { a: 'b' } } });
  expect(annotated.body.metadata.generation).toBe(2);
  const through = await ask(sandbox, 'PATCH', `${DEPLOYMENTS}/web/status`, {
    metadata: { labels: { a: 'b' } },
    status: { replicas: 1 },
  });
  expect([through.body.metadata.labels, through.body.status.replicas]).toEqual([undefined, 1]);
});

it('tries another name when a generated name is in use', async () => {
  const taken =
    (await ask(sandbox, 'POST', CONFIG_MAPS, { metadata: { generateName: 'cm-' } })).body.metadata.name ?? '';
  const again = await Sandbox.start({ socket: false, clock, seed: 1 });
  again.apply(configMapNamed('holds-the-place'));
  await again.stop();
  const fresh = await Sandbox.start({ socket: false, clock, seed: 1 });
  const holder = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: taken, uid: 'u' } };
  fresh.apply(holder); // draws no random number, so that the next one is the same as above
  const { status, body } = await ask(fresh, 'POST', CONFIG_MAPS, { metadata: { generateName: 'cm-' } });
  await fresh.stop();
  expect(status).toBe(201);
  expect(body.metadata.name).not.toBe(taken);
});

it('accepts resourceVersion 0 for a new object, and no other', async () => {
  expect((await ask(sandbox, 'POST', CONFIG_MAPS, { metadata: { name: 'a', resourceVersion: '0' } })).status).toBe(201);
  expect((await ask(sandbox, 'POST', CONFIG_MAPS, { metadata: { name: 'b', resourceVersion: '7' } })).status).toBe(500);
});
