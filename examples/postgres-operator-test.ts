// The tests of postgres-operator.ts: on a sandbox, or on the cluster of TEST_KUBECONFIG; the report says which. They write
// what the operator's requests need to the file of OBSERVE, from which roles are made.
//   node examples/postgres-operator-test.ts
//   OBSERVE=rights.jsonl node examples/postgres-operator-test.ts
//   kubectl informer reconcile rbac --observed rights.jsonl --service-account pg-system:pg-operator
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { isNotFound } from 'kubectl-informer';
import { eventually, startTestCluster, type TestCluster } from 'kubectl-informer/testing';
import type { WebhookServer } from 'kubectl-informer/webhooks';

// the webhook is on this machine: a cluster needs its URL
const onCluster = process.env.TEST_KUBECONFIG !== undefined;
const port = await freePort();
if (onCluster) process.env.WEBHOOK_URL = `https://127.0.0.1:${port}`;
const { BACKUPS, CLUSTERS, createOperator, INSTALLED, SECRETS, SERVICES, STATEFUL_SETS, USERS } = await import(
  './postgres-operator.ts'
);
const { v1, v1alpha1 } = CLUSTERS.versions;
const soon = <T>(check: () => T | Promise<T>) => eventually(check, { timeoutMs: 20_000 });
const cluster = (name: string, spec: object) =>
  ({ apiVersion: 'pg.example.com/v1', kind: 'PostgresCluster', metadata: { name }, spec }) as never;

/** Runs the operator in a cluster for one test. */
async function withOperator(run: (place: TestCluster, namespace: string) => Promise<void>): Promise<string> {
  let hooks: WebhookServer | undefined;
  const resolveService = () => hooks?.address && `127.0.0.1:${hooks.address.port}`;
  await using place = await startTestCluster({
    sandbox: { socket: false, resolveService },
    observe: process.env.OBSERVE,
  });
  await place.install({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'pg-system' } }, ...INSTALLED);
  const operator = await createOperator(place.programClient(), port);
  hooks = operator.hooks;
  const stop = new AbortController();
  const running = operator.manager.run(stop.signal);
  const namespace = await place.namespace();
  await soon(() => operator.hooks.unready === undefined);
  await soon(async () => (await place.client.resource(v1alpha1, { namespace }).list()) !== undefined); // it is converted
  try {
    await run(place, namespace);
  } finally {
    stop.abort();
    await running;
  }
  return place.name;
}

test('a cluster gets its children and its users, is converted, scaled and backed up', async (t) => {
  const name = await withOperator(async ({ client, sandbox }, namespace) => {
    const of = client.resource(v1, { namespace });
    const old = client.resource(v1alpha1, { namespace });
    const sets = client.resource(STATEFUL_SETS, { namespace });
    const users = client.resource(USERS.versions.v1, { namespace });
    const size = async () => (await sets.get('shop')).spec?.replicas;

    await of.create(cluster('shop', { version: '17', replicas: 2 }));
    await soon(async () => (await size()) === 2);
    const password = (await client.resource(SECRETS, { namespace }).get('shop')).data?.password;
    await client.resource(SERVICES, { namespace }).get('shop');

    // its users, in the order of their names
    const user = (userName: string) =>
      ({
        apiVersion: 'pg.example.com/v1',
        kind: 'PostgresUser',
        metadata: { name: userName },
        spec: { cluster: 'shop' },
      }) as never;
    for (const each of ['zoe', 'ann']) await users.create(user(each));
    await soon(async () => (await of.get('shop')).status?.users?.join() === 'ann,zoe');
    await users.delete('zoe');
    await soon(async () => (await of.get('shop')).status?.users?.join() === 'ann');
    await assert.rejects(users.patch('ann', { spec: { cluster: 'other' } }, { type: 'merge' }), /stays in its cluster/);

    // the other version
    assert.deepEqual((await old.get('shop')).spec, { size: 2, image: 'postgres:17' });
    await old.patch('shop', { spec: { size: 3 } }, { type: 'merge' });
    await soon(async () => (await size()) === 3);

    // the webhook, and a status that follows the servers
    await assert.rejects(of.patch('shop', { spec: { version: '16' } }, { type: 'merge' }), /17 cannot become 16/);
    const isReady = async () => (await of.get('shop')).status?.conditions?.[0]?.status === 'True';
    const ready = { status: { replicas: 3, readyReplicas: 3 } };
    await sets.patch('shop', ready, { type: 'merge', subresource: 'status' });
    if (sandbox) await soon(isReady); // on another cluster its own controller counts the servers

    // what someone deletes comes back, and the password stays
    await sets.delete('shop');
    await soon(async () => (await size().catch(ignoreNotFound)) === 3);
    assert.equal((await client.resource(SECRETS, { namespace }).get('shop')).data?.password, password);

    await of.delete('shop');
    await soon(async () => of.get('shop').then(() => false, isNotFound));
    const backups = (await client.resource(BACKUPS, { namespace }).list()).items;
    assert.deepEqual(
      backups.filter(({ data }) => data?.of === 'shop').map(({ data }) => data),
      [{ of: 'shop', version: '17' }],
    );
  });
  t.diagnostic(`tested on ${name}`);
});

function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address() as { port: number };
      server.close(() => resolve(address.port));
    });
  });
}
