import { InformerError } from '../kit/error.ts';
import { compareSizes } from '../model/value-order.ts';

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
 * Whether a value satisfies the lookup. Ranges compare quantities by size, times as instants, other values as strings.
 */
export function matchesLookup(lookup: Lookup, value: string): boolean {
  switch (lookup.kind) {
    case 'in':
      return lookup.values.includes(value);
    case 'prefix':
      return value.startsWith(lookup.prefix);
    case 'range': {
      const { from, to } = lookup;
      return (
        (from === undefined || compareSizes(from, value) <= 0) && (to === undefined || compareSizes(value, to) <= 0)
      );
    }
  }
}

/** The lookup with each of its values converted. A prefix and a range stay as they are. */
export function mapLookup(lookup: Lookup, convert: (value: string) => string): Lookup {
  return lookup.kind === 'in' ? { ...lookup, values: lookup.values.map(convert) } : lookup;
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

function rangeOf(index: string, value: string): Lookup | undefined {
  const [, from, to] = /^(.*?)\.\.(.*)$/s.exec(value) ?? [];
  if (!from && !to) return undefined;
  return { kind: 'range', index, ...(from ? { from } : {}), ...(to ? { to } : {}) };
}

function refuse(flag: LookupFlag, text: string, form: string): never {
  throw new InformerError('argument', `invalid argument "${text}" for "--${flag}": expected ${form}`, {
    hint: `for example ${FORMS[flag]}`,
  });
}
