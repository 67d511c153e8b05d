import type { WatchTarget } from '../cli/session/informers.ts';
import { reading } from '../informer/store/object-index.ts';
import { isJsonMap } from '../kit/exact-json.ts';
import { atPlaces, lightsOf } from '../kit/lazy-list.ts';
import { EACH } from '../model/field-path.ts';
import { keyOf, type ObjectKey } from '../model/key.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { compareResourceVersions } from '../model/resource-version.ts';

/** Objects that are read to find the latest writes; of more the cache keeps when each was written last. */
const FEW = 300;
/** The index of the times of the last writes. */
const WRITTEN = 'agents:written';

export interface AskedWrites {
  /** By name, namespace and labels. */
  isIn(object: Pick<ReadonlyObject, 'metadata'>): boolean;
  /** A time, ms since 1970, or the version after which an object was written. */
  readonly since: number | string;
  /** Only what was written before this time, ms since 1970. */
  readonly before: number;
  readonly most: number;
}

/** A last write, and the object that was written. */
export interface KeyedWrite extends LastWrite {
  readonly key: string;
}

/** The last writes of each field manager, the latest first. What was there before them is not known. */
export async function latestWrites(
  target: WatchTarget,
  asked: AskedWrites,
  signal: AbortSignal,
): Promise<KeyedWrite[]> {
  const { since, before, most } = asked;
  const objects = await writtenLast(target, asked, signal);
  const isAsked = ({ at }: LastWrite) => at < before && (typeof since === 'string' || at >= since);
  return objects
    .flatMap((object) => {
      const writes = lastWritesOf(object);
      const dated = writes.filter(isAsked);
      const [newest] = dated;
      const undated = newest ? writes.filter(({ at }) => Number.isNaN(at)) : [];
      const placed = [...undated.map((write) => ({ write, place: newest?.at ?? 0 })), ...dated.map((write) => ({ write, place: write.at }))]; // biome-ignore format: one list
      return placed.map(({ write, place }) => ({ place, write: { key: keyOf(object), ...write } }));
    })
    .sort((a, b) => b.place - a.place)
    .map(({ write }) => write)
    .slice(0, most);
}

async function writtenLast(
  { informer }: WatchTarget,
  { isIn, since, before, most }: AskedWrites,
  signal: AbortSignal,
): Promise<readonly ReadonlyObject[]> {
  const { lister } = informer;
  const isNewer = ({ metadata: { resourceVersion = '' } }: ReadonlyObject) =>
    typeof since === 'number' || (compareResourceVersions(resourceVersion, since) ?? 1) > 0;
  const isMeant = (entry: unknown) => isIn(entry as ReadonlyObject) && isNewer(entry as ReadonlyObject);
  const all = lister.view();
  const places = lightsOf(all).flatMap((entry, place) => (isMeant(entry) ? [place] : []));
  if (places.length <= FEW) return atPlaces(all, places);
  if (!lister.hasIndex(WRITTEN))
    await informer.buildIndexers({ [WRITTEN]: timesOf }, signal).catch((error: unknown) => {
      if (!lister.hasIndex(WRITTEN)) throw error; // another call has built it meanwhile
    });
  const to = new Date(before).toISOString();
  const range = typeof since === 'number' ? { from: new Date(since).toISOString(), to } : { to };
  const found = new Map<ObjectKey, ReadonlyObject>();
  for (const time of lister.indexValues(WRITTEN, range).reverse()) {
    if (found.size >= most) break;
    const written = lister.viewByIndex(WRITTEN, time);
    for (const [place, entry] of lightsOf(written).entries()) {
      const key = keyOf(entry);
      if (found.size < most && !found.has(key) && isMeant(entry)) found.set(key, written[place] as ReadonlyObject);
    }
  }
  return [...found.values()];
}

/** The times of the writes, each of which finds the object. */
const timesOf = reading([['metadata', 'managedFields', EACH, 'time']], (object: ReadonlyObject): readonly string[] => [
  ...new Set(lastWritesOf(object).flatMap(({ at }) => (Number.isNaN(at) ? [] : new Date(at).toISOString()))),
]);

/** The last write of one field manager to an object. */
interface LastWrite {
  /** NaN for a write of which the server keeps no time, as to `scale`. */
  readonly at: number;
  readonly by: string;
  readonly fields: readonly string[];
}

/** The last writes to an object that its managedFields show, the latest first. What was there before is not known. */
function lastWritesOf({ metadata }: ReadonlyObject): LastWrite[] {
  const entries = (metadata as { managedFields?: unknown }).managedFields;
  if (!Array.isArray(entries)) return [];
  return entries
    .filter(isJsonMap)
    .map(({ time, manager, operation, subresource, fieldsV1 }) => ({
      at: Date.parse(String(time)),
      by: `${String(manager ?? 'unknown')} (${String(operation ?? '')}${subresource ? ` of ${String(subresource)}` : ''})`,
      fields: pathsIn(fieldsV1, '', []),
    }))
    .sort((a, b) => (b.at || 0) - (a.at || 0));
}

const MOST_PATHS = 4;

/** The first paths of a set of fields in the format FieldsV1. */
function pathsIn(fields: unknown, at: string, found: string[]): string[] {
  if (!isJsonMap(fields) || found.length >= MOST_PATHS) return found;
  const keys = Object.keys(fields).filter((key) => key !== '.');
  if (keys.length === 0 && at !== '') found.push(at);
  for (const key of keys) {
    const step = key.startsWith('f:') ? `.${key.slice(2)}` : `[${key.slice(2).replace(/^\{"[^"]*":"?|"?\}$/g, '')}]`;
    pathsIn(fields[key], at + step, found);
    if (found.length >= MOST_PATHS) break;
  }
  return found;
}
