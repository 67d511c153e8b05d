import { InformerError } from '../../kit/error.ts';
import { compareEnds, kindOfEnds, rangeTest, type ValueKind } from '../../model/range-ends.ts';

/** A condition on one index. Several lookups must all be satisfied. */
export type Lookup =
  /** `flag` is the flag that the user wrote, for messages. */
  | { readonly kind: 'in'; readonly index: string; readonly values: readonly string[]; readonly flag?: 'eq' | 'in' }
  | { readonly kind: 'prefix'; readonly index: string; readonly prefix: string }
  /** Both ends belong to the range. Without an end the range is open there. */
  | { readonly kind: 'range'; readonly index: string; readonly from?: string; readonly to?: string };

/** The flags for lookups. */
export type LookupFlag = 'eq' | 'in' | 'prefix' | 'range';

const FORMS: Readonly<Record<LookupFlag, string>> = {
  eq: '--eq node=worker-1',
  in: '--in phase=Pending,Failed',
  prefix: '--prefix image=registry.example.com/',
  range: '--range restarts=3..10',
};

/** Parses the argument of `--eq`, `--in`, `--prefix` or `--range`. Throws `argument` with the expected form. */
export function parseLookup(flag: LookupFlag, text: string): Lookup {
  const cut = text.indexOf('=');
  if (cut <= 0) return refuse(flag, text, 'NAME=VALUE');
  const index = text.slice(0, cut);
  const value = text.slice(cut + 1);
  switch (flag) {
    case 'eq':
      return { kind: 'in', index, values: [value], flag };
    case 'in':
      return { kind: 'in', index, values: [...new Set(value.split(','))], flag };
    case 'prefix':
      return { kind: 'prefix', index, prefix: value };
    case 'range':
      return rangeOf(index, value) ?? refuse(flag, text, 'NAME=FROM..TO');
  }
}

/**
 * A test whether a value satisfies the lookup. A range whose ends are quantities (plain numbers too) has quantities
 * only, by size; one whose ends are times has times only, as instants; one whose ends are durations has durations only,
 * by length; any other range has every value, by bytes.
 */
export function lookupTest(lookup: Lookup): (value: string) => boolean {
  switch (lookup.kind) {
    case 'in': {
      const values = new Set(lookup.values);
      return (value) => values.has(value);
    }
    case 'prefix':
      return (value) => value.startsWith(lookup.prefix);
    case 'range':
      return rangeTest(rangeKindOf(lookup), lookup);
  }
}

/** The kind of the values in a range: that of its ends, or text if they are of two kinds. */
export const rangeKindOf = ({ from, to }: Extract<Lookup, { kind: 'range' }>): ValueKind =>
  kindOfEnds([from, to].filter((end) => end !== undefined));

/** The lookup with each of its values converted. A prefix and a range stay as they are. */
export function mapLookup(lookup: Lookup, convert: (value: string) => readonly string[]): Lookup {
  return lookup.kind === 'in' ? { ...lookup, values: [...new Set(lookup.values.flatMap(convert))] } : lookup;
}

/** The lookup as a user would write it. */
export function formatLookup(lookup: Lookup): string {
  switch (lookup.kind) {
    case 'in':
      return `${lookup.index}=${lookup.values.join(',')}`;
    case 'prefix':
      return `${lookup.index}=${lookup.prefix}*`;
    case 'range':
      return `${lookup.index}=${lookup.from ?? ''}..${lookup.to ?? ''}`;
  }
}

/** Throws `argument` for a range that ends before it begins: nothing could be in it. */
function rangeOf(index: string, value: string): Lookup | undefined {
  const [, from, to] = /^(.*?)\.\.(.*)$/s.exec(value) ?? [];
  if (!from && !to) return undefined;
  const range = { kind: 'range', index, ...(from ? { from } : {}), ...(to ? { to } : {}) } as const;
  if (!from || !to) return range;
  if (compareEnds(rangeKindOf(range), from, to) <= 0) return range;
  throw new InformerError('argument', `invalid argument "${index}=${value}" for "--range": ${from} is after ${to}`, {
    hint: `the smaller end comes first: --range ${index}=${to}..${from}`,
  });
}

function refuse(flag: LookupFlag, text: string, form: string): never {
  throw new InformerError('argument', `invalid argument "${text}" for "--${flag}": expected ${form}`, {
    hint: `for example ${FORMS[flag]}`,
  });
}
