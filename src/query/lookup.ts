import { InformerError } from '../kit/error.ts';
import { compareSizes } from '../model/value-order.ts';

/** What a user asks of one index. Several lookups must all hold. */
export type Lookup =
  | { readonly kind: 'in'; readonly index: string; readonly values: readonly string[] /** As it was asked. */; readonly flag?: 'eq' | 'in' }
  | { readonly kind: 'prefix'; readonly index: string; readonly prefix: string }
  /** Both ends belong to the range; a missing end leaves it open. */
  | { readonly kind: 'range'; readonly index: string; readonly from?: string; readonly to?: string };

/** The flags that look something up. */
export type LookupFlag = 'eq' | 'in' | 'prefix' | 'range';

const FORMS: Readonly<Record<LookupFlag, string>> = {
  eq: '--eq node=worker-1',
  in: '--in phase=Pending,Failed',
  prefix: '--prefix image=registry.example.com/',
  range: '--range restarts=3..10',
};

/** Reads the value of `--eq`, `--in`, `--prefix` or `--range`. Throws `argument` with the form it should have. */
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

/** Whether a value of the index satisfies the lookup. Quantities are ordered by size, times as instants, anything else as text. */
export function matchesLookup(lookup: Lookup, value: string): boolean {
  switch (lookup.kind) {
    case 'in':
      return lookup.values.includes(value);
    case 'prefix':
      return value.startsWith(lookup.prefix);
    case 'range': {
      const { from, to } = lookup;
      return (from === undefined || compareSizes(from, value) <= 0) && (to === undefined || compareSizes(value, to) <= 0);
    }
  }
}

/** The lookup with each of its values respelt. */
export function mapLookup(lookup: Lookup, respell: (value: string) => string): Lookup {
  return lookup.kind === 'in' ? { ...lookup, values: lookup.values.map(respell) } : lookup;
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
