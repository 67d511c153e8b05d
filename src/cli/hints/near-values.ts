import { nearest } from '../../kit/nearest.ts';
import { isSecretResource } from '../../model/gvr.ts';
import { scanned, storeOf } from '../../query/answer/cached-objects.ts';
import type { Sample } from '../../query/answer/samples.ts';
import type { IndexCatalog } from '../../query/index/index-catalog.ts';
import type { IndexDefinition } from '../../query/index/index-definition.ts';
import { formatLookup, type Lookup, rangeKindOf } from '../../query/index/lookup.ts';
import { runLookups } from '../../query/index/lookup-plan.ts';
import { type IndexedStore, valuesKept } from '../../query/index/stored-index.ts';
import { countText } from './count-text.ts';
import type { Facts } from './hint.ts';
import { hintedValue, MOST_LISTED, MOST_VALUES, nearValue, someText } from './near-value.ts';

/** Objects in which a lookup finds nothing. `store` is the cache that they are in, if it has all of them. */
interface Searched extends Sample {
  readonly store: IndexedStore | undefined;
}

/** Says of lookups that find nothing which values there are. */
export async function nearValues({ plan, targets, cached, samples, catalog }: Facts): Promise<string[]> {
  const { lookups = [] } = plan;
  if (lookups.length === 0 || catalog === undefined) return [];
  const stores = samples === cached ? targets.map(storeOf) : [];
  const searched = samples.map((sample, i) => ({ ...sample, store: stores[i] }));
  return lookups.flatMap((lookup) => valuesFor(lookup, searched, catalog));
}

/**
 * Why a lookup finds nothing in these objects: one line for each value that none of them has, with the nearest values
 * that some have. Values of Secrets are not looked at.
 */
function valuesFor(lookup: Lookup, samples: readonly Searched[], catalog: IndexCatalog): string[] {
  const definition = catalog.get(lookup.index);
  const open = samples.filter(({ type, objects }) => !isSecretResource(type.gvr) && objects.length > 0);
  const flag = lookup.kind === 'in' ? (lookup.flag ?? 'eq') : lookup.kind;
  const asked = lookup.kind === 'in' ? lookup.values.map((value) => ({ ...lookup, values: [value] })) : [lookup];
  const missing = asked.filter((each) => !open.some((sample) => isFound(each, sample, catalog)));
  if (missing.length === 0) return [];
  const known = knownValues(definition, open);
  const lines = missing.flatMap((each) =>
    each.kind === 'in'
      ? valueHint(each.values[0] ?? '', { lookup: each, definition, known, open })
      : spanHint(each, definition, known, open),
  );
  return lines.map((text) => `--${flag} ${text}`);
}

/** Whether some object satisfies a lookup: by the index of the cache, if it keeps one. */
const isFound = (lookup: Lookup, { store, objects }: Searched, catalog: IndexCatalog): boolean =>
  runLookups({ store: store ?? scanned(objects), catalog, lookups: [lookup] }).objects.length > 0;

interface KnownValues {
  /** Every spelling; some of them if there are many. */
  readonly all: ReadonlySet<string>;
  /** One spelling for each thing. */
  readonly listed: readonly string[];
}

function knownValues(definition: IndexDefinition, samples: readonly Searched[]): KnownValues {
  const all = new Set<string>();
  const listed = new Set<string>();
  const add = (values: Set<string>, found: readonly string[]) => {
    for (const value of found) if (values.size < MOST_VALUES) values.add(value);
  };
  for (const { objects, store } of samples) {
    const kept = definition.stable && !definition.listed && store?.hasIndex(definition.key) ? store : undefined;
    if (kept) add(all, valuesKept(kept, definition));
    else {
      for (const object of objects) {
        if (all.size >= MOST_VALUES) break;
        add(all, definition.valuesOf(object));
        if (definition.listed) add(listed, definition.listed(object));
      }
    }
  }
  return { all, listed: definition.listed ? [...listed] : [...all] };
}

/** The begin of a hint: not all objects are known if the server was asked for a part. */
function noObject(open: readonly Sample[]): string {
  const looked = open.reduce((sum, { objects }) => sum + objects.length, 0);
  return open.some(({ isPart }) => isPart) ? `none of the first ${looked} objects` : 'no object';
}

interface Asked {
  readonly lookup: Lookup;
  readonly definition: IndexDefinition;
  readonly known: KnownValues;
  readonly open: readonly Sample[];
}

function valueHint(asked: string, { lookup: { index }, definition, known, open }: Asked): string[] {
  const spellings = definition.normalise?.(asked) ?? [asked];
  const begin = `${index}=${asked}: `;
  if (asked === '' && !index.startsWith('label:'))
    return [`${begin}an object without a value is not in the index; --filter finds those, with !has(…)`];
  if (definition.isReference && !asked.includes('/') && !UID.test(asked)) {
    const named = known.listed.filter((value) => value.endsWith(`/${asked}`)).slice(0, MOST_LISTED);
    const meant = named.length > 0 ? `; did you mean ${listText(index, named)}?` : '';
    const what = index === 'owner' ? 'an owner' : 'an object';
    return [
      `${begin}${what} is written KIND/NAME, such as ${index === 'owner' ? 'deploy' : 'pod'}/${asked}, or as its uid${meant}`,
    ];
  }
  if (known.all.size === 0) return noValues(begin, definition, open);
  if (definition.isReference)
    return [`${begin}${noObject(open)} has this value; ${referenceText(asked, index, spellings, known)}`];
  const near = spellings.map((value) => nearValue(value, [...known.all])).find((value) => value !== undefined);
  if (near !== undefined)
    return [`${begin}${noObject(open)} has this value; did you mean ${index}=${hintedValue(near)}?`];
  return [`${begin}${noObject(open)} has this value; ${someText(known.listed)}`];
}

/** The nearest name among the objects of the kind that is meant, else the same name of other kinds, else some values. */
function referenceText(asked: string, index: string, [meant = '']: readonly string[], { listed }: KnownValues): string {
  const [name, kind] = [nameIn(meant), kindIn(meant)];
  const near = nearest(name, listed.filter((value) => kindIn(value) === kind).map(nameIn));
  const alike = near.flatMap((each) => listed.find((value) => kindIn(value) === kind && nameIn(value) === each) ?? []);
  const same = listed.filter((value) => nameIn(value) === nameIn(asked)).slice(0, MOST_LISTED);
  const found = alike.length > 0 ? alike.slice(0, 1) : same;
  return found.length > 0 ? `did you mean ${listText(index, found)}?` : someText(listed);
}

const nameIn = (value: string) => value.slice(value.lastIndexOf('/') + 1);
/** `deployment` of `shop/deployment.apps/web`. */
const kindIn = (value: string) => value.split('/').at(-2)?.split('.')[0];

function spanHint(
  lookup: Exclude<Lookup, { kind: 'in' }>,
  definition: IndexDefinition,
  known: KnownValues,
  open: readonly Sample[],
): string[] {
  const begin = `${lookup.kind === 'prefix' ? `${lookup.index}=${lookup.prefix}` : formatLookup(lookup)}: `;
  if (known.all.size === 0) return noValues(begin, definition, open);
  const kind = lookup.kind === 'range' ? rangeKindOf(lookup) : 'text';
  const what =
    lookup.kind === 'prefix' ? 'no value begins so' : `no ${kind === 'text' ? 'value' : kind} is in this range`;
  return [`${begin}${what}; ${someText(known.listed)}`];
}

/** No object has a value, so it is the wrong index for the type. Nothing is said of types without objects. */
function noValues(begin: string, { name, from }: IndexDefinition, open: readonly Sample[]): string[] {
  return open.length === 0 ? [] : [`${begin}none of ${countText(open)} has a value in the index ${name} (${from})`];
}

const listText = (index: string, values: readonly string[]) =>
  values.map((value) => `${index}=${hintedValue(value)}`).join(' or ');

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
