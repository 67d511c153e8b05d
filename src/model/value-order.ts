import { compareText } from '../kit/text-order.ts';
import { compareQuantities, parseQuantity } from './quantity.ts';

/**
 * The order of values in ranges: quantities (plain numbers are some) before other text, quantities by size, text by bytes. 0 for two
 * spellings of one size: `1Gi` and `1024Mi`.
 */
export function compareSizes(a: string, b: string): number {
  const [x, y] = [sizeIn(a), sizeIn(b)];
  if (x && y) return compareQuantities(x, y);
  if (x) return -1;
  return y ? 1 : compareText(a, b);
}

/** As {@link compareSizes}, with the spellings of one size in the order of their text: no two different values are equal. */
export function compareValues(a: string, b: string): number {
  return compareSizes(a, b) || compareText(a, b);
}

/** The order of two texts in `--sort-by`: quantities by size, anything else by bytes. Source: kubectl pkg/cmd/get sorter.go. */
export function compareSortedTexts(a: string, b: string): number {
  const x = sizeIn(a);
  const y = x && sizeIn(b);
  return x && y ? compareQuantities(x, y) : compareText(a, b);
}

/** Most text begins with a letter, and need not be read further. */
const sizeIn = (text: string) => (/^[-+.\d]/.test(text) ? parseQuantity(text) : undefined);
