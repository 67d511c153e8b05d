import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WatchStream, type WatchStreamOptions } from '../../../src/client/decode/watch-body.ts';
import { jsonText } from '../../../src/kit/exact-json.ts';
import { managedFieldsText } from '../../../src/model/managed-fields-text.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { cut } from '../../support/scripted-bytes.ts';
import { objectText } from './json-text.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const GADGETS = { group: 'lab.example.com', version: 'v1', resource: 'gadgets' };

type Json = { metadata?: { managedFields?: unknown } };

async function read(
  text: string,
  length: number,
  options: Omit<WatchStreamOptions, 'gvr'>,
  gvr = PODS,
): Promise<unknown[]> {
  const stream = new WatchStream<Json>(fromArray(cut(text, [length])), { gvr, ...options });
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

it('WatchStream keeps managedFields unless they are left out', async () => {
  const object = { metadata: { name: 'a', managedFields: [{ manager: 'x' }] } };
  const text = `${JSON.stringify({ type: 'ADDED', object })}\n`;
  expect(await read(text, text.length, { table: false, dropManagedFields: false })).toEqual([
    { type: 'ADDED', object },
  ]);
});

it('WatchStream gives no batch for a chunk that completes no event', async () => {
  const line = '{"type":"ADDED","object":{"metadata":{}}}\n';
  const chunks = cut(`${line}\n${line}${line}`, [10]);
  const options = { gvr: PODS, table: false, dropManagedFields: true };
  const batches: unknown[][] = [];
  for await (const batch of new WatchStream<Json>(fromArray(chunks), options)) batches.push(batch);
  expect(batches.map((batch) => batch.length)).toEqual([1, 1, 1]);
});

it('WatchStream counts the events that it gives', async () => {
  const counted: unknown[] = [];
  const traffic = { add: (count: unknown) => counted.push(count) } as never;
  const line = '{"type":"ADDED","object":{"metadata":{}}}\n';
  await read(`${line}${line}\n${line}`, 2 * line.length, { table: false, dropManagedFields: true, traffic });
  expect(counted).toEqual([{ events: 2 }, { events: 1 }]);
});

it.each([1, 1000])(
  'WatchStream keeps managedFields as text beside the objects on request, in chunks of %i',
  async (length) => {
    const managedFields = [{ manager: 'ä', fieldsV1: { 'f:a"]': {} } }];
    const object = { metadata: { managedFields, name: 'a' }, spec: { managedFields: [1] } };
    const events = [
      { type: 'ADDED', object: JSON.parse(table([JSON.stringify(object)], ',"columnDefinitions":[]')) },
      { type: 'MODIFIED', object: JSON.parse(table([JSON.stringify(object)])) },
      { type: 'DELETED', object: JSON.parse(table([JSON.stringify({ metadata: { name: 'b' } })])) },
      { type: 'ADDED', object },
    ];
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    const options = { table: true, dropManagedFields: false, managedFieldsAsText: true };
    const found = (await read(text, length, options)) as { object: Json }[];
    expect(found.map((each) => [each.object.metadata, managedFieldsText(each.object)])).toEqual([
      [{ name: 'a' }, JSON.stringify(managedFields)],
      [{ name: 'a' }, JSON.stringify(managedFields)],
      [{ name: 'b' }, undefined],
      [{ name: 'a' }, JSON.stringify(managedFields)],
    ]);
  },
);

describe('WatchStream without managedFields', () => {
  it('gives what JSON.parse gives without them, for any form and chunks of the objects', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(type, oneLine), { maxLength: 8 }),
        fc.constantFrom(...LENGTHS),
        async (events, length) => {
          const text = events.map(([name, object]) => `{"type":"${name}","object":${object}}\n`).join('');
          const expected = events.map(([name, object]) => ({ type: name, object: trimmed(JSON.parse(object)) }));
          expect(await read(text, length, { table: false, dropManagedFields: true })).toEqual(expected);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('removes them from the object of each row of a table', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(oneLine, { maxLength: 3 }), { maxLength: 4 }),
        fc.constantFrom(...LENGTHS),
        async (tables, length) => {
          const text = tables.map((rows) => `{"type":"ADDED","object":${table(rows)}}\n`).join('');
          const expected = tables.flat().map((object) => ({ type: 'ADDED', object: trimmed(JSON.parse(object)) }));
          expect(JSON.stringify(await read(text, length, { table: true, dropManagedFields: true }))).toBe(
            JSON.stringify(expected),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('leaves the rows of an object that is not a table', async () => {
    const object = {
      kind: 'Seating',
      metadata: { name: 'a' },
      rows: [{ object: { metadata: { managedFields: [1], name: 'b' } } }],
    };
    const text = `${JSON.stringify({ type: 'ADDED', object })}\n`;
    expect(await read(text, 100, { table: true, dropManagedFields: true })).toEqual([{ type: 'ADDED', object }]);
  });
});

describe('numbers in the events of a watch', () => {
  const event = (spec: string) => `{"type":"MODIFIED","object":{"spec":${spec}}}\n`;
  const specsIn = async (text: string, gvr: typeof PODS, dropManagedFields: boolean) =>
    (await read(text, text.length, { table: false, dropManagedFields }, gvr)).map((at) =>
      jsonText((at as { object: { spec: unknown } }).object.spec),
    );
  const ordinary = event('{"n":1}').repeat(1_500);

  it.each([true, false])(
    'keep every digit in custom resources, however many events came before (managedFields dropped: %s)',
    async (dropped) => {
      const specs = await specsIn(ordinary + event('{"a":9007199254740993,"b":1e400}'), GADGETS, dropped);
      expect(specs.at(-1)).toBe('{"a":9007199254740993,"b":1e400}');
    },
  );

  it.each([true, false])(
    'keep whole numbers in built-in types, however many events came before (managedFields dropped: %s)',
    async (dropped) => {
      const specs = await specsIn(ordinary + event('{"a":9007199254740993,"b":1e+400}'), PODS, dropped);
      expect(specs.at(-1)).toBe('{"a":9007199254740993,"b":1e+400}');
    },
  );

  it('keep 1e400 in a built-in type when it comes early, and in every event from then on', async () => {
    const odd = event('{"b":1e400}');
    const specs = await specsIn(odd + ordinary + odd, PODS, true);
    expect([specs[0], specs.at(-1)]).toEqual(['{"b":1e400}', '{"b":1e400}']);
  });
});

describe('a stream that ends', () => {
  it('has ended when its body has been closed, and not before', async () => {
    const closing = Promise.withResolvers<IteratorResult<Uint8Array>>();
    const body: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: true, value: undefined }),
        return: () => closing.promise,
      }),
    };
    const stream = new WatchStream<Json>(body, { gvr: PODS, table: false, dropManagedFields: false });
    let hasEnded = false;
    const ended = stream.return().then(() => {
      hasEnded = true;
    });
    await settled();
    expect(hasEnded).toBe(false);
    closing.resolve({ done: true, value: undefined });
    await ended;
    expect(hasEnded).toBe(true);
  });

  it('that is broken rejects when its body has been closed, and not before', async () => {
    const closing = Promise.withResolvers<IteratorResult<Uint8Array>>();
    const body: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: Buffer.from('no JSON\n') }),
        return: () => closing.promise,
      }),
    };
    const stream = new WatchStream<Json>(body, { gvr: PODS, table: false, dropManagedFields: false });
    let error: unknown;
    const failed = stream.next().catch((cause) => {
      error = cause;
    });
    await settled();
    expect(error).toBeUndefined();
    closing.resolve({ done: true, value: undefined });
    await failed;
    expect(String(error)).toContain('broken JSON');
  });

  it('has no event that comes while it is closed', async () => {
    const coming = Promise.withResolvers<IteratorResult<Uint8Array>>();
    const body: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => coming.promise }) };
    const stream = new WatchStream<Json>(body, { gvr: PODS, table: false, dropManagedFields: false });
    const next = stream.next();
    await stream.return();
    coming.resolve({ done: false, value: Buffer.from('{"type":"ADDED","object":{}}\n') });
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('that is broken behind an event gives the event, and then rejects without waiting for more bytes', async () => {
    const chunks = ['{"type":"ADDED","object":{}}\nno JSON\n'];
    const body: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          const chunk = chunks.shift();
          return chunk ? Promise.resolve({ done: false, value: Buffer.from(chunk) }) : new Promise(() => {});
        },
      }),
    };
    const stream = new WatchStream<Json>(body, { gvr: PODS, table: false, dropManagedFields: false });
    expect(await stream.next()).toEqual({ done: false, value: [{ type: 'ADDED', object: {} }] });
    await expect(stream.next()).rejects.toThrow('broken JSON at byte 29');
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it.each(['before the first event', 'after an event'])(
    '%s closes the body once, and has no further event',
    async (when) => {
      let closes = 0;
      const line = '{"type":"ADDED","object":{}}\n';
      const body: AsyncIterable<Uint8Array> = {
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false, value: Buffer.from(line) }),
          return: async () => {
            closes++;
            return { done: true, value: undefined };
          },
        }),
      };
      const stream = new WatchStream<Json>(body, { gvr: PODS, table: false, dropManagedFields: false });
      if (when === 'after an event') expect((await stream.next()).done).toBe(false);
      for (let i = 0; i < 2; i++) expect(await stream.return()).toEqual({ done: true, value: undefined });
      expect([closes, (await stream.next()).done]).toEqual([1, true]);
    },
  );
});
