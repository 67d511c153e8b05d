import assert from 'node:assert/strict';
import fc from 'fast-check';
import { humanDuration, parseDuration, parseLongDuration } from '../../../src/kit/duration.ts';
import { compareDecimals, formatDecimal, parseDecimal } from '../../../src/model/decimal.ts';
import { compareQuantities, parseQuantity } from '../../../src/model/quantity.ts';
import { readingOf } from '../../../src/query/answer/reading.ts';
import { numberText, oddText, wholeNumberText } from '../inputs.ts';
import { outcomeOf } from '../outcome.ts';
import { fuzzTarget } from '../target.ts';

/** A fraction, which is never rounded. */
interface Exact {
  readonly over: bigint;
  readonly under: bigint;
}

const times = (a: Exact, b: Exact): Exact => ({ over: a.over * b.over, under: a.under * b.under });

/** A decimal number without an exponent, as a fraction. */
function fractionOf(text: string): Exact {
  const [, sign, whole = '', rest = ''] = /^([+-]?)(\d*)\.?(\d*)$/.exec(text) ?? [];
  const over = BigInt(`${whole}${rest}` || '0');
  return { over: sign === '-' ? -over : over, under: 10n ** BigInt(rest.length) };
}

const digits = fc.oneof(fc.stringMatching(/^\d{0,4}$/), wholeNumberText);
const decimal = fc
  .tuple(fc.constantFrom('', '', '-', '+'), digits, fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{0,14}$/)))
  .map((parts) => parts.join(''));

const SUFFIXES = [
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'Ei',
  'e3',
  'E-6',
  'K',
];
const quantity = fc.tuple(decimal, fc.constantFrom(...SUFFIXES)).map((parts) => parts.join(''));
const MOST = (2n ** 63n - 1n) * 10n ** 9n;

/** The value in billionths, rounded away from zero and limited to 64 bits; undefined if the text is no quantity. */
function billionths(text: string): bigint | undefined {
  const found = /^([+-]?(?:\d+\.?\d*|\.\d+))([A-Za-z]*|[eE][+-]?\d+)$/.exec(text);
  if (!found) return undefined;
  const unit = unitOf(found[2] as string);
  if (!unit) return undefined;
  const { over, under } = times(fractionOf(found[1] as string), times(unit, { over: 10n ** 9n, under: 1n }));
  const size = over < 0n ? -over : over;
  const rounded = (size + under - 1n) / under;
  const limited = rounded > MOST ? MOST : rounded;
  return over < 0n ? -limited : limited;
}

function unitOf(suffix: string): Exact | undefined {
  const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].indexOf(suffix);
  if (binary >= 0) return { over: 2n ** BigInt(10 * binary), under: 1n };
  const small = ['', 'm', 'u', 'n'].indexOf(suffix);
  if (small > 0) return { over: 1n, under: 1000n ** BigInt(small) };
  const large = ['', 'k', 'M', 'G', 'T', 'P', 'E'].indexOf(suffix);
  if (large > 0) return { over: 1000n ** BigInt(large), under: 1n };
  const power = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
  if (power === undefined) return undefined;
  const size = 10n ** BigInt(Math.abs(Number(power)));
  return Number(power) < 0 ? { over: 1n, under: size } : { over: size, under: 1n };
}

export const quantities = fuzzTarget({
  name: 'quantities',
  inputs: fc.tuple(fc.oneof(quantity, quantity, oddText), quantity),
  check: ([text, other]) => {
    const [found, second] = [parseQuantity(text), parseQuantity(other)];
    assert.equal(found?.nano, billionths(text));
    outcomeOf(() => readingOf(text));
    if (!found) return;
    assert.equal(parseQuantity(String(found))?.nano, found.nano);
    assert.equal(typeof found.toNumber(), 'number');
    if (!second) return;
    const order = found.nano === second.nano ? 0 : found.nano < second.nano ? -1 : 1;
    assert.equal(Math.sign(compareQuantities(found, second)), order);
  },
});

export const decimals = fuzzTarget({
  name: 'decimals',
  inputs: fc.tuple(fc.oneof(numberText, decimal, oddText), fc.oneof(numberText, decimal)),
  check: ([text, other]) => {
    const [a, b] = [parseDecimal(text), parseDecimal(other)];
    if (!a) return;
    const again = parseDecimal(formatDecimal(a));
    assert.ok(again);
    assert.equal(compareDecimals(a, again), 0);
    assert.ok(Number(formatDecimal(a)) === Number(text));
    if (b) assert.equal(Math.sign(compareDecimals(a, b)), -Math.sign(compareDecimals(b, a)) + 0);
  },
});

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const part = fc.tuple(decimal, fc.constantFrom(...Object.keys(UNITS), 'd', 'y', 'S')).map((parts) => parts.join(''));
const duration = fc
  .tuple(fc.constantFrom('', '-', '+'), fc.array(part, { maxLength: 3 }))
  .map(([sign, parts]) => sign + parts.join(''));

/** A Go duration in nanoseconds as a fraction; undefined if it is none. */
function nanoseconds(text: string): Exact | undefined {
  const [, sign, body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === '0') return { over: 0n, under: 1n };
  const parts = [...body.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)];
  if (body === '' || parts.map(([whole]) => whole).join('') !== body) return undefined;
  const sum = parts.reduce<Exact>(
    (total, [, number = '', unit = '']) => {
      const { over, under } = times(fractionOf(number), { over: UNITS[unit] as bigint, under: 1n });
      return { over: total.over * under + over * total.under, under: total.under * under };
    },
    { over: 0n, under: 1n },
  );
  return sign === '-' ? { over: -sum.over, under: sum.under } : sum;
}

export const durations = fuzzTarget({
  name: 'durations',
  inputs: fc.oneof(duration, duration, oddText),
  check: (text) => {
    const outcome = outcomeOf(() => parseDuration(text));
    const expected = nanoseconds(text);
    const ofLimit = expected && Number(expected.over / expected.under) / 2 ** 63;
    if (!expected || Math.abs(ofLimit ?? 0) > 1 + 1e-9)
      assert.ok('error' in outcome, 'a text that is no Go duration was accepted');
    else if (Math.abs(ofLimit ?? 0) < 1 - 1e-9) {
      assert.ok('value' in outcome, 'a Go duration was refused');
      const ms = Number((expected.over * 1000n) / (expected.under * 1_000_000n)) / 1000;
      assert.ok(Math.abs(outcome.value - ms) <= 0.001 + Math.abs(ms) * 1e-12, `${outcome.value} ms, and not ${ms}`);
    }
    const long = outcomeOf(() => parseLongDuration(text));
    if ('error' in long) return;
    assert.ok(Number.isFinite(long.value), 'a duration is not finite');
    assert.match(humanDuration(long.value), /^(<invalid>|(\d+[ydhms]){1,2})$/);
    outcomeOf(() => readingOf(text));
  },
});
