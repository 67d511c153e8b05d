import { type Comparison, equal, isNothing, order } from '../../expr/cel/operators.ts';
import { BLANK, Duration, isNumber, parseAge } from '../../expr/cel/values.ts';
import { humanDuration } from '../../kit/duration.ts';
import { numberOf } from '../../kit/exact-json.ts';
import { parseQuantity } from '../../model/quantity.ts';

/** A cell that reads as a duration. Comparisons and arithmetic see the duration, functions see the text. */
export class DurationCell extends Duration {
  readonly text: string;

  constructor(ms: number, text: string) {
    super(ms);
    this.text = text;
  }
}

/**
 * How `--where` compares cells: a duration with text that reads as one, a boolean with `"true"`, a number with `"3"`. An empty cell and
 * `<none>`, `<unknown>`, `<invalid>` have no order. Everything else compares as text.
 */
export class CellComparison implements Comparison {
  readonly #source: string;
  #hasComparedText = false;
  #isReported = false;

  /** `source` is the expression, for the remark. */
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
    if (typeof one === 'string' && typeof other === 'string') this.#hasComparedText ||= looksLikeSize(one) && looksLikeSize(other);
    return order(one, other);
  };

  readonly argument = (value: unknown): unknown => (value instanceof DurationCell ? value.text : plain(value));

  /** A remark for the user when `<` or `>` compared two texts that look like sizes. Given once. */
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

/** A value as it is ordered beside another: text beside a number is read as one, a duration beside other text is its own text. */
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
