import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/model/object.ts';
import { bodyText, Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { WireCompare } from '../support/wire-compare.ts';
import { type Exchange, recording, recordingsMissing, WATCH_PATH } from '../support/wire-recording.ts';

const FILE = '09-shards.json';
/** The moment of the recording, by which the ages in tables are those of the recording. */
const clock = new FakeClock(Date.parse('2026-11-22T02:03:50Z'));
const compare = new WireCompare();
let sandbox: Sandbox;
let other: Sandbox;

/** The objects of the recording keep their uids, by which they are divided. */
beforeAll(async () => {
  const created = recording(FILE).filter(({ request }) => request.method === 'POST');
  const objects = created.map(({ response }) => response.body as KubeObject);
  const start = async (isSharded: boolean) => {
    const gates = { ShardedListAndWatch: isSharded };
    const started = await Sandbox.start({ socket: false, clock, seed: 1, featureGates: gates });
    started.apply(objects);
    return started;
  };
  sandbox = await start(true);
  other = await start(false);
});

afterAll(async () => {
  await sandbox.stop();
  await other.stop();
});

/** Only a real server has an object of its own among the config maps; how many more there are depends on it. */
const IGNORED: Readonly<Record<string, readonly string[]>> = {
  'list for its version': ['body.items', 'body.metadata'],
};

describe.skipIf(recordingsMissing)(
  `lists and watches of shards${recordingsMissing ? ` (skipped: ${recordingsMissing})` : ''}`,
  () => {
    for (const [i, exchange] of recording(FILE).entries()) {
      if (exchange.request.method === 'POST') continue;
      it(`${i} ${exchange.title}: as recorded`, async () => {
        const { status, body } = exchange.response;
        const recorded = isStream(exchange)
          ? { status, events: events(exchange) }
          : { status, body: body ?? exchange.response.stream?.[0]?.event };
        const ours = isStream(exchange) ? await followed(exchange) : await asked(sandbox, exchange);
        expect(compare.differences(recorded, ours, [...(IGNORED[exchange.title] ?? []), ...MANAGED])).toEqual([]);
      });
    }

    it('deleting a collection deletes the shard that is named, and nothing else', async () => {
      const { path } = titled('list, lower half by uid').request;
      const count = async () => (await asked(sandbox, { request: listed(path) } as Exchange)) as { body: List };
      const all = (await count()).body.items.map(({ metadata }) => metadata.name);
      for (const namespace of ['shop', 'other']) {
        const target = path.replace('/api/v1/', `/api/v1/namespaces/${namespace}/`);
        expect((await sandbox.handle({ method: 'DELETE', path: target, headers: {} })).status).toBe(200);
      }
      const left = (await count()).body.items.map(({ metadata }) => metadata.name);
      const upper = titled('list, upper half by uid').response.body as List;
      expect(all).toHaveLength(8);
      expect(left).toEqual(upper.items.map(({ metadata }) => metadata.name));
    });

    it('a server without the feature ignores the parameter, also one that cannot be read, and sends everything', async () => {
      const lists = recording(FILE).filter(
        ({ request }) => request.path.includes('shardSelector') && !isWatch(request),
      );
      expect(lists.length).toBeGreaterThan(10);
      for (const exchange of lists.filter(({ request }) => !request.path.includes('limit='))) {
        const { status, body } = (await asked(other, exchange)) as { status: number; body: { items?: unknown[] } };
        expect([exchange.title, status]).toEqual([exchange.title, 200]);
        const all = (body.items ?? (body as { rows?: unknown[] }).rows ?? []).length;
        expect(all).toBeGreaterThanOrEqual(8);
        expect(JSON.stringify(body)).not.toContain('shardInfo');
      }
    });
  },
);

/** Objects that were loaded have no field managers. */
const MANAGED = ['body.items', 'body.rows', 'events'].flatMap((at) =>
  Array.from({ length: 16 }, (_, i) => [
    `${at}[${i}].metadata.managedFields`,
    `${at}[${i}].object.metadata.managedFields`,
  ]).flat(),
);

interface List {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

const titled = (title: string) => recording(FILE).find((exchange) => exchange.title === title) as Exchange;

const listed = (path: string) => ({
  method: 'GET',
  path: path.replace(/&shardSelector=.*/, ''),
  headers: {},
  as: 'admin',
});

const isWatch = ({ path }: Exchange['request']) => WATCH_PATH.test(path);
const isStream = ({ request, response }: Exchange) => isWatch(request) && response.status === 200;
const events = ({ response }: Exchange) => (response.stream ?? []).map(({ event }) => event);

function requestOf({ request: { method, path, headers } }: Exchange) {
  return { method, path: compare.translate(path), headers: { ...headers } };
}

async function asked(server: Sandbox, exchange: Exchange): Promise<object> {
  const response = await server.handle(requestOf(exchange));
  return { status: response.status, body: JSON.parse(await bodyText(response)) as unknown };
}

/** Reads a watch; meanwhile all eight objects are changed where the recorder did so. */
async function followed(exchange: Exchange): Promise<object> {
  const leave = new AbortController();
  const response = await sandbox.handle({ ...requestOf(exchange), signal: leave.signal });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body) text += Buffer.from(chunk).toString('utf8');
  })();
  await settled();
  const recorded = events(exchange) as { type: string; object: { data?: { v?: string } } }[];
  const value = recorded.findLast(({ type }) => type === 'MODIFIED')?.object.data?.v;
  if (value !== undefined) {
    for (let i = 0; i < 8; i++) {
      const namespace = i % 2 === 0 ? 'shop' : 'other';
      const headers = { 'content-type': 'application/merge-patch+json' };
      const path = `/api/v1/namespaces/${namespace}/configmaps/s${i}`;
      const patched = await sandbox.handle({
        method: 'PATCH',
        path,
        headers,
        body: JSON.stringify({ data: { v: value } }),
      });
      expect(patched.status).toBe(200);
      await settled();
    }
  }
  if (recorded.at(-1)?.type === 'BOOKMARK') await clock.advance(60_000);
  await settled();
  leave.abort();
  await reading;
  const lines = text.split('\n').filter((line) => line !== '');
  return { status: response.status, events: lines.map((line) => JSON.parse(line) as unknown) };
}
