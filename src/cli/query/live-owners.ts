import { abortable } from '../../kit/abort.ts';
import { joined } from '../../kit/lazy-list.ts';
import { parseGroupVersion } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { ownerReferencesOf } from '../../model/owner-references.ts';
import type { OwnerIndexOptions } from '../../query/index/owner-index.ts';
import { createTargets, type InformerPlan, type WatchTarget } from '../session/informers.ts';
import { refusalOf, runTargets } from '../session/refusals.ts';
import type { Session } from '../session/session.ts';

/** The part of a query that concerns its owners too. */
type OwnersPlan = Pick<InformerPlan, 'namespaces' | 'idleMs' | 'onContinuity'>;

/**
 * The owners of a query's objects, and theirs up to the roots, kept up to date: a cache of metadata for each kind that
 * an owner reference names. A kind that is named for the first time gets its cache then.
 */
export class LiveOwners {
  readonly #session: Session;
  readonly #plan: OwnersPlan;
  readonly #onChanged: () => void;
  /** Kinds that have a cache, or that cannot have one. */
  readonly #known = new Set<string>();
  readonly #byUid = new Map<string, ReadonlyObject>();
  readonly #running: Promise<void>[] = [];
  #hasUnknown = false;
  targets: readonly WatchTarget[] = [];

  constructor(session: Session, { namespaces, idleMs, onContinuity }: OwnersPlan, onChanged: () => void) {
    this.#session = session;
    this.#plan = { namespaces, idleMs, onContinuity };
    this.#onChanged = onChanged;
  }

  /** Resolves when none of the caches runs any more. */
  get ended(): Promise<void> {
    return Promise.all(this.#running).then(() => {});
  }

  /** Finds an owner as it is now. */
  readonly resolve: NonNullable<OwnerIndexOptions['resolve']> = ({ uid }) => this.#byUid.get(uid);

  /** Takes note of the kinds that an object names. */
  look(object: ReadonlyObject): void {
    this.#hasUnknown ||= kindsOf(object).some((kind) => !this.#known.has(kind));
  }

  /** Follows the kinds that were named since the last call. Resolves with whether there are any. */
  async followNew(objects: () => Iterable<ReadonlyObject>, signal: AbortSignal): Promise<boolean> {
    if (!this.#hasUnknown) return false;
    this.#hasUnknown = false;
    await abortable(this.follow(objects()), signal);
    return true;
  }

  /** Resolves when the owners of these objects, and theirs up to the roots, are in caches. */
  async follow(objects: Iterable<ReadonlyObject>): Promise<void> {
    let level: Iterable<ReadonlyObject> = objects;
    for (;;) {
      const kinds = new Set<string>();
      for (const object of level) for (const kind of kindsOf(object)) if (!this.#known.has(kind)) kinds.add(kind);
      if (kinds.size === 0) return;
      const found = await Promise.all([...kinds].map((kind) => this.#open(kind)));
      level = joined(found.map((target) => target?.informer.lister.view() ?? []));
    }
  }

  async #open(kind: string): Promise<WatchTarget | undefined> {
    this.#known.add(kind);
    const session = this.#session;
    const [apiVersion = '', name = ''] = kind.split(' ');
    const type = await session.client.mapper.typeOfKind({ ...parseGroupVersion(apiVersion), kind: name });
    if (!type?.verbs.includes('list') || !type.verbs.includes('watch')) return undefined;
    const [target] = createTargets(session, [{ type, names: [], versioned: true }], {
      ...this.#plan,
      as: 'metadata',
      selector: undefined,
      fieldSelector: undefined,
      keepManagedFields: false,
    });
    if (!target) return undefined;
    this.targets = [...this.targets, target];
    this.#running.push(runTargets([target], session, { endsWhenRefused: false }));
    await target.settled(session.signal);
    const refusal = await refusalOf([target], session);
    if (refusal !== undefined) throw refusal;
    const registration = target.informer.addHandler({
      added: (object) => this.#set(object as ReadonlyObject),
      updated: (_, object) => this.#set(object as ReadonlyObject),
      deleted: (object) => {
        this.#byUid.delete(object.metadata.uid ?? '');
        this.#onChanged();
      },
    });
    await registration.whenSynced(session.signal);
    return target;
  }

  #set(object: ReadonlyObject): void {
    const before = this.#byUid.get(object.metadata.uid ?? '');
    this.#byUid.set(object.metadata.uid ?? '', object);
    this.look(object);
    const isSame = JSON.stringify(before?.metadata.ownerReferences) === JSON.stringify(object.metadata.ownerReferences);
    if (!before || !isSame) this.#onChanged();
  }
}

const kindsOf = (object: ReadonlyObject): string[] =>
  ownerReferencesOf(object).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
