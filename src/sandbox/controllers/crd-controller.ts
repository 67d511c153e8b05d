import { splitKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import { StatusError } from '../../model/status.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import type { StoreEvent } from '../store/event-log.ts';
import type { ApiType } from '../types/api-type.ts';
import { copy } from '../types/copy.ts';
import { specOf, storageOf, typesOf } from '../types/custom/crd-types.ts';
import { setSchemaDefaults } from '../types/custom/custom-resource.ts';
import { equalJson } from '../types/equal.ts';
import type { Backend } from '../write/backend.ts';
import { CLEANUP, type Deleter, withCondition } from '../write/deleter.ts';
import type { Writer } from '../write/writer.ts';

export const CRD_STORAGE = 'customresourcedefinitions.apiextensions.k8s.io';

/** How long after a write of a definition its types are served. A real server too does not serve them at once. */
const ESTABLISH_MS = 20;

/**
 * How long after a change of a definition its open watches end. Source: apiextensions-apiserver crdHandler.tearDown.
 */
const TEARDOWN_MS = 1_000;

type Condition = Record<string, unknown>;

/**
 * Serves the types of CustomResourceDefinitions. A definition becomes Established unless another type of its group has
 * one of its names. New defaults of its schema apply to stored objects too. When a definition changes, its open watches
 * end after a short time. When it is deleted, its objects are deleted first, and finalizers of the objects delay it.
 * Then open watches end, and the types are no longer served.
 * Source: apiextensions-apiserver pkg/controller/{establish,status,finalizer}.
 */
export class CrdController implements Disposable {
  readonly #cluster: Cluster;
  readonly #writer: Writer;
  readonly #deleter: Deleter;
  readonly #subscription: Disposable;
  readonly #timers = new Set<Disposable>();
  /** The storages of definitions that are being deleted. */
  readonly #going = new Set<string>();

  constructor({ cluster, writer, deleter }: Backend) {
    this.#cluster = cluster;
    this.#writer = writer;
    this.#deleter = deleter;
    this.#subscription = cluster.store.onChange((storage, event) => {
      if (storage === CRD_STORAGE) this.#react(event);
      else if (event.type === 'DELETED' && this.#going.has(storage)) this.#soon(() => this.#cleanUp(storage));
    });
  }

  /** Serves the types of a definition now, without the delay. One in deletion is served only if it was before. */
  establish(name: string): void {
    const crd = this.#cluster.store.get(CRD_STORAGE, name)?.object;
    if (!crd) return;
    const storage = storageOf(specOf(crd));
    if (crd.metadata.deletionTimestamp) {
      // until its objects are deleted
      if (isEstablished(crd)) this.#serve(storage, typesOf(crd), storageVersionOf(crd));
      return;
    }
    const conflict = this.#conflictOf(crd, storage);
    if (!conflict) this.#serve(storage, typesOf(crd), storageVersionOf(crd));
    this.#setStatus(crd, conflict ? refusedStatus(crd, conflict, this.#now()) : establishedStatus(crd, this.#now()));
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  #now(): string {
    return timestamp(this.#cluster.clock.now());
  }

  #react({ type, object: { object } }: StoreEvent): void {
    const { name = '', deletionTimestamp } = object.metadata;
    if (type === 'DELETED') this.#stopServing(storageOf(specOf(object)));
    else if (deletionTimestamp) this.#soon(() => this.#cleanUp(name));
    else this.#soon(() => this.establish(name));
  }

  #serve(storage: string, types: readonly ApiType[], stored: string): void {
    const { types: registry } = this.#cluster;
    const before = registry.all.filter((t) => t.storage === storage);
    if (equalJson(before.map(comparable), types.map(comparable))) return;
    registry.put(storage, types);
    if (before.length > 0) this.#soon(() => this.#cluster.store.collection(storage).retire(before), TEARDOWN_MS);
    const schema = types.find((t) => t.gvr.version === stored)?.custom?.schema;
    const known = before.find((t) => t.gvr.version === stored)?.custom?.schema;
    if (schema && known && !equalJson(schema, known))
      this.#cluster.store.rewrite(storage, (object) => setSchemaDefaults(object, schema));
  }

  #stopServing(storage: string): void {
    this.#going.delete(storage);
    this.#cluster.types.put(storage, []);
    this.#cluster.store.close(storage);
    // a name may be free now
    for (const { key } of this.#cluster.store.collection(CRD_STORAGE).values()) this.#soon(() => this.establish(key));
  }

  /** Deletes the objects of a definition that is being deleted, and removes its finalizer when no object is left. */
  #cleanUp(name: string): void {
    const { store } = this.#cluster;
    const crd = store.get(CRD_STORAGE, name)?.object;
    if (!crd?.metadata.deletionTimestamp || !crd.metadata.finalizers?.includes(CLEANUP)) return;
    const storage = storageOf(specOf(crd));
    this.#going.add(storage);
    for (const { key, object } of [...store.collection(storage).values()])
      if (!object.metadata.deletionTimestamp) this.#delete(storage, key);
    if (store.collection(storage).size === 0) this.#release(crd);
    else this.#setStatus(crd, withCondition(crd.status, DELETING, this.#now()));
  }

  #delete(storage: string, key: string): void {
    const type = this.#cluster.types.all.find((t) => t.storage === storage);
    const { namespace, name } = splitKey(key);
    if (type)
      this.#deleter.delete(type, type.namespaced ? namespace : undefined, name, { propagationPolicy: 'Background' });
    else this.#cluster.store.remove(storage, key);
  }

  #release(crd: UnknownObject): void {
    this.#setStatus(crd, withCondition(crd.status, DELETED, this.#now()));
    const current = copy(this.#cluster.store.get(CRD_STORAGE, crd.metadata.name ?? '')?.object ?? crd);
    const finalizers = (current.metadata.finalizers ?? []).filter((f) => f !== CLEANUP);
    this.#write({ ...current, metadata: { ...current.metadata, finalizers } }, undefined);
  }

  #setStatus(crd: UnknownObject, status: object): void {
    if (!equalJson(crd.status, status)) this.#write({ ...copy(crd), status }, 'status');
  }

  /** Writes a definition. A refused write changes nothing: a definition from a fixture may break rules of the API. */
  #write(crd: UnknownObject, subresource: string | undefined): void {
    const type = this.#cluster.types.findKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    try {
      if (type) this.#writer.update(type, crd, { manager: 'kube-apiserver', subresource });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }

  /** A name of the definition that another type of its group already has; the last one when there are several. */
  #conflictOf(crd: UnknownObject, storage: string): { readonly reason: string; readonly name: string } | undefined {
    const { group, names } = specOf(crd);
    const others = this.#cluster.types.all.filter((t) => t.gvr.group === group && t.storage !== storage);
    const resources = new Set(others.flatMap((t) => [t.gvr.resource, t.singular, ...t.shortNames]));
    const kinds = new Set(others.flatMap((t) => [t.kind, t.listKind]));
    const taken = (reason: string, used: Set<string>, wanted: readonly (string | undefined)[]) =>
      wanted.filter((name) => name !== undefined && used.has(name)).map((name = '') => ({ reason, name }));
    return [
      ...taken('PluralConflict', resources, [names.plural]),
      ...taken('SingularConflict', resources, [names.singular]),
      ...taken('ShortNamesConflict', resources, names.shortNames ?? []),
      ...taken('KindConflict', kinds, [names.kind]),
      ...taken('ListKindConflict', kinds, [names.listKind]),
    ].at(-1);
  }

  #soon(run: () => void, ms = ESTABLISH_MS): void {
    const timer = this.#cluster.clock.after(ms, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }
}

const DELETING = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const DELETED = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};

/** A type as plain JSON, to compare it with another state of it. */
function comparable({ subresourceTypes, ...type }: ApiType): object {
  return { ...type, subresourceTypes: [...subresourceTypes.values()] };
}

function storageVersionOf(crd: UnknownObject): string {
  return specOf(crd).versions.find((v) => v.storage)?.name ?? '';
}

function conditionsOf({ status }: UnknownObject): Condition[] {
  return ((status ?? {}) as { conditions?: Condition[] | null }).conditions ?? [];
}

function isEstablished(crd: UnknownObject): boolean {
  return conditionsOf(crd).some((c) => c.type === 'Established' && c.status === 'True');
}

function establishedStatus(crd: UnknownObject, now: string): object {
  const { storedVersions } = (crd.status ?? {}) as { storedVersions?: string[] };
  const stored = storageVersionOf(crd);
  const accepted = withCondition(
    { ...(crd.status as object), conditions: conditionsOf(crd) },
    { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
    now,
  );
  const established = conditionsOf(crd).find((c) => c.type === 'Established' && c.status === 'True');
  const reason = established?.reason ?? 'InitialNamesAccepted';
  return {
    ...withCondition(
      accepted,
      { type: 'Established', status: 'True', reason, message: 'the initial names have been accepted' },
      now,
    ),
    acceptedNames: copy(specOf(crd).names),
    storedVersions: storedVersions?.includes(stored) ? storedVersions : [...(storedVersions ?? []), stored],
  };
}

function refusedStatus(crd: UnknownObject, { reason, name }: { reason: string; name: string }, now: string): object {
  const message = `${JSON.stringify(name)} is already in use`;
  const refused = withCondition(crd.status, { type: 'NamesAccepted', status: 'False', reason, message }, now);
  if (isEstablished(crd)) return refused; // its types were served before the conflict
  return withCondition(
    refused,
    { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
    now,
  );
}
