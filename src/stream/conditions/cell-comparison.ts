import { BLANK, Duration, isNumber, parseAge } from '../../expr/cel/cel-values.ts';
import { type Comparison, equal, isNothing, order } from '../../expr/cel/operators.ts';
import { humanDuration } from '../../kit/duration.ts';
import { numberOf } from '../../kit/exact-json.ts';
import { parseQuantity } from '../../model/quantity.ts';

/** A cell whose text is a duration. Comparisons and arithmetic use the duration, functions use the text. */
export class DurationCell extends Duration {
  readonly text: string;

  constructor(ms: number, text: string) {
    super(ms);
    this.text = text;
  }
}

/**
 * The rules by which `--where` compares cells. A duration is comparable with a text that is a duration, a boolean with
 * `"true"`, a number with `"3"`. Nothing is less or greater than an empty cell, `<none>`, `<unknown>` or `<invalid>`.
 * All other values are compared as text.
 */
export class CellComparison implements Comparison {
  readonly #source: string;
  #hasComparedText = false;
  #isReported = false;

  /** `source` is the expression; the remark quotes it. */
  constructor(source: string) {
    this.#source = source;
  }

  readonly equal = (a: unknown, b: unknown): boolean => {
    const [left, right] = [plain(a), plain(b)];
    if (typeof right === 'string') return equalsText(left, right);
    return typeof left === 'string' ? equalsText(right, left) : equal(left, right);
  };

  readonly order = (a: unknown, b: unknown): number => {
    const [left, right] = [plain(a), plain(b)];
    if (isNothing(left) || isNothing(right)) return Number.NaN;
    const [one, other] = [besideText(left, right), besideText(right, left)];
    if (typeof one === 'string' && typeof other === 'string')
      this.#hasComparedText ||= looksLikeSize(one) && looksLikeSize(other);
    return order(one, other);
  };

  readonly argument = (value: unknown): unknown => (value instanceof DurationCell ? value.text : plain(value));

  /** A remark for the user after `<` or `>` has compared two texts that look like sizes. It is returned once. */
  remark(): string | undefined {
    if (this.#isReported || !this.#hasComparedText) return undefined;
    this.#isReported = true;
    return `--where: ${this.#source} compares as text what looks like numbers; quantity(…), double(…) or duration(…) around both sides compares the sizes`;
  }
}

const plain = (value: unknown) => (value === BLANK ? '' : value);

function equalsText(value: unknown, text: string): boolean {
  if (typeof value === 'boolean') return String(value) === text;
  if (isNumber(value)) return equal(numberIn(text), value);
  if (!(value instanceof Duration)) return equal(value, text);
  const shown = value instanceof DurationCell ? value.text : humanDuration(value.ms);
  return shown === text || parseAge(text) === value.ms;
}

/**
 * A value prepared for its order with `other`. A text next to a number is read as a number. A duration next to a text
 * that is not a duration becomes its own text.
 */
function besideText(value: unknown, other: unknown): unknown {
  if (typeof value === 'string' && isNumber(other)) return numberIn(value) ?? value;
  if (value instanceof DurationCell && typeof other === 'string' && parseAge(other) === undefined) return value.text;
  return value;
}

function numberIn(text: string): unknown {
  return /^[+-]?\d+(\.\d+)?$/.test(text) ? numberOf(text) : undefined;
}

/** `1.5`, `10Gi`, `50%` or `5m`. */
function looksLikeSize(text: string): boolean {
  return parseQuantity(text.replace(/%$/, '')) !== undefined || parseAge(text) !== undefined;
}
