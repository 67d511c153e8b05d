import { createClient } from '../../src/client/client.ts';
import type { Transport } from '../../src/client/http/transport.ts';
import type { ResourceApiOptions } from '../../src/client/resource-api.ts';
import type { Shape } from '../generator.ts';
import type { Row, Stage } from '../harness.ts';
import { chunksOf, listBody, PODS, watchLines } from './bodies.ts';

/** A transport whose every answer is this body. */
function answering(body: Buffer): Transport {
  return { request: async () => ({ status: 200, headers: {}, body: chunksOf(body) }), close: async () => {} };
}

function listRow(name: string, body: Buffer, options: ResourceApiOptions): Row {
  return { name, run: async () => (await createClient(answering(body)).resource(PODS, options).list()).items.length };
}

/** Bytes that are not read: the cost of receiving them. */
function nowhere(body: Buffer, count: number): Row {
  return {
    name: 'floor: bytes to nowhere',
    run: async () => {
      let size = 0;
      for await (const chunk of chunksOf(body)) size += chunk.length;
      return size === body.length ? count : 0;
    },
  };
}

/** A LIST body to objects: the first stage of the path of an event. */
export function decodeList(count: number, shape: Shape): Stage {
  const body = listBody(count, shape);
  return {
    unit: 'object',
    count,
    rows: [
      {
        name: 'baseline: JSON.parse of the whole text',
        run: () => (JSON.parse(body.toString('utf8')) as { items: unknown[] }).items.length,
      },
      nowhere(body, count),
      listRow('objects, whole', body, {}),
      listRow('objects without managedFields', body, { dropManagedFields: true }),
    ],
  };
}

/** A LIST as a server's table to objects that carry their cells. */
export function decodeTable(count: number, shape: Shape): Stage {
  const body = listBody(count, shape, 'row-metadata');
  return {
    unit: 'row',
    count,
    rows: [
      {
        name: 'baseline: JSON.parse of the whole text',
        run: () => (JSON.parse(body.toString('utf8')) as { rows: unknown[] }).rows.length,
      },
      nowhere(body, count),
      listRow('rows with metadata, without managedFields', body, {
        as: { table: 'Metadata' },
        dropManagedFields: true,
      }),
    ],
  };
}

/** A WATCH body to batches of events. */
export function decodeWatch(count: number, shape: Shape): Stage {
  const lines = watchLines(count, shape);
  const body = Buffer.from(lines.join(''));
  const row = (name: string, options: ResourceApiOptions): Row => ({
    name,
    run: async () => {
      let seen = 0;
      for await (const batch of await createClient(answering(body)).resource(PODS, options).watch())
        seen += batch.length;
      return seen;
    },
  });
  return {
    unit: 'event',
    count,
    rows: [
      {
        name: 'baseline: JSON.parse line by line, lines given',
        run: () => lines.map((line) => JSON.parse(line) as unknown).length,
      },
      nowhere(body, count),
      row('events, whole', {}),
      row('events without managedFields', { dropManagedFields: true }),
    ],
  };
}
