import { InformerError } from '../../kit/error.ts';
import { formatGvr, type GroupVersionResource } from '../../model/gvr.ts';
import { type ObjectKey, splitKey } from '../../model/key.ts';
import type { ManagedFieldsEntry, ObjectMeta, UnknownObject } from '../../model/object.ts';
import { applyTo } from '../apply/server-side-apply.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import type { CrdController } from '../controllers/crd-controller.ts';
import type { StoredObject } from '../store/stored-object.ts';
import type { ApiType } from '../types/api-type.ts';
import { fromStorage } from '../types/conversion.ts';
import { copy } from '../types/copy.ts';
import { emptyObject } from '../types/empty-objects.ts';
import { guardsStatus } from '../types/type-strategies.ts';
import type { Backend } from '../write/backend.ts';
import type { Deleter } from '../write/deleter.ts';
import type { Writer } from '../write/writer.ts';
import { copiesOnRead } from './copies-on-read.ts';

/** A type in code: a GVR, or an object with apiVersion and kind. */
export type TypeReference = GroupVersionResource | { readonly apiVersion: string; readonly kind: string };

/** The field manager of these writes. */
const MANAGER = 'sandbox';

/**
 * Reads and writes objects of a sandbox from code: without requests and without waiting. Results of reads are copies.
 */
export class Fixtures {
  readonly #cluster: Cluster;
  readonly #writer: Writer;
  readonly #deleter: Deleter;
  readonly #crds: CrdController;

  constructor({ cluster, writer, deleter }: Backend, crds: CrdController) {
    this.#cluster = cluster;
    this.#writer = writer;
    this.#deleter = deleter;
    this.#crds = crds;
  }

  /**
   * Creates an object, or merges it into the stored one; see Sandbox.apply. Takes ownership of `object`. The result
   * belongs to the store and must not be changed.
   */
  apply(object: UnknownObject): StoredObject {
    const place = this.#placeOf(object);
    const { type, current, wanted } = place;
    const live = current ? fromStorage(type, current.object) : emptyObject(type);
    const manager = { name: MANAGER, operation: 'Apply' as const, subresource: undefined };
    const settings = { force: true, time: timestamp(this.#cluster.clock.now()) };
    const applied = applyTo(type, live, wanted, manager, settings);
    const merged: UnknownObject = copy(applied.object);
    if (guardsStatus(type)) merged.status = wanted.status ?? current?.object.status;
    if (merged.status === undefined) delete merged.status; // a new object gets the status of its type
    if (!current) merged.metadata = { ...merged.metadata, ...bornWith(wanted) };
    return this.#write(place, merged, applied.managedFields);
  }

  /**
   * Creates an object, or replaces the stored one; see Sandbox.put. Takes ownership of `object`. The result belongs to
   * the store and must not be changed.
   */
  put(object: UnknownObject): StoredObject {
    const place = this.#placeOf(object);
    return this.#write(place, place.wanted);
  }

  /** Where an object belongs. Creates its namespace. */
  #placeOf(object: UnknownObject): Place {
    const type = this.#type({ apiVersion: object.apiVersion ?? '', kind: object.kind ?? '' });
    const { store } = this.#cluster;
    const { name = '', namespace = 'default' } = object.metadata;
    if (type.namespaced && !store.get('namespaces', namespace)) {
      this.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    }
    const current = name === '' ? undefined : store.get(type.storage, type.namespaced ? `${namespace}/${name}` : name);
    const metadata = {
      ...object.metadata,
      ...(type.namespaced ? { namespace } : {}),
      ...(current ? identityOf(current.object) : {}),
    };
    return { type, current, wanted: { ...object, metadata } };
  }

  #write({ type, current }: Place, object: UnknownObject, managedFields?: ManagedFieldsEntry[]): StoredObject {
    const rules = { manager: MANAGER, fixture: true, managedFields };
    const stored = current ? this.#writer.update(type, object, rules) : this.#writer.create(type, object, rules);
    if (type.kind === 'CustomResourceDefinition') this.#crds.establish(object.metadata.name ?? '');
    return this.#cluster.store.get(type.storage, stored.key) ?? stored;
  }

  get(type: TypeReference, key: ObjectKey): UnknownObject | undefined {
    const found = this.#type(type);
    const stored = this.#cluster.store.get(found.storage, key);
    return stored && copy(found.custom ? fromStorage(found, stored.object) : stored.object);
  }

  list(type: TypeReference, { namespace }: { namespace?: string }): UnknownObject[] {
    const { store } = this.#cluster;
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    const known = this.#type(type);
    const found = store.collection(known.storage).list({ prefix }, store.revision);
    return copiesOnRead(found.map(({ object }) => (known.custom ? fromStorage(known, object) : object)));
  }

  delete(type: TypeReference, key: ObjectKey, options: { gracePeriodSeconds?: number }): void {
    const found = this.#type(type);
    const { namespace, name } = splitKey(key);
    this.#deleter.delete(found, found.namespaced ? namespace : undefined, name, options);
  }

  #type(reference: TypeReference): ApiType {
    checkReference(reference);
    const { types } = this.#cluster;
    const found =
      'resource' in reference ? types.find(reference) : types.findKind(reference.apiVersion, reference.kind);
    if (found) {
      checkIsStored(found);
      return found;
    }
    const name = 'resource' in reference ? formatGvr(reference) : `${reference.apiVersion} ${reference.kind}`;
    throw new InformerError('argument', `the sandbox serves no ${name}`, {
      hint: 'apply its CustomResourceDefinition first',
    });
  }
}

interface Place {
  readonly type: ApiType;
  readonly current: StoredObject | undefined;
  /** The object to write, with its namespace and the identity of the stored object. */
  readonly wanted: UnknownObject;
}

/** Throws for a version of which objects are made by a webhook: that takes time, which reads and writes here do not have. */
function checkIsStored({ gvr, kind, custom }: ApiType): void {
  const { storedVersion = gvr.version, conversion } = custom ?? {};
  if (!conversion || storedVersion === gvr.version) return;
  throw new InformerError('argument', `a webhook converts ${gvr.group}/${gvr.version} ${kind}, which takes a request`, {
    hint: `use the stored version, ${gvr.group}/${storedVersion}, or a client of the sandbox`,
  });
}

/** The metadata that a new object keeps, although a configuration cannot set it. */
function bornWith({ metadata: { uid, creationTimestamp } }: UnknownObject): ObjectMeta {
  return { ...(uid ? { uid } : {}), ...(creationTimestamp ? { creationTimestamp } : {}) };
}

function checkReference(reference: unknown): void {
  const { group, version, resource, apiVersion, kind } = Object(reference) as Record<string, unknown>;
  const areTexts = (...parts: unknown[]) => parts.every((part) => typeof part === 'string');
  if (areTexts(group, version, resource) || areTexts(apiVersion, kind)) return;
  const given = typeof reference === 'string' ? JSON.stringify(reference) : typeof reference;
  throw new InformerError('argument', `the type of an object must be a type of the API, not ${given}`, {
    hint: "{ group: '', version: 'v1', resource: 'pods' }, or { apiVersion: 'v1', kind: 'Pod' }",
  });
}

/** The identity of the stored object, for an update. A resourceVersion in a fixture is from another server. */
function identityOf({ metadata }: UnknownObject): { resourceVersion?: string; uid?: string } {
  const { resourceVersion, uid } = metadata;
  return { ...(resourceVersion ? { resourceVersion } : {}), ...(uid ? { uid } : {}) };
}
