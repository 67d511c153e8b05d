/** How a quantity was written: `12Mi`, `12M` or `12e6`. Its stored form keeps this. */
type Format = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/**
 * A quantity as a server reads it before it stores it: `unscaled` × 10 to the power of `scale`. Unlike the Quantity of
 * the library it is not capped where a server does not cap it.
 */
export interface ServerQuantity {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: Format;
  /** The text, when a server keeps it as it was written. */
  readonly kept?: string;
}

const WRONG_FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_SUFFIX = "unable to parse quantity's suffix";

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?|[-+])\d*)?$/;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const MOST = 2n ** 63n - 1n;
const NANO = -9;
const MILLI = -3;

/**
 * Reads a quantity as a server does. Returns the server's words for a text that is not a quantity.
 * Source: apimachinery pkg/api/resource/quantity.go ParseQuantity.
 */
export function readServerQuantity(text: string): ServerQuantity | string {
  const trimmed = text.trim();
  const found = FORM.exec(trimmed);
  if (!found || trimmed === '') return WRONG_FORM;
  const [, sign, digits = '', fraction = '', suffix = ''] = found;
  const unit = unitOf(suffix);
  if (!unit) return WRONG_SUFFIX;
  const { format, exponent } = unit;
  const whole = digits.replace(/^0+/, '') || '0';
  const value = BigInt(whole + fraction) * (format === 'BinarySI' ? 2n ** BigInt(exponent) : 1n);
  const scale = (format === 'BinarySI' ? 0 : exponent) - fraction.length;
  const amount = sign === '-' ? -value : value;
  if (isSmall(unit, whole, fraction) && scale >= NANO && value <= MOST) {
    const kept = isCanonical(unit, whole + fraction, scale) ? { kept: trimmed } : {};
    return { unscaled: amount, scale, format, ...kept };
  }
  return limited({ unscaled: amount, scale, format });
}

interface Unit {
  readonly format: Format;
  /** Of 2 for a binary unit, else of 10. */
  readonly exponent: number;
}

function unitOf(suffix: string): Unit | undefined {
  const decimal = DECIMAL.indexOf(suffix);
  if (decimal >= 0) return { format: 'DecimalSI', exponent: 3 * decimal + NANO };
  const binary = BINARY.indexOf(suffix);
  if (binary > 0) return { format: 'BinarySI', exponent: 10 * binary };
  const power = /^[eE]([+-]?\d{1,9})$/.exec(suffix)?.[1];
  return power === undefined ? undefined : { format: 'DecimalExponent', exponent: Number(power) };
}

/** Whether a server reads the number without arbitrary precision. Only then may it keep the text. */
function isSmall({ format, exponent }: Unit, whole: string, fraction: string): boolean {
  if (format !== 'BinarySI') return whole.length + fraction.length <= 18;
  return fraction === '' && 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 >= 0;
}

function isCanonical({ format }: Unit, digits: string, scale: number): boolean {
  if (format === 'BinarySI') return (BigInt(digits) & 7n) !== 0n;
  return scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

/** A quantity within the limits of a server: no part below a nano, which is rounded away from zero, none above int64. */
function limited(quantity: ServerQuantity): ServerQuantity {
  const { unscaled, scale, format } = scaledUp(quantity, NANO);
  if (format !== 'BinarySI') return { unscaled, scale, format };
  const one = scale < 0 ? 10n ** BigInt(-scale) : 1n;
  if (magnitude(unscaled) > MOST * one) return { unscaled: unscaled < 0n ? -MOST : MOST, scale: 0, format };
  const isFraction = magnitude(unscaled) < one && unscaled !== 0n;
  return { unscaled, scale, format: isFraction ? 'DecimalSI' : format };
}

/** A quantity without parts below a power of ten. It is rounded away from zero. */
function scaledUp(quantity: ServerQuantity, scale: number): ServerQuantity {
  if (quantity.scale >= scale) return quantity;
  const { unscaled, format } = quantity;
  const steps = Math.min(scale - quantity.scale, String(unscaled).length);
  const divisor = 10n ** BigInt(steps);
  const rest = unscaled % divisor;
  const step = rest === 0n ? 0n : unscaled < 0n ? -1n : 1n;
  return { unscaled: unscaled / divisor + step, scale, format };
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Less than 0, 0, or more than 0, as the first quantity is less than, equal to, or more than the second. */
export function compareServerQuantities(a: ServerQuantity, b: ServerQuantity): number {
  const sign = signOf(a) - signOf(b);
  if (sign !== 0 || a.unscaled === 0n) return sign;
  const size = (orderOf(a) - orderOf(b)) * signOf(a);
  if (size !== 0) return size;
  const scale = Math.min(a.scale, b.scale);
  const at = ({ unscaled, scale: own }: ServerQuantity) => unscaled * 10n ** BigInt(own - scale);
  const [x, y] = [at(a), at(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function signOf({ unscaled }: ServerQuantity): number {
  return unscaled < 0n ? -1 : unscaled > 0n ? 1 : 0;
}

/** The number of digits before the point; negative when the first digit comes later. */
function orderOf({ unscaled, scale }: ServerQuantity): number {
  return String(magnitude(unscaled)).length + scale;
}

/** Source: apimachinery pkg/api/resource/quantity.go CanonicalizeBytes. */
function canonicalText(quantity: ServerQuantity): string {
  const { unscaled, scale, format, kept } = quantity;
  if (kept !== undefined) return kept;
  if (unscaled === 0n) return '0';
  const whole = format === 'BinarySI' ? scaledUp(quantity, 0) : undefined;
  if (whole && magnitude(whole.unscaled) >= 1024n && compareServerQuantities(whole, quantity) === 0) {
    const { rest, times } = withoutFactors(whole.unscaled, 1024n);
    return `${rest}${BINARY[times] ?? ''}`;
  }
  const { rest, times } = withoutFactors(unscaled, 10n);
  const exponent = scale + times;
  const more = ((exponent % 3) + 3) % 3;
  const power = exponent - more;
  const digits = rest * 10n ** BigInt(more);
  if (format === 'DecimalExponent') return `${digits}${power === 0 ? '' : `e${power}`}`;
  return `${digits}${DECIMAL[(power - NANO) / 3] ?? ''}`;
}

function withoutFactors(value: bigint, factor: bigint): { readonly rest: bigint; readonly times: number } {
  let [rest, times] = [value, 0];
  for (; magnitude(rest) >= factor && rest % factor === 0n; times++) rest /= factor;
  return { rest, times };
}

/** The stored texts of quantities, by how they were written. Most objects have the same few. */
const texts = { exact: new Map<string, string>(), milli: new Map<string, string>() };
const REMEMBERED = 2_000;

/**
 * A quantity as a server stores it: `500m` for `0.5`, `1536Mi` for `1.5Gi`. With `milli`, parts below a thousandth are
 * rounded up, as in lists of resources. A value that is no quantity is returned as it is.
 */
export function storedQuantity(value: unknown, { milli }: { readonly milli: boolean }): unknown {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return value;
  const text = String(value);
  const known = texts[milli ? 'milli' : 'exact'];
  const stored = known.get(text);
  if (stored !== undefined) return stored;
  const quantity = readServerQuantity(text);
  if (typeof quantity === 'string') return value;
  const made = canonicalText(milli ? scaledUp(quantity, MILLI) : quantity);
  if (known.size >= REMEMBERED) known.clear();
  if (text.length <= 64) known.set(text, made);
  return made;
}
