import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WatchDecoder } from '../../../src/client/decode/watch-decoder.ts';
import { isInformerError } from '../../../src/kit/error.ts';
import { parseJson } from '../../../src/kit/exact-json.ts';
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

  it.each(['null', '1', '"text"', '[]', '{}', '{"type":"ADDED","object":null}', '{"type":1,"object":{}}'])(
    'refuses a line that is JSON and no watch event: %s',
    (text) => {
      expect(() => decode(`${text}\n`, [100])).toThrow('the line is not a watch event');
    },
  );

  it('passes on unknown types to the reflector', () => {
    expect(decode('{"type":"FOO","object":{}}\n', [100]).flat()).toEqual([{ type: 'FOO', object: {} }]);
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
