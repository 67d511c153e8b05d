import type { Representation } from '../../client/resource-api.ts';
import type { InformerNotification } from '../../informer/handlers/notification.ts';
import type { SharedInformer } from '../../informer/shared-informer.ts';
import type { Continuity } from '../../informer/watch/continuity-ledger.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import { partsOfKey } from '../../model/key.ts';
import type { ReadonlyObject, UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { CachedSource } from './cached-source.ts';

/** A type that a serve caches whole: no selector, no name and no part by hash limits it. */
export interface CachedTypeOptions {
  readonly type: ResourceType;
  readonly informer: Pick<SharedInformer<UnknownObject>, 'addHandler' | 'continuity' | 'isCaughtUp'>;
  /** One source of the informer for each. Undefined or ['']: all namespaces, or the type has none. */
  readonly namespaces?: readonly string[] | undefined;
  /** The form in which objects are cached. */
  readonly as: Representation;
  /** Whether `metadata.managedFields` are cached. */
  readonly keepsManagedFields: boolean;
}

/** The part of a cached type that a request is about. */
export interface CachedPart {
  readonly collection: CachedCollection;
  readonly source: CachedSource;
  readonly continuity: Continuity;
  /** Only objects of this namespace are asked for, of a source of all. */
  readonly namespace: string | undefined;
}

/** A cached type as lists and watches are answered from it: one {@link CachedSource} for each source of its informer. */
export class CachedCollection implements Disposable {
  readonly type: ResourceType;
  readonly as: Representation;
  readonly keepsManagedFields: boolean;
  readonly #informer: CachedTypeOptions['informer'];
  readonly #registration: ReturnType<CachedTypeOptions['informer']['addHandler']>;
  readonly #sources: ReadonlyMap<string, CachedSource>;

  constructor(options: CachedTypeOptions) {
    this.type = options.type;
    this.as = options.as;
    this.keepsManagedFields = options.keepsManagedFields;
    this.#informer = options.informer;
    const { namespaces = [''] } = options;
    this.#sources = new Map((options.type.namespaced ? namespaces : ['']).map((each) => [each, new CachedSource()]));
    this.#registration = options.informer.addHandler({
      added: (object, details) => this.#take({ kind: 'added', object, ...details }),
      updated: (oldObject, object, details) => this.#take({ kind: 'updated', oldObject, object, ...details }),
      deleted: (object, details) => this.#take({ kind: 'deleted', object, ...details }),
      synced: () => {
        for (const [i, source] of [...this.#sources.values()].entries()) source.filled(this.#listedAt(i));
      },
      continuity: (event) => {
        const source = this.#sources.get(event.scope ?? '');
        if (event.kind === 'gap') source?.lost();
        else if (event.kind === 'relisted') source?.filled(event.resourceVersion);
        else source?.changed.wake(); // a connection was lost or is back
      },
    });
  }

  /** The part that has all objects of a request; undefined if some of them are not cached. */
  partFor(namespace: string | undefined): CachedPart | undefined {
    const all = this.#partAt('', namespace);
    return all ?? (namespace === undefined ? undefined : this.#partAt(namespace, undefined));
  }

  /** Any object, for what all of them have in common. */
  anyObject(): ReadonlyObject | undefined {
    return [...this.#sources.values()].map((source) => source.anyObject()).find((object) => object !== undefined);
  }

  get name(): string {
    return formatGroupResource(this.type.gvr);
  }

  [Symbol.dispose](): void {
    this.#registration.remove();
    for (const source of this.#sources.values()) source.lost();
  }

  /** Lets sources know which versions they have reached without a change, if everything that arrived was taken. */
  catchUp(): void {
    if (!this.#informer.isCaughtUp || this.#registration.depth > 0) return;
    for (const [i, source] of [...this.#sources.values()].entries())
      source.reached(this.#informer.continuity[i]?.resourceVersion ?? '');
  }

  #partAt(scope: string, namespace: string | undefined): CachedPart | undefined {
    const source = this.#sources.get(scope);
    const continuity = this.#informer.continuity[[...this.#sources.keys()].indexOf(scope)];
    return source && continuity && { collection: this, source, continuity, namespace };
  }

  #take(notification: InformerNotification<UnknownObject>): void {
    const source = this.#sources.get('') ?? this.#sources.get(partsOfKey(notification.key).namespace);
    source?.take(notification);
  }

  /** The version of the list that a source began with; the objects may be later. */
  #listedAt(source: number): string {
    const { stretches = [] } = this.#informer.continuity[source] ?? {};
    return stretches.findLast(({ by }) => by === 'initial' || by === 'relist')?.to ?? '';
  }
}
