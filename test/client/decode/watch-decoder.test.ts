import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WatchDecoder } from '../../../src/client/decode/watch-decoder.ts';
import { OversizedError } from '../../../src/client/http/limits.ts';
import { isInformerError } from '../../../src/kit/error.ts';
import { parseJson } from '../../../src/kit/exact-json.ts';
import { UnreadableObject } from '../../../src/model/unreadable.ts';
import { cut } from '../../support/scripted-bytes.ts';

const event = fc.record({
  type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR', 'FOO'),
  object: fc.dictionary(fc.string(), fc.jsonValue()),
});

function decode(text: string, lengths: readonly number[]) {
  const decoder = new WatchDecoder<unknown>();
  return [...cut(text, lengths).map((chunk) => decoder.push(chunk)), decoder.finish()];
}

describe('WatchDecoder', () => {
  it('gives the same events for any chunks, and loses none', () => {
    fc.assert(
      fc.property(
        fc.array(event),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
        fc.constantFrom('\n', '\r\n', '\n\n'),
        (events, lengths, end) => {
          const text = events.map((e) => JSON.stringify(e) + end).join('');
          expect(decode(text, lengths).flat()).toEqual(parseJson(JSON.stringify(events)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('gives one batch for each chunk', () => {
    const decoder = new WatchDecoder();
    const line = (n: number) => `{"type":"ADDED","object":{"n":${n}}}\n`;
    expect(decoder.push(Buffer.from(line(1) + line(2) + line(3).slice(0, 10)))).toHaveLength(2);
    expect(decoder.push(Buffer.from(line(3).slice(10)))).toHaveLength(1);
    expect(decoder.push(Buffer.from('\n'))).toEqual([]);
  });

  it.each(['', '\r', ' \t\r', ' '.repeat(100)])('leaves out a blank line, also as the last one: %j', (blank) => {
    const line = '{"type":"ADDED","object":{}}';
    expect(decode(`${blank}\n${line}\n${blank}\n${line}\n${blank}`, [7]).flat()).toHaveLength(2);
  });

  it.each(['null', '1', '"text"', '[]', '{}', '{"type":"ADDED","object":null}', '{"type":1,"object":{}}'])(
    'refuses a line that is JSON and no watch event: %s',
    (text) => {
      expect(() => decode(`${text}\n`, [100])).toThrow('the line is not a watch event');
    },
  );

  it('counts the lines that are left out', () => {
    const decoder = new WatchDecoder({ leavesOut: (line) => line.includes('"b"') });
    expect(decoder.leftOut).toBe(0);
    const line = (name: string) => `{"type":"ADDED","object":{"name":"${name}"}}\n`;
    expect(decoder.push(Buffer.from(line('a') + line('b') + line('b')))).toHaveLength(1);
    expect(decoder.leftOut).toBe(2);
  });

  it('passes on unknown types to the reflector', () => {
    expect(decode('{"type":"FOO","object":{}}\n', [100]).flat()).toEqual([{ type: 'FOO', object: {} }]);
  });

  it('gives the events before a line that cannot be decoded, then says that it has failed, and throws', () => {
    const decoder = new WatchDecoder();
    expect(decoder.push(Buffer.from('{"type":"ADDED","object":{}}\n'))).toHaveLength(1);
    expect(decoder.hasFailed).toBe(false);
    expect(decoder.push(Buffer.from('{"type":"ADDED","object":{}}\nno\n'))).toHaveLength(1);
    expect(decoder.hasFailed).toBe(true);
    for (const call of [() => decoder.push(Buffer.from('\n')), () => decoder.finish()])
      expect(call).toThrow('broken JSON');
  });

  it('accepts a whole last line without its newline', () => {
    expect(decode('{"type":"ADDED","object":{}}', [7]).flat()).toHaveLength(1);
  });

  const good = '{"type":"ADDED","object":{}}\n';
  it.each([
    ['a line that is not JSON', `${good}${good}nonsense\n${good}`, 2 * good.length],
    ['a line that is no event', `{"kind":"Status"}\n`, 0],
    ['an event without an object', `${good}{"type":"ADDED","object":null}\n`, good.length],
  ])('throws on %s and names its byte', (_, text, offset) => {
    for (const length of [1, 5, 1000]) {
      try {
        decode(text, [length]);
        expect.unreachable();
      } catch (error) {
        expect(isInformerError(error, 'decode')).toBe(true);
        expect((error as Error).message).toContain(`at byte ${offset} `);
      }
    }
  });

  it.each([1, 5, 1000])('calls a last line that was cut off a broken connection, in chunks of %s bytes', (length) => {
    const cause = expect.objectContaining({ code: 'decode' });
    expect(() => decode(`${good}{"type":"ADDED","obj`, [length])).toThrow(
      expect.objectContaining({
        code: 'transport',
        message: expect.stringContaining(`20 bytes of it came, from byte ${good.length} `),
        cause,
      }),
    );
  });

  it('reports a whole last line that is not an event', () => {
    expect(() => decode('{"kind":"Status"}', [100])).toThrow(expect.objectContaining({ code: 'decode' }));
  });
});

describe('a line beyond the limit', () => {
  const limit = 100;
  const text = (length: number, type = 'MODIFIED', name = '"name":"a","namespace":"n",') => {
    const head = `{"type":"${type}","object":{"metadata":{${name}"uid":"u","resourceVersion":"7"},"x":"`;
    return `${head}${'x'.repeat(length - head.length - 3)}"}}`;
  };
  const next = '{"type":"ADDED","object":{}}';

  function decodeLimited(body: string, length: number, mostSkipped = 1000) {
    const decoder = new WatchDecoder<unknown>({ limit, mostSkipped });
    return [...cut(body, [length]).map((chunk) => decoder.push(chunk)), decoder.finish()].flat();
  }

  it.each([1, 7, 1000])(
    'becomes an event with its metadata, and the next line is decoded, in chunks of %s bytes',
    (size) => {
      for (const type of ['ADDED', 'MODIFIED', 'DELETED']) {
        const [event, ...rest] = decodeLimited(`${text(150, type)}\n${next}\n`, size);
        expect(event?.type).toBe(type);
        expect(event?.object).toBeInstanceOf(UnreadableObject);
        expect(event?.object).toMatchObject({
          metadata: {
            name: 'a',
            namespace: 'n',
            uid: 'u',
            resourceVersion: '7',
          },
        });
        expect(rest).toEqual([{ type: 'ADDED', object: {} }]);
      }
    },
  );

  it.each([1, limit, 1000])('is one that is longer than it, not one that reaches it, in chunks of %s bytes', (size) => {
    const exact = text(limit, 'ADDED', '');
    expect(exact).toHaveLength(limit);
    expect(decodeLimited(`${exact}\n`, size)).toEqual([JSON.parse(exact)]);
    const [longer] = decodeLimited(`${text(limit + 1, 'ADDED', '')}\n`, size);
    expect(longer?.object).toBeInstanceOf(UnreadableObject);
  });

  it.each([1, 7])('is skipped for mostSkipped bytes, and no further, in chunks of %s bytes', (size) => {
    const within = text(limit + 50);
    expect(decodeLimited(`${within}\n`, size, 50)).toHaveLength(1);
    expect(() => decodeLimited(`${text(limit + 50 + size)}\n`, size, 50)).toThrow(OversizedError);
  });

  it.each(['BOOKMARK', 'ERROR', 'FOO'])('is an error if its type is %s', (type) => {
    for (const size of [1, 1000]) {
      expect(() => decodeLimited(`${text(150, type)}\n`, size)).toThrow(OversizedError);
    }
  });

  it('names the object, as far as its first bytes show it', () => {
    const [{ object } = {}] = decodeLimited(`${text(150)}\n`, 1000);
    expect((object as UnreadableObject).error.message).toContain('a line of the watch about "n/a"');
    const [{ object: nameless } = {}] = decodeLimited(`${text(150, 'ADDED', '')}\n`, 1000);
    expect((nameless as UnreadableObject).error.message).not.toContain('about');
  });

  it('shows its type, name and version in its first 64 KiB, or not at all', () => {
    const line = (before: number) => `{"x":"${'x'.repeat(before)}",${text(150).slice(1)}\n`;
    const shown = (before: number) => decodeLimited(line(before), 100_000, 100_000)[0] as { object: UnreadableObject };
    const untilEndOf = (part: string) => 64 * 1024 - line(0).indexOf(part) - part.length;
    const whole = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7' };
    expect(shown(untilEndOf('"7"')).object.metadata).toEqual(whole);
    const { resourceVersion: _, ...rest } = whole;
    expect(shown(untilEndOf('"7"') + 1).object.metadata).toEqual(rest);
    expect(shown(untilEndOf('"MODIFIED"')).object.metadata).toEqual({});
    expect(() => shown(untilEndOf('"MODIFIED"') + 1)).toThrow(OversizedError);
  });

  it.each([1, 7, 1000])('that has no end is a stream that was cut, in chunks of %s bytes', (size) => {
    expect(() => decodeLimited(`${next}\n${text(150)}`, size)).toThrow(
      expect.objectContaining({
        code: 'transport',
        message: expect.stringContaining(`150 bytes of it came, from byte ${next.length + 1} `),
      }),
    );
  });
});
