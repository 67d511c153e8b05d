import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokensOf } from '../../src/agents/token-count.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { type Agent, agentsOf } from '../support/agents.ts';
import { incident, SHOP } from '../support/incidents.ts';

/** Of a shop between 02:05 and 02:20. It has deployments, replicasets, pods, configmaps and Events. */
const NIGHT = path.resolve(import.meta.dirname, '../../examples/recordings/night.rec');

let sandbox: Sandbox;
let live: Awaited<ReturnType<typeof agentsOf>>;
let recorded: Awaited<ReturnType<typeof agentsOf>>;
let agent: Agent;
let ofNight: Agent;
beforeAll(async () => {
  sandbox = await Sandbox.start({});
  sandbox.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SHOP } }] as never);
  sandbox.apply(incident('a program that says why it ends', 7, Date.now()).objects);
  live = await agentsOf(sandbox);
  recorded = await agentsOf(sandbox, { recording: NIGHT });
  agent = await live.agent();
  ofNight = await recorded.agent();
});
afterAll(async () => {
  await live[Symbol.asyncDispose]();
  await recorded[Symbol.asyncDispose]();
  await sandbox.stop();
});

const CHECKOUT = { type: 'deploy/checkout', namespace: SHOP };

describe('a story', () => {
  it('is of the caches where nothing records: the cause, then what happened, the latest first', async () => {
    const text = await agent.told('story', CHECKOUT);
    const [first = '', ...lines] = text.split('\n');
    expect(first).toMatch(/^\| deployment\/checkout is not ready \(Available: 0\/2\): CrashLoopBackOff: pod\/checkout-\S+: container app ended with exit code 1; \d restarts: DB_URL is not set/); // biome-ignore format: one line
    const times = lines.flatMap((line) => /^\| (\d{4}-\S+Z) {2}/.exec(line)?.[1] ?? []);
    expect(times.length).toBeGreaterThan(5);
    expect(times).toEqual(times.toSorted().reverse());
    expect(text).toMatch(/\n\| from the cluster as it is now: .*\ncurrent as of \d+m?s ago$/);
    expect(text).not.toMatch(/cart/);
  });

  it('asks the server for nothing when it is asked again', async () => {
    await agent.told('story', { type: 'deploy', name: 'web', namespace: SHOP });
    const before = sandbox.requests.matching('/').length;
    expect(before).toBeGreaterThan(10);
    expect(await agent.told('story', { type: 'deploy', name: 'web', namespace: SHOP })).toMatch(
      /^\| deployment\/web is ready/,
    );
    expect(sandbox.requests.matching('/').slice(before)).toEqual([]);
  });

  it('says which types it could not read', async () => {
    await using sandbox = await Sandbox.start({});
    sandbox.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SHOP } }] as never);
    sandbox.apply(incident('a program that says why it ends', 7, Date.now()).objects);
    sandbox.faults.add({
      fault: { kind: 'status', code: 403 },
      match: { path: '/events' },
      times: Number.POSITIVE_INFINITY,
    });
    await using own = await agentsOf(sandbox);
    const text = await (await own.agent()).told('story', CHECKOUT);
    expect(text).toMatch(/\n\| not in this story: events \(.*not allowed\)/);
  });

  it('is of the recording where something records, and of the caches for a type that is not in it', async () => {
    const text = await ofNight.told('story', { type: 'deploy/checkout', namespace: 'shop', since: '2m', limit: 5 });
    expect(text).toMatch(/^\| deployment\/checkout is not ready \(Available: 0\/2\): ErrImagePull: /);
    expect(text.match(/^\| 2026-11-28T02:/gm)).toHaveLength(5);
    expect(text).toMatch(
      /\nfrom the recording \S+night.rec, from 2026-11-28T02:05:00.000Z until 2026-11-28T02:20:35.000Z$/,
    );
    expect(await ofNight.told('story', { type: 'ns/shop' })).toMatch(/^\| namespace\/shop .*\ncurrent as of/s);
  });
});

describe('history', () => {
  it('is who changed what of an object, with the times that were not seen', async () => {
    const args = { type: 'deploy/web', paths: ['.spec.replicas'] };
    expect((await ofNight.told('history', args)).split('\n')).toEqual([
      '| 2026-11-28T02:11:40.000Z  MODIFIED  kubectl-scale  .spec.replicas: 4 → 9',
      expect.stringContaining('| 2026-11-28T02:06:00.000Z  not seen  until 2026-11-28T02:08:00.000Z (stopped)'),
      expect.stringContaining('from the recording '),
    ]);
    expect(await ofNight.told('history', { type: 'deploy/web', by: ['nobody'] })).toContain(
      'none of its 10 changes is chosen',
    );
  });

  it('of a type is what differs between two times', async () => {
    const range = { since: '2026-11-28T02:10', until: '2026-11-28T02:14' };
    const text = await ofNight.told('history', { type: 'deploy,cm', ...range });
    expect(text).toMatch(/\| ~ 2026-11-28T02:11:40Z {2}apps\/v1\/deployments {2}shop {2}web {2}\.spec\.replicas: 4 → 9 \(kubectl-scale\)/); // biome-ignore format: one line
    expect(text).toMatch(/\| ~ 2026-11-28T02:13:10Z .* feature-flags .*"100" → "500" \(kubectl-edit\)/);
    expect(tokensOf(text)).toBeLessThan(1000);
    const whole = { type: 'deploy', since: '3h' }; // longer than the recording
    expect(await ofNight.told('history', whole)).toMatch(/~ 2026-11-28T02:11:40Z.*\.spec\.replicas: 4 → 9/);
  });

  it('is what the cluster still knows where nothing records', async () => {
    const text = await agent.told('history', CHECKOUT);
    expect(text).toMatch(/^\| \S+Z {2}APPLIED {2}\S+ {2}last write of \.spec\.replicas/m);
    expect(text).toMatch(/\| from the cluster as it is now: .*\nread from the API server for this answer$/);
    expect(await agent.ask('history', { ...CHECKOUT, since: '1h' })).toEqual({
      isError: true,
      text: expect.stringMatching(/history by since needs a recording/),
    });
    expect(await agent.ask('history', { type: 'deploy' })).toEqual({
      isError: true,
      text: expect.stringMatching(/needs a recording, and nothing records here\n.*serve TYPES --record FILE/),
    });
  });
});

describe('at', () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['count', { type: 'pods', at: '10m' }, /^8 found\n/],
    ['count', { type: 'pods', at: '0s' }, /^13 found\n/],
    ['query', { type: 'deploy', at: '10m', columns: ['READY'] }, /\n\| web\t4\/4\n/],
    ['query', { type: 'deploy', at: '2026-11-28T02:15', paths: ['.spec.replicas'] }, /\n\| web\t9\n/],
    ['query', { type: 'pods', at: '0s', where: ['STATUS != "Running"'], columns: ['AGE'] }, /^4 found\n.*\t55s\n/s],
    ['values', { type: 'pods', at: '0s', of: 'node' }, /\n\| 5\tworker-2\n/],
    ['group', { type: 'pods', at: '0s', by: '.status.phase' }, /\n\| 11\tRunning\n\| 2\tPending\n/],
    ['get', { type: 'deploy', name: 'web', at: '10m', paths: ['.spec.replicas'] }, /\n\| shop\tweb\t4\n/],
  ])('%s %j is of that moment, and says so', async (tool, args, answer) => {
    const text = await ofNight.told(tool, args);
    expect(text).toMatch(answer);
    expect(text).toMatch(/\nas recorded at 2026-11-28T02:\S+; the recording goes until 2026-11-28T02:20:35.000Z$/);
    expect(text).not.toContain('current as of');
  });

  it('says that a moment lies in a gap', async () => {
    expect(await ofNight.told('count', { type: 'pods', at: '2026-11-28T02:07' })).toMatch(
      /\n\| v1\/pods in shop at 2026-11-28T02:07:00.000Z: changes may be missing, in a gap \(stopped\)/,
    );
  });

  it.each<[string, () => Agent, Record<string, unknown>, RegExp]>([
    ['without a recording', () => agent, { type: 'pods', at: '5m' }, /needs a recording.*serve TYPES --record FILE/s],
    ['of a type that it lacks', () => ofNight, { type: 'secrets', at: '5m' }, /the recording does not have "secrets"/],
    ['before its begin', () => ofNight, { type: 'pods', at: '2020-01-01' }, /is before the recording.*it begins at/s],
    ['that is no time', () => ofNight, { type: 'pods', at: 'noon' }, /expected a time/],
  ])('%s is refused', async (_, asked, args, words) => {
    expect(await asked().ask('count', args)).toEqual({ isError: true, text: expect.stringMatching(words) });
  });
});

it('an object that a cache without a connection lacks may be there, which the answer says', async () => {
  await using own = await Sandbox.start({});
  await using agents = await agentsOf(own);
  const blind = await agents.agent();
  await blind.told('count', { type: 'pods' });
  const restarting = own.restart({ downMs: 1500 });
  await expect
    .poll(async () => (await blind.ask('get', { type: 'pods', name: 'gone' })).text, { timeout: 10_000 })
    .toMatch(
      /^not answered:\n\| there is no pods gone in all namespaces\n\| hint: .*\nNOT CURRENT: pods has had no connection since /,
    );
  await restarting;
}, 30_000);
