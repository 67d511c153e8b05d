import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { ask, briefly, CONFIG_MAPS, configMapNamed, PODS, startWatch } from '../../support/sandbox-requests.ts';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
let clock: FakeClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = new FakeClock();
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1, historySize: 8, bookmarkIntervalMs: 60_000 });
});
afterEach(() => sandbox.stop());

const from = (query = '') => `${CONFIG_MAPS}?watch=1&resourceVersion=${sandbox.resourceVersion}${query}`;

describe('a watch from a version', () => {
  it('shows every later change in order, as soon as it happens', async () => {
    await using watching = await startWatch(sandbox, from());
    sandbox.apply(configMapNamed('a', { n: '1' }));
    sandbox.apply(configMapNamed('b'));
    sandbox.apply(configMapNamed('a', { n: '2' }));
    sandbox.delete(CONFIG_MAP, 'default/b');
    await settled();
    expect(briefly(watching.events)).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b']);
    const versions = watching.events.map((e) => Number(e.object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((x, y) => x - y));
    expect(versions.at(-1)).toBe(Number(sandbox.resourceVersion));
  });

  it('shows what happened between the version and now', async () => {
    const path = from();
    sandbox.apply([configMapNamed('a'), configMapNamed('b')]);
    await using watching = await startWatch(sandbox, path);
    await settled();
    expect(briefly(watching.events)).toEqual(['ADDED a', 'ADDED b']);
  });

  it('shows only the changes of its namespace', async () => {
    await using watching = await startWatch(sandbox, from());
    sandbox.apply({ ...configMapNamed('x'), metadata: { name: 'x', namespace: 'other' } });
    sandbox.apply(configMapNamed('a'));
    await settled();
    expect(briefly(watching.events)).toEqual(['ADDED a']);
  });

  it('from a version older than the history answers 200 with one ERROR event, and ends', async () => {
    const path = from();
    sandbox.apply(configMapNamed('a'));
    sandbox.compact();
    await using watching = await startWatch(sandbox, path);
    await settled();
    expect(watching.status).toBe(200);
    expect(watching.events).toMatchObject([
      { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
    ]);
    expect(watching.ended()).toBeNull();
  });

  it('waits for a version that is not reached yet', async () => {
    const future = Number(sandbox.resourceVersion) + 2;
    await using watching = await startWatch(sandbox, `${CONFIG_MAPS}?watch=1&resourceVersion=${future}`);
    for (const name of ['a', 'b', 'c']) sandbox.apply(configMapNamed(name));
    await settled();
    expect(briefly(watching.events)).toEqual(['ADDED c']);
  });
});

describe('a watch with a selector', () => {
  it('shows an object that stops matching as DELETED with its old fields and the new version, and one that starts as ADDED', async () => {
    sandbox.apply(configMapNamed('a', { n: '1' }, { app: 'web' }));
    await using watching = await startWatch(sandbox, from('&labelSelector=app%3Dweb'));
    sandbox.apply(configMapNamed('a', { n: '2' }, { app: 'db' }));
    const left = sandbox.resourceVersion;
    sandbox.apply(configMapNamed('a', { n: '3' }, { app: 'db' }));
    sandbox.apply(configMapNamed('a', { n: '4' }, { app: 'web' }));
    sandbox.apply(configMapNamed('a', { n: '5' }, { app: 'web' }));
    await settled();
    expect(briefly(watching.events)).toEqual(['DELETED a', 'ADDED a', 'MODIFIED a']);
    expect(watching.events[0]?.object).toMatchObject({
      data: { n: '1' },
      metadata: { labels: { app: 'web' }, resourceVersion: left },
    });
  });

  it('shows a deletion only when the object was selected', async () => {
    sandbox.apply([configMapNamed('in', {}, { app: 'web' }), configMapNamed('out')]);
    await using watching = await startWatch(sandbox, from('&labelSelector=app'));
    sandbox.delete(CONFIG_MAP, 'default/out');
    sandbox.delete(CONFIG_MAP, 'default/in');
    await settled();
    expect(briefly(watching.events)).toEqual(['DELETED in']);
  });
});

describe('the state before the changes', () => {
  it.each(['', '&resourceVersion=0'])(
    'is sent as ADDED events when the watch names no particular version (%j)',
    async (query) => {
      sandbox.apply([configMapNamed('b'), configMapNamed('a')]);
      await using watching = await startWatch(sandbox, `${CONFIG_MAPS}?watch=1${query}`);
      await settled();
      sandbox.apply(configMapNamed('c'));
      await settled();
      expect(briefly(watching.events)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    },
  );

  const STREAMING = `${CONFIG_MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;

  it('ends with a marked bookmark in a streaming list, and the same stream continues', async () => {
    sandbox.apply(configMapNamed('a'));
    const version = sandbox.resourceVersion;
    await using watching = await startWatch(sandbox, STREAMING);
    await settled();
    sandbox.apply(configMapNamed('b'));
    await settled();
    expect(watching.events.map((e) => e.type)).toEqual(['ADDED', 'BOOKMARK', 'ADDED']);
    expect(watching.events[1]?.object).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: version, annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
  });

  it('loses no change that happens while a large state is still being read', async () => {
    for (let i = 0; i < 600; i++) sandbox.apply(configMapNamed(`m${String(i).padStart(3, '0')}`));
    const response = await sandbox.handle({ method: 'GET', path: STREAMING });
    let text = '';
    for await (const chunk of response.body) {
      text += Buffer.from(chunk).toString('utf8');
      if (!text.includes('"during"')) sandbox.apply(configMapNamed('during'));
      if (/"ADDED"[^\n]*"during"/.test(text)) break;
    }
    const lines = text.trim().split('\n');
    expect(lines.findIndex((l) => l.includes('BOOKMARK'))).toBe(600);
    expect(lines.at(-1)).toContain('"during"');
  });
});

describe('bookmarks', () => {
  it('are sent at an interval with the version reached, also without changes', async () => {
    await using watching = await startWatch(sandbox, from('&allowWatchBookmarks=true'));
    await clock.advance(59_999);
    expect(watching.events).toEqual([]);
    sandbox.apply({ ...configMapNamed('x'), metadata: { name: 'x', namespace: 'other' } });
    await clock.advance(60_001);
    expect(watching.events.map((e) => e.type)).toEqual(['BOOKMARK', 'BOOKMARK']);
    expect(watching.events[0]?.object.metadata.resourceVersion).toBe(sandbox.resourceVersion);
  });

  it('are sent once more two seconds before the watch ends at timeoutSeconds', async () => {
    await using watching = await startWatch(sandbox, from('&allowWatchBookmarks=true&timeoutSeconds=10'));
    await clock.advance(7_999);
    expect(watching.events).toEqual([]);
    await clock.advance(1);
    expect(watching.events.map((e) => e.type)).toEqual(['BOOKMARK']);
    await clock.advance(1_999);
    expect(watching.ended()).toBeUndefined();
    await clock.advance(1);
    expect(watching.ended()).toBeNull();
  });

  it('are never older than the version from which a watch started', async () => {
    const ahead = Number(sandbox.resourceVersion) + 2;
    await using watching = await startWatch(
      sandbox,
      `${CONFIG_MAPS}?watch=1&resourceVersion=${ahead}&allowWatchBookmarks=true`,
    );
    await clock.advance(120_000);
    expect(watching.events).toEqual([]);
    sandbox.apply([configMapNamed('a'), configMapNamed('b')]);
    await clock.advance(60_000);
    const told = watching.events.map((e) => `${e.type} ${e.object.metadata.resourceVersion}`);
    expect(new Set(told)).toEqual(new Set([`BOOKMARK ${ahead}`]));
  });

  it('are sent only to a watch that asks for them', async () => {
    await using watching = await startWatch(sandbox, from('&timeoutSeconds=200'));
    await clock.advance(199_000);
    expect(watching.events).toEqual([]);
  });
});

describe('a watch that ends', () => {
  it('leaves no timer and no listener, whichever side ends it', async () => {
    const leave = new AbortController();
    const response = await sandbox.handle({
      method: 'GET',
      path: from('&allowWatchBookmarks=true'),
      signal: leave.signal,
    });
    const reading = (async () => {
      for await (const _chunk of response.body);
    })();
    await settled();
    expect(clock.pending).toBeGreaterThan(0);
    leave.abort();
    await reading;
    expect(clock.pending).toBe(0);
    expect(getEventListeners(leave.signal, 'abort')).toEqual([]);
  });

  it('is ended when its reader is so slow that it falls behind the history', async () => {
    const response = await sandbox.handle({ method: 'GET', path: from() });
    const chunks = response.body[Symbol.asyncIterator]();
    sandbox.apply(configMapNamed('first'));
    expect((await chunks.next()).done).toBe(false);
    for (let i = 0; i < 20; i++) sandbox.apply(configMapNamed('busy', { n: String(i) }));
    expect((await chunks.next()).done).toBe(true);
  });

  it('ends gracefully when the sandbox stops', async () => {
    const other = await Sandbox.start({ socket: false, clock });
    const watching = await startWatch(other, `${CONFIG_MAPS}?watch=1`);
    await settled();
    await other.stop();
    await settled();
    expect(watching.ended()).toBeNull();
  });
});

describe('other forms', () => {
  const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

  it('names the columns of a table in the first event only', async () => {
    await using watching = await startWatch(sandbox, `${PODS}?watch=1&resourceVersion=${sandbox.resourceVersion}`, {
      accept: TABLE,
    });
    for (const name of ['a', 'b']) {
      await ask(sandbox, 'POST', PODS, { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    }
    await settled();
    const [first, second] = watching.events;
    expect(first?.object.columnDefinitions?.map((c) => c.name).slice(0, 5)).toEqual([
      'Name',
      'Ready',
      'Status',
      'Restarts',
      'Age',
    ]);
    expect(second?.object.columnDefinitions).toBeNull();
    expect(second?.object.rows[0]?.cells.slice(0, 4)).toEqual(['b', '0/1', 'Pending', '0']);
    expect(second?.object.rows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'b' } });
  });

  it('shows metadata alone when asked to', async () => {
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    await using watching = await startWatch(sandbox, from(), { accept });
    sandbox.apply(configMapNamed('a', { key: 'hidden' }));
    await settled();
    expect(watching.events[0]?.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a' },
    });
    expect(watching.text()).not.toContain('hidden');
  });

  it('gives many watchers the same bytes', async () => {
    await using one = await startWatch(sandbox, from());
    await using two = await startWatch(sandbox, from());
    sandbox.apply([configMapNamed('a'), configMapNamed('b')]);
    await settled();
    expect(one.text()).not.toBe('');
    expect(one.text()).toBe(two.text());
  });
});
