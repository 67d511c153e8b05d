import { type Decimal, divideDecimal, formatDecimal, roundDecimal } from '../../model/decimal.ts';

/** The kinds of suffixes that the values of one column were written with. */
export interface SizeStyle {
  /** Ki, Mi, Gi … */
  readonly binary: boolean;
  /** k, M, G … or an exponent. */
  readonly large: boolean;
  /** n, u, m. */
  readonly small: boolean;
}

interface Unit {
  readonly suffix: string;
  /** Its size in billionths. */
  readonly nano: bigint;
}

const NANO = 1_000_000_000n;
const SMALL: readonly Unit[] = [
  { suffix: '', nano: NANO },
  { suffix: 'm', nano: 1_000_000n },
  { suffix: 'u', nano: 1000n },
  { suffix: 'n', nano: 1n },
];
const LARGE: readonly Unit[] = ['E', 'P', 'T', 'G', 'M', 'k'].map((suffix, i) => ({
  suffix,
  nano: NANO * 1000n ** BigInt(6 - i),
}));
const BINARY: readonly Unit[] = ['Ei', 'Pi', 'Ti', 'Gi', 'Mi', 'Ki'].map((suffix, i) => ({
  suffix,
  nano: NANO * 1024n ** BigInt(6 - i),
}));

/** The units of a style, the largest first. */
const unitsOf = ({ binary, large }: SizeStyle): readonly Unit[] =>
  binary ? [...BINARY, ...SMALL] : large ? [...LARGE, ...SMALL] : SMALL;

/**
 * A size in every digit, as Kubernetes writes quantities: whole, with the largest suffix of its style. `1250m`,
 * `1152Mi`. A number without suffixes, or finer than a billionth, is written in decimals.
 */
export function exactSize(value: Decimal, style: SizeStyle): string {
  const { binary, large, small } = style;
  if ((!binary && !large && !small) || value.digits === 0n) return formatDecimal(value);
  const nano = nanoOf(value);
  const unit = nano === undefined ? undefined : unitsOf(style).find((each) => nano % each.nano === 0n);
  return nano === undefined || unit === undefined ? formatDecimal(value) : `${nano / unit.nano}${unit.suffix}`;
}

/** The most digits that a person reads as they are. */
const MOST_DIGITS = 6;

/**
 * A size for a person: the exact text where it is short, otherwise rounded to one decimal in the largest unit that
 * gives at least one: `11.8Gi`. Numbers without suffixes keep their whole part, and at most three decimals.
 */
export function readableSize(value: Decimal, style: SizeStyle): string {
  const exact = exactSize(value, style);
  if (exact.replace(/\D/g, '').length <= MOST_DIGITS) return exact;
  const { binary, large, small } = style;
  if (!binary && !large && !small) return formatDecimal(roundDecimal(value, 3));
  const nano = roundDecimal({ digits: value.digits * NANO, scale: value.scale }, 0).digits;
  const size = nano < 0n ? -nano : nano;
  const unit = unitsOf(style).find((each) => size >= each.nano);
  if (unit === undefined) return exact;
  const digits = unit.suffix === '' ? 3 : 1;
  return `${formatDecimal(divideDecimal({ digits: nano, scale: 0 }, unit.nano, digits))}${unit.suffix}`;
}

/** The size in billionths; undefined where it is finer. */
function nanoOf({ digits, scale }: Decimal): bigint | undefined {
  if (scale <= 9) return digits * 10n ** BigInt(9 - scale);
  const step = 10n ** BigInt(scale - 9);
  return digits % step === 0n ? digits / step : undefined;
}
