import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { servesOf } from '../../../src/serve/find.ts';
import { WatchCaches } from '../../../src/serve/watch-cache/watch-caches.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { type Fixture, pod, startFixture } from '../../support/fixture.ts';
import { serving } from '../../support/serving.ts';

let fixture: Fixture;
let env: { KUBECONFIG: string; XDG_RUNTIME_DIR: string };
beforeEach(async () => {
  fixture = await startFixture();
  env = { ...fixture.env, XDG_RUNTIME_DIR: await mkdtemp(path.join(tmpdir(), 'cache-')) };
});
afterEach(async () => {
  await fixture[Symbol.asyncDispose]();
  await rm(env.XDG_RUNTIME_DIR, { recursive: true, force: true });
});

const OBJECT = 'application/json';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json';

function asked(url: string, accept = OBJECT): Promise<IncomingMessage> {
  const socketPath = servesOf(env)[0]?.socket;
  return new Promise((resolve, reject) => {
    get({ socketPath, path: url, headers: { accept }, agent: false }, resolve).on('error', reject);
  });
}

interface Answer {
  kind: string;
  message?: string;
  metadata: { resourceVersion: string };
  items: { metadata: { name: string }; spec?: object }[];
  rows: { cells: unknown[]; object: { kind: string; spec?: object } }[];
  columnDefinitions: { name: string }[];
}

async function read(url: string, accept?: string): Promise<{ status: number | undefined; body: Answer }> {
  const response = await asked(url, accept);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) as Answer };
}

/** The lines of a watch until one satisfies a condition. */
async function watched(url: string, isLast: (line: string) => boolean, accept?: string): Promise<string[]> {
  const response = await asked(url, accept);
  const lines: string[] = [];
  let rest = '';
  for await (const chunk of response) {
    const more = (rest + String(chunk)).split('\n');
    rest = more.pop() ?? '';
    lines.push(...more);
    if (more.some(isLast)) break;
  }
  return lines;
}

const typesOf = (lines: readonly string[]) =>
  lines.map((line) => {
    const { type, object } = JSON.parse(line) as {
      type: string;
      object: { metadata: { name?: string }; code?: number };
    };
    return `${type} ${object.code ?? object.metadata.name ?? ''}`;
  });

describe.skipIf(process.platform === 'win32')('the watch cache of a serve', () => {
  it('lists what it holds as a server does: by namespace, label and name, in the order of keys, in all three forms', async () => {
    await using _ = await serving(env, { types: ['pods'] });
    fixture.sandbox.apply(pod('a-late'));
    const names = async (url: string) => (await read(url)).body.items.map(({ metadata }) => metadata.name);
    const version = fixture.sandbox.get({ group: '', version: 'v1', resource: 'pods' }, 'shop/a-late')?.metadata
      .resourceVersion;
    expect(await names(`/api/v1/pods?resourceVersion=${version}`)).toEqual(['db-1', 'a-late', 'web-1', 'web-2']);
    expect(await names('/api/v1/namespaces/shop/pods')).toEqual(['a-late', 'web-1', 'web-2']);
    expect(await names('/api/v1/pods?labelSelector=app%3Ddb')).toEqual(['db-1']);
    expect(await names('/api/v1/pods?fieldSelector=metadata.name%21%3Dweb-1')).toEqual(['db-1', 'a-late', 'web-2']);
    const url = '/api/v1/namespaces/other/pods';
    const { body: object } = await read(url);
    expect([object.kind, object.items[0]?.spec !== undefined]).toEqual(['PodList', true]);
    const { body: metadata } = await read(url, METADATA);
    expect([metadata.kind, metadata.items[0]]).toEqual([
      'PartialObjectMetadataList',
      { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.items[0]?.metadata },
    ]);
    const { body: table } = await read(url, TABLE);
    expect([table.kind, table.columnDefinitions[0]?.name, table.rows[0]?.cells[0], table.rows[0]?.object.kind]).toEqual(
      ['Table', 'Name', 'db-1', 'PartialObjectMetadata'],
    );
    expect((await read(`${url}?includeObject=Object`, TABLE)).body.rows[0]?.object.spec).toBeDefined();
  });

  it('begins a watch after the version of a list, and shows an object that enters or leaves a selection as added or deleted', async () => {
    await using _ = await serving(env, { types: ['pods'] });
    const url = '/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb';
    const { resourceVersion } = (await read(url)).body.metadata;
    fixture.sandbox.apply(pod('web-1', { app: 'other' }));
    fixture.sandbox.apply(pod('web-1', { app: 'web' }));
    fixture.sandbox.apply(pod('db-1', { namespace: 'other', app: 'web' }));
    fixture.sandbox.apply(pod('web-last'));
    const lines = await watched(`${url}&watch=true&resourceVersion=${resourceVersion}`, (line) =>
      line.includes('web-last'),
    );
    expect(typesOf(lines)).toEqual(['DELETED web-1', 'ADDED web-1', 'ADDED web-last']);
    const left = JSON.parse(lines[0] ?? '') as { object: { metadata: { resourceVersion: string; labels: object } } };
    expect(left.object.metadata.labels).toEqual({ app: 'web' });
    expect(Number(left.object.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
  });

  it('shows the present objects first to a watch without a version', async () => {
    await using _ = await serving(env, { types: ['pods'] });
    const lines = await watched('/api/v1/pods?watch=true', (line) => line.includes('web-2'), TABLE);
    expect(lines.map((line) => (JSON.parse(line) as { object: Answer }).object.columnDefinitions !== null)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('ends a watch with 410 when its version is older than the kept history, or the informer listed again', async () => {
    await using _ = await serving(env, { types: ['pods'] });
    const { resourceVersion } = (await read('/api/v1/pods')).body.metadata;
    expect(
      typesOf(await watched('/api/v1/pods?watch=true&resourceVersion=1', (line) => line.includes('ERROR'))),
    ).toEqual(['ERROR 410']);
    const url = `/api/v1/pods?watch=true&resourceVersion=${resourceVersion}`;
    const open = watched(url, () => false);
    const restarted = fixture.sandbox.restart({ keepHistory: true, downMs: 500 });
    fixture.sandbox.apply(pod('web-last'));
    fixture.sandbox.compact();
    await restarted;
    expect(await open).not.toContain('web-last');
    const names = async () => (await read('/api/v1/pods')).body.items?.map(({ metadata }) => metadata.name);
    await expect.poll(names, { timeout: 10_000 }).toContain('web-last');
    expect(typesOf(await watched(url, (line) => line.includes('ERROR')))).toEqual(['ERROR 410']);
  });

  it('sends what it cannot answer as a server would to the cluster, and answers while it has no connection with the reason', async () => {
    await using _ = await serving(env, { types: ['pods'], namespaces: ['shop'] });
    const refused = async (url: string, accept?: string) => {
      const { status, body } = await read(url, accept);
      return `${status} ${body.message}`;
    };
    expect(await refused('/api/v1/pods')).toBe('421 not all namespaces are cached');
    expect(await refused('/api/v1/namespaces/shop/configmaps')).toBe('421 this type is not cached');
    expect(await refused('/api/v1/namespaces/shop/pods/web-1')).toBe(
      '421 only lists and watches of collections are answered here',
    );
    const url = '/api/v1/namespaces/shop/pods';
    expect(await refused(`${url}?continue=x`)).toBe('421 pages of a list are not kept here');
    expect(await refused(`${url}?watch=1&sendInitialEvents=true`)).toBe('421 sendInitialEvents is not evaluated here');
    expect(await refused(`${url}?resourceVersion=1&resourceVersionMatch=Exact`)).toBe(
      '421 old states of a list are not kept here',
    );
    expect(await refused(`${url}?labelSelector=((`)).toMatch(/^421 /);
    expect(await refused(`${url}?resourceVersion=999999`)).toMatch(
      /^504 Too large resource version: 999999, current: \d+$/,
    );
    const restarted = fixture.sandbox.restart({ downMs: 4_000 });
    await expect.poll(() => refused(url)).toMatch(/^503 the serve has had no connection since .+: .+/);
    await restarted;
    await expect.poll(async () => (await read(url)).status, { timeout: 10_000 }).toBe(200);
  });

  it('cuts a client off that reads nothing, serves 49 others meanwhile, and keeps no more than a chunk for it', async () => {
    const responses: ServerResponse[] = [];
    await using _ = await serving(env, {
      types: ['pods'],
      patienceMs: 4_000,
      onRead: (response) => responses.push(response),
    });
    const { resourceVersion } = (await read('/api/v1/pods')).body.metadata;
    const url = `/api/v1/pods?watch=true&resourceVersion=${resourceVersion}`;
    const stuck = await asked(url);
    stuck.pause();
    stuck.on('error', () => {});
    const cut = once(responses.at(-1) as ServerResponse, 'close');
    const others = Array.from({ length: 49 }, () => watched(url, (line) => line.includes('web-last')));
    for (let i = 0; i < 100; i++) {
      fixture.sandbox.apply({
        ...pod(`big-${i % 4}`),
        metadata: { ...pod('x').metadata, name: `big-${i % 4}`, annotations: { i: `${i}`, text: 'x'.repeat(8_000) } },
      });
      if (i % 20 === 0) await systemClock.yield();
    }
    fixture.sandbox.apply(pod('web-last'));
    let isDone = false;
    const all = Promise.all(others).finally(() => {
      isDone = true;
    });
    let waiting = 0;
    while (!isDone) {
      waiting = Math.max(waiting, ...responses.map(({ writableLength }) => writableLength));
      await systemClock.yield();
    }
    for (const lines of await all) expect(lines).toHaveLength(101);
    expect(waiting).toBeGreaterThan(0);
    expect(waiting).toBeLessThan(300 * 1024);
    await cut;
    expect(stuck.complete).toBe(false);
  }, 60_000);
});

/** What asks for the answers about one pod, whose JSON is what a function returns. */
async function answersAbout(toJSON: () => unknown) {
  const caches = new WatchCaches({ clock: new FakeClock() });
  const connected = { scope: '', resourceVersion: '1', connection: { state: 'connected' }, stretches: [] };
  const addHandler = (handler: Record<string, (...args: unknown[]) => void>) => {
    const object = { metadata: { name: 'a', namespace: 'shop', resourceVersion: '1' }, toJSON };
    handler.added?.(object, { key: 'shop/a', cause: 'initial', sequence: 0 });
    handler.synced?.();
    return { depth: 0, remove: () => {} };
  };
  caches.add({
    type: { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true },
    informer: { continuity: [connected], isCaughtUp: true, addHandler },
    as: 'object',
    keepsManagedFields: false,
  } as never);
  return async (url: string) => {
    const write = await caches.answer({ method: 'GET', url, headers: { accept: OBJECT } });
    if (typeof write !== 'function') throw new Error(write.message);
    return write;
  };
}

it.each(['/api/v1/pods', '/api/v1/pods?watch=true'])(
  'an answer that fails on its way is cut off, and does not end as a whole one: %s',
  async (url) => {
    const answer = await answersAbout(() => {
      throw new RangeError('Invalid string length');
    });
    const body = new PassThrough();
    await (await answer(url))(body);
    expect([body.destroyed, body.writableEnded]).toEqual([true, false]);
  },
);

it('a whole list ends its answer, which stays readable', async () => {
  const answer = await answersAbout(() => 'one');
  const body = new PassThrough();
  await (await answer('/api/v1/pods'))(body);
  expect([body.destroyed, body.writableEnded]).toEqual([false, true]);
  expect(String(body.read())).toContain('"one"');
});
