import { describe, expect, it } from 'vitest';
import { copyOf } from '../../src/kit/copy-of.ts';
import { HugeNumber, hasLargeNumber, isJsonMap, jsonText, parseJson, parseManyJson } from '../../src/kit/exact-json.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { sameValue } from '../../src/kit/same-value.ts';

const random = seededRandom(20);
const upTo = (n: number) => Math.floor(random() * n);
const digits = (n: number) => Array.from({ length: n }, (_, i) => (i === 0 ? 1 + upTo(9) : upTo(10))).join('');
const sign = () => (upTo(3) === 0 ? '-' : '');

/** A whole number of up to 40 digits, or one that is too large for a double: their texts must stay. */
const exactLiteral = () =>
  upTo(8) === 0
    ? `${sign()}${digits(1 + upTo(5))}${upTo(2) ? '.5' : ''}${upTo(2) ? 'e' : 'E'}${upTo(2) ? '+' : ''}${400 + upTo(9000)}`
    : sign() + digits(1 + upTo(40));
const text = () =>
  JSON.stringify(
    Array.from(
      { length: upTo(30) },
      () =>
        ['e', '1', '\\', '"', ':1e400,', '9007199254740993', 'é', '\x7f', '{', 'k":9007199254740993', ':'][upTo(11)],
    ).join(''),
  );

function value(depth: number): string {
  const kind = upTo(depth > 4 ? 3 : 5);
  if (kind === 0) return text();
  if (kind <= 2) return exactLiteral();
  const space = upTo(2) ? '' : ' ';
  const parts = Array.from({ length: upTo(5) }, (_, i) =>
    kind === 3 ? value(depth + 1) : `"k${i}${['', ':', ',', '{', '\\"', 'ü'][upTo(6)]}":${space}${value(depth + 1)}`,
  );
  return kind === 3 ? `[${space}${parts.join(`,${space}`)}]` : `{${parts.join(`,${space}`)}}`;
}

const withoutSpaces = (json: string) => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, quoted?: string) => quoted ?? '');

describe('JSON with exact numbers', () => {
  it('gives every text back unchanged, with any numbers', () => {
    for (let i = 0; i < 3_000; i++) {
      const json = `{"a":${value(0)},"b":[${value(0)}]}`;
      const read = parseJson(json);
      expect(jsonText(read)).toBe(withoutSpaces(json));
      expect(JSON.stringify(read)).toBe(withoutSpaces(json));
      expect(jsonText(copyOf(read))).toBe(withoutSpaces(json));
      expect(JSON.stringify(copyOf(read))).toBe(withoutSpaces(json));
      expect(sameValue(read, parseJson(json))).toBe(true);
    }
  });

  it.each(['', ' ', 'x', '"xy": 1, ', '"abc":[', '"a":"", '])(
    'finds a large number in every place (after %j)',
    (lead) => {
      for (const number of [
        '9007199254740993',
        '-9007199254740993',
        '1E400',
        '1e400',
        '-1.5e400',
        '1e+400',
        '12e0400',
        `1${'0'.repeat(400)}`,
      ])
        for (let shift = 0; shift < 12; shift++)
          expect([number, shift, hasLargeNumber(`${' '.repeat(shift)}{${lead}"n":${number}}`)]).toEqual([
            number,
            shift,
            true,
          ]);
    },
  );

  it('ignores hashes, times and numbers in texts', () => {
    const json =
      '{"uid":"d48205e4-98e5-1e4007219-a2ab","sha":"9007199254740993abc1e400","t":"2026-01-01T00:00:00.000000000Z","n":123456789,"f":1.5e10}';
    expect(hasLargeNumber(json)).toBe(false);
  });

  it.each([
    ['a time in nanoseconds', 'sent 1732459000123456789 ns'],
    ['a list of a log line', 'at 17, 1732459000123456789, end'],
    ['JSON in a text', '{\\"at\\":1732459000123456789,\\"list\\":[1732459000123456789]}'],
    ['a key that ends like the place of a number', ':1732459000123456789,'],
    ['a digest', 'sha256:0000000000000000000000000000000000000000'],
    ['an exponent', 'from 1e400 to 12e4000,'],
  ])('is no search for %s within a string', (_, text) => {
    const json = `{"a":"${text}","b":[1,"${text}"]}`;
    expect(hasLargeNumber(json)).toBe(false);
    expect(parseManyJson(Buffer.from(json), json)).toEqual(JSON.parse(json));
    const large = `{"${text}":1732459000123456789,"a":"${text}","b":["${text}",1732459000123456789]}`;
    const read = parseManyJson(Buffer.from(large), large);
    expect(read).toEqual(parseJson(large));
    expect(jsonText(read)).toBe(large);
  });

  it.each([
    '\\u007f',
    '\\u007f0',
    '\\u007F0',
    '\\\\\\u007F0',
    '\x7f\\u007f\x7f0',
    '\x7f0',
    '\x7f\x7f1',
    ':1732459000123456789',
  ])('keeps the text "%s" beside a large number', (text) => {
    const json = `{"a":"${text}","b":1732459000123456789}`;
    const read = { a: JSON.parse(`"${text}"`), b: 1732459000123456789n };
    expect(parseJson(json)).toMatchObject(read);
    expect(parseManyJson(Buffer.from(json), json)).toMatchObject(read);
  });

  it('finds a number behind a key that ends with a backslash', () => {
    const json = '{"\\\\":1732459000123456789}';
    expect(parseJson(json)).toMatchObject({ '\\': 1732459000123456789n });
    expect(jsonText(parseManyJson(Buffer.from(json), json))).toBe(json);
  });

  it.each([
    ['digits', '1'.repeat(300_000)],
    ['lists of numbers', '1234567890123456,'.repeat(20_000)],
    ['numbers behind colons', '\\":1234567890123456,'.repeat(20_000)],
    ['blanks between numbers', `${' '.repeat(300)}1234567890123456`.repeat(1_000)],
    ['marks', '\x7f-\x7f\x7f'.repeat(100_000)],
    ['fractions, and no text', '1.1234567890123456789,'.repeat(100_000)],
  ])('takes linear time for a text of %s', (name, text) => {
    const numbers = `"b":[${text.startsWith('1') && text.includes(',') ? `${text}0` : '1'}]`;
    const json = name.endsWith('no text') ? `{${numbers}}` : `{"a":"${text}",${numbers}}`;
    const bytes = Buffer.from(json);
    const timeOf = (run: () => unknown) => {
      const samples = Array.from({ length: 5 }, () => {
        const start = process.cpuUsage();
        run();
        return process.cpuUsage(start).user;
      });
      return Math.min(...samples);
    };
    const limit = 10 * timeOf(() => JSON.parse(json)) + 300_000; // microseconds; in quadratic time several seconds
    expect(timeOf(() => parseManyJson(bytes, json))).toBeLessThan(limit);
    expect(timeOf(() => hasLargeNumber(json))).toBeLessThan(limit);
  });

  it('keeps numbers that fit into a double as numbers, larger whole ones as bigints, and others as their text', () => {
    expect(parseJson('[9007199254740991,1.0,-0,1e-7,1e21,0.1234567890123456789]')).toEqual([
      9007199254740991, 1, -0, 1e-7, 1e21, 0.12345678901234568,
    ]);
    expect(parseJson('[9007199254740992,-9223372036854775808]')).toEqual([9007199254740992n, -9223372036854775808n]);
    expect(parseJson('1E400')).toEqual(new HugeNumber('1E400'));
    expect(`${parseJson('1E400')} ${(parseJson('-1E400') as number) < 0}`).toBe('1E400 true');
  });

  it('refuses invalid JSON as JSON.parse does, with and without large numbers', () => {
    for (const broken of [
      '{"a":09007199254740993}',
      '[9007199254740993',
      '{"a":9007199254740993,}',
      '[9007199254740993.]',
      '{9007199254740993:1}',
      '{"a":01}',
      '[1',
      '{"a":1,}',
      '',
    ]) {
      expect(() => JSON.parse(broken)).toThrow(SyntaxError);
      expect(() => parseJson(broken)).toThrow(SyntaxError);
    }
  });

  it('reads and compares an object nested 50,000 deep with such a number at its bottom', () => {
    const deep = `${'{"a":'.repeat(50_000)}9007199254740993${'}'.repeat(50_000)}`;
    const other = deep.replace('993', '995');
    expect(sameValue(parseJson(deep), parseJson(deep))).toBe(true);
    expect(sameValue(parseJson(deep), copyOf(parseJson(deep)))).toBe(true);
    expect(sameValue(parseJson(deep), parseJson(other))).toBe(false);
  });

  it('lets structuredClone keep whole numbers, and refuse other large ones', () => {
    expect(jsonText(structuredClone(parseJson('{"a":[9007199254740993]}')))).toBe('{"a":[9007199254740993]}');
    expect(() => structuredClone(parseJson('{"a":1E400}'))).toThrow(/could not be cloned/);
  });
});

it('a map of JSON is no list, no null and no number that is kept as text', () => {
  const values = parseJson('[{}, {"a": 1}, [], null, "a", 1, 1e400]') as unknown[];
  expect(values.map(isJsonMap)).toEqual([true, true, false, false, false, false, false]);
});
