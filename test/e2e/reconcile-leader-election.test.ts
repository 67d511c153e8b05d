import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../src/testing/index.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { isAlive } from '../support/process-alive.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const LEASE = 'shop/reconcile-writer.mjs-pods';

/** Each run creates one ConfigMap with the number of the process in its name. */
const HOOK = `
let n = 0;
export default () => ({
  actions: [{ create: { apiVersion: 'v1', kind: 'ConfigMap' }, on: { gvr: 'v1/configmaps', namespace: 'shop', name: 'w-' + process.pid + '-' + n++ } }],
});
`;

/** A tenth of a second between two runs, so that a process that should not write is seen at once. */
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
  for (const { metadata } of fixture.sandbox.list(CONFIG_MAPS)) {
    if (metadata.name?.startsWith('w-')) fixture.sandbox.delete(CONFIG_MAPS, `shop/${metadata.name}`);
  }
  if (fixture.sandbox.get(LEASES, LEASE)) fixture.sandbox.delete(LEASES, LEASE);
});

function start(...flags: string[]): Cli {
  const hook = path.join(fixture.folder, 'writer.mjs');
  const line = ['reconcile', 'pods', 'web-1', '-n', 'shop', '--hook', hook, '--allow-write', '--every', '100ms'];
  return new Cli([...line, '--leader-elect', ...flags], { env: fixture.env });
}

/** The writes in the order of the server, as the numbers of the processes that sent them. */
function writers(): number[] {
  return fixture.sandbox
    .list(CONFIG_MAPS)
    .filter(({ metadata }) => metadata.name?.startsWith('w-'))
    .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map(({ metadata }) => Number(metadata.name?.split('-')[1]));
}

const writesOf = (cli: Cli) => writers().filter((pid) => pid === cli.child.pid).length;
const holder = () => (fixture.sandbox.get(LEASES, LEASE) as { spec?: { holderIdentity?: string } } | undefined)?.spec;

/** The writers, each once for each series of writes: two processes that take turns give more than two. */
const series = () => writers().filter((pid, i, all) => pid !== all[i - 1]);

/** A leader that writes, and a second process that waits. */
async function pair(...flags: string[]): Promise<[leader: Cli, standby: Cli]> {
  const leader = start(...flags);
  await leader.until(() => writesOf(leader) > 0, 'a write of the leader');
  const standby = start(...flags);
  await standby.until((cli) => cli.stderr.includes(`waits for the lease ${LEASE}`), 'the line of the standby');
  return [leader, standby];
}

describe('reconcile --leader-elect', () => {
  it('runs the hook in one process, and in the other one when the first is killed and its lease is over', async () => {
    const [leader, standby] = await pair(...SHORT);
    await using _leader = leader;
    await using _standby = standby;
    expect(leader.stderr).toMatch(/leads: has the lease shop\/reconcile-writer\.mjs-pods as \S+_[-0-9a-f]{36}\n/);
    expect(standby.stderr).toContain(`which ${holder()?.holderIdentity} has; the hook does not run before`);
    const seen = writesOf(leader);
    await leader.until(() => writesOf(leader) > seen + 10, 'further writes');
    expect(writesOf(standby)).toBe(0);
    leader.kill('SIGKILL');
    await leader.ended();
    await standby.until(() => writesOf(standby) > 5, 'writes of the standby');
    expect(series()).toEqual([leader.child.pid, standby.child.pid]);
    standby.kill('SIGTERM');
    expect((await standby.ended()).code).toBe(0);
  });

  it('gives the lease up when it is asked to end, so that the other one leads long before it would be over', async () => {
    const [leader, standby] = await pair('--leader-elect-lease-duration=10m');
    await using _leader = leader;
    await using _standby = standby;
    leader.kill('SIGTERM');
    expect((await leader.ended()).code).toBe(0);
    await standby.until(() => writesOf(standby) > 0, 'a write of the standby');
    expect(series()).toEqual([leader.child.pid, standby.child.pid]);
    standby.kill('SIGTERM');
    await standby.ended();
    expect(holder()?.holderIdentity).toBe('');
  });

  it('sends nothing when it goes on after a freeze in which another one came to lead, and ends with 1', async () => {
    const [leader, standby] = await pair(...SHORT);
    await using _leader = leader;
    await using _standby = standby;
    leader.kill('SIGSTOP');
    await standby.until(() => writesOf(standby) > 0, 'a write of the standby');
    leader.kill('SIGCONT');
    const { code, stderr } = await leader.ended();
    expect([code, stderr]).toEqual([1, expect.stringContaining(`error: the lease ${LEASE} was lost`)]);
    const seen = writesOf(standby);
    await standby.until(() => writesOf(standby) > seen + 10, 'further writes of the standby');
    expect(series()).toEqual([leader.child.pid, standby.child.pid]);
  });

  it('ends with 1 when the lease belongs to another process, and leaves it alone', async () => {
    await using leader = start(...SHORT);
    await leader.until(() => writesOf(leader) > 0, 'a write');
    const lease = fixture.sandbox.get(LEASES, LEASE) as unknown as { spec: object };
    fixture.sandbox.apply([{ ...lease, spec: { ...lease.spec, holderIdentity: 'someone' } }] as never);
    const { code, stderr } = await leader.ended();
    expect(code).toBe(1);
    expect(stderr).toContain(`error: the lease ${LEASE} was lost: it belongs to someone now\nhint: `);
    expect(holder()?.holderIdentity).toBe('someone');
  });

  it('kills the program of its hook when it has lost the lease', async () => {
    const file = path.join(fixture.folder, 'stubborn.sh');
    writeFileSync(file, `#!/bin/sh\ntrap '' TERM\necho "pid $$" >&2\nwhile :; do sleep 0.1; done\n`, { mode: 0o755 });
    const name = 'stubborn';
    const line = ['reconcile', 'pods', 'web-1', '-n', 'shop', '--hook', file, '--leader-elect', ...SHORT];
    await using leader = new Cli([...line, `--leader-elect-lease-name=${name}`], { env: fixture.env });
    await leader.until((cli) => /pid \d+/.test(cli.stdout + cli.stderr), 'the number of the program');
    const pid = Number(/pid (\d+)/.exec(leader.stdout + leader.stderr)?.[1]);
    const lease = fixture.sandbox.get(LEASES, `shop/${name}`) as unknown as { spec: object };
    fixture.sandbox.apply([{ ...lease, spec: { ...lease.spec, holderIdentity: 'someone' } }] as never);
    expect((await leader.ended()).code).toBe(1);
    await eventually(() => !isAlive(pid));
  });

  it('that waits ends with 0 when it is asked to, without a write', async () => {
    fixture.sandbox.apply([
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: 'other', name: 'mine' },
        spec: { holderIdentity: 'someone', leaseDurationSeconds: 3600 },
      },
    ]);
    await using standby = start('--leader-elect-lease-name=mine', '--leader-elect-namespace=other');
    await standby.until((cli) => cli.stderr.includes('waits for the lease other/mine, which someone has'), 'the line');
    standby.kill('SIGTERM');
    expect((await standby.ended()).code).toBe(0);
    expect(writers()).toEqual([]);
  });

  it('names the right that is missing', async () => {
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }];
    const subjects = [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
    const metadata = { namespace: 'shop', name: 'reader' };
    fixture.sandbox.apply([
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules },
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata, subjects, roleRef },
    ]);
    await using cli = start('--as=jane');
    const { code, stderr } = await cli.ended();
    expect(code).toBe(1);
    expect(stderr).toContain(`error: --leader-elect cannot use the lease ${LEASE}: `);
    expect(stderr).toContain('get, create and update leases.coordination.k8s.io in the namespace shop');
    expect(writers()).toEqual([]);
  });

  it('says so when the namespace of the lease is not there', async () => {
    await using cli = start('--leader-elect-namespace=nowhere');
    const { code, stderr } = await cli.ended();
    expect([code, stderr]).toEqual([1, expect.stringContaining('hint: create the namespace')]);
  });

  it('reports an outage of the lease once, and ends when it cannot be renewed in time', async () => {
    await using leader = start(...SHORT);
    await leader.until(() => writesOf(leader) > 0, 'a write');
    fixture.sandbox.faults.add({
      fault: { kind: 'status', code: 500 },
      match: { path: '/leases' },
      times: Number.POSITIVE_INFINITY,
    });
    const { code, stderr } = await leader.ended();
    fixture.sandbox.faults.clear();
    expect(code).toBe(1);
    expect(stderr.split('could not be renewed, and is tried again').length).toBe(2);
    expect(stderr).toMatch(/error: the lease \S+ was lost: it could not be renewed within 2s/);
  });

  it.each([
    [['--leader-elect-namespace=shop'], '--leader-elect-namespace does nothing without --leader-elect'],
    [
      ['--leader-elect', '--leader-elect-lease-duration=5s'],
      '--leader-elect-lease-duration (5000ms) must be greater than --leader-elect-renew-deadline (10000ms)',
    ],
    [
      ['--leader-elect', '--leader-elect-lease-name=My_Lease'],
      '--leader-elect-lease-name "My_Lease" cannot be that of a Lease',
    ],
    [['--leader-elect', '--leader-elect-namespace=My_Space'], 'My_Space'],
  ])('refuses %s', async (flags, message) => {
    const line = ['reconcile', 'pods', '-n', 'shop', '--exec', 'true', ...flags];
    const { code, stderr } = await run(line, { env: fixture.env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
