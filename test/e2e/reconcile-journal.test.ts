import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseGvr } from '../../src/model/gvr.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { Cli, run } from '../support/cli.ts';
import { configMap, type Fixture, OBJECTS, SECRET_VALUE, startFixture } from '../support/fixture.ts';
import { ask } from '../support/sandbox-requests.ts';

const CONFIG_MAPS = parseGvr('v1/configmaps');
const EVENTS = parseGvr('v1/events');
const LISTS = parseGvr('example.com/v1/lists');
const DEPLOYMENTS = parseGvr('apps/v1/deployments');

/** A type whose spec has a list to which a JSON patch can add without end. */
const LIST_TYPE = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lists.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'lists', singular: 'list', kind: 'List1', listKind: 'List1List' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } },
            },
          },
        },
      },
    ],
  },
};

/** Acts once: its first action keeps it from acting again. */
const HOOK = `export default async ({ object }) => {
  if (!object || object.metadata.labels?.acted) return;
  return {
    actions: [
      { patch: { metadata: { labels: { acted: 'yes' } } } },
      { create: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } } },
      { event: { reason: 'Acted', message: 'once' } },
      { patch: [{ op: 'add', path: '/spec/list/-', value: 'x' }], patchType: 'json', on: { gvr: 'example.com/v1/lists', name: 'list' } },
      { delete: true, on: { gvr: 'v1/configmaps', name: 'old' } },
      { apply: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { a: '1' } } },
      { status: { observedGeneration: 3 }, on: { gvr: 'apps/v1/deployments', name: 'web' } },
    ],
  };
};
`;

/** The write of each action, in their order. */
const WRITES = [
  ['a merge patch', 'PATCH', /configmaps\/job\?fieldManager/],
  ['a create with generateName', 'POST', /configmaps\?fieldManager/],
  ['an event', 'POST', /events\?fieldManager/],
  ['a JSON patch', 'PATCH', /lists\/list\?fieldManager/],
  ['a deletion', 'DELETE', /configmaps\/old/],
  ['an apply', 'PATCH', /configmaps\/applied\?fieldManager/],
  ['a status', 'PATCH', /deployments\/web\/status\?fieldManager/],
] as const;

interface Place extends Fixture {
  readonly journal: string;
  readonly args: readonly string[];
}

async function startPlace(hook = HOOK): Promise<Place> {
  const fixture = await startFixture([
    ...OBJECTS,
    configMap('job', {}),
    configMap('old', {}),
    LIST_TYPE as UnknownObject,
    {
      apiVersion: 'example.com/v1',
      kind: 'List1',
      metadata: { name: 'list', namespace: 'shop' },
      spec: { list: [] },
    } as UnknownObject,
  ]);
  const file = path.join(fixture.folder, 'once.mjs');
  await writeFile(file, hook);
  const journal = path.join(fixture.folder, 'journal');
  const args = ['reconcile', 'configmaps', 'job', '-n', 'shop', '--hook', file, '--allow-write', '--journal', journal];
  return { ...fixture, journal, args };
}

/** What all actions did on the server. */
function effects({ sandbox }: Fixture) {
  const maps = sandbox.list(CONFIG_MAPS, { namespace: 'shop' });
  return {
    acted: sandbox.get(CONFIG_MAPS, 'shop/job')?.metadata.labels?.acted,
    made: maps.filter(({ metadata }) => metadata.name?.startsWith('made-')).length,
    events: sandbox.list(EVENTS, { namespace: 'shop' }).filter(({ reason }) => reason === 'Acted').length,
    list: (sandbox.get(LISTS, 'shop/list')?.spec as { list: string[] } | undefined)?.list,
    old: maps.filter(({ metadata }) => metadata.name === 'old').length,
    applied: sandbox.get(CONFIG_MAPS, 'shop/applied')?.data,
    status: (sandbox.get(DEPLOYMENTS, 'shop/web')?.status as { observedGeneration?: number } | undefined)
      ?.observedGeneration,
  };
}

const ALL = { acted: 'yes', made: 1, events: 1, list: ['x'], old: 0, applied: { a: '1' }, status: 3 };

/** How many actions took effect, if they did so in their order. */
function effective(place: Fixture): number {
  const now = effects(place) as Record<string, unknown>;
  const took = Object.entries(ALL).map(([name, value]) => JSON.stringify(now[name]) === JSON.stringify(value));
  expect(took.lastIndexOf(true)).toBe(took.filter(Boolean).length - 1);
  return took.filter(Boolean).length;
}

/** Runs the program, and kills it while the server holds a write: before it is stored, or after. */
async function killAt(place: Place, write: (typeof WRITES)[number], when: 'before' | 'after'): Promise<void> {
  const { sandbox } = place;
  const [, method, at] = write;
  const fault = when === 'before' ? ({ kind: 'delay', ms: 3_600_000 } as const) : ({ kind: 'stall' } as const);
  sandbox.faults.add({ fault, match: { method, path: at } });
  await using cli = new Cli(place.args, { env: place.env });
  const stored = WRITES.indexOf(write) + (when === 'after' ? 1 : 0);
  await eventually(() => expect([sandbox.faults.pending, effective(place)], cli.stderr).toEqual([0, stored]), {
    timeoutMs: 20_000,
  });
  cli.kill('SIGKILL');
  expect((await cli.ended()).signal).toBe('SIGKILL');
}

/** Runs the program until it runs its hook, and ends it. */
async function runAgain({ args, env }: Place) {
  await using cli = new Cli(args, { env });
  await cli.until((c) => c.stderr.includes('1 worker'), 'the start line');
  cli.kill('SIGTERM');
  const { code, stderr, stdout } = await cli.ended();
  expect(code, stderr).toBe(0);
  return { stderr, stdout };
}

describe('reconcile --journal, killed while a write is on its way', () => {
  for (const write of WRITES)
    for (const when of ['before', 'after'] as const)
      it(`neither loses nor doubles an action: ${write[0]}, ${when} the server stored it`, async () => {
        await using place = await startPlace();
        await killAt(place, write, when);
        const { stderr } = await runAgain(place);
        expect(stderr).toContain('the journal has unfinished actions for shop/job');
        expect(effects(place)).toEqual(ALL);
        await runAgain(place);
        expect(effects(place)).toEqual(ALL);
      });
});

const [MERGE, CREATE, , JSON_PATCH, DELETION, APPLY] = WRITES;

describe('what others did between the crash and the start', () => {
  it('an object that was made again after its deletion stays', async () => {
    await using place = await startPlace();
    await killAt(place, DELETION, 'after');
    place.sandbox.apply(configMap('old', { new: 'one' }));
    await runAgain(place);
    expect(effects(place)).toEqual({ ...ALL, old: 1 });
  });

  it('a change of other fields does not keep a JSON patch from being sent, nor lead to a second one', async () => {
    for (const when of ['before', 'after'] as const) {
      await using place = await startPlace();
      await killAt(place, JSON_PATCH, when);
      const at = '/apis/example.com/v1/namespaces/shop/lists/list';
      await ask(place.sandbox, 'PATCH', at, { metadata: { labels: { by: 'others' } } });
      await runAgain(place);
      expect(effects(place)).toEqual(ALL);
    }
  });

  it('a change of the same fields is not overwritten, and the action is named as given up', async () => {
    await using place = await startPlace();
    await killAt(place, APPLY, 'after');
    await ask(place.sandbox, 'PATCH', '/api/v1/namespaces/shop/configmaps/applied', { data: { a: '2' } });
    const { stderr } = await runAgain(place);
    expect(effects(place)).toEqual({ ...ALL, applied: { a: '2' } });
    expect(stderr).toMatch(
      /the journal gives up apply v1\/configmaps shop\/applied of shop\/job: the object was created meanwhile/,
    );
  });

  it('another object of the same name gets none of the actions, which is said; nor does one that is gone', async () => {
    for (const isMadeAgain of [true, false]) {
      await using place = await startPlace();
      await killAt(place, CREATE, 'before');
      place.sandbox.delete(CONFIG_MAPS, 'shop/job');
      if (isMadeAgain)
        place.sandbox.apply({
          ...configMap('job', {}),
          metadata: { name: 'job', namespace: 'shop', labels: { acted: 'no' } },
        });
      const { stderr } = await runAgain(place);
      expect(effects(place)).toMatchObject({ made: 0, events: 0, list: [], old: 1 });
      const why = isMadeAgain ? 'another object has its name now' : 'the object is gone';
      expect(stderr).toContain(`the journal gives up the actions for shop/job: ${why}`);
    }
  });

  it('the cleanup for a deleted object is completed, although no hook runs for it again', async () => {
    const cleanup = `export default async ({ object }) => object ? undefined : { actions: [
      { delete: true, on: { gvr: 'v1/configmaps', name: 'old' } },
      { create: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } } },
    ] };`;
    await using place = await startPlace(cleanup);
    place.sandbox.faults.add({ fault: { kind: 'delay', ms: 3_600_000 }, match: { method: 'DELETE' } });
    await using cli = new Cli(place.args, { env: place.env });
    await cli.until((c) => c.stderr.includes('1 worker'), 'the start line');
    place.sandbox.delete(CONFIG_MAPS, 'shop/job');
    await eventually(() => expect(place.sandbox.faults.pending).toBe(0));
    cli.kill('SIGKILL');
    await cli.ended();
    await runAgain(place);
    expect(effects(place)).toMatchObject({ old: 0, made: 1 });
  });
});

describe('reconcile --journal', () => {
  it('does not double a write whose answer was lost while the program goes on', async () => {
    for (const [, method, at] of WRITES) {
      await using place = await startPlace();
      place.sandbox.faults.add({ fault: { kind: 'cut' }, match: { method, path: at } });
      await using cli = new Cli(place.args, { env: place.env });
      await eventually(() => expect(effects(place)).toEqual(ALL), { timeoutMs: 20_000 });
      cli.kill('SIGTERM');
      const { code, stderr } = await cli.ended();
      expect(code, stderr).toBe(0);
      await runAgain(place);
      expect(effects(place)).toEqual(ALL);
    }
  });

  it('completes writes at the next start that waited for --max-writes when the program ended', async () => {
    await using place = await startPlace();
    await using cli = new Cli([...place.args, '--max-writes', '2/h'], { env: place.env });
    await cli.until((c) => c.stderr.includes('writes are delayed'), 'the delay');
    cli.kill('SIGTERM');
    expect((await cli.ended()).code).toBe(0);
    expect(effects(place)).toMatchObject({ made: 1, events: 0 });
    await runAgain(place);
    expect(effects(place)).toEqual(ALL);
  });

  it('leaves it to the hook when the server refuses an action', async () => {
    // the first is answered with 500, the second with 422; the object shows that neither was stored
    for (const [from, to] of [
      ["data: { a: '1' }", 'data: { a: 1 }'],
      ['observedGeneration: 3', "observedGeneration: 'three'"],
    ] as const) {
      await using place = await startPlace(HOOK.replace(from, to));
      await using cli = new Cli(place.args, { env: place.env });
      await cli.until((c) => c.stderr.includes('failed (attempt 1)'), 'the refusal');
      cli.kill('SIGTERM');
      await cli.ended();
      const { stderr } = await runAgain(place);
      expect(stderr).not.toContain('unfinished');
    }
  });

  it('refuses a second process, and a journal of another hook, and one without --allow-write', async () => {
    await using place = await startPlace();
    await using cli = new Cli(place.args, { env: place.env });
    await cli.until((c) => c.stderr.includes('1 worker'), 'the start line');
    const second = await run(place.args, { env: place.env });
    expect([second.code, second.stderr]).toEqual([2, expect.stringContaining('another process uses the journal')]);
    cli.kill('SIGTERM');
    await cli.ended();
    const idle = await run(
      place.args.filter((arg) => arg !== '--allow-write'),
      { env: place.env },
    );
    expect([idle.code, idle.stderr]).toEqual([
      2,
      expect.stringContaining('--journal has no effect without --allow-write'),
    ]);
    await using other = await startPlace();
    await killAt(other, MERGE, 'before');
    const args = other.args.map((arg) => (arg === 'configmaps' ? 'secrets' : arg));
    const foreign = await run(args, { env: other.env });
    expect([foreign.code, foreign.stderr]).toEqual([
      2,
      expect.stringContaining('has unfinished actions of hook once.mjs for v1/configmaps'),
    ]);
  });

  it('says which lines it cannot read, also a half-written last one, and completes the others', async () => {
    await using place = await startPlace();
    await killAt(place, CREATE, 'after');
    const file = path.join(place.journal, 'actions.jsonl');
    await appendFile(file, 'no json\n{"id":"x","key":"shop/job","uid":null,"st');
    const { stderr } = await runAgain(place);
    expect(stderr).toContain('2 lines that cannot be read and are left out');
    expect(effects(place)).toEqual(ALL);
  });

  it('is a folder for this user only, and refuses one that others can reach', async () => {
    await using place = await startPlace();
    await killAt(place, CREATE, 'before');
    expect((await stat(place.journal)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(place.journal, 'actions.jsonl'))).mode & 0o777).toBe(0o600);
    const open = path.join(place.folder, 'open');
    await mkdir(open, { mode: 0o755 });
    const { code, stderr } = await run(
      place.args.map((arg) => (arg === place.journal ? open : arg)),
      { env: place.env },
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('others than this user can reach the journal')]);
  });

  it('holds no value of a Secret: what needs one is given up after a crash, and said; with --show-secrets it is kept', async () => {
    const value = Buffer.from('made-by-the-hook').toString('base64');
    const secret = `{ create: { apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 'made-' }, data: { password: '${value}' } } }`;
    const create = "{ create: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } } }";
    const hook = HOOK.replace(create, secret);
    const secrets = (place: Place) => place.sandbox.list(parseGvr('v1/secrets'), { namespace: 'shop' }).length;
    for (const [flags, kept] of [
      [[], false],
      [['--show-secrets'], true],
    ] as const) {
      await using started = await startPlace(hook);
      const place = { ...started, args: [...started.args, ...flags], [Symbol.asyncDispose]: async () => {} };
      await killAtSecret(place);
      const text = await readFile(path.join(place.journal, 'actions.jsonl'), 'utf8');
      expect([text.includes(value), text.includes('made-by-the-hook'), text.includes(SECRET_VALUE)]).toEqual([
        kept,
        false,
        false,
      ]);
      const { stderr } = await runAgain(place);
      expect(secrets(place)).toBe(kept ? 2 : 1);
      expect(stderr.includes('the journal keeps no values of Secrets')).toBe(!kept);
      expect(effects(place)).toMatchObject({ ...ALL, made: 0 });
    }
  });
});

/** Kills the program while the server holds the creation of a Secret. */
async function killAtSecret({ sandbox, args, env }: Place): Promise<void> {
  sandbox.faults.add({ fault: { kind: 'delay', ms: 3_600_000 }, match: { method: 'POST', path: 'secrets' } });
  await using cli = new Cli(args, { env });
  await eventually(() => expect(sandbox.faults.pending, cli.stderr).toBe(0), { timeoutMs: 20_000 });
  cli.kill('SIGKILL');
  await cli.ended();
}
