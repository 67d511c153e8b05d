import type { UnknownObject } from '../../model/object.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/object-store.ts';
import { atRevision, StoredObject } from '../store/stored-object.ts';
import type { ApiType } from '../types/api-type.ts';
import { copy } from '../types/copy.ts';
import { setSchemaDefaults, unknownFieldsOf } from '../types/custom/custom-resource.ts';
import { equalJson } from '../types/equal.ts';
import { apiVersionOf, type Converter } from './converter.ts';

/**
 * A conversion that a request needs and that is not known yet. It ends the run of the request; `answer` asks the
 * webhook, and a later run finds the result.
 */
export class Unconverted {
  readonly answer: (signal: AbortSignal) => Promise<void>;

  constructor(answer: Unconverted['answer']) {
    this.answer = answer;
  }
}

/** The parts of a view of a version. */
export interface ViewParts {
  readonly store: Store;
  readonly converter: Converter;
  readonly type: ApiType;
  /** The type of the version that is stored. */
  readonly stored: ApiType;
  /** The objects in the version, for what reads more than one. */
  readonly collection: () => Collection;
  /** Whether only metadata is written, which needs no webhook. */
  readonly writesMetadata: boolean;
  /** Whether an object is read from `collection` where that is not behind, as updates of a real server do. */
  readonly readsCollection: boolean;
}

/**
 * The store as one request in a version sees it: objects of its type are read in that version, and what is put is
 * converted to the stored one. A conversion that is not known throws {@link Unconverted}.
 */
export function versionView(parts: ViewParts): Store {
  const { store, converter, type, stored, collection, writesMetadata, readsCollection } = parts;
  const known: { readonly to: ApiType; readonly from: UnknownObject; readonly object: UnknownObject }[] = [];

  const converted = (to: ApiType, from: UnknownObject): UnknownObject => {
    if (from.apiVersion === apiVersionOf(to)) return from;
    const found = known.find((each) => each.to === to && equalJson(each.from, from));
    if (found) return copy(found.object);
    const asked = copy(from);
    throw new Unconverted(async (signal) => {
      known.push({ to, from: asked, object: await converter.convert(to, asked, signal) });
    });
  };
  const shown = ({ key, object, revision }: StoredObject) => new StoredObject(key, converted(type, object), revision);
  const read = (key: string) => {
    const found = store.get(type.storage, key);
    const kept = readsCollection ? collection().get(key) : undefined;
    return found && (kept?.revision === found.revision ? kept : shown(found));
  };
  const putMetadata = (key: string, { metadata, ...rest }: UnknownObject): StoredObject => {
    const { revision } = store.put(stored.storage, key, { ...store.get(stored.storage, key)?.object, metadata });
    return atRevision(new StoredObject(key, { ...rest, metadata }, revision), revision);
  };
  const put = (key: string, object: UnknownObject): StoredObject => {
    if (writesMetadata) return putMetadata(key, object);
    // what is stored has no version yet, and is converted back for the answer
    const { resourceVersion: _version, ...metadata } = object.metadata;
    const next = copy(converted(stored, { ...object, apiVersion: apiVersionOf(type), metadata }));
    unknownFieldsOf(stored, next);
    if (stored.custom?.schema) setSchemaDefaults(next, stored.custom.schema);
    const answer = converted(type, next);
    const { revision } = store.put(stored.storage, key, next);
    return atRevision(new StoredObject(key, answer, revision), revision);
  };
  const remove = (key: string) => {
    const found = read(key);
    const last = found && store.remove(type.storage, key);
    return last && atRevision(found, last.revision);
  };
  return {
    ...delegating(store),
    get revision() {
      return store.revision;
    },
    get: (storage, key) => (storage === type.storage ? read(key) : store.get(storage, key)),
    put: (storage, key, object) => (storage === type.storage ? put(key, object) : store.put(storage, key, object)),
    remove: (storage, key) => (storage === type.storage ? remove(key) : store.remove(storage, key)),
    collection: (storage) => (storage === type.storage ? collection() : store.collection(storage)),
  };
}

/** A store that passes everything on. Its revision is read through `get revision`. */
export function delegating(store: Store): Omit<Store, 'revision'> {
  return {
    collection: (storage) => store.collection(storage),
    collections: () => store.collections(),
    get: (storage, key) => store.get(storage, key),
    put: (storage, key, object) => store.put(storage, key, object),
    remove: (storage, key) => store.remove(storage, key),
    rewrite: (storage, change) => store.rewrite(storage, change),
    oldestState: (storage) => store.oldestState(storage),
    compact: (options) => store.compact(options),
    snapshot: () => store.snapshot(),
    load: (snapshot) => store.load(snapshot),
    close: (storage) => store.close(storage),
    onChange: (listener) => store.onChange(listener),
    nextWrite: (signal) => store.nextWrite(signal),
  };
}
