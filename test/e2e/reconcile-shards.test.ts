import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../src/testing/index.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { isAlive } from '../support/process-alive.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const KEYS = 24;

/** Each run creates one Secret with the number of the process and the key in its name. */
const HOOK = `
let n = 0;
export default ({ name }) => ({
  actions: [{ create: { apiVersion: 'v1', kind: 'Secret' }, on: { gvr: 'v1/secrets', namespace: 'shop', name: 'w-' + process.pid + '-' + name + '-' + n++ } }],
});
`;
const SECRETS = { group: '', version: 'v1', resource: 'secrets' };

const SHORT = [
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=500ms',
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  writeFileSync(path.join(fixture.folder, 'writer.mjs'), HOOK);
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(() => {
  for (const { metadata } of fixture.sandbox.list(SECRETS))
    if (metadata.name?.startsWith('w-')) fixture.sandbox.delete(SECRETS, `shop/${metadata.name}`);
  for (const { metadata } of fixture.sandbox.list(LEASES))
    fixture.sandbox.delete(LEASES, `${metadata.namespace}/${metadata.name}`);
  for (let i = 0; i < KEYS; i++) {
    const metadata = { namespace: 'shop', name: `k${i}`, labels: { part: 'keys' } };
    fixture.sandbox.apply([{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { round: '0' } }]);
  }
});

const lineOf = (...flags: string[]) => {
  const hook = path.join(fixture.folder, 'writer.mjs');
  return ['reconcile', 'configmaps', '-l', 'part=keys', '-n', 'shop', '--hook', hook, '--allow-write', ...flags];
};

function start(...flags: string[]): Cli {
  return replica(lineOf('--max-writes=60000/m', '--every=200ms', '--shards=6', ...flags));
}

/** The writes in the order of the server: which process, and for which key. */
function writes(): { pid: number; key: string }[] {
  return fixture.sandbox
    .list(SECRETS)
    .filter(({ metadata }) => metadata.name?.startsWith('w-'))
    .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map(({ metadata }) => {
      const [, pid, key] = metadata.name?.split('-') ?? [];
      return { pid: Number(pid), key: key as string };
    });
}

/** For each key the processes that wrote for it, each once for each series of writes. */
function series(): Map<string, number[]> {
  const all = new Map<string, number[]>();
  for (const { pid, key } of writes()) {
    const before = all.get(key) ?? [];
    if (before.at(-1) !== pid) all.set(key, [...before, pid]);
  }
  return all;
}

const keysOf = (cli: Cli) => new Set(writes().flatMap(({ pid, key }) => (pid === cli.child.pid ? [key] : [])));
const has = (cli: Cli, text: string) => cli.until(() => cli.stderr.includes(text), `"${text}"`);

/** Replicas that have their parts. */
async function sharing(count: number, ...flags: string[]): Promise<Cli[]> {
  const replicas = Array.from({ length: count }, () => start(...flags));
  await Promise.all(replicas.map((each) => has(each, `of 6; ${count} replicas share them`)));
  return replicas;
}

const running: Cli[] = [];
afterEach(async () => {
  for (const each of running) each.kill('SIGKILL');
  await Promise.all(running.splice(0).map((each) => each.ended()));
});

/** A replica that does not survive its test. */
function replica(line: readonly string[]): Cli {
  const cli = new Cli(line, { env: fixture.env });
  running.push(cli);
  return cli;
}

describe('reconcile --shards', () => {
  it('runs each key in one of the replicas, and those of a killed one in the others when its leases are over', async () => {
    const [a, b, c] = (await sharing(3, ...SHORT)) as [Cli, Cli, Cli];
    await c.until(() => series().size === KEYS, 'a run of each key');
    expect([...series().values()].map((pids) => pids.length)).toEqual(Array(KEYS).fill(1));
    const lost = keysOf(a);
    expect([a, b, c].every((each) => keysOf(each).size > 0)).toBe(true);
    a.kill('SIGKILL');
    await a.ended();
    const taken = () => new Set([...keysOf(b), ...keysOf(c)]);
    await b.until(() => [...lost].every((key) => taken().has(key)), 'a run of each key of the killed one');
    expect(Math.max(...[...series().values()].map((pids) => pids.length))).toBe(2);
    await has(b, 'of 6; 2 replicas share them');
    expect(b.stderr).toMatch(/^has shards \d-\d of 6; 3 replicas share them$/m);
  });

  it('gives its keys to the others at once when it is asked to end', async () => {
    const [a, b] = (await sharing(2, '--leader-elect-lease-duration=10m')) as [Cli, Cli];
    await b.until(() => series().size === KEYS, 'a run of each key');
    a.kill('SIGTERM');
    expect((await a.ended()).code).toBe(0);
    await b.until(() => keysOf(b).size === KEYS, 'a run of each key in the other one');
    expect(Math.max(...[...series().values()].map((pids) => pids.length))).toBe(2);
    b.kill('SIGTERM');
    expect((await b.ended()).code).toBe(0);
    const members = fixture.sandbox.list(LEASES).filter(({ metadata }) => metadata.name?.includes('-member-'));
    expect(members).toEqual([]);
  });

  it('sends nothing for keys that others took over while it was frozen, and takes its part again', async () => {
    const [a, b] = (await sharing(2, ...SHORT)) as [Cli, Cli];
    await b.until(() => series().size === KEYS, 'a run of each key');
    a.kill('SIGSTOP');
    await b.until(() => keysOf(b).size === KEYS, 'a run of each key in the other one');
    const before = a.stderr.length;
    a.kill('SIGCONT');
    await a.until(() => /^has shards .* of 6; 2 replicas/m.test(a.stderr.slice(before)), 'its part');
    const isBack = () => [...series().values()].some((pids) => pids.length > 1 && pids.at(-1) === a.child.pid);
    await a.until(() => isBack() && series().size === KEYS, 'a run of a key that it has again');
    expect(a.stderr).toMatch(
      /^lost shards [-\d, ]+ of 6: .*; runs of its keys were ended, and another replica takes it over/m,
    );
    // each key goes from one to the other when its shard does: a and b, or b and a, or a, b and a
    expect(Math.max(...[...series().values()].map((pids) => pids.length))).toBeLessThan(4);
  });

  it('waits where there are more replicas than shards, and says so', async () => {
    const line = lineOf('--shards=1', '--every=200ms');
    const replicas = [replica(line), replica(line)];
    const waits = 'has no shard of 1: 2 replicas share them, and this one waits\n';
    await eventually(() => expect(replicas.some(({ stderr }) => stderr.includes(waits))).toBe(true), {
      timeoutMs: 15_000,
    });
    const [a, b] = replicas.sort((x) => (x.stderr.includes(waits) ? 1 : -1)) as [Cli, Cli];
    await has(a, 'has shard 0 of 1; 2 replicas share them\n');
    a.kill('SIGTERM');
    const { code, stderr } = await a.ended();
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('has no shard')]);
    await has(b, 'has shard 0 of 1; no other replica is there\n');
  });

  it('kills the program of a run whose shard it has lost', async () => {
    const file = path.join(fixture.folder, 'stubborn.sh');
    writeFileSync(file, `#!/bin/sh\ntrap '' TERM\necho "pid $$" >&2\nwhile :; do sleep 0.1; done\n`, { mode: 0o755 });
    const line = [
      'reconcile',
      'configmaps',
      '--field-selector=metadata.name=k1',
      '-n',
      'shop',
      '--hook',
      file,
      '--shards=1',
      ...SHORT,
    ];
    await using cli = new Cli([...line, '--leader-elect-lease-name=stubborn'], { env: fixture.env });
    await cli.until(() => /pid \d+/.test(cli.stderr), 'the number of the program');
    const pid = Number(/pid (\d+)/.exec(cli.stderr)?.[1]);
    const lease = fixture.sandbox.get(LEASES, 'shop/stubborn-shard-0-of-1-by-uid') as unknown as { spec: object };
    fixture.sandbox.apply([{ ...lease, spec: { ...lease.spec, holderIdentity: 'someone' } }] as never);
    await has(cli, 'lost shard 0 of 1: it belongs to someone now');
    await eventually(() => !isAlive(pid));
  });

  it('runs an owner for a change of what it owns in one replica only', async () => {
    for (let i = 0; i < KEYS; i++) {
      const owner = fixture.sandbox.get(CONFIG_MAPS, `shop/k${i}`)?.metadata;
      const ownerReferences = [
        { apiVersion: 'v1', kind: 'ConfigMap', name: `k${i}`, uid: owner?.uid, controller: true },
      ];
      const metadata = { namespace: 'shop', name: `child-${i}`, ownerReferences };
      fixture.sandbox.apply([{ apiVersion: 'v1', kind: 'ServiceAccount', metadata }] as never);
    }
    const line = lineOf('--shards=6', '--owns=serviceaccounts', '--on=deleted', ...SHORT);
    const replicas = Array.from({ length: 2 }, () => replica(line));
    const [a, b] = replicas as [Cli, Cli];
    await Promise.all(replicas.map((each) => has(each, 'of 6; 2 replicas share them')));
    for (let i = 0; i < KEYS; i++) {
      const metadata = { namespace: 'shop', name: `child-${i}`, labels: { changed: 'yes' } };
      fixture.sandbox.apply([{ apiVersion: 'v1', kind: 'ServiceAccount', metadata }] as never);
    }
    await eventually(() => expect(series().size).toBe(KEYS), { timeoutMs: 15_000 });
    expect([...series().values()].map((pids) => pids.length)).toEqual(Array(KEYS).fill(1));
    expect(keysOf(a).size * keysOf(b).size).toBeGreaterThan(0);
  });

  it.each([
    ['delete alone', ['delete']],
    ['all but list', ['get', 'watch', 'create', 'update', 'delete']],
    ['all but create', ['get', 'list', 'watch', 'update', 'delete']],
  ])('names the rights that are missing, with these on Leases: %s', async (_, verbs) => {
    const rules = [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs },
    ];
    const subjects = [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'sharer' };
    const metadata = { namespace: 'shop', name: 'sharer' };
    fixture.sandbox.apply([
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules },
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata, subjects, roleRef },
    ]);
    await using cli = new Cli(lineOf('--shards=2', '--as=jane'), { env: fixture.env });
    const { code, stderr } = await cli.ended();
    expect(code).toBe(1);
    expect(stderr).toContain(`error: --shards cannot use the Leases shop/reconcile-writer.mjs-configmaps-*: `);
    expect(stderr).toContain(
      'get, list, watch, create, update and delete leases.coordination.k8s.io in the namespace shop',
    );
    expect(writes()).toEqual([]);
  });

  it('says so when the namespace of the Leases is not there', async () => {
    await using cli = start('--leader-elect-namespace=nowhere');
    const { code, stderr } = await cli.ended();
    expect([code, stderr]).toEqual([1, expect.stringContaining('hint: create the namespace')]);
  });

  it.each([
    [['--shards=2', '--leader-elect'], '--leader-elect and --shards cannot be used together'],
    [['--shards=2', '--journal=x'], '--journal and --shards cannot be used together'],
    [['--shard-by=uid'], '--shard-by does nothing without --shards'],
    [['--shards=0'], '--shards'],
    [['--shards=70000'], '--shards must be a whole number from 1 to 65536, not 70000'],
    [
      ['--shards=2', '--shard-by=namespace'],
      'would give everything to one replica: all objects are in the namespace shop',
    ],
    [['--shards=2', '--shard-by=label'], '--shard-by'],
    [['--shards=2', '--leader-elect-lease-duration=5s'], '--leader-elect-lease-duration (5000ms) must be greater than'],
    [
      ['--shards=2', '--leader-elect-lease-name=My_Lease'],
      '--leader-elect-lease-name "My_Lease" cannot be that of a Lease',
    ],
  ])('refuses %s', async (flags, message) => {
    const { code, stderr } = await run(['reconcile', 'configmaps', '-n', 'shop', '--exec', 'true', ...flags], {
      env: fixture.env,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
