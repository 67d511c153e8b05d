import { celFailure, Duration, isNumber, MISSING, Optional } from './cel-values.ts';
import { ask, asList, asNumber, type CelFunction, define } from './function.ts';
import { add, equal, order } from './operators.ts';
import { workOfMaking } from './work.ts';

/**
 * The functions of Kubernetes' list library and of CEL's sets. Source: apiserver cel library lists.go, cel-go
 * ext/sets.go.
 */
export const listFunctions: readonly CelFunction[] = [
  ask('.isSorted', ['list.isSorted(): bool'], (value) =>
    asList(value).every((item, i, all) => i === 0 || order(all[i - 1], item) <= 0),
  ),
  define('.sum', ['list.sum(): dyn'], sum),
  define('.min', ['list.min(): dyn'], (value) => extreme('min', asList(value), -1)),
  define('.max', ['list.max(): dyn'], (value) => extreme('max', asList(value), 1)),
  define('.distinct', ['list.distinct(): list<dyn>'], (value) => distinct(asList(value))),
  define('.slice', ['list.slice(int, int): list<dyn>'], slice),
  define('.flatten', ['list.flatten(): list<dyn>', 'list.flatten(int): list<dyn>'], (value, depth = 1) =>
    flatten(asList(value), asNumber(depth)),
  ),
  define('.sort', ['list.sort(): list<dyn>'], (value) => asList(value).toSorted(order)),
  define('.first', ['list.first(): optional<dyn>'], (value) => at(asList(value), 0)),
  define('.last', ['list.last(): optional<dyn>'], (value) => at(asList(value), asList(value).length - 1)),
  define('lists.range', ['Lists.range(int): list<int>'], range),
  ask('sets.contains', [], (all, some) => asList(some).every((item) => holds(asList(all), item))),
  ask('sets.intersects', [], (some, other) => asList(some).some((item) => holds(asList(other), item))),
  ask(
    'sets.equivalent',
    [],
    (a, b) => asList(a).every((item) => holds(asList(b), item)) && asList(b).every((item) => holds(asList(a), item)),
  ),
];

/** The signatures of `indexOf` and `lastIndexOf` on lists. The methods themselves are shared with strings. */
export const LIST_INDEX_SIGNATURES = ['list.indexOf(dyn): int', 'list.lastIndexOf(dyn): int'];

export const listIndexOf = (items: readonly unknown[], wanted: unknown): number =>
  items.findIndex((item) => equal(item, wanted));
export const listLastIndexOf = (items: readonly unknown[], wanted: unknown): number =>
  items.findLastIndex((item) => equal(item, wanted));

const holds = (items: readonly unknown[], wanted: unknown) => listIndexOf(items, wanted) >= 0;

function slice(value: unknown, start: unknown, end: unknown): unknown[] {
  const [items, from, to] = [asList(value), asNumber(start), asNumber(end)];
  return from >= 0 && from <= to && to <= items.length
    ? items.slice(from, to)
    : celFailure('slice() is out of the range of the list');
}

function flatten(items: readonly unknown[], depth: number): unknown[] {
  if (depth < 0) return celFailure('flatten() takes no negative depth');
  workOfMaking('list', items.length);
  return items.flatMap((item) => (Array.isArray(item) && depth > 0 ? flatten(item, depth - 1) : [item]));
}

const at = (items: readonly unknown[], index: number) => new Optional(index in items ? items[index] : MISSING);

function range(count: unknown): number[] {
  const length = Math.max(0, asNumber(count));
  workOfMaking('list', length);
  return Array.from({ length }, (_, i) => i);
}

function distinct(items: readonly unknown[]): unknown[] {
  return items.filter((item, i) => listIndexOf(items, item) === i);
}

/** The sum of numbers or durations; 0 for an empty list. */
function sum(value: unknown): unknown {
  const items = asList(value);
  if (!items.every((item) => isNumber(item) || item instanceof Duration))
    return celFailure('sum() takes numbers or durations only');
  const [first, ...rest] = items;
  return rest.reduce<unknown>((total, item) => add(total, item, false), first ?? 0);
}

function extreme(name: string, items: readonly unknown[], sign: number): unknown {
  if (items.length === 0) return celFailure(`${name}() of an empty list`);
  return items.reduce((best, item) => (order(item, best) * sign > 0 ? item : best));
}
