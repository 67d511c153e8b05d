import type { DeepReadonly, OwnerReference, ReadonlyObject } from '../../model/object.ts';
import { ownerReferencesOf } from '../../model/owner-references.ts';
import { indexersOf } from '../../query/index/stored-index.ts';
import type { UiCache, UiProgram } from './ui-program.ts';
import type { UiEvent, UiOwner } from './wire.ts';

/** A longer chain of owners is taken for a loop. */
const MOST_OWNERS = 10;
/** The newest Events of an object that a page gets. */
const MOST_EVENTS = 50;
const LONGEST_MESSAGE = 2000;
/** The index of what Events are about: see `eventIndex`. */
const ABOUT = 'event';

/** Owners of an object, its first controller or owner and that one's, up to the root, as far as the caches know. */
export function ownersOf(caches: readonly UiCache[], object: ReadonlyObject): readonly UiOwner[] {
  const owners: UiOwner[] = [];
  const seen = new Set<string>();
  for (let below: ReadonlyObject | undefined = object; below !== undefined && owners.length < MOST_OWNERS; ) {
    const reference = referenceOf(below);
    if (!reference || seen.has(reference.uid)) break;
    seen.add(reference.uid);
    const group = reference.apiVersion.includes('/') ? (reference.apiVersion.split('/', 1)[0] as string) : '';
    const cache = caches.find(({ type }) => type.kind === reference.kind && type.gvr.group === group);
    const namespace = cache?.type.namespaced === false ? undefined : object.metadata.namespace;
    const key = namespace ? `${namespace}/${reference.name}` : reference.name;
    const found: ReadonlyObject | undefined = cache?.informer.lister.get(key);
    const owner = found?.metadata.uid === reference.uid ? found : undefined;
    owners.push({
      kind: reference.kind,
      key,
      ...(cache && owner ? { type: cache.id } : {}),
      isGone: cache?.informer.hasSynced === true && owner === undefined,
    });
    below = owner;
  }
  return owners;
}

/** The cached type of Events, if there is one. */
export const eventCacheOf = (caches: readonly UiCache[]): UiCache | undefined =>
  caches.find(({ type: { kind, gvr } }) => kind === 'Event' && (gvr.group === '' || gvr.group === 'events.k8s.io'));

const prepared = new WeakMap<UiCache['informer'], Promise<void>>();

/** Makes {@link eventsAbout} quick: keeps the index of what Events are about, built in small steps, once for a cache. */
export async function prepareEvents(program: UiProgram): Promise<void> {
  const informer = eventCacheOf(program.caches())?.informer;
  if (!informer || informer.lister.hasIndex(ABOUT)) return;
  const building =
    prepared.get(informer) ??
    informer
      .buildIndexers(indexersOf([program.index(ABOUT)]) as never)
      .catch((error: unknown) => {
        if (!informer.lister.hasIndex(ABOUT) && !informer.isStopped) throw error; // a query may have added it meanwhile
      })
      .finally(() => prepared.delete(informer));
  prepared.set(informer, building);
  await building;
}

/** The Events that a cache has about an object, the newest first. {@link prepareEvents} must have been awaited. */
export function eventsAbout({ informer }: UiCache, object: ReadonlyObject, kind: string): readonly UiEvent[] {
  if (!informer.lister.hasIndex(ABOUT)) return [];
  const { uid = '', name = '', namespace } = object.metadata;
  // the Events of a node name it in place of its uid
  const spellings = [uid, `${namespace ? `${namespace}/` : ''}${kind.toLowerCase()}/${name}`];
  const found = new Set(spellings.flatMap((spelling) => informer.lister.indexKeys(ABOUT, spelling)));
  return [...found]
    .flatMap((key) => informer.lister.get(key) ?? [])
    .filter((event) => isAbout(event, object, kind))
    .map(eventRow)
    .sort((a, b) => Number(b.at) - Number(a.at))
    .slice(0, MOST_EVENTS);
}

/** The owner that is the controller, else the first one. */
function referenceOf(object: ReadonlyObject): DeepReadonly<OwnerReference> | undefined {
  const references = ownerReferencesOf(object);
  return references.find(({ controller }) => controller === true) ?? references[0];
}

/**
 * Whether an Event is about an object: by uid where it has one, so that an earlier object of the same name is another
 * one. An Event about a node has the node's name as its uid.
 */
export function isAbout(event: ReadonlyObject, { metadata }: ReadonlyObject, kind: string): boolean {
  const { involvedObject, regarding } = event as { involvedObject?: unknown; regarding?: unknown };
  const about = (involvedObject ?? regarding ?? {}) as Readonly<Record<string, unknown>>;
  if (about.uid && about.uid !== about.name) return about.uid === metadata.uid;
  const isInPlace = !metadata.namespace || about.namespace === metadata.namespace;
  return about.kind === kind && about.name === metadata.name && isInPlace;
}

function eventRow(event: ReadonlyObject): UiEvent {
  const of = event as Readonly<Record<string, unknown>>;
  const series = (of.series ?? {}) as Record<string, unknown>;
  const source = (of.source ?? of.deprecatedSource ?? {}) as Record<string, unknown>;
  const first = (...values: unknown[]) => values.find((value) => typeof value === 'string' && value !== '') ?? '';
  const times = [series.lastObservedTime, of.lastTimestamp, of.deprecatedLastTimestamp, of.eventTime].map((each) =>
    typeof each === 'string' ? Date.parse(each) : Number.NaN,
  );
  const counts = [series.count, of.count, of.deprecatedCount].filter((each) => Number(each) > 0);
  return {
    at: times.find((each) => !Number.isNaN(each)) ?? null,
    type: String(first(of.type)),
    reason: String(first(of.reason)),
    message: String(first(of.message, of.note)).slice(0, LONGEST_MESSAGE),
    count: Number(counts[0] ?? 1),
    from: String(first(of.reportingComponent, of.reportingController, source.component)),
  };
}
