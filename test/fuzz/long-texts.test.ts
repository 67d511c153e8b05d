import { describe, expect, it } from 'vitest';
import { describeError } from '../../src/cli/terminal/error-text.ts';
import { resolveResourceArgs } from '../../src/client/discovery/resource-args.ts';
import { parseDuration, parseLongDuration } from '../../src/kit/duration.ts';
import { InformerError } from '../../src/kit/error.ts';
import { cellText, continued, neutralised, safeJson } from '../../src/kit/escape.ts';
import { parseJson } from '../../src/kit/exact-json.ts';
import { thrownText } from '../../src/kit/thrown-text.ts';
import { formatDecimal, parseDecimal } from '../../src/model/decimal.ts';
import { addressOf } from '../../src/model/field-path.ts';
import { parseInstant } from '../../src/model/instant.ts';
import { parseQuantity } from '../../src/model/quantity.ts';
import { kindOfEnds } from '../../src/model/range-ends.ts';
import { compareSizes, compareSortedTexts } from '../../src/model/value-order.ts';
import { csvRecord } from '../../src/output/csv.ts';
import { toYaml } from '../../src/output/objects/yaml.ts';
import { cutToWidth, displayWidth } from '../../src/output/tables/display-width.ts';
import { valueText } from '../../src/output/value-text.ts';
import { readingOf } from '../../src/query/answer/reading.ts';
import { PrintedCells } from '../../src/stream/conditions/printed-cells.ts';
import { compile } from '../support/cel.ts';

/** The most that an annotation may have. */
const LENGTH = 256 * 1024;
/**
 * In milliseconds, many times what a busy machine needs. Quadratic time is half a minute or more. A limit of work in
 * CEL ends earlier, but no pattern of the program counts as work.
 */
const GENEROUS = 5_000;

const repeated = (part: string) => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH);
const PARTS = [
  '0',
  '1',
  'a',
  ' ',
  '\n',
  '-',
  '.',
  ':',
  '/',
  ',',
  '"',
  "'",
  '\\',
  '[',
  '{',
  '?',
  '1s',
  '0.',
  'a:1',
  '1 ',
];
const HOSTILE: readonly string[] = [
  ...PARTS.flatMap((part) => [repeated(part), `${repeated(part)}!`, `1${repeated(part)}x`]),
  `0.${repeated('0')}1s`,
  `${repeated('9')}s`,
  `1e${repeated('9')}`,
  `2020-01-01T00:00:00.${repeated('0')}1Z`,
  `2020-01-01T00:00:00.${repeated('10')}`,
  `${repeated('1')} :`,
  `E: ${repeated(', a')}`,
  `EA: ${repeated(", a 'b")}`,
  `error: ${repeated('\nhint: ')}`,
  `Error\n   at file://${repeated('?')}`,
  `Error\n   at file://${repeated('a')}`,
  `::${repeated('1')}.1.1.1`,
  `<${repeated('(')}>`,
];

function errorWith(text: string): Error {
  const error = new Error(text);
  error.stack = `${text}\n    at run (/hooks/a.mjs:1:2)`;
  return error;
}

const cellsOf = (text: string) =>
  new PrintedCells([{ name: 'Took', type: 'string', format: '', priority: 0 }]).variablesFor(
    { metadata: { name: text, creationTimestamp: text } },
    0,
  );

const cel = (source: string) => {
  const program = compile(source);
  return (text: string) => program.test({ object: { text } });
};

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  parseDuration,
  parseLongDuration,
  parseQuantity,
  parseDecimal: (text) => formatDecimal(parseDecimal(text) ?? { digits: 0n, scale: 0 }),
  parseInstant,
  readingOf,
  kindOfEnds: (text) => kindOfEnds([text]),
  compareSizes: (text) => compareSizes(text, `${text}1`),
  compareSortedTexts: (text) => compareSortedTexts(text, `${text}1`),
  parseJson: (text) => parseJson(`[1e999,${text}]`),
  'parseJson of a text': (text) => parseJson(`[1e999,${JSON.stringify(text)}]`),
  addressOf,
  resolveResourceArgs: async (text) => {
    const nothing = { resolve: async () => [], known: async () => [], typeOf: async () => undefined } as never;
    await resolveResourceArgs([text], nothing).catch(() => {});
  },
  neutralised,
  cellText,
  continued,
  safeJson,
  csvRecord: (text) => csvRecord([text]),
  toYaml: (text) => toYaml({ [text]: [text] }),
  displayWidth,
  cutToWidth: (text) => cutToWidth(text, 1000),
  valueText: (text) => valueText(text, 100),
  'a printed cell': (text) => (cellsOf(text) as { TOOK?: unknown; AGE?: unknown }).TOOK,
  'the text of an error': (text) => describeError(errorWith(text)),
  'the text of an error with a cause': (text) =>
    describeError(new InformerError('api', text, { cause: errorWith(text), hint: text })),
  'the text of what a hook threw': (text) => thrownText(errorWith(text)),
  'CEL duration()': cel('duration(object.text) > duration("1s")'),
  'CEL double()': cel('double(object.text) > 1.0'),
  'CEL int()': cel('int(object.text) > 1'),
  'CEL uint()': cel('uint(object.text) > uint(1)'),
  'CEL bool()': cel('bool(object.text)'),
  'CEL timestamp()': cel('timestamp(object.text) > timestamp("2020-01-01T00:00:00Z")'),
  'CEL getHours()': cel('timestamp("2020-01-01T00:00:00Z").getHours(object.text) > 1'),
  'CEL quantity()': cel('quantity(object.text).isGreaterThan(quantity("1"))'),
  'CEL ip()': cel('isIP(object.text) || ip(object.text).family() == 4'),
  'CEL cidr()': cel('isCIDR(object.text) || cidr(object.text).prefixLength() == 4'),
  'CEL trim()': cel('object.text.trim() == "x" || object.text.upperAscii() == object.text.lowerAscii()'),
  'CEL split()': cel('object.text.split("0").size() > object.text.indexOf("00!") + object.text.lastIndexOf("!00")'),
  'CEL replace()': cel('object.text.replace("0", "1") == object.text.reverse()'),
  'CEL format()': cel('object.text.format([1]) == strings.quote(object.text)'),
  'CEL json()': cel('bytes(object.text).json().size() == 1'),
  'CEL matches()': cel('object.text.matches("0+$") || object.text.matches("(a|a)*b")'),
};

describe('a text of 256 KiB is read in linear time', () => {
  it.each(Object.keys(READERS))(
    '%s',
    async (name) => {
      const read = READERS[name] as (text: string) => unknown;
      const slow: string[] = [];
      for (const text of HOSTILE) {
        const begin = performance.now();
        try {
          await read(text);
        } catch (error) {
          expect(error).toBeInstanceOf(Error); // a refusal is a good answer
        }
        const took = performance.now() - begin;
        if (took > GENEROUS) slow.push(`${JSON.stringify(text.slice(0, 30))}… took ${Math.round(took)} ms`);
      }
      expect(slow).toEqual([]);
    },
    600_000,
  );
});
