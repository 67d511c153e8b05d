import { invalidValue } from '../status/field-problems.ts';
import type { FieldProblem } from '../status/statuses.ts';
import { compareServerQuantities, readServerQuantity } from '../types/stored-quantity.ts';

/** The amounts below zero. */
export function negativeAmounts(amounts: Record<string, unknown>, at: string): FieldProblem[] {
  return Object.entries(amounts)
    .filter(([, amount]) => exceeds('0', amount))
    .map(([name, amount]) => invalidValue(`${at}[${name}]`, amount, `must be greater than or equal to 0`));
}

/** Whether one amount is more than another. */
export function exceeds(amount: unknown, most: unknown): boolean {
  const [a, b] = [amount, most].map((text) => readServerQuantity(String(text)));
  if (a === undefined || b === undefined || typeof a === 'string' || typeof b === 'string') return false;
  return compareServerQuantities(a, b) > 0;
}
