import { compareText } from '../kit/text-order.ts';
import { compareInstants, parseInstant } from './instant.ts';
import { compareQuantities, parseQuantity } from './quantity.ts';

/**
 * The order of values in ranges: quantities (including plain numbers) first, then times, then other text. Quantities
 * compare by size, times as instants, text by bytes.
 * 0 for two spellings of one value: `1Gi` and `1024Mi`, `10:00:00Z` and `12:00:00+02:00` of one day.
 */
export function compareSizes(a: string, b: string): number {
  const [x, y] = [sizeIn(a), sizeIn(b)];
  if (x && y) return compareQuantities(x, y);
  if (x) return -1;
  return y ? 1 : compareTimes(a, b);
}

function compareTimes(a: string, b: string): number {
  const [x, y] = [parseInstant(a), parseInstant(b)];
  if (x && y) return compareInstants(x, y);
  if (x) return -1;
  return y ? 1 : compareText(a, b);
}

/**
 * The order of {@link compareSizes}, with two spellings of one value ordered by their text. Never 0 for two different
 * texts.
 */
export function compareValues(a: string, b: string): number {
  return compareSizes(a, b) || compareText(a, b);
}

/**
 * The order of two texts in `--sort-by`: quantities by size, anything else by bytes. Source: kubectl pkg/cmd/get
 * sorter.go.
 */
export function compareSortedTexts(a: string, b: string): number {
  const x = sizeIn(a);
  const y = x && sizeIn(b);
  return x && y ? compareQuantities(x, y) : compareText(a, b);
}

/** The quantity in a text. Most text, times too, is not of its form and not parsed. */
export const sizeIn = (text: string) =>
  /^[-+]?[\d.]+([eE][-+]?\d+|[A-Za-z]i?)?$/.test(text) ? parseQuantity(text) : undefined;
