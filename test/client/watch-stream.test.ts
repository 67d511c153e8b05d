import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WatchStream, type WatchStreamOptions } from '../../src/client/watch-stream.ts';
import { cut } from '../support/scripted-bytes.ts';
import { objectText } from './json-text.ts';

type Json = { metadata?: { managedFields?: unknown } };

async function read(text: string, length: number, options: WatchStreamOptions): Promise<unknown[]> {
  const stream = new WatchStream<Json>(fromArray(cut(text, [length])), options);
  const events: unknown[] = [];
  for await (const batch of stream) events.push(...batch);
  return events;
}

async function* fromArray(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function trimmed(object: Json): Json {
  if (typeof object.metadata === 'object' && object.metadata !== null) delete object.metadata.managedFields;
  return object;
}

const LENGTHS = [1, 7, 1000, 16_384, 65_536, Number.MAX_SAFE_INTEGER];
const oneLine = objectText.map((text) => text.replaceAll('\n', ' '));
const type = fc.constantFrom('ADDED', 'MODIFIED', 'DELETED');
const table = (rows: readonly string[], more = '') =>
  `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{}${more},"rows":[${rows.map((row) => `{"cells":[],"object":${row}}`).join(',')}]}`;

describe('WatchStream without managedFields', () => {
  it('gives what JSON.parse gives without them, however the objects are written and cut up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(type, oneLine), { maxLength: 8 }), fc.constantFrom(...LENGTHS), async (events, length) => {
        const text = events.map(([name, object]) => `{"type":"${name}","object":${object}}\n`).join('');
        const expected = events.map(([name, object]) => ({ type: name, object: trimmed(JSON.parse(object)) }));
        expect(await read(text, length, { table: false, dropManagedFields: true })).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('takes them off the objects of a table, each of its rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(oneLine, { maxLength: 3 }), { maxLength: 4 }),
        fc.constantFrom(...LENGTHS),
        async (tables, length) => {
          const text = tables.map((rows) => `{"type":"ADDED","object":${table(rows)}}\n`).join('');
          const expected = tables.flat().map((object) => ({ type: 'ADDED', object: trimmed(JSON.parse(object)) }));
          expect(JSON.stringify(await read(text, length, { table: true, dropManagedFields: true }))).toBe(JSON.stringify(expected));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('leaves the rows of an object alone that is no table', async () => {
    const object = { kind: 'Seating', metadata: { name: 'a' }, rows: [{ object: { metadata: { managedFields: [1], name: 'b' } } }] };
    const text = `${JSON.stringify({ type: 'ADDED', object })}\n`;
    expect(await read(text, 100, { table: true, dropManagedFields: true })).toEqual([{ type: 'ADDED', object }]);
  });
});
