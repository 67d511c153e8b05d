import { compareQuantities, NANO, parseQuantity, Quantity } from '../../model/quantity.ts';
import { celFailure, isNumber, typeNameOf, whole } from './cel-values.ts';
import { ask, asText, type CelFunction, define } from './function.ts';

/**
 * The functions of Kubernetes' quantity library. Two additions: `quantity()`, `add()` and `sub()` also take numbers,
 * and two quantities can be compared with `<`, `<=`, `>` and `>=`. Source: apiserver cel library quantity.go.
 */
export const quantityFunctions: readonly CelFunction[] = [
  define(
    'quantity',
    ['quantity(string): quantity', 'quantity(int): quantity', 'quantity(double): quantity'],
    toQuantity,
  ),
  ask('isQuantity', ['isQuantity(dyn): bool'], (value) =>
    typeof value === 'string' ? parseQuantity(value) !== undefined : isNumber(value),
  ),
  define('.compareTo', ['quantity.compareTo(quantity): int'], (a, b) => compareQuantities(quantity(a), quantity(b))),
  ask(
    '.isLessThan',
    ['quantity.isLessThan(quantity): bool'],
    (a, b) => compareQuantities(quantity(a), quantity(b)) < 0,
  ),
  ask(
    '.isGreaterThan',
    ['quantity.isGreaterThan(quantity): bool'],
    (a, b) => compareQuantities(quantity(a), quantity(b)) > 0,
  ),
  define('.add', ['quantity.add(quantity): quantity', 'quantity.add(int): quantity'], (a, b) =>
    plus(quantity(a), toQuantity(b).nano),
  ),
  define('.sub', ['quantity.sub(quantity): quantity', 'quantity.sub(int): quantity'], (a, b) =>
    plus(quantity(a), -toQuantity(b).nano),
  ),
  define('.sign', ['quantity.sign(): int'], (value) => Math.sign(Number(quantity(value).nano))),
  ask('.isInteger', ['quantity.isInteger(): bool'], (value) => quantity(value).isInteger),
  define('.asInteger', ['quantity.asInteger(): int'], asInteger),
  define('.asApproximateFloat', ['quantity.asApproximateFloat(): double'], (value) => quantity(value).toNumber()),
];

function toQuantity(value: unknown): Quantity {
  if (value instanceof Quantity) return value;
  const written = isNumber(value) ? String(value) : asText(value);
  return parseQuantity(written) ?? celFailure('quantity() cannot read this text: it takes 2, 500m or 1.5Gi');
}

function quantity(value: unknown): Quantity {
  return value instanceof Quantity ? value : celFailure(`expected a quantity, got ${typeNameOf(value)}`);
}

const plus = (a: Quantity, nano: bigint) => new Quantity(a.nano + nano, a.format);

function asInteger(value: unknown): number | bigint {
  const given = quantity(value);
  return given.isInteger ? whole(given.nano / NANO) : celFailure('the quantity is not a whole number');
}
