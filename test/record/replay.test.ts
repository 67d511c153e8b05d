import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { type Clock, systemClock } from '../../src/kit/clock.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { Recording } from '../../src/record/recording.ts';
import { Replay } from '../../src/record/replay.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { recordedServer, recording, useFolder } from '../support/recording.ts';

const folder = useFolder();
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const PATH = '/api/v1/namespaces/default/configmaps';

const configMap = (name: string, color: string): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels: { color } },
  data: { color },
});

/** A recording of a minute: `a` is blue, then red after 10 s, `b` comes after 20 s and goes after 30 s. */
async function recorded() {
  const server = await recordedServer();
  const { clock, sandbox } = server;
  const file = folder.file('r.rec');
  sandbox.apply(configMap('a', 'blue'));
  const run = await recording(server, ['v1/configmaps'], { file });
  const begin = clock.now() - 1_000;
  await clock.advance(9_000);
  sandbox.apply(configMap('a', 'red'));
  await clock.advance(10_000);
  sandbox.apply(configMap('b', 'blue'));
  await clock.advance(10_000);
  sandbox.delete(CONFIG_MAPS, 'default/b');
  await clock.advance(30_000);
  await run.end();
  return { file, begin };
}

interface Line {
  readonly type: string;
  readonly object: UnknownObject & { readonly code?: number; readonly rows?: readonly { readonly cells: unknown[] }[] };
}

/** The lines of a watch until it ends, or the signal aborts. */
async function linesOf(
  replay: Replay,
  path: string,
  signal: AbortSignal,
  accept = 'application/json',
): Promise<Line[]> {
  const { body } = await replay.request({ method: 'GET', path, headers: { accept }, signal });
  let text = '';
  try {
    for await (const chunk of body) text += Buffer.from(chunk).toString();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const shown = (lines: readonly Line[]) =>
  lines.map(({ type, object }) => `${type} ${object.metadata?.name} ${object.metadata?.labels?.color}`);

/** Replays a file; the reader lists, then watches with the given query. */
async function watched(file: string, query: string, options: { from?: number; speed?: number; clock?: Clock } = {}) {
  using opened = Recording.open(file);
  const { clock = systemClock } = options;
  const replay = new Replay({ recording: opened, from: 0, speed: Number.POSITIVE_INFINITY, clock, ...options });
  const controller = new AbortController();
  const running = replay.run(controller.signal);
  const source = createClient(replay, { logger: silentLogger }).resource(CONFIG_MAPS, { namespace: 'default' });
  const { items, resourceVersion } = await source.list();
  const lines = linesOf(
    replay,
    `${PATH}?watch=true&${query || `resourceVersion=${resourceVersion}`}`,
    controller.signal,
  );
  await running;
  controller.abort();
  return { items: items.map(({ metadata }) => metadata.name), lines: await lines };
}

describe('a recording that goes by', () => {
  it('answers the list of its begin, and then each change, with the version of the deletion', async () => {
    const { file } = await recorded();
    const { items, lines } = await watched(file, '');
    expect(items).toEqual(['a']);
    expect(shown(lines)).toEqual(['MODIFIED a red', 'ADDED b blue', 'DELETED b blue']);
    const [, added, deleted] = lines.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(deleted).toBeGreaterThan(added as number);
  });

  it.each([1, Number.POSITIVE_INFINITY])(
    'begins also with a question about one object, which is answered from the first list of its type on, at speed %d',
    async (speed) => {
      const { file } = await recorded();
      using opened = Recording.open(file);
      const clock = new FakeClock();
      const replay = new Replay({ recording: opened, from: Number(opened.runs[0]?.began) - 1, speed, clock });
      const ended = new AbortController();
      const running = replay.run(ended.signal).catch(() => {});
      const ask = async (name: string) => {
        const { status, body } = await replay.request({ method: 'GET', path: `${PATH}/${name}` });
        const chunks: Uint8Array[] = [];
        for await (const chunk of body) chunks.push(chunk);
        return `${status} ${(JSON.parse(Buffer.concat(chunks).toString()) as UnknownObject).metadata.labels?.color}`;
      };
      const answers = Promise.all([ask('a'), ask('none')]);
      for (let passed = 0; passed < 5_000; passed += 500) {
        for (let i = 0; i < 20; i++) await clock.yield();
        await clock.advance(500);
      }
      expect(await answers).toEqual(['200 blue', '404 undefined']);
      ended.abort();
      await running;
    },
  );

  it('begins at a moment with the state of that moment', async () => {
    const { file, begin } = await recorded();
    const { items, lines } = await watched(file, '', { from: begin + 25_000 });
    expect(items).toEqual(['a', 'b']);
    expect(shown(lines)).toEqual(['DELETED b blue']);
  });

  it.each([
    ['labelSelector=color%3Dred', ['ADDED a red']],
    ['labelSelector=color%3Dblue', ['ADDED a blue', 'DELETED a blue', 'ADDED b blue', 'DELETED b blue']],
    ['fieldSelector=metadata.name%3Db', ['ADDED b blue', 'DELETED b blue']],
  ])(
    'with %s shows an object that comes into the selection as added, and one that leaves it as deleted',
    async (query, lines) => {
      const { file } = await recorded();
      expect(shown(await watchedAlone(file, query))).toEqual(lines);
    },
  );

  it('sends the state first to a watch without a version, in each form', async () => {
    const { file } = await recorded();
    const tables = await watchedAlone(file, 'includeObject=None', 'application/json;as=Table;v=v1;g=meta.k8s.io');
    expect(tables.map(({ object }) => object.rows?.map(({ cells }) => cells.slice(0, 2)))).toEqual([
      [['a', 1]],
      [['a', 1]],
      [['b', 1]],
      [['b', 1]],
    ]);
    const [metadata] = await watchedAlone(file, '', 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io');
    expect(metadata?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
    expect(metadata?.object).not.toHaveProperty('data');
  });

  it('answers 410 to a watch from before its begin, and 422 to one that wants initial events', async () => {
    const { file } = await recorded();
    const { lines } = await watched(file, 'resourceVersion=1');
    expect(lines.map(({ type, object }) => [type, object.code])).toEqual([['ERROR', 410]]);
    using opened = Recording.open(file);
    const replay = new Replay({ recording: opened, from: 0, speed: 1, clock: systemClock });
    const path = `${PATH}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
    expect((await replay.request({ method: 'GET', path })).status).toBe(422);
    expect((await replay.request({ method: 'POST', path: PATH })).status).toBe(405);
    expect((await replay.request({ method: 'GET', path: '/api/v1/pods' })).status).toBe(501); // not known to be absent
  });

  it.each([
    ['resourceVersion=99999', 504],
    ['resourceVersion=99999&resourceVersionMatch=Exact', 504],
    ['resourceVersion=1', 200],
    ['resourceVersion=1&resourceVersionMatch=Exact', 410],
    ['resourceVersion=without-order', 200], // of an aggregated API: nothing says that it is later
    ['resourceVersion=0', 200],
  ])('answers a list with %s by %d', async (query, status) => {
    const { file, begin } = await recorded();
    using opened = Recording.open(file);
    const replay = new Replay({ recording: opened, from: begin + 25_000, speed: 1, clock: systemClock });
    const { body, ...answer } = await replay.request({ method: 'GET', path: `${PATH}?${query}` });
    await body[Symbol.asyncIterator]().return?.();
    expect(answer.status).toBe(status);
  });

  it('takes the time it took, divided by the speed, and shows its own time', async () => {
    const { file, begin } = await recorded();
    using opened = Recording.open(file);
    const clock = new FakeClock();
    const replay = new Replay({ recording: opened, from: begin + 5_000, speed: 10, clock });
    const controller = new AbortController();
    const lines = linesOf(replay, `${PATH}?watch=true`, controller.signal);
    const running = replay.run(controller.signal);
    let isOver = false;
    void running.then(() => {
      isOver = true;
    });
    for (let i = 0; i < 20; i++) await clock.yield(); // it has begun
    await clock.advance(1_000);
    expect(replay.now).toBe(begin + 15_000);
    await clock.advance(4_000);
    expect([isOver, replay.now]).toEqual([false, begin + 55_000]);
    await clock.advance(1_000);
    await running;
    controller.abort();
    expect(shown(await lines)).toEqual(['ADDED a blue', 'MODIFIED a red', 'ADDED b blue', 'DELETED b blue']);
  });

  it('ends with the types of which no list was recorded, and answers 503 for them', async () => {
    const server = await recordedServer();
    const file = folder.file('empty.rec');
    const refused = { kind: 'status', code: 500 } as const;
    server.sandbox.faults.add({ fault: refused, match: { path: 'configmaps' }, times: Number.POSITIVE_INFINITY });
    const recorder = await recording(server, ['v1/configmaps'], { file });
    await recorder.end();
    using opened = Recording.open(file);
    const replay = new Replay({ recording: opened, from: 0, speed: Number.POSITIVE_INFINITY, clock: systemClock });
    const answer = replay.request({ method: 'GET', path: PATH });
    expect((await replay.run(AbortSignal.timeout(20_000))).map(({ type }) => type.kind)).toEqual(['ConfigMap']);
    expect((await answer).status).toBe(503);
  });

  it('goes on when a reader closes a list or a watch that it has not begun to read', async () => {
    const { file } = await recorded();
    using opened = Recording.open(file);
    const replay = new Replay({ recording: opened, from: 0, speed: Number.POSITIVE_INFINITY, clock: systemClock });
    const signal = AbortSignal.timeout(20_000);
    const running = replay.run(signal);
    for (const path of [PATH, `${PATH}?watch=true`]) {
      const { body } = await replay.request({ method: 'GET', path });
      await body[Symbol.asyncIterator]().return?.();
    }
    await running;
  });
});

/** The lines of a watch from the begin of a file. */
async function watchedAlone(file: string, query: string, accept?: string): Promise<Line[]> {
  using opened = Recording.open(file);
  const replay = new Replay({ recording: opened, from: 0, speed: Number.POSITIVE_INFINITY, clock: systemClock });
  const controller = new AbortController();
  const running = replay.run(controller.signal);
  const lines = linesOf(replay, `${PATH}?watch=true&${query}`, controller.signal, accept);
  await running;
  controller.abort();
  return await lines;
}
