import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { type InProcessOptions, Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, configMapNamed } from '../../support/sandbox-requests.ts';

const start = (seed = 1) => Sandbox.start({ socket: false, clock: new FakeClock(), seed });

async function outcomeOf(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  try {
    for await (const _chunk of body);
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Every chunk that two overlapping watches and a list give, with the moment it came. */
async function traceOf(seed: number, options: InProcessOptions = {}): Promise<string[]> {
  const clock = new FakeClock();
  await using sandbox = await Sandbox.start({ socket: false, clock, seed, scenario: 'rollout' });
  const transport = sandbox.transport(options);
  const trace: string[] = [];
  const read = async (name: string, path: string) => {
    const { status, body } = await transport.request({ method: 'GET', path });
    trace.push(`${name} ${status}`);
    for await (const chunk of body) trace.push(`${clock.now()} ${name} ${Buffer.from(chunk).toString('latin1')}`);
  };
  const watches = ['/api/v1/pods?watch=1', '/apis/apps/v1/deployments?watch=1'].map((path) =>
    read(path, path).catch(() => {}),
  );
  await read('list', '/api/v1/pods?limit=5');
  await clock.advance(8_000);
  await transport.close();
  await Promise.all(watches);
  return trace;
}

it('gives the same trace for the same seed, chunk by chunk, and another one for another seed', async () => {
  const first = await traceOf(4);
  expect(first.length).toBeGreaterThan(100);
  expect(await traceOf(4)).toEqual(first);
  expect(await traceOf(4, { seed: 99 })).not.toEqual(first);
});

it('cuts bodies into chunks of at most the requested size, and changes no byte', async () => {
  await using sandbox = await start();
  sandbox.apply(configMapNamed('a', { text: 'ü'.repeat(500) }));
  const request = { method: 'GET', path: CONFIG_MAPS, headers: { 'accept-encoding': 'gzip' } };
  const read = async (options: InProcessOptions) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await sandbox.transport(options).request(request)).body) chunks.push(chunk);
    return chunks;
  };
  const [whole, cut] = [await read({ chunkBytes: 1_000_000 }), await read({ chunkBytes: 7 })];
  expect(Math.max(...cut.map((c) => c.length))).toBe(7);
  expect(Buffer.concat(cut)).toEqual(Buffer.concat(whole));
});

it.each([0, -1, 1.5])('refuses chunks of %d bytes', async (chunkBytes) => {
  await using sandbox = await start();
  expect(() => sandbox.transport({ chunkBytes })).toThrow(`chunkBytes is ${chunkBytes}`);
});

it('a client can be created from it', async () => {
  await using sandbox = await start();
  sandbox.apply(configMapNamed('a'));
  const client = createClient(sandbox.transport({ chunkBytes: 3 }));
  const api = client.resource({ group: '', version: 'v1', resource: 'configmaps' }, { namespace: 'default' });
  expect((await api.get('a')).metadata.name).toBe('a');
});

it('breaks open requests when it closes, refuses later ones, and leaves no listener', async () => {
  await using sandbox = await start();
  const transport = sandbox.transport();
  const leave = new AbortController();
  const { body } = await transport.request({ method: 'GET', path: `${CONFIG_MAPS}?watch=1`, signal: leave.signal });
  const reading = outcomeOf(body);
  await settled();
  await transport.close();
  expect(await reading).toMatchObject({ code: 'transport' });
  expect(getEventListeners(leave.signal, 'abort')).toEqual([]);
  await expect(transport.request({ method: 'GET', path: CONFIG_MAPS })).rejects.toMatchObject({ code: 'transport' });
});

it('rejects with the reason of a signal that aborts, before the answer and within its body', async () => {
  await using sandbox = await start();
  const leave = new AbortController();
  const init = { method: 'GET', path: `${CONFIG_MAPS}?watch=1`, signal: leave.signal };
  const { body } = await sandbox.transport().request(init);
  const reading = outcomeOf(body);
  const reason = new Error('enough');
  leave.abort(reason);
  expect(await reading).toBe(reason);
  await expect(sandbox.transport().request(init)).rejects.toBe(reason);
});

it('rejects with `transport` and the request when the server does not answer', async () => {
  await using sandbox = await start();
  sandbox.faults.add({ fault: { kind: 'refuse' } });
  const answer = sandbox.transport().request({ method: 'GET', path: CONFIG_MAPS });
  await expect(answer).rejects.toMatchObject({ code: 'transport', cause: { code: 'ECONNREFUSED' } });
});

it('sends a token, so that a controller in this process has only the rights of its roles', async () => {
  await using sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1, rbac: true });
  const user = 'system:serviceaccount:default:bot';
  sandbox.apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'bot', namespace: 'default' },
    subjects: [{ kind: 'ServiceAccount', name: 'bot', namespace: 'default' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  });
  const client = createClient(sandbox.transport({ token: sandbox.tokenFor({ user }) }), { clock: new FakeClock() });
  const api = client.resource({ group: '', version: 'v1', resource: 'configmaps' }, { namespace: 'default' });
  expect((await api.list({})).items).toEqual([]);
  await expect(api.create(configMapNamed('a'))).rejects.toThrow(
    `configmaps is forbidden: User "${user}" cannot create resource "configmaps"`,
  );
  const admin = createClient(sandbox.transport(), { clock: new FakeClock() });
  await admin
    .resource({ group: '', version: 'v1', resource: 'configmaps' }, { namespace: 'default' })
    .create(configMapNamed('a'));
});
