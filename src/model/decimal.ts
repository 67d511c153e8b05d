import { withoutEnd } from '../kit/without-end.ts';

/** An exact decimal number: `digits` divided by ten to the power of `scale`, which is not negative. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };

const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,5}))?$/;

/** The largest power of ten that is read. A double has 308 at most. */
const MOST_POWER = 6000;

/** Reads a decimal number, every digit of it; undefined for other text, and beyond ten to the power of 6000. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = SHAPE.exec(text) ?? [];
  const written = whole + fraction;
  if (written === '' || sign === undefined) return undefined;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > MOST_POWER) return undefined;
  const digits = BigInt(written) * (sign === '-' ? -1n : 1n);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: digitsAt(a, scale) + digitsAt(b, scale), scale };
}

/** Negative, 0 or positive, as `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const [x, y] = [digitsAt(a, scale), digitsAt(b, scale)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** `a` divided by a positive whole number, rounded to `scale` digits behind the point, a half away from zero. */
export function divideDecimal(a: Decimal, by: bigint, scale: number): Decimal {
  const divisor = by * 10n ** BigInt(a.scale);
  const dividend = a.digits * 10n ** BigInt(scale);
  const [whole, rest] = [dividend / divisor, dividend % divisor];
  const isUp = 2n * (rest < 0n ? -rest : rest) >= divisor;
  return { digits: isUp ? whole + (dividend < 0n ? -1n : 1n) : whole, scale };
}

/** Rounded to `scale` digits behind the point; the number itself where it has no more. */
export const roundDecimal = (a: Decimal, scale: number): Decimal =>
  a.scale <= scale ? a : divideDecimal(a, 1n, scale);

/** Every digit, without an exponent and without zeros at the end of a fraction: `0.3`, `-12`. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = withoutEnd(text.slice(text.length - scale), '0');
  return `${digits < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The number times ten to the power of `scale`, where that is whole and `scale` is not less than its own. */
const digitsAt = (a: Decimal, scale: number): bigint => a.digits * 10n ** BigInt(scale - a.scale);
