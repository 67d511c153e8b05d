import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { type TableColumn, withCells } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { ChangesSince, KeptStates, type StoredStates } from '../../../src/serve/persist/kept-states.ts';
import { StateFile } from '../../../src/serve/persist/state-file.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const PODS = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true } as ResourceType;
const SECRETS = { ...PODS, gvr: { group: '', version: 'v1', resource: 'secrets' }, kind: 'Secret' } as ResourceType;
const pod = (name: string, resourceVersion = '1', uid = `u-${name}`) =>
  ({ metadata: { name, namespace: 'shop', uid, resourceVersion } }) as UnknownObject;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kept-'));
  file = path.join(folder, 'cluster.db');
  return () => rmSync(folder, { recursive: true, force: true });
});

/** A serve that keeps states, and what it said. */
function holder() {
  const clock = new FakeClock();
  const ending = new AbortController();
  const notices: string[] = [];
  return { clock, signal: ending.signal, ending, notices, notice: (text: string) => notices.push(text) };
}
const opened = async (of = holder()) => ({ ...of, states: await KeptStates.open(of, async () => file) });

/** An informer whose steps a test gives. */
function informer() {
  const takers: ((change: object) => void)[] = [];
  return {
    onState: (take: (change: object) => void) => takers.push(take),
    step: (source: number, objects: UnknownObject[], resourceVersion: string, isWhole = true) => {
      for (const take of takers)
        take({
          source,
          isWhole,
          objects: objects.map((each) => [`shop/${each.metadata.name}`, each]),
          resourceVersion,
        });
    },
    followers: () => takers.length,
  };
}

describe('the states of caches', () => {
  it('are there again in the next run, by type, namespace and form', async () => {
    {
      const { states, clock } = await opened();
      const own = informer();
      states?.follow({ type: PODS, informer: own as never }, ['a', 'b'], 'whole');
      own.step(0, [pod('x')], '5');
      own.step(1, [pod('y'), pod('z')], '7');
      own.step(2, [pod('nobody')], '9');
      const ending = states?.[Symbol.asyncDispose]();
      for (let i = 0; i < 10; i++) await clock.advance(1000);
      await ending;
    }
    const { states, notices } = await opened();
    const found = await states?.statesOf(PODS, ['a', 'b', 'c'], 'whole');
    expect(
      [...(found ?? [])].map(([namespace, { objects, resourceVersion }]) => [namespace, objects, resourceVersion]),
    ).toEqual([
      ['a', [pod('x')], '5'],
      ['b', [pod('y'), pod('z')], '7'],
    ]);
    expect((await states?.statesOf(PODS, ['a'], 'other'))?.size).toBe(0);
    expect(notices).toEqual([]);
    await states?.[Symbol.asyncDispose]();
  });

  it('keep the columns of their rows from one run to the next', async () => {
    const columns = [{ name: 'Name', type: 'string' }] as unknown as readonly TableColumn[];
    const row = (name: string) => withCells(pod(name), { columns, cells: [name] });
    const run = async (take: (own: ReturnType<typeof informer>) => void) => {
      const { states, clock } = await opened();
      const own = informer();
      const found = await states?.statesOf(PODS, ['a'], 'rows');
      states?.follow({ type: PODS, informer: own as never }, ['a'], 'rows');
      take(own);
      const ending = states?.[Symbol.asyncDispose]();
      for (let i = 0; i < 10; i++) await clock.advance(1000);
      await ending;
      return found?.get('a')?.objects;
    };
    await run((own) => own.step(0, [row('x')], '5'));
    expect(await run((own) => own.step(0, [row('y')], '6', false))).toEqual([row('x')]);
    expect(await run(() => {})).toEqual([row('x'), row('y')]);
  });

  it('have closed their file when their end is awaited: the next user of it need not wait', async () => {
    const { states } = await opened();
    const open = () => StateFile.open(file);
    expect(open).toThrow('locked');
    await states?.[Symbol.asyncDispose]();
    using next = open();
    expect(next.read('pods')).toBeUndefined();
  });

  it('never have Secrets', async () => {
    const { states, notices } = await opened();
    const own = informer();
    states?.follow({ type: SECRETS, informer: own as never }, [''], 'whole');
    expect([own.followers(), (await states?.statesOf(SECRETS, [''], 'whole'))?.size]).toEqual([0, 0]);
    expect(notices).toEqual(['v1/secrets: not kept on disk, because values of Secrets never are']);
    await states?.[Symbol.asyncDispose]();
  });

  it('of which one cannot be read are used without it, which is said', async () => {
    {
      using states = StateFile.open(file);
      const rows = (text: string) => [{ key: 'shop/x', uid: 'u', version: '1', text }];
      const state = (text: string) => ({
        isWhole: true,
        put: rows(text),
        gone: [],
        resourceVersion: '5',
        at: Date.UTC(2026, 0, 1),
      });
      states.write(JSON.stringify(['v1/pods', 'a', 'whole']), state('{'));
      states.write(JSON.stringify(['v1/pods', 'b', 'whole']), state(JSON.stringify(pod('x'))));
    }
    const { states, notices } = await opened();
    const found = await states?.statesOf(PODS, ['a', 'b'], 'whole');
    expect([...(found?.keys() ?? [])]).toEqual(['b']);
    expect(notices).toEqual([expect.stringMatching(/^v1\/pods: the stored state is not used: .*JSON/)]);
    await states?.[Symbol.asyncDispose]();
  });

  it('that are damaged are set aside, and others begin', async () => {
    writeFileSync(file, 'this is no database, and it is long enough to be read as the head of one'.repeat(20), {
      mode: 0o600,
    });
    const { states, notices } = await opened();
    expect([states === undefined, existsSync(`${file}.damaged`)]).toEqual([false, true]);
    expect(notices).toEqual([expect.stringContaining(`it is set aside as ${file}.damaged, and the types are listed`)]);
    await states?.[Symbol.asyncDispose]();
  });

  it('are none where the file is another program’s, which stays as it is', async () => {
    const database = new DatabaseSync(file);
    database.exec('PRAGMA application_id = 7; CREATE TABLE theirs (x)');
    database.close();
    chmodSync(file, 0o600);
    const before = readFileSync(file);
    const { states, notices } = await opened();
    expect([states, notices]).toEqual([
      undefined,
      [`--persist has no effect: ${file}: it is no file of kubectl-informer`],
    ]);
    expect([readFileSync(file).equals(before), existsSync(`${file}.damaged`)]).toEqual([true, false]);
  });

  it('that cannot be used are none, which is said, but not by a serve that ends', async () => {
    const broken = holder();
    const fail = async () => {
      throw new Error('no folder');
    };
    expect(await KeptStates.open(broken, fail)).toBeUndefined();
    expect(broken.notices).toEqual(['--persist has no effect: no folder']);
    broken.ending.abort();
    expect(await KeptStates.open(broken, fail)).toBeUndefined();
    expect(broken.notices).toHaveLength(1);
  });

  it('that cannot be stored any more are said once', async () => {
    const { states, notices, clock } = await opened();
    const own = informer();
    states?.follow({ type: PODS, informer: own as never }, ['a', 'b'], 'whole');
    for (const source of [0, 1]) own.step(source, [pod('x', '1', {} as never)], '5'); // a row that cannot be written
    await eventually(async () => {
      await clock.advance(1000);
      return notices.length > 0;
    });
    for (let i = 0; i < 5; i++) await clock.advance(1000);
    expect(notices).toEqual([
      expect.stringMatching(/^the caches are not stored any more: .*; questions are answered as before$/),
    ]);
    await states?.[Symbol.asyncDispose]();
  });
});

describe('the changes since stored states', () => {
  /** A cache that begins with three stored objects, from the age of a minute. */
  function since(size = 3) {
    const clock = new FakeClock();
    clock.tick(100_000);
    const at = clock.now() - 60_000;
    const states: StoredStates = new Map(
      size === 0 ? [] : [['', { objects: ['a', 'b', 'c'].map((name) => pod(name)), resourceVersion: '5', at }]],
    );
    const handlers: Record<string, (...args: unknown[]) => void>[] = [];
    let removed = 0;
    const continuity = [{ relists: 0, resumes: 0 }];
    const target = {
      informer: {
        continuity,
        addHandler: (handler: Record<string, () => void>) => {
          handlers.push(handler);
          return { remove: () => removed++ };
        },
      },
    };
    const changes = new ChangesSince(target as never, states);
    const signal = new AbortController().signal;
    return {
      clock,
      continuity: continuity[0] as { relists: number; resumes: number },
      handler: handlers[0] ?? {},
      removed: () => removed,
      text: () => changes.text({ clock, signal }),
    };
  }

  it('are counted by object, as what they come to', async () => {
    const { continuity, handler, text, removed } = since();
    continuity.resumes = 1;
    const at = (key: string, cause = 'watch') => ({ key, cause });
    handler.added?.(pod('a'), at('shop/a', 'initial'));
    handler.added?.(pod('new'), at('shop/new'));
    handler.updated?.(pod('a'), pod('a', '2'), at('shop/a'));
    handler.updated?.(pod('a', '2'), pod('a', '3'), at('shop/a'));
    handler.updated?.(pod('b'), pod('b'), at('shop/b', 'relist'));
    handler.deleted?.(pod('c'), at('shop/c'));
    handler.added?.(pod('passing'), at('shop/passing'));
    handler.deleted?.(pod('passing'), at('shop/passing'));
    expect(await text()).toBe('resumed 3 objects from 60s ago, verified; 1 added, 1 deleted, 1 changed since');
    handler.deleted?.(pod('b'), at('shop/b'));
    handler.added?.(pod('b', '9', 'another'), at('shop/b'));
    expect(await text()).toContain('2 added, 2 deleted, 1 changed since');
    expect(removed()).toBe(0);
    handler.synced?.();
    expect(removed()).toBe(1);
  });

  it('are those of a new list where the history is gone', async () => {
    const { continuity, text } = since();
    continuity.relists = 1;
    expect(await text()).toBe('history is gone: listed again; 0 added, 0 deleted, 0 changed since');
  });

  it('are none without a stored state', async () => {
    const { handler, text } = since(0);
    expect([handler, await text()]).toEqual([{}, undefined]);
  });

  it('are known when a watch is open, after five seconds at most', async () => {
    const late = since();
    let known: string | undefined;
    void late.text().then((text) => {
      known = text;
    });
    await late.clock.advance(4_900);
    expect(known).toBeUndefined();
    await late.clock.advance(100);
    expect(known).toContain('verified');
    const soon = since();
    const telling = soon.text();
    soon.continuity.resumes = 1;
    await soon.clock.advance(100);
    expect(await telling).toContain('from 60s ago');
  });
});
