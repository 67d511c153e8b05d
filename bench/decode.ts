import { readList } from '../src/client/list-body.ts';
import { WatchStream } from '../src/client/watch-stream.ts';
import type { Bench } from './harness.ts';
import { pods } from './objects.ts';

const CHUNK = 64 * 1024;
const PODS = { group: '', version: 'v1', resource: 'pods' };

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

async function drain(source: AsyncIterable<unknown>): Promise<number> {
  let seen = 0;
  for await (const part of source) seen += (part as { length: number }).length;
  return seen;
}

/** A LIST body to objects: from the first stage of the path of an event. */
export function decodeList(count: number): Bench {
  const body = Buffer.from(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: pods(count) }));
  return {
    name: 'decode a LIST',
    unit: 'object',
    count,
    rows: [
      { name: 'baseline: JSON.parse of the whole text', run: () => JSON.parse(body.toString('utf8')) },
      { name: 'bytes to nowhere', run: () => drain(chunksOf(body)) },
      { name: 'items as they arrive', run: () => readList(chunksOf(body), { gvr: PODS, table: false, dropManagedFields: false }) },
      {
        name: 'items as they arrive, managedFields dropped',
        run: () => readList(chunksOf(body), { gvr: PODS, table: false, dropManagedFields: true }),
      },
    ],
  };
}

/** A WATCH body to batches of events. */
export function decodeWatch(count: number): Bench {
  const lines = pods(count).map((object) => `${JSON.stringify({ type: 'MODIFIED', object })}\n`);
  const body = Buffer.from(lines.join(''));
  return {
    name: 'decode a WATCH',
    unit: 'event',
    count,
    rows: [
      { name: 'baseline: JSON.parse line by line, lines given', run: () => lines.map((line) => JSON.parse(line)) },
      { name: 'batches as they arrive', run: () => drain(new WatchStream(chunksOf(body), { table: false, dropManagedFields: false })) },
    ],
  };
}
