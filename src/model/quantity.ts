/** The family of suffixes that a quantity was written with. It is printed with the same family. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/**
 * A Kubernetes quantity (`500m`, `1.5Gi`, `2e3`), exact to a billionth, the finest step of the API. Source:
 * apimachinery api/resource quantity.go and suffix.go.
 */
export class Quantity {
  /** The value in billionths. */
  readonly nano: bigint;
  readonly format: QuantityFormat;

  constructor(nano: bigint, format: QuantityFormat) {
    this.nano = nano;
    this.format = format;
  }

  get isInteger(): boolean {
    return this.nano % NANO === 0n;
  }

  /** The nearest number; exact up to 2^53. */
  toNumber(): number {
    return this.isInteger ? Number(this.nano / NANO) : Number(this.nano) / 1e9;
  }

  /** The text that Kubernetes writes: a whole number with the largest possible suffix. */
  toString(): string {
    if (this.nano === 0n) return '0';
    if (this.format === 'BinarySI' && this.isInteger) {
      const value = this.nano / NANO;
      const unit = BINARY.findLast(({ size }) => value % size === 0n);
      if (unit) return `${value / unit.size}${unit.suffix}`;
    }
    const step = DECIMAL.findLast(({ nano }) => this.nano % nano === 0n) ?? SMALLEST;
    const suffix = this.format === 'DecimalExponent' && step.exponent !== 0 ? `e${step.exponent}` : step.suffix;
    return `${this.nano / step.nano}${suffix}`;
  }
}

/** Billionths in one. */
export const NANO = 1_000_000_000n;

const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].map((suffix, i) => ({
  suffix,
  nano: 1000n ** BigInt(i),
  exponent: 3 * i - 9,
}));
const SMALLEST = { suffix: 'n', nano: 1n, exponent: -9 };
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((suffix, i) => ({ suffix, size: 1024n ** BigInt(i) }));

/** The largest value of the API is 2^63-1. */
const MOST = (2n ** 63n - 1n) * NANO;

const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+|[numkMGTPE]|)$/;

/**
 * Parses a quantity; undefined when the text is not one. As in the API server, digits finer than a billionth are
 * rounded away from zero, and a value above 2^63-1 becomes 2^63-1.
 */
export function parseQuantity(text: string): Quantity | undefined {
  const found = SHAPE.exec(text);
  if (!found) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = found;
  if (whole === '' && fraction === '') return undefined;
  const nano = sizeOf(whole + fraction, fraction.length, suffix);
  return new Quantity(sign === '-' ? -nano : nano, formatOf(suffix));
}

/** Negative, 0 or positive, as `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

function formatOf(suffix: string): QuantityFormat {
  if (suffix.endsWith('i')) return 'BinarySI';
  return suffix.length > 1 ? 'DecimalExponent' : 'DecimalSI';
}

function sizeOf(digits: string, decimals: number, suffix: string): bigint {
  const value = BigInt(digits);
  if (value === 0n) return 0n;
  const binary = suffix.endsWith('i') ? BINARY.find((unit) => unit.suffix === suffix) : undefined;
  if (binary) return capped(scaled(value * binary.size, 9 - decimals));
  const exponent =
    suffix.length > 1 ? Number(suffix.slice(1)) : (DECIMAL.find((unit) => unit.suffix === suffix)?.exponent ?? 0);
  const scale = exponent + 9 - decimals;
  if (digits.length + scale > 40) return MOST;
  if (digits.length + scale < 0) return 1n;
  return capped(scaled(value, scale));
}

/** `value` times a power of ten, rounded up. */
function scaled(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (value + divisor - 1n) / divisor;
}

const capped = (nano: bigint) => (nano > MOST ? MOST : nano);
