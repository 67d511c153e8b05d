import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GroupVersionResource } from '../../src/model/gvr.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { eventually, startTestCluster, type TestCluster } from '../../src/testing/index.ts';

// Two replicas of the example, which are killed and frozen, and see the server 300 ms late, on the cluster of
// TEST_KUBECONFIG. It must be on this machine: its webhooks are here.

const kubeconfig = process.env.TEST_KUBECONFIG;
const EXAMPLE = path.resolve(import.meta.dirname, '../../examples/postgres-operator.ts');
const SETS = parseGvr('apps/v1/statefulsets');
const BACKUPS = parseGvr('v1/configmaps');
const LAG_MS = 300;
const ROUNDS = 24;

interface Wanted {
  replicas: number;
  readonly users: string[];
}

describe.skipIf(!kubeconfig)('two replicas of the operator of PostgreSQL, killed, frozen and late', () => {
  let folder = '';
  let url = '';
  const servers: net.Server[] = [];
  const replicas: (ChildProcess | undefined)[] = [];
  const ports: number[] = [];
  let isOver = false;
  let cluster: TestCluster;
  let namespace = '';
  let types: { clusters: GroupVersionResource; old: GroupVersionResource; users: GroupVersionResource };

  const start = (at: number) => {
    const env = {
      ...process.env,
      WEBHOOK_URL: url,
      KUBECONFIG: path.join(folder, 'config'),
      WEBHOOK_PORT: String(ports[at]),
    };
    const child = spawn(process.execPath, [EXAMPLE], { env, stdio: 'ignore' });
    replicas[at] = child;
    child.on('exit', () => {
      if (!isOver) start(at);
    });
  };
  const listen = async (server: net.Server) => {
    servers.push(server.listen(0, '127.0.0.1'));
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  };
  const of = (gvr: GroupVersionResource) => cluster.client.resource(gvr, { namespace });
  /** Repeats a request of the test until the webhooks answer: they are away while no replica lives. */
  const surely = (send: () => Promise<unknown>) =>
    eventually(
      () =>
        send().then(
          () => true,
          (error: Error) => /already exists|not found/.test(error.message),
        ),
      {
        timeoutMs: 60_000,
        everyMs: 200,
      },
    );

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'postgres-'));
    for (const _ of [0, 1]) {
      const server = net.createServer();
      ports.push(await listen(server));
      server.close();
    }
    const front = await listen(
      net.createServer((from) => {
        const to = (left: readonly number[]) => {
          const [port, ...others] = left;
          if (port === undefined) return void from.destroy();
          const socket = net.connect(port, '127.0.0.1', () => from.pipe(socket).pipe(from));
          socket.on('error', () => to(others));
        };
        from.on('error', () => {});
        to(ports);
      }),
    );
    url = `https://127.0.0.1:${front}`;
    process.env.WEBHOOK_URL = url; // for the import
    const { CLUSTERS, INSTALLED, USERS } = await import(EXAMPLE);
    delete process.env.WEBHOOK_URL;
    types = { clusters: CLUSTERS.versions.v1, old: CLUSTERS.versions.v1alpha1, users: USERS.versions.v1 };
    cluster = await startTestCluster({ kubeconfig });
    const text = readFileSync(kubeconfig ?? '', 'utf8');
    const { port, hostname } = new URL(cluster.name);
    const late = await listen(
      net.createServer((from) => {
        const to = net.connect(Number(port), hostname);
        from.pipe(to);
        to.on('data', (data) => void setTimeout(() => from.destroyed || from.write(data), LAG_MS));
        for (const [socket, other] of [
          [from, to],
          [to, from],
        ] as const)
          socket.on('error', () => other.destroy());
        from.on('close', () => to.destroy());
        to.on('close', () => void setTimeout(() => from.destroy(), LAG_MS));
      }),
    );
    writeFileSync(path.join(folder, 'config'), text.replaceAll(cluster.name, `https://127.0.0.1:${late}`));
    await cluster.install({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'pg-system' } }, ...INSTALLED);
    namespace = await cluster.namespace();
    for (const at of [0, 1]) start(at);
  }, 60_000);

  afterAll(async () => {
    // the operator itself ends what has its finalizer
    for (const { metadata } of (await of(types.clusters).list()).items)
      await surely(() => of(types.clusters).delete(metadata.name ?? ''));
    await eventually(async () => (await of(types.clusters).list()).items.length === 0, {
      timeoutMs: 60_000,
      everyMs: 200,
    });
    isOver = true;
    for (const child of replicas) child?.kill('SIGKILL');
    for (const server of servers) server.close();
    await cluster?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  }, 120_000);

  it('make each child once, with what was asked for last, and one backup of each that went', async () => {
    const wanted = new Map<string, Wanted>();
    const gone: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const name = `c${round % 8}-${Math.floor(round / 16)}`;
      const size = 1 + (round % 9);
      const known = wanted.get(name);
      if (!known) {
        const metadata = { name };
        await surely(() =>
          of(types.old).create({
            apiVersion: 'pg.example.com/v1alpha1',
            kind: 'PostgresCluster',
            metadata,
            spec: { size, image: 'postgres:17' },
          }),
        );
        const user = {
          apiVersion: 'pg.example.com/v1',
          kind: 'PostgresUser',
          metadata: { name: `of-${name}` },
          spec: { cluster: name },
        };
        await surely(() => of(types.users).create(user));
        wanted.set(name, { replicas: size, users: [`of-${name}`] });
      } else {
        await surely(() => of(types.clusters).patch(name, { spec: { replicas: size } }, { type: 'merge' }));
        known.replicas = size;
      }
      const victim = replicas[round % 2];
      if (round % 4 === 1) victim?.kill('SIGKILL');
      if (round % 4 === 3) {
        victim?.kill('SIGSTOP');
        await pause(2_000);
        victim?.kill('SIGCONT');
      }
    }
    for (const name of ['c0-0', 'c3-0', 'c5-0']) {
      const isHeld = async () => (await of(types.clusters).get(name)).metadata.finalizers !== undefined;
      await eventually(isHeld, { timeoutMs: 90_000, everyMs: 200 });
      const { uid = '' } = (await of(types.clusters).get(name)).metadata;
      await surely(() => of(types.clusters).delete(name));
      gone.push(`${name}-backup-${uid.slice(0, 8)}`);
      wanted.delete(name);
    }
    const stateOf = async () => {
      const sets = (await of(SETS).list()).items;
      const clusters = (await of(types.clusters).list()).items;
      const backups = (await of(BACKUPS).list()).items.map(({ metadata }) => metadata.name ?? '');
      const usersOf = ({ status }: UnknownObject) => (status as { users?: string[] } | undefined)?.users ?? [];
      return {
        sets: sets.map(({ metadata, spec }) => [metadata.name, (spec as { replicas: number }).replicas]).sort(),
        users: clusters.map((each) => [each.metadata.name, usersOf(each)]).sort(),
        backups: backups.filter((name) => name.includes('-backup-')).sort(),
      };
    };
    const all = [...wanted].sort();
    const expected = {
      sets: all.map(([name, { replicas: size }]) => [name, size]),
      users: all.map(([name, { users }]) => [name, users]),
      backups: gone.sort(),
    };
    await eventually(async () => JSON.stringify(await stateOf()) === JSON.stringify(expected), {
      timeoutMs: 120_000,
      everyMs: 500,
    }).catch(() => {});
    expect(await stateOf()).toEqual(expected);
  }, 400_000);
});
