import { isJsonMap } from '../../kit/exact-json.ts';
import { Ring } from '../../kit/ring.ts';
import { formatGvr } from '../../model/gvr.ts';
import { keyOf } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { compareResourceVersions } from '../../model/resource-version.ts';
import { ChangeRecorder } from '../../serve/ui/change-record.ts';
import type { UiChange } from '../../serve/ui/wire.ts';
import { changeHandler } from '../../stream/change-handler.ts';
import { isNoise } from '../../stream/changes/noise.ts';
import { uiTexts } from '../serve/ui-texts.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { AgentCaches } from './agent-caches.ts';

/** Changes that are kept, of all types together. */
const MOST_CHANGES = 5000;

/** A change that this process has seen. Its texts are redacted, cut and safe. */
export interface RecentChange {
  /** `v1/pods`. */
  readonly type: string;
  readonly key: string;
  readonly resourceVersion: string;
  /** The object with its labels alone, for selectors. */
  readonly labelled: ReadonlyObject;
  readonly change: UiChange;
}

/** The latest changes of the cached types. It sees each from the moment at which its type is cached. */
export class RecentChanges implements Disposable {
  readonly #recorder: ChangeRecorder;
  readonly #all = new Ring<RecentChange>();
  readonly #since = new Map<WatchTarget, number>();
  readonly #caches: AgentCaches;
  readonly #listening: Disposable;
  /** When the oldest change that is kept happened, if older ones were dropped, ms since 1970. */
  #droppedUntil = 0;

  constructor(caches: AgentCaches) {
    this.#caches = caches;
    const { clock } = caches.session;
    this.#recorder = new ChangeRecorder({ texts: uiTexts, clock }, caches.redactor);
    this.#listening = caches.types.onTargets(() => this.#follow());
    this.#follow();
  }

  /** Since when the changes of a type are complete, ms since 1970. */
  completeSince(target: WatchTarget): number {
    return Math.max(this.#droppedUntil, this.#since.get(target) ?? this.#caches.session.clock.now());
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

  #follow(): void {
    for (const target of this.#caches.types.targets) {
      if (this.#since.has(target)) continue;
      this.#since.set(target, this.#caches.session.clock.now());
      const { type } = target;
      target.informer.addSelecting(
        changeHandler((change) => {
          const { object, oldObject } = change;
          if (oldObject && change.type === 'updated' && isNoise(oldObject, object, type.gvr)) return;
          const { resourceVersion = '', labels } = object.metadata;
          const labelled = { metadata: labels ? { labels } : {} };
          const seen = { type: formatGvr(type.gvr), key: keyOf(object), resourceVersion, labelled };
          for (const each of this.#recorder.recordsOf(change, type)) this.#all.push({ ...seen, change: each });
          while (this.#all.size > MOST_CHANGES) this.#droppedUntil = this.#all.shift()?.change.at ?? 0;
        }),
        {},
        { initial: false }, // what is there already is no change
      );
    }
  }
}

/** The last write of one field manager to an object. */
export interface LastWrite {
  readonly at: number;
  readonly by: string;
  readonly fields: readonly string[];
}

/** The last writes to an object that its managedFields show, the latest first. What was there before is not known. */
export function lastWritesOf({ metadata }: ReadonlyObject): LastWrite[] {
  const entries = (metadata as { managedFields?: unknown }).managedFields;
  if (!Array.isArray(entries)) return [];
  return entries
    .filter(isJsonMap)
    .map(({ time, manager, operation, subresource, fieldsV1 }) => ({
      at: Date.parse(String(time)),
      by: `${String(manager ?? 'unknown')} (${String(operation ?? '')}${subresource ? ` of ${String(subresource)}` : ''})`,
      fields: pathsIn(fieldsV1, '', []),
    }))
    .filter(({ at }) => !Number.isNaN(at))
    .sort((a, b) => b.at - a.at);
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
