import type { UnknownObject } from '../../model/object.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import type { StoreEvent } from '../store/event-log.ts';
import { copy } from '../write/copy.ts';
import type { Writer } from '../write/writer.ts';
import { specOf, storageOf, typesOf } from './crd-types.ts';

export const CRD_STORAGE = 'customresourcedefinitions.apiextensions.k8s.io';

/** A definition is served this long after it was written, as on a real server: not at once. */
const ESTABLISH_MS = 20;

/**
 * Brings what a CustomResourceDefinition says into force: its types are served once it is Established; when it is deleted its objects
 * go, open watches end, and the types are served no more.
 */
export class CrdController implements Disposable {
  readonly #cluster: Cluster;
  readonly #writer: Writer;
  readonly #subscription: Disposable;
  readonly #timers = new Set<Disposable>();

  constructor(cluster: Cluster, writer: Writer) {
    this.#cluster = cluster;
    this.#writer = writer;
    this.#subscription = cluster.store.onChange((storage, event) => {
      if (storage === CRD_STORAGE) this.#react(event);
    });
  }

  /** Serves a definition's types now instead of in a moment. */
  establish(name: string): void {
    const crd = this.#cluster.store.get(CRD_STORAGE, name)?.object;
    if (!crd || crd.metadata.deletionTimestamp) return;
    this.#cluster.types.put(storageOf(specOf(crd)), typesOf(crd));
    if (isEstablished(crd)) return;
    const type = this.#cluster.types.findKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    const established = { ...copy(crd), status: establishedStatus(crd, timestamp(this.#cluster.clock.now())) };
    if (type) this.#writer.update(type, established, { manager: 'kube-apiserver', subresource: 'status' });
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  #react({ type, object: { object } }: StoreEvent): void {
    const name = object.metadata.name ?? '';
    if (type === 'DELETED') return;
    if (object.metadata.deletionTimestamp) this.#soon(() => this.#cleanUp(name));
    else this.#soon(() => this.establish(name));
  }

  #cleanUp(name: string): void {
    const { store, types } = this.#cluster;
    const crd = store.get(CRD_STORAGE, name)?.object;
    if (!crd?.metadata.deletionTimestamp) return;
    const storage = storageOf(specOf(crd));
    for (const { key } of [...store.collection(storage).values()]) store.remove(storage, key);
    types.put(storage, []);
    store.close(storage);
    store.remove(CRD_STORAGE, name);
  }

  #soon(run: () => void): void {
    const timer = this.#cluster.clock.after(ESTABLISH_MS, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }
}

type Condition = Record<string, unknown>;

function isEstablished({ status }: UnknownObject): boolean {
  const { conditions } = (status ?? {}) as { conditions?: Condition[] | null };
  return conditions?.some((c) => c.type === 'Established' && c.status === 'True') ?? false;
}

function establishedStatus(crd: UnknownObject, now: string): object {
  const condition = (type: string, reason: string, message: string) => ({ type, status: 'True', lastTransitionTime: now, reason, message });
  return {
    ...(crd.status as object),
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: copy(specOf(crd).names),
  };
}
