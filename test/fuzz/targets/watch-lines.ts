import assert from 'node:assert/strict';
import fc from 'fast-check';
import { leavesOutEvent } from '../../../src/client/decode/unwanted.ts';
import { WatchStream } from '../../../src/client/decode/watch-body.ts';
import { WatchDecoder } from '../../../src/client/decode/watch-decoder.ts';
import { parseJson } from '../../../src/kit/exact-json.ts';
import { chunkLengths, chunksOf, damaged, itemText } from '../inputs.ts';
import { comparable, outcomeOf, settled } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

const CORE = { group: '', version: 'v1', resource: 'pods' };
const CUSTOM = { group: 'example.com', version: 'v1', resource: 'things' };

const line = fc
  .tuple(fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR', 'FOO'), itemText)
  .map(([type, object]) => `{"type":"${type}","object":${object}}`);
const stream = fc
  .tuple(fc.array(fc.oneof({ weight: 6, arbitrary: line }, itemText), { maxLength: 4 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, end]) => lines.map((text) => text + end).join(''));

/** The events of a stream, and how it ended, for the given chunks. */
function decoded(chunks: readonly Buffer[], limit?: number) {
  const events: unknown[] = [];
  const unwanted = { by: 'uid', leavesOut: () => false } as const;
  const decoder = new WatchDecoder<unknown>(limit === undefined ? { leavesOut: leavesOutEvent(unwanted) } : { limit });
  const end = outcomeOf(() => {
    for (const chunk of chunks) events.push(...decoder.push(chunk));
    events.push(...decoder.finish());
  });
  return { events, end: comparable(end) };
}

/** The events that JSON alone finds in whole lines; undefined if a line is no event. */
function expectedEvents(bytes: Buffer): unknown[] | undefined {
  const events: unknown[] = [];
  for (const text of bytes.toString('utf8').split('\n')) {
    if (/^[ \t\r]*$/.test(text)) continue;
    const event = parsedOrUndefined(text) as { type?: unknown; object?: unknown } | undefined | null;
    if (typeof event?.type !== 'string' || typeof event.object !== 'object' || event.object === null) return undefined;
    events.push(event);
  }
  return events;
}

function parsedOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

export const watchLines = fuzzTarget({
  name: 'watch-lines',
  inputs: fc.tuple(damaged(stream), chunkLengths, fc.option(fc.integer({ min: 10, max: 200 }))),
  check: ([bytes, lengths, limit]) => {
    const whole = decoded([bytes]);
    const expected = expectedEvents(bytes);
    if (expected) assert.deepStrictEqual(whole, { events: expected, end: { value: undefined } });
    else assert.notDeepStrictEqual(whole.end, { value: undefined });
    assert.deepStrictEqual(decoded(chunksOf(bytes, lengths)), whole);
    if (limit !== null) decoded(chunksOf(bytes, lengths), limit);
  },
});

export const watchStreams = fuzzTarget({
  name: 'watch-streams',
  inputs: fc.tuple(damaged(stream), chunkLengths, fc.boolean(), fc.boolean(), fc.constantFrom(CORE, CUSTOM)),
  check: async ([bytes, lengths, table, dropManagedFields, gvr]) => {
    const result = async (chunks: readonly Buffer[]) => {
      const events: unknown[] = [];
      const read = async () => {
        for await (const batch of new WatchStream(body(chunks), { gvr, table, dropManagedFields }))
          events.push(...batch);
      };
      return { events, end: comparable(await settled(read)) };
    };
    const whole = await result([bytes]);
    assert.deepStrictEqual(await result(chunksOf(bytes, lengths)), whole);
    if (dropManagedFields && !table) assert.ok(!whole.events.some(hasManagedFields), 'managedFields are left');
  },
});

async function* body(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function hasManagedFields(event: unknown): boolean {
  const { object } = event as { object: { metadata?: { managedFields?: unknown } | null } };
  return object.metadata?.managedFields !== undefined;
}
