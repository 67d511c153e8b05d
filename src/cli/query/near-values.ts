import { nearest } from '../../kit/nearest.ts';
import { isSecretResource } from '../../model/secret-type.ts';
import type { IndexCatalog } from '../../query/index-catalog.ts';
import type { Lookup } from '../../query/lookup.ts';
import { type Holding, storeOf } from './holding.ts';

/** Values that are compared with what was asked for, at most. */
const MOST_VALUES = 10_000;

/** A value that no object has, beside one that is written nearly so. Values of Secrets are not looked at. */
export function nearValues(lookup: Lookup, holdings: readonly Holding[], catalog: IndexCatalog): string[] {
  if (lookup.kind !== 'in') return [];
  const definition = catalog.get(lookup.index);
  const open = holdings.filter(({ type }) => !isSecretResource(type.gvr));
  const known = [
    ...new Set(
      open.flatMap((holding) =>
        storeOf(holding)
          .list()
          .flatMap((object) => definition.valuesOf(object)),
      ),
    ),
  ].slice(0, MOST_VALUES);
  return lookup.values.flatMap((asked) => {
    const value = definition.normalise?.(asked) ?? asked;
    if (known.includes(value)) return [];
    if (lookup.index === 'owner' && !value.includes('/') && !UID.test(value))
      return [
        `--${lookup.flag ?? 'eq'} owner=${asked}: an owner is written KIND/NAME, such as deploy/${asked}, or as its uid`,
      ];
    const near = nearValue(value, known);
    return near === undefined
      ? []
      : [
          `--${lookup.flag ?? 'eq'} ${lookup.index}=${asked}: no object has this value; did you mean ${lookup.index}=${near}?`,
        ];
  });
}

/**
 * The nearest of the known values; where some begin as it does up to its last `/`, the rest is compared: a kind or
 * registry resembles nothing.
 */
function nearValue(value: string, known: readonly string[]): string | undefined {
  const begin = value.slice(0, value.lastIndexOf('/') + 1);
  const alike = known.filter((each) => each.startsWith(begin));
  if (alike.length === 0) return nearest(value, known)[0];
  const rest = alike.map((each) => each.slice(begin.length));
  return nearest(value.slice(begin.length), rest).map((near) => begin + near)[0];
}

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
