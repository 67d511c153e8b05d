import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { Cli, run } from '../support/cli.ts';
import { configMap, type Fixture, pod, startFixture } from '../support/fixture.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture[Symbol.asyncDispose]());

async function hook(name: string, text: string): Promise<string> {
  const file = path.join(fixture.folder, name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

/** A running `reconcile` of namespace shop. */
const started = (...words: string[]) => new Cli(['reconcile', ...words, '-n', 'shop'], { env: fixture.env });

const apply = (object: UnknownObject) => fixture.sandbox.apply(object);
const runsIn = ({ stdout }: { stdout: string }) => stdout.split('\n').filter((line) => line.includes(' | '));

async function ended(cli: Cli) {
  cli.kill('SIGTERM');
  const end = await cli.ended();
  expect(end.code, end.stderr).toBe(0);
  return { ...end, runs: runsIn(end) };
}

/** Prints how a run came about. */
const TELLING = `export default ({ object, oldObject, causes }) => {
  const size = (state) => state?.data?.size ?? '-';
  console.log(causes.map((c) => c.reason + '/' + c.via).join('+'), size(oldObject), '→', object ? size(object) : 'gone');
};
`;

describe('filters of reconcile', () => {
  it('--filter lets the hook run only for objects that match, when the run begins as well, and --on left for those that stop', async () => {
    const file = await hook('telling.mjs', TELLING);
    apply(configMap('a', { size: '1' }));
    const line = ['configmaps', '--hook', file, '--filter', 'has(object.data.size) && int(object.data.size) > 3'];
    await using plain = started(...line);
    await using leaving = started(...line, '--on', 'left');
    const sized = (size: string) => apply(configMap('a', { size }));
    const both = async (text: string) => {
      for (const cli of [plain, leaving]) await cli.until((c) => c.stderr.includes(text), text);
    };
    await both('0 match has(object.data.size)');
    sized('5');
    await plain.until((c) => c.stderr.includes('added/filter 1 → 5'), 'the run of a match');
    sized('2');
    await leaving.until((c) => c.stderr.includes('deleted/filter 5 → 2'), 'the run of what left');
    sized('7');
    await plain.until((c) => c.stderr.includes('→ 7'), 'the second match');
    fixture.sandbox.delete(CONFIG_MAPS, 'shop/a');
    await plain.until((c) => c.stderr.includes('deleted/watch 7 → gone'), 'the deletion');
    const [one, other] = [await ended(plain), await ended(leaving)];
    expect(one.stderr.split('\n').filter((text) => text.startsWith('shop/a | '))).toHaveLength(3);
    expect(other.stderr.split('\n').filter((text) => text.startsWith('shop/a | '))).toHaveLength(1);
  });

  it('--watch-only runs for what changes alone, and --changed, --name and --where choose from that', async () => {
    const line = ['pods', '--exec', 'echo ran', '--watch-only'];
    await using changed = started(...line, '--changed', '.status.phase', '--exclude-name', '-2$');
    await using where = started(...line, '--where', 'STATUS == "Failed"', '--name', '^web');
    for (const cli of [changed, where]) await cli.until((c) => c.stderr.includes('1 worker'), 'the start');
    expect(changed.stderr).toContain('2 pods, 1 match --exclude-name, none runs before a change comes (--watch-only)');
    expect(where.stderr).toContain('2 pods, 0 match STATUS == "Failed" and --name');
    apply({ ...pod('web-1'), metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'x' } } } as UnknownObject);
    for (const name of ['web-2', 'web-1', 'db-9'])
      apply({ ...pod(name), status: { phase: 'Failed' } } as UnknownObject);
    for (const [cli, last] of [
      [changed, 'shop/db-9 | ran'],
      [where, 'shop/web-1 | ran'],
    ] as const)
      await cli.until((c) => c.stdout.includes(last), last);
    expect((await ended(changed)).runs).toEqual(['shop/web-1 | ran', 'shop/db-9 | ran']);
    expect((await ended(where)).runs).toEqual(['shop/web-2 | ran', 'shop/web-1 | ran']);
  });

  it('--owns and --watches run only objects that are named, exist and match; their first lists run none with --on modified', async () => {
    const ownedBy = (name: string) => ({
      metadata: {
        name: `${name}-x`,
        namespace: 'shop',
        labels: { round: String(rounds) },
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid: 'u', controller: true }],
      },
    });
    let rounds = 0;
    const names = ['settings', 'small', 'absent', 'other'];
    const children = () => {
      rounds++;
      for (const name of names) apply({ ...pod(`${name}-x`), ...ownedBy(name) } as UnknownObject);
    };
    for (const name of ['settings', 'small', 'other']) apply(configMap(name, { size: name === 'small' ? '1' : '9' }));
    children();
    const line = ['configmaps', 'settings', 'small', 'absent', '--owns', 'pods', '--exec', 'echo ran'];
    await using cli = started(...line, '--on', 'modified', '--filter', 'object.data.size == "9"');
    await cli.until((c) => c.stderr.includes('1 worker'), 'the start');
    children();
    await cli.until((c) => c.stdout.includes('settings | ran'), 'the run');
    apply(configMap('settings', { size: '9', last: '1' }));
    await cli.until((c) => runsIn(c).length === 2, 'the run of a change of its own');
    expect((await ended(cli)).runs).toEqual(['shop/settings | ran', 'shop/settings | ran']);
  });

  it('a finalizer is answered for an object that does not match any more', async () => {
    apply(configMap('held', { size: '9' }));
    const line = ['configmaps', 'held', '--finalizer', 'example.com/f', '--filter', 'object.data.size == "9"'];
    await using cli = started(...line, '--on', 'added', '--allow-write', '--exec', 'echo ran');
    const held = () => fixture.sandbox.get(CONFIG_MAPS, 'shop/held');
    await cli.until(() => (held()?.metadata.finalizers?.length ?? 0) > 0, 'the finalizer');
    await cli.until((c) => runsIn(c).length === 1, 'the run');
    apply({
      ...configMap('held', { size: '1' }),
      metadata: { name: 'held', namespace: 'shop', finalizers: ['example.com/f'] },
    });
    fixture.sandbox.delete(CONFIG_MAPS, 'shop/held');
    await cli.until(() => held() === undefined, 'the end of the object');
    expect((await ended(cli)).runs).toHaveLength(2);
  });

  it('an expression that fails is reported once, and counted at the end; a path that is in no object is named', async () => {
    const failing = ['--filter', 'object.spec.nodeName + 1 == 2', '--changed', '.status.phaze'];
    await using cli = started('pods', '--exec', 'echo ran', ...failing);
    await cli.until((c) => c.stderr.includes('.status.phaze is in none of 2 pods'), 'the path');
    const { stderr, runs } = await ended(cli);
    expect(stderr.split('it counts as no match (reported once)')).toHaveLength(2);
    expect(stderr).toMatch(/^\d+ evaluations of filters failed, and counted as no match$/m);
    expect([runs, stderr.includes('2 pods, 0 match object.spec.nodeName + 1 == 2')]).toEqual([[], true]);
  });

  it.each([
    [['--filter', 'object.spec.'], '--filter'],
    [['--where', 'COLOR == "red"'], 'there is no column COLOR'],
    [['--on', 'gone'], 'invalid argument "gone" for "--on"'],
    [['--name', '('], 'invalid argument "(" for "--name"'],
    [['--predicate', 'sepc'], 'invalid argument "sepc" for "--predicate"'],
    [['--changed', '{.a'], '--changed'],
    [['--on', 'added', '--changed', '.spec'], '--changed does nothing beside --on without modified'],
    [['--on', 'left'], '--on left does nothing without an expression about objects'],
    [['--finalizer', 'a.b/c', '--watch-only'], '--finalizer cannot be combined with --watch-only'],
  ])('%j is refused before anything is watched', async (flags, text) => {
    fixture.sandbox.requests.clear();
    const end = await run(['reconcile', 'pods', '-n', 'shop', '--exec', 'true', ...flags], { env: fixture.env });
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(text) });
    expect(fixture.sandbox.requests.matching('watch=')).toEqual([]);
  });

  it('a module’s config has the same keys, with the same checks', async () => {
    const filters = "filter: ['object.data.size == \"9\"'], on: ['modified'], noNoise: true, ignoreChanges: '.data.x'";
    const file = await hook('configured.mjs', `export const config = { ${filters} };\n${TELLING}`);
    apply(configMap('a', { size: '9' }));
    await using cli = started('configmaps', '--hook', file);
    await cli.until((c) => c.stderr.includes('none runs before a change comes (--on)'), 'the start');
    apply(configMap('a', { size: '9', x: '1' }));
    apply(configMap('a', { size: '9', x: '1', y: '1' }));
    await cli.until((c) => c.stderr.includes('updated/watch 9 → 9'), 'the run');
    expect((await ended(cli)).stderr.split('shop/a | ')).toHaveLength(2);
    const bad = await hook('bad.mjs', `export const config = { filter: 'object.' };\n${TELLING}`);
    expect(await run(['reconcile', 'configmaps', '-n', 'shop', '--hook', bad], { env: fixture.env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error: the config of hook bad.mjs: --filter'),
    });
  });
});

const deployment = (name: string, config: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'c', image: 'nginx', envFrom: [{ configMapRef: { name: config } }] }] },
    },
  },
});

describe('--map', () => {
  it('index:configmap runs the Deployments that use a changed ConfigMap, as their references are by then', async () => {
    for (const [name, config] of Object.entries({ api: 'settings', shop: 'settings', db: 'other' }))
      apply(deployment(name, config));
    const line = ['deployments', '--watches', 'configmaps', '--map', 'index:configmap', '--watch-only'];
    await using cli = started(...line, '--predicate', 'generation', '--exec', 'echo ran');
    await cli.until((c) => c.stderr.includes('1 worker'), 'the start');
    apply(configMap('settings', { color: 'blue' }));
    await cli.until((c) => runsIn(c).length === 2, 'both runs');
    apply(deployment('db', 'settings'));
    await cli.until((c) => runsIn(c).length === 3, 'the run of its own change');
    apply(configMap('settings', { color: 'green' }));
    await cli.until((c) => runsIn(c).length === 6, 'the runs of all three');
    const { runs, stderr } = await ended(cli);
    expect(runs.slice(0, 2).toSorted()).toEqual(['shop/api | ran', 'shop/shop | ran']);
    expect(runs[2]).toBe('shop/db | ran');
    expect(stderr).not.toContain('--map');
  });

  it('that leads no object to a reconciled one is reported at the start, with the reason', async () => {
    const line = ['deployments', '--exec', 'true', '--watches', 'configmaps', '--map'];
    await using index = started(...line, 'index:configmap');
    await index.until((c) => c.stderr.includes('--map index:configmap: none of 1 deployment'), 'the index');
    await using names = started(...line, 'object.metadata.name + "-x"');
    await names.until((c) => c.stderr.includes('is one of 1 deployment, for example shop/settings-x'), 'the keys');
    await using empty = started(...line, 'object.metadata.name.matches("^z") ? "web" : ""');
    await empty.until((c) => c.stderr.includes('finds nothing in 1 configmap'), 'nothing');
    for (const cli of [index, names, empty]) await ended(cli);
  });

  it('is refused before anything is watched when its index is unknown, and when it has no --watches', async () => {
    const line = ['reconcile', 'deployments', '-n', 'shop', '--exec', 'true'];
    fixture.sandbox.requests.clear();
    const unknown = await run([...line, '--watches', 'configmaps', '--map', 'index:configmaps'], { env: fixture.env });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "configmap"?') });
    expect(unknown.stderr).toContain('the indexes are namespace, node, image, phase, configmap, secret');
    expect(await run([...line, '--map', '.a'], { env: fixture.env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('each --watches needs a --map: there are 0 of one and 1 of the other'),
    });
    expect(fixture.sandbox.requests.matching('watch=')).toEqual([]);
  });
});

describe('--with', () => {
  it('gives the hook the objects of another type, whole, redacted and of the key’s namespace, before its first run; they cause none', async () => {
    const log = path.join(fixture.folder, 'requests');
    const file = await hook('with.sh', `#!/bin/sh\ncat >> ${log}\necho seen >&2\n`);
    const seen = () =>
      readFileSync(log, { encoding: 'utf8', flag: 'a+' })
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line).snapshots);
    const words = [
      '--with',
      'pods=pods:app=web',
      '--with',
      'keys=secrets',
      '--with',
      'nodes=nodes',
      '--with=one=pods/web-2',
    ];
    apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
    apply(pod('db-2', { app: 'db' }) as UnknownObject);
    await using cli = started('configmaps', 'settings', '--hook', file, ...words);
    const runs = (count: number) => cli.until((c) => c.stderr.split(/seen\b/).length > count, `run ${count}`);
    await runs(1);
    apply(pod('web-3') as UnknownObject);
    let changes = 0;
    while (seen().at(-1).pods.length < 3) {
      apply(configMap('settings', { round: String(++changes) }));
      await runs(1 + changes);
    }
    await ended(cli);
    expect(seen()).toHaveLength(1 + changes);
    const names = seen().map((snapshots: Record<string, UnknownObject[]>) =>
      Object.entries(snapshots).map(([name, list]) => [name, ...list.map((o) => `${o.kind} ${o.metadata.name}`)]),
    );
    const expected = (...pods: string[]) => [
      ['pods', ...pods.map((name) => `Pod ${name}`)],
      ['keys', 'Secret login'],
      ['nodes', 'Node n1'],
      ['one', 'Pod web-2'],
    ];
    expect([names[0], names.at(-1)]).toEqual([expected('web-1', 'web-2'), expected('web-1', 'web-2', 'web-3')]);
    expect(seen()[0].keys[0].data.password).toMatch(/^hmac:/);
    const selections = fixture.sandbox.requests
      .matching(/\/pods\?/)
      .map((request) => /(label|field)Selector=[^&]*/.exec(request.path)?.[0]);
    expect([...new Set(selections)].toSorted()).toEqual([
      'fieldSelector=metadata.name%3Dweb-2',
      'labelSelector=app%3Dweb',
    ]);
  });

  it('of a type without any such object is reported at the start', async () => {
    await using cli = started('configmaps', '--exec', 'true', '--with', 'pods=pods:app=none');
    await cli.until((c) => c.stderr.includes('--with pods: there are no pods that app=none selects'), 'the notice');
    await ended(cli);
  });

  it.each([
    ['pods', 'expected NAME=TYPE or NAME=TYPE:SELECTOR'],
    ['p=pods:a in b', 'unable to parse'],
    ['p=pots', 'pots'],
  ])('%s is refused', async (text, message) => {
    const words = ['reconcile', 'configmaps', '-n', 'shop', '--exec', 'true', '--with', text];
    const { code, stderr } = await run(words, { env: fixture.env });
    expect(code, stderr).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('--schedule', () => {
  it('queues all keys at its times, which the start names, and a module’s config has the same keys', async () => {
    const config = "{ schedule: '* * * * * *', scheduleZone: 'Europe/Berlin', watchOnly: true }";
    const file = await hook('scheduled.mjs', `export const config = ${config};\n${TELLING}`);
    await using cli = started('pods', '--hook', file);
    await cli.until((c) => c.stderr.split('schedule/undefined').length > 4, 'two rounds');
    expect(cli.stderr).toMatch(/1 worker, all keys again at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \(--schedule\)/);
    const { stderr } = await ended(cli);
    expect(stderr).toContain('shop/web-1 | schedule/undefined');
    expect(stderr).toContain('shop/web-2 | schedule/undefined');
  });

  it.each([
    [['--schedule', '0 25 * * *'], 'field 2 (hour) is "25"'],
    [['--schedule', '@daily', '--schedule-zone', 'Europe/Berln'], 'did you mean Europe/Berlin?'],
    [['--schedule-zone', 'UTC'], '--schedule-zone does nothing without --schedule'],
  ])('%j is refused before anything is watched', async (flags, text) => {
    fixture.sandbox.requests.clear();
    const end = await run(['reconcile', 'pods', '-n', 'shop', '--exec', 'true', ...flags], { env: fixture.env });
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(text) });
    expect(fixture.sandbox.requests.matching('watch=')).toEqual([]);
  });
});

describe('the limits of retries', () => {
  it('are those of the flags, and shown with -v 4', async () => {
    const file = await hook(
      'failing.sh',
      '#!/bin/sh\necho "try $INFORMER_ATTEMPT"\n[ "$INFORMER_NAME" = settings ] && exit 75\nexit 0\n',
    );
    await using cli = started(
      'configmaps',
      '--hook',
      file,
      '--retry-base',
      '1h',
      '--retry-max',
      '2h',
      '--retry-qps',
      '0.5',
      '-v',
      '4',
    );
    await cli.until((c) => c.stderr.includes('failed (attempt 1)'), 'the failure');
    for (const name of ['a', 'b', 'c']) {
      apply(configMap(name, {}));
      await cli.until((c) => c.stdout.includes(`shop/${name} | try 1`), name);
    }
    const { runs, stderr } = await ended(cli);
    expect(runs.filter((line) => line.startsWith('shop/settings'))).toEqual(['shop/settings | try 1']);
    expect(stderr).toMatch(
      /retries of failed keys.* baseMs=3600000 maxMs=7200000 qps=0.5 burst=100 maxRetries=unlimited/,
    );
  });

  it.each([
    [['--retry-base', '2s', '--retry-max', '1s'], '--retry-base (2s) is longer than --retry-max (1s)'],
    [['--retry-base', '0s'], '--retry-base must be more than no time'],
    [['--retry-qps', '0'], 'invalid argument "0" for "--retry-qps": expected a number above zero'],
    [['--retry-burst', '0'], 'for "--retry-burst": expected a whole number of at least 1'],
  ])('%j is refused', async (flags, text) => {
    const end = await run(['reconcile', 'pods', '-n', 'shop', '--exec', 'true', ...flags], { env: fixture.env });
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(text) });
  });
});

describe('the startup of a hook', () => {
  it('of a module runs once before all keys, with the caches, again after failures, and its actions are sent', async () => {
    const file = await hook(
      'starting.mjs',
      `let tries = 0;
      export async function onStartup({ event, attempt, lister }) {
        console.log(event, attempt, lister('v1/pods').size, ++tries);
        if (attempt < 3) throw new Error('not yet');
        const metadata = { name: 'started', namespace: 'shop' };
        return { actions: [{ apply: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { tries: String(tries) } } }] };
      }
      export default async () => { console.log('ran'); };`,
    );
    await using cli = started('pods', '--hook', file, '--allow-write');
    await cli.until((c) => c.stderr.includes('shop/web-2 | ran'), 'the runs');
    const { stdout, stderr } = await ended(cli);
    const lines = stderr.split('\n').filter((line) => / \| (startup|ran)/.test(line));
    const start = [1, 2, 3].map((n) => `onStartup | startup ${n} 2 ${n}`);
    expect(lines).toEqual([...start, 'shop/web-1 | ran', 'shop/web-2 | ran']);
    expect(stderr).toContain('the startup of hook starting.mjs failed (attempt 2), and is retried: not yet');
    expect(stdout).toContain('onStartup: apply v1/configmaps shop/started');
    expect(fixture.sandbox.get(CONFIG_MAPS, 'shop/started')).toMatchObject({ data: { tries: '3' } });
  });

  it.each([
    ['64', []],
    ['65', []],
    ['75', ['--max-retries', '1']],
  ])('of an executable that exits with %s ends the command with 1 before any run (%j)', async (code, flags) => {
    const file = await hook(
      'start.sh',
      `#!/bin/sh\necho "$INFORMER_EVENT." >&2\n[ "$INFORMER_EVENT" = startup ] && exit ${code}\nexit 0\n`,
    );
    const words = ['reconcile', 'pods', '-n', 'shop', '--hook', file, '--on-startup', ...flags];
    const end = await run(words, { env: fixture.env });
    expect(end.code, end.stderr).toBe(1);
    expect(end.stderr).toContain(`the startup of hook start.sh failed: hook start.sh exited with ${code}`);
    expect(end.stdout + end.stderr).not.toContain('shop/web');
  });

  it('of an executable gets a request about no object, and only with --on-startup', async () => {
    const log = path.join(fixture.folder, 'starts');
    const file = await hook('start.sh', `#!/bin/sh\ncat >> ${log}\necho done >&2\n`);
    for (const flags of [['--on-startup'], []]) {
      await using cli = started('pods', 'web-1', '--hook', file, ...flags);
      await cli.until((c) => c.stderr.includes('shop/web-1 | done'), 'the run');
      await ended(cli);
    }
    const requests = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ event, key }) => [event, key]);
    expect(requests).toEqual([
      ['startup', ''],
      [undefined, 'shop/web-1'],
      [undefined, 'shop/web-1'],
    ]);
  });

  it('is stopped by the first Ctrl-C, whose end is waited for', async () => {
    const file = await hook(
      'hang.sh',
      '#!/bin/sh\ntrap "echo stopped >&2; exit 1" TERM\necho up >&2\nsleep 60 & wait\n',
    );
    await using cli = started('pods', '--hook', file, '--on-startup');
    await cli.until((c) => c.stderr.includes('onStartup | up'), 'the startup');
    cli.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    expect([code, stderr.includes('onStartup | stopped')], stderr).toEqual([130, true]);
  });

  it.each([
    [['--hook', 'x.mjs', '--on-startup'], 'a module exports a function onStartup'],
    [['--exec', 'true', '--on-startup'], '--on-startup is for an executable that --hook names'],
    [['--hook', 'x.sh', '--shell'], '--shell is for the command line of --exec, and --hook names a file'],
    [['--hook', 'x.mjs', '--shell'], '--shell is for the command line of --exec, and --hook names a file'],
  ])('%j is refused', async (flags, text) => {
    const end = await run(['reconcile', 'pods', '-n', 'shop', ...flags], { env: fixture.env });
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(text) });
  });
});

describe('reconcile explain', () => {
  it('names the filter that dropped an event, the one that refused a run, and the next time of a schedule', async () => {
    const env = { ...fixture.env, XDG_RUNTIME_DIR: fixture.folder };
    const expression = 'object.status.phase == "Failed"';
    const line = ['reconcile', 'pods', '-n', 'shop', '--exec', 'echo ran', '--filter', expression];
    const explained = async () => (await run(['reconcile', 'explain', 'shop/web-1'], { env })).stdout;
    const starting = async (schedule: string) => {
      const cli = new Cli([...line, '--schedule', schedule], { env });
      await cli.until((c) => c.stderr.includes('0 match'), 'the start');
      return cli;
    };
    await using rare = await starting('0 0 1 1 *');
    const event = await explained();
    expect(event).toContain(`did not pass: ${expression}`);
    expect(event).toContain('schedule 0 0 1 1 * queues all keys in ');
    await ended(rare);
    await using often = await starting('* * * * * *');
    let text = '';
    while (!text.includes('its last run did nothing')) text = await explained();
    expect(text).toContain(`its last run did nothing (${expression})`);
    await ended(often);
  });
});

describe('a reconciled type without namespaces', () => {
  const line = ['reconcile', 'namespaces', '--watches', 'configmaps', '--map', '.metadata.namespace', '--watch-only'];

  it('has its other types in all namespaces, unless -n names some', async () => {
    const file = await hook(
      'seen.mjs',
      'export default ({ key, snapshots }) => console.log(key, snapshots.maps.length);\n',
    );
    const words = [...line, '--with', 'maps=configmaps', '--hook', file];
    await using all = new Cli(words, { env: fixture.env });
    await using one = new Cli([...words, '-n', 'shop'], { env: fixture.env });
    for (const cli of [all, one]) await cli.until(({ stderr }) => stderr.includes('1 worker'), 'the start');
    apply({ ...configMap('of-other', {}), metadata: { name: 'of-other', namespace: 'other' } });
    await all.until(({ stderr }) => /other \| other \d+/.test(stderr), 'the run for the other namespace');
    apply(configMap('of-shop', {}));
    for (const cli of [all, one]) await cli.until(({ stderr }) => /shop \| shop \d+/.test(stderr), 'the run for shop');
    expect(one.stderr).not.toContain('other | ');
    const countIn = ({ stderr }: Cli) => Number(/shop \| shop (\d+)/.exec(stderr)?.[1]);
    expect(countIn(all)).toBeGreaterThan(countIn(one)); // those of the namespace other, too
  });
});
