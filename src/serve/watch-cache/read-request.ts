import { InformerError } from '../../kit/error.ts';
import type { CollectionPath } from '../../model/collection-path.ts';
import { FieldSelector } from '../../model/field-selector.ts';
import { splitKey } from '../../model/key.ts';
import { LabelSelector } from '../../model/label-selector.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import type { CachedCollection } from './cached-collection.ts';
import { formOf, type ReadForm } from './forms.ts';
import { unserved } from './refusal.ts';

/** A LIST or WATCH, as far as it decides which objects are shown and how. */
export interface ReadRequest {
  readonly isWatch: boolean;
  readonly form: ReadForm;
  /** Undefined: all. */
  readonly selects: ((object: ReadonlyObject, key: string) => boolean) | undefined;
  readonly version: ResourceVersion;
  readonly match: string;
  readonly withBookmarks: boolean;
  /** 0: until the client or the serve ends it. */
  readonly timeoutMs: number;
}

/** Fields of the key, which every type can be selected by. The values of others need the API server's own rules. */
const KEY_FIELDS = ['metadata.name', 'metadata.namespace'];

/** Reads a request. Throws a {@link Refusal}: what the cache cannot answer as the API server would is the server's. */
export function readRequestOf(
  { query, namespace }: CollectionPath,
  accept: string,
  collection: CachedCollection,
): ReadRequest {
  const watch = query.get('watch');
  if (query.get('continue')) unserved('pages of a list are not kept here');
  for (const name of ['sendInitialEvents', 'shardSelector'])
    if (query.has(name)) unserved(`${name} is not evaluated here`);
  const labels = readable(() => LabelSelector.parse(query.get('labelSelector') ?? ''));
  const fields = readable(() => FieldSelector.parse(query.get('fieldSelector') ?? ''));
  const other = fields.requirements.find(({ field }) => !KEY_FIELDS.includes(field));
  if (other) unserved(`the field selector ${other.field} is evaluated by the API server`);
  const isAll = labels.matchesEverything && fields.matchesEverything && namespace === undefined;
  const selects = (object: ReadonlyObject, key: string) => {
    const place = splitKey(key);
    if (namespace !== undefined && place.namespace !== namespace) return false;
    const fieldOf = (field: string) => (field === 'metadata.name' ? place.name : place.namespace);
    return labels.matches(object.metadata.labels) && fields.matches(fieldOf);
  };
  return {
    isWatch: watch === 'true' || watch === '1',
    form: formOf(accept, query.get('includeObject'), collection),
    selects: isAll ? undefined : selects,
    version: query.get('resourceVersion') ?? '',
    match: query.get('resourceVersionMatch') ?? '',
    withBookmarks: query.get('allowWatchBookmarks') === 'true',
    timeoutMs: Number(query.get('timeoutSeconds')) * 1000,
  };
}

/** An API server answers what is wrong in its own words. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InformerError) unserved(error.message);
    throw error;
  }
}
