import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { createLister } from '../../../src/informer/store/lister.ts';
import { indexByNamespace } from '../../../src/informer/store/object-index.ts';
import { type TableColumn, withCells } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { Glances } from '../../../src/serve/ui/glances.ts';
import { MOST_DIRTY, RowFeed } from '../../../src/serve/ui/row-feed.ts';
import { TableView } from '../../../src/serve/ui/table-view.ts';
import type { UiCache } from '../../../src/serve/ui/ui-program.ts';
import type { UiMessage, UiQuery } from '../../../src/serve/ui/wire.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { sandboxCaches, uiProgram } from '../../support/ui.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

const pod = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', labels: { app: name.split('-')[0] } },
  spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'a:1' }] },
  status: { phase: 'Running' },
  ...more,
});

let sandbox: Sandbox;
let caches: Awaited<ReturnType<typeof sandboxCaches>>;
beforeEach(async () => {
  sandbox = await Sandbox.start({ socket: false, seed: 1 });
  sandbox.apply(['web-1', 'web-2', 'db-1'].map((name) => pod(name)));
  caches = await sandboxCaches(sandbox, ['pods', 'secrets']);
});
afterEach(async () => {
  await caches[Symbol.asyncDispose]();
  await sandbox.stop();
});

const lister = () => (caches.caches[0] as (typeof caches.caches)[number]).informer.lister;

async function feedOf(question: Partial<UiQuery> = {}, clock?: FakeClock) {
  const program = uiProgram(caches.caches, clock ? { clock } : {});
  return new RowFeed(await TableView.of(program, { type: 'v1/pods', namespace: 'shop', ...question }), 7);
}

/** All messages that are due. */
function drained(feed: RowFeed): UiMessage[] {
  const all: UiMessage[] = [];
  for (let message = feed.next(); message !== undefined; message = feed.next())
    if (message !== 'more') all.push(message);
  return all;
}

const rowsIn = (messages: readonly UiMessage[]) =>
  messages.flatMap((message) => (message.event === 'rows' ? message.data.set : []));
const keysIn = (messages: readonly UiMessage[]) => rowsIn(messages).map(([key]) => key);
const goneIn = (messages: readonly UiMessage[]) =>
  messages.flatMap((message) => (message.event === 'rows' ? message.data.gone : []));

describe('the rows of a view', () => {
  it('come with the columns of the server first, and then the tally', async () => {
    const messages = drained(await feedOf());
    expect(messages.map(({ event }) => event)).toEqual(['columns', 'rows', 'tally']);
    const [columns, , tally] = messages;
    const all = columns?.event === 'columns' ? columns.data.columns : [];
    const wide = ['IP', 'NODE', 'NOMINATED NODE', 'READINESS GATES'];
    expect(all.map(({ heading }) => heading)).toEqual([
      ...['NAMESPACE', 'NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
      ...wide,
    ]);
    expect(all.filter(({ isWide }) => isWide).map(({ heading }) => heading)).toEqual(wide);
    expect(rowsIn(messages)[0]?.slice(0, 3)).toEqual([
      'shop/db-1',
      ['shop', 'db-1', '0/1', 'Running', '0', '', '<none>', 'n1', '<none>', '<none>'],
      '  wg',
    ]);
    expect(tally?.data).toMatchObject({ view: 7, isWhole: true, namespaces: expect.arrayContaining([['shop', 3]]) });
  });

  it('come with columns and a tally also of a type without objects, once', async () => {
    const feed = await feedOf({ type: 'v1/secrets' });
    const messages = drained(feed);
    expect(messages.map(({ event }) => event)).toEqual(['columns', 'tally']);
    const headings = messages[0]?.event === 'columns' ? messages[0].data.columns.map(({ heading }) => heading) : [];
    expect(headings).toEqual(['NAMESPACE', 'NAME', 'AGE']);
    expect(messages[1]?.data).toMatchObject({ view: 7, isWhole: true, namespaces: [] });
    expect(drained(feed)).toEqual([]);
  });

  it('follow the cache: an object that comes, one that changes, one that goes', async () => {
    const feed = await feedOf();
    drained(feed);
    sandbox.apply(pod('new-1'));
    await eventually(() => expect(lister().has('shop/new-1')).toBe(true));
    feed.changed('shop/new-1');
    expect(keysIn(drained(feed))).toEqual(['shop/new-1']);
    sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    await eventually(() => expect(lister().has('shop/web-1')).toBe(false));
    feed.changed('shop/web-1');
    expect(goneIn(drained(feed))).toEqual(['shop/web-1']);
    expect(drained(feed)).toEqual([]);
  });

  it.each([
    ['a namespace', { namespace: 'other' }, []],
    ['words of a name', { name: ' WEB 2' }, ['shop/web-2']],
    ['a word of the namespace', { name: 'SHOP/d' }, ['shop/db-1']],
    ['labels', { selector: 'app=web' }, ['shop/web-1', 'shop/web-2']],
    ['a column', { where: 'NAME != "web-1"' }, ['shop/db-1', 'shop/web-2']],
    ['the object', { filter: 'object.metadata.name.endsWith("1")' }, ['shop/db-1', 'shop/web-1']],
    ['an index', { index: { name: 'image', value: 'a:1' }, selector: 'app=db' }, ['shop/db-1']],
  ] as const)('are those that %s selects', async (_, question, expected) => {
    expect(keysIn(drained(await feedOf(question))).sort()).toEqual(expected);
  });

  it('come in the order of their keys, the first screen first, with how many objects were looked at', async () => {
    const names = Array.from({ length: 700 }, (_, i) => `a-${String(i).padStart(3, '0')}`);
    sandbox.apply(names.toReversed().map((name) => pod(name)));
    await eventually(() => expect(lister().size).toBe(703));
    const messages = drained(await feedOf());
    expect(messages.map(({ event }) => event)).toEqual([
      ...['columns', 'rows', 'progress', 'rows', 'progress', 'rows', 'tally'],
    ]);
    expect(keysIn(messages.slice(0, 2))).toEqual(names.slice(0, 100).map((name) => `shop/${name}`));
    expect(keysIn(messages)).toEqual([...names, 'db-1', 'web-1', 'web-2'].map((name) => `shop/${name}`));
    const progress = messages.filter(({ event }) => event === 'progress').map(({ data }) => data);
    expect(progress).toEqual([
      { view: 7, looked: 100, of: 703 },
      { view: 7, looked: 600, of: 703 },
    ]);
  });

  it('say how far they are also where nothing matches, and that they are whole only at the end', async () => {
    sandbox.apply(Array.from({ length: 200 }, (_, i) => pod(`a-${i}`)));
    await eventually(() => expect(lister().size).toBe(203));
    const messages = drained(await feedOf({ filter: 'object.metadata.name == "nobody"' }));
    expect(messages.map(({ event }) => event)).toEqual(['columns', 'progress', 'tally']);
    expect(messages[1]?.data).toEqual({ view: 7, looked: 100, of: 203 });
    expect(messages[2]?.data).toMatchObject({ isWhole: true });
  });

  it('read each object once, and none whose name does not match: a question over columns needs its row only', async () => {
    const reads: string[] = [];
    const cache = caches.caches[0] as (typeof caches.caches)[number];
    const { lister: real } = cache.informer;
    const counting = new Proxy(real, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (name === 'get' || name === 'glance') reads.push(`${name} ${given[0]}`);
          return Reflect.apply(value, target, given);
        };
      },
    });
    const informer = Object.create(cache.informer, { lister: { value: counting } });
    const program = uiProgram([{ ...cache, informer }]);
    const view = await TableView.of(program, { type: 'v1/pods', name: 'web', where: 'READY == "0/1"' });
    const glances = new Glances(view.cache);
    const feed = new RowFeed(view, 1, glances);
    expect(keysIn(drained(feed))).toEqual(['shop/web-1', 'shop/web-2']);
    expect(reads.splice(0)).toEqual(['glance shop/web-1', 'glance shop/web-2']);
    const next = await TableView.of(program, { type: 'v1/pods', name: 'web', where: 'NAME == "web-2"' });
    expect(keysIn(drained(new RowFeed(next, 2, glances)))).toEqual(['shop/web-2']);
    expect(reads).toEqual([]);
    feed.changed('shop/web-1');
    expect(keysIn(drained(feed))).toEqual(['shop/web-1']);
    expect(reads.splice(0)).toEqual(['glance shop/web-1']);
    const parts = await TableView.of(program, {
      type: 'v1/pods',
      name: '2',
      filter: 'object.status.phase == "Running"',
    });
    expect(keysIn(drained(new RowFeed(parts, 3, glances)))).toEqual(['shop/web-2']);
    expect(reads).toEqual([]); // the expression says which parts it reads
    const whole = await TableView.of(program, { type: 'v1/pods', name: '2', index: { name: 'image', value: 'a:1' } });
    expect(keysIn(drained(new RowFeed(whole, 4, glances)))).toEqual(['shop/web-2']);
    // columns are sent before the rows that have them, and those rows are read again
    expect(reads).toEqual(['get shop/web-2', 'get shop/web-2']);
  });

  it('come all again, behind the new columns, when an object has other columns', async () => {
    const named = (...headings: string[]) =>
      headings.map((name): TableColumn => ({ name, type: 'string', format: '', priority: 0 }));
    const rowOf = (name: string, columns: readonly TableColumn[], ...cells: string[]) =>
      withCells({ metadata: { name, namespace: 'shop' } } as UnknownObject, { columns, cells });
    const old = named('Name', 'Status');
    const indexer = new Indexer<UnknownObject>({ indexers: { namespace: indexByNamespace } });
    indexer.replace([rowOf('a', old, 'a', 'Up'), rowOf('b', old, 'b', 'Up')], '1');
    const [pods] = caches.caches as [UiCache];
    const cache = { ...pods, informer: { lister: createLister(indexer) } } as unknown as UiCache;
    const feed = new RowFeed(await TableView.of(uiProgram([cache]), { type: 'v1/pods', namespace: 'shop' }), 1);
    const shown = () =>
      drained(feed).flatMap((message) =>
        message.event === 'columns'
          ? [message.data.columns.map(({ heading }) => heading)]
          : message.event === 'rows'
            ? message.data.set.map(([key, cells]) => [key, ...cells])
            : [],
      );
    expect(shown()).toEqual([
      ['NAMESPACE', 'NAME', 'STATUS'],
      ['shop/a', 'shop', 'a', 'Up'],
      ['shop/b', 'shop', 'b', 'Up'],
    ]);
    indexer.replace([rowOf('a', old, 'a', 'Up'), rowOf('b', named('Name', 'Phase'), 'b', 'Down')], '2');
    feed.changed('shop/b');
    expect(shown()).toEqual([
      ['NAMESPACE', 'NAME', 'PHASE'],
      ['shop/a', 'shop', 'a', ''],
      ['shop/b', 'shop', 'b', 'Down'],
    ]);
  });

  it('are those that an expression finds by parts of objects, also when some have gone or changed since', async () => {
    const feed = await feedOf({ filter: 'object.spec.nodeName == "n1" && !has(object.metadata.annotations)' });
    feed.next();
    sandbox.delete(PODS, 'shop/web-1', { gracePeriodSeconds: 0 });
    sandbox.apply(pod('web-2', { metadata: { name: 'web-2', namespace: 'shop', annotations: { a: 'b' } } }));
    await eventually(() => expect(lister().has('shop/web-1')).toBe(false));
    await eventually(() => expect(lister().get('shop/web-2')?.metadata).toHaveProperty('annotations'));
    expect(keysIn(drained(feed))).toEqual(['shop/db-1']);
  });

  it('are those that an expression finds by the time, at the time of each look', async () => {
    const clock = new FakeClock(Date.now());
    const feed = await feedOf({ filter: 'object.metadata.creationTimestamp > now - duration("5m")' }, clock);
    expect(keysIn(drained(feed))).toHaveLength(3);
    await clock.advance(6 * 60_000);
    feed.timePassed();
    expect(goneIn(drained(feed))).toHaveLength(3);
  });

  it('leave when they stop matching, and are not sent when they never matched', async () => {
    const feed = await feedOf({ filter: 'object.status.phase == "Running"' });
    drained(feed);
    sandbox.apply(pod('web-1', { status: { phase: 'Failed' } }));
    sandbox.apply(pod('failed-1', { status: { phase: 'Failed' } }));
    await eventually(() => expect(lister().get('shop/web-1')?.status).toMatchObject({ phase: 'Failed' }));
    await eventually(() => expect(lister().has('shop/failed-1')).toBe(true));
    for (const key of ['shop/web-1', 'shop/failed-1']) feed.changed(key);
    const messages = drained(feed);
    expect([keysIn(messages), goneIn(messages)]).toEqual([[], ['shop/web-1']]);
  });

  it('leave with the time alone when an expression reads the age', async () => {
    const clock = new FakeClock(Date.now());
    const feed = await feedOf({ where: 'AGE < duration("5m")' }, clock);
    expect(keysIn(drained(feed))).toHaveLength(3);
    await clock.advance(4 * 60_000);
    feed.timePassed();
    expect(rowsIn(drained(feed))).toEqual([]); // nothing is sent twice
    await clock.advance(2 * 60_000);
    feed.timePassed();
    expect(goneIn(drained(feed))).toHaveLength(3);
  });

  it('are not looked at from the beginning again when the time passes during the first look', async () => {
    const feed = await feedOf({ where: 'AGE < duration("5m")' }, new FakeClock(Date.now()));
    const events = [feed.next(), feed.next()];
    feed.timePassed();
    events.push(feed.next());
    expect(events.map((message) => (message as UiMessage).event)).toEqual(['columns', 'rows', 'tally']);
  });

  it('come with a new tally after some time, in which objects that do not match count too', async () => {
    const feed = await feedOf({ name: 'web' });
    const totalIn = (messages: readonly UiMessage[]) =>
      messages.flatMap((message) => (message.event === 'tally' ? [message.data.total] : []));
    expect(totalIn(drained(feed))).toEqual([3]);
    sandbox.apply(pod('db-2'));
    await eventually(() => expect(lister().has('shop/db-2')).toBe(true));
    feed.changed('shop/db-2');
    expect(drained(feed)).toEqual([]);
    feed.timePassed();
    expect(totalIn(drained(feed))).toEqual([4]);
  });

  it('keep a bounded number of keys for a page that sleeps, and are right when it wakes', async () => {
    const feed = await feedOf();
    drained(feed);
    sandbox.delete(PODS, 'shop/web-2', { gracePeriodSeconds: 0 });
    await eventually(() => expect(lister().has('shop/web-2')).toBe(false));
    feed.changed('shop/web-2');
    for (let i = 0; i < 5 * MOST_DIRTY; i++) {
      feed.changed(`shop/passing-${i}`);
      expect(feed.size).toBeLessThanOrEqual(MOST_DIRTY + 3 * (lister().size + 3));
    }
    const messages = drained(feed);
    expect(goneIn(messages)).toEqual(['shop/web-2']);
    expect(keysIn(messages)).toEqual(['shop/db-1', 'shop/web-1']); // they may have changed meanwhile
    expect(feed.size).toBe(2);
  });

  it('say when an expression fails on objects, and show none of them', async () => {
    const messages = drained(await feedOf({ filter: 'int(object.metadata.name) > 0' }));
    const tally = messages.find(({ event }) => event === 'tally');
    expect(keysIn(messages)).toEqual([]);
    expect(tally?.event === 'tally' && tally.data.remark).toMatch(/counts as no match/);
  });

  it('do not quote a Secret in the error of an expression', async () => {
    sandbox.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'shop' },
      data: { password: Buffer.from('hunter2').toString('base64') },
    });
    const cache = caches.caches[1] as (typeof caches.caches)[number];
    await eventually(() => expect(cache.informer.lister.has('shop/s')).toBe(true));
    const program = uiProgram(caches.caches);
    const filter = 'int(object.data.password) > 0';
    const feed = new RowFeed(await TableView.of(program, { type: 'v1/secrets', namespace: 'shop', filter }), 1);
    const text = JSON.stringify(drained(feed));
    expect(text).toContain('an expression failed');
    expect(text).not.toContain(Buffer.from('hunter2').toString('base64'));
  });
});

it.each([
  [{ type: 'v1/pads' }, /no cache of "v1\/pads"/],
  [{ selector: 'a in (' }, /./],
  [{ where: 'RESTARTZ > 3' }, /no column RESTARTZ/],
  [{ filter: 'object.spec ==' }, /--filter/],
  [{ index: { name: 'nose', value: '' } }, /no index named "nose"/],
  [{ where: 'x'.repeat(20_000) }, /longer than/],
] as const)('refuses the question %j', async (question, message) => {
  await expect(feedOf(question)).rejects.toThrow(message);
});
