import type { WatchTarget } from '../cli/session/informers.ts';
import { Ring } from '../kit/ring.ts';
import { formatGvr } from '../model/gvr.ts';
import { keyOf } from '../model/key.ts';
import type { ReadonlyObject } from '../model/object.ts';
import { compareResourceVersions } from '../model/resource-version.ts';
import { valuePair } from '../output/value-text.ts';
import { ChangeRecorder } from '../serve/ui/change-record.ts';
import type { UiChange } from '../serve/ui/wire.ts';
import { isNoise } from '../stream/changes/noise.ts';
import { changeHandler } from '../stream/envelope.ts';
import type { AgentCaches } from './agent-caches.ts';

/** Changes that are kept, of all types together. */
const MOST_CHANGES = 5000;

/** A change that this process has seen. Its texts are redacted, cut and safe. */
export interface RecentChange {
  /** `v1/pods`. */
  readonly type: string;
  readonly key: string;
  readonly resourceVersion: string;
  /** The parts that selectors look at. */
  readonly seen: Pick<ReadonlyObject, 'metadata'>;
  readonly change: UiChange;
}

/** The last list of a cache: changes before it, since the list before, may not have been seen. */
interface LastList {
  /** Ms since 1970. */
  readonly at: number;
  readonly version: string;
}

/** The latest changes of the cached types. It sees each from the first list of its type on. */
export class RecentChanges implements Disposable {
  readonly #recorder: ChangeRecorder;
  readonly #all = new Ring<RecentChange>();
  readonly #followed = new WeakSet<WatchTarget>();
  readonly #lists = new WeakMap<WatchTarget, LastList>();
  /** The greatest version of a change that was dropped, by type. */
  readonly #droppedVersions = new Map<string, string>();
  readonly #caches: AgentCaches;
  readonly #listening: Disposable;
  /** When the oldest change that is kept happened, if older ones were dropped, ms since 1970. */
  #droppedUntil = 0;

  constructor(caches: AgentCaches) {
    this.#caches = caches;
    const { clock } = caches.session;
    this.#recorder = new ChangeRecorder({ values: valuePair, clock }, caches.redactor);
    this.#listening = caches.types.onTargets(() => this.#follow());
    this.#follow();
  }

  /** The version since which the changes of a type are complete; undefined if it is not known. */
  completeSinceVersion(target: WatchTarget): string | undefined {
    const list = this.#lists.get(target);
    return list && later(list.version, this.#droppedVersions.get(formatGvr(target.type.gvr)));
  }

  /** Whether all changes of a type since a time or a version are known. */
  isComplete(target: WatchTarget, since: number | string): boolean {
    if (typeof since === 'number') return since >= this.completeSince(target);
    const from = this.completeSinceVersion(target);
    return from !== undefined && (compareResourceVersions(since, from) ?? -1) >= 0;
  }

  /** Since when the changes of a type are complete, ms since 1970. */
  completeSince(target: WatchTarget): number {
    return Math.max(this.#droppedUntil, this.#lists.get(target)?.at ?? this.#caches.session.clock.now());
  }

  /** The changes of a type that are newer than a time or a resourceVersion, the latest first. */
  after(target: WatchTarget, since: number | string): RecentChange[] {
    const id = formatGvr(target.type.gvr);
    const isNewer = ({ change, resourceVersion }: RecentChange) =>
      typeof since === 'number' ? change.at >= since : (compareResourceVersions(resourceVersion, since) ?? 0) > 0;
    const found: RecentChange[] = [];
    for (let i = this.#all.size - 1; i >= 0; i--) {
      const each = this.#all.at(i) as RecentChange;
      if (each.type === id && isNewer(each)) found.push(each);
    }
    return found;
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }

  #drop({ type, resourceVersion, change: { at } }: RecentChange): void {
    this.#droppedUntil = at;
    this.#droppedVersions.set(type, later(resourceVersion, this.#droppedVersions.get(type)));
  }

  #follow(): void {
    for (const target of this.#caches.types.targets) {
      if (this.#followed.has(target)) continue;
      this.#followed.add(target);
      const { type, informer } = target;
      const { clock, signal } = this.#caches.session;
      const listed = (version: string) => this.#lists.set(target, { at: clock.now(), version });
      informer.onContinuity((event) => event.kind === 'relisted' && listed(event.resourceVersion));
      informer.whenSynced(signal).then(
        () => listed(informer.lister.resourceVersion),
        () => {}, // it ends before
      );
      informer.addSelecting(
        changeHandler((change) => {
          const { object, oldObject, finalStateUnknown } = change;
          if (oldObject && change.type === 'updated' && isNoise(oldObject, object, type.gvr)) return;
          const { name = '', namespace, labels } = object.metadata;
          // an inferred deletion has the version of a state that may be much older
          const { resourceVersion = '' } = finalStateUnknown ? informer.lister : object.metadata;
          const seen = { metadata: { name, ...(namespace && { namespace }), ...(labels && { labels }) } };
          const of = { type: formatGvr(type.gvr), key: keyOf(object), resourceVersion, seen };
          for (const each of this.#recorder.recordsOf(change, type)) this.#all.push({ ...of, change: each });
          while (this.#all.size > MOST_CHANGES) this.#drop(this.#all.shift() as RecentChange);
        }),
        {},
        { initial: false }, // what is there already is no change
      );
    }
  }
}

/** The greater of two versions; the first one where they have no order. */
const later = (version: string, other: string | undefined) =>
  other !== undefined && (compareResourceVersions(other, version) ?? 0) > 0 ? other : version;
