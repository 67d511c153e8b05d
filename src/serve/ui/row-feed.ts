import { lightsOf } from '../../kit/lazy-list.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { keyIn } from '../../query/answer/cached-objects.ts';
import { Glances } from './glances.ts';
import type { TableView } from './table-view.ts';
import type { UiMessage, UiRow } from './wire.ts';

/** Objects that are looked at, and rows that are sent, at a time. */
const BATCH = 500;
/** The first rows come sooner: about as many as a screen shows, and some more. */
const FIRST_BATCH = 100;
/** Changed keys that are remembered while a page does not read; beyond them all objects are looked at again. */
export const MOST_DIRTY = 20_000;
/** Namespaces that are offered to choose from. */
const MOST_NAMESPACES = 1000;

/**
 * The rows of one view for one page: first all, in the order of their keys, with how many objects have been looked at;
 * then those that changed. It remembers which keys changed and not what:
 * an object is read from the cache when its row is sent. So a page that reads slowly gets the newest rows, and what is
 * kept for it is bounded by the cache.
 */
export class RowFeed {
  readonly #view: TableView;
  readonly #number: number;
  readonly #glances: Glances;
  /** Keys of rows that the page has. */
  readonly #sent = new Set<ObjectKey>();
  #dirty = new Set<ObjectKey>();
  /** Keys that are to be looked at; `isSweep`: only for whether they match. */
  #walk: { readonly keys: readonly ObjectKey[]; at: number; readonly isSweep: boolean } | undefined;
  #isWhole = false;
  #owesColumns = true;
  #owesTally = true;
  #progress: UiMessage | undefined;

  constructor(view: TableView, number: number, glances = new Glances(view.cache)) {
    this.#view = view;
    this.#number = number;
    this.#glances = glances;
    this.#lookAtAll();
  }

  get type(): string {
    return this.#view.cache.id;
  }

  /** The number of keys that are kept: of rows that the page has, and of objects that are to be looked at. */
  get size(): number {
    return this.#sent.size + this.#dirty.size + (this.#walk?.keys.length ?? 0);
  }

  /** Remembers that an object was added, changed or deleted. */
  changed(key: ObjectKey): void {
    this.#glances.forget(key);
    this.#dirty.add(key);
    if (this.#dirty.size > MOST_DIRTY) this.#lookAtAll();
  }

  /** Looks again at what the time alone may have changed. */
  timePassed(): void {
    this.#owesTally = true;
    if (this.#view.readsTime) this.#walk ??= { keys: this.#allKeys(), at: 0, isSweep: true };
  }

  /**
   * The next message. `more`: there is none yet, but the next call may have one. Undefined: all is sent. A call looks at
   * a bounded number of objects.
   */
  next(): UiMessage | 'more' | undefined {
    const progress = this.#progress;
    this.#progress = undefined;
    if (progress) return progress;
    const walk = this.#walk;
    const keys = walk
      ? walk.keys.slice(walk.at, walk.at + (walk.at === 0 ? FIRST_BATCH : BATCH))
      : take(this.#dirty, BATCH);
    if (keys.length > 0) {
      const isSweep = walk?.isSweep === true;
      const objects = this.#read(keys);
      if (this.#takesColumns(objects)) return this.#columns(); // the next call has the same keys
      const message = this.#rowsOf(keys, objects, isSweep);
      if (walk) walk.at += keys.length;
      else for (const key of keys) this.#dirty.delete(key);
      if (walk && !this.#isWhole && walk.at < walk.keys.length) {
        const data = { view: this.#number, looked: walk.at, of: walk.keys.length };
        this.#progress = { event: 'progress', data };
      }
      return message ?? 'more';
    }
    if (walk) {
      this.#walk = undefined;
      this.#isWhole = true;
    }
    if (this.#owesColumns) return this.#columns();
    return this.#owesTally ? this.#tally() : undefined;
  }

  /** The objects of the keys, or what their rows show of them. Undefined: gone, or it cannot match. */
  #read(keys: readonly ObjectKey[]): (ReadonlyObject | undefined)[] {
    const { cache, readsObjects } = this.#view;
    const read = (key: ObjectKey) => (readsObjects ? cache.informer.lister.get(key) : this.#glances.of(key));
    return keys.map((key) => (this.#view.mayMatch(key) ? read(key) : undefined));
  }

  #takesColumns(objects: readonly (ReadonlyObject | undefined)[]): boolean {
    let isNew = this.#owesColumns;
    for (const object of objects) if (object && this.#view.takeColumns(object)) isNew = true;
    return isNew;
  }

  #columns(): UiMessage {
    // rows that were sent have the columns from before
    if (!this.#owesColumns) this.#lookAtAll();
    this.#owesColumns = false;
    return { event: 'columns', data: { view: this.#number, columns: this.#view.columns } };
  }

  #rowsOf(
    keys: readonly ObjectKey[],
    objects: readonly (ReadonlyObject | undefined)[],
    isSweep: boolean,
  ): UiMessage | undefined {
    const set: UiRow[] = [];
    const gone: ObjectKey[] = [];
    const matches = this.#view.matcherOf(keys);
    for (const [i, key] of keys.entries()) {
      const object = objects[i];
      if (object && matches(key, object)) {
        if (isSweep && this.#sent.has(key)) continue;
        this.#sent.add(key);
        set.push(this.#view.row(key, object));
      } else if (this.#sent.delete(key)) gone.push(key);
    }
    if (set.length + gone.length === 0) return undefined;
    this.#owesTally = true;
    return { event: 'rows', data: { view: this.#number, set, gone } };
  }

  #tally(): UiMessage {
    this.#owesTally = false;
    const { lister } = this.#view.cache.informer;
    const { remark } = this.#view;
    const namespaces = lister
      .indexValues('namespace')
      .filter((name) => name !== '')
      .sort()
      .slice(0, MOST_NAMESPACES)
      .map((name) => [name, lister.indexCount('namespace', name)] as const);
    return {
      event: 'tally',
      data: {
        view: this.#number,
        total: lister.size,
        isWhole: this.#isWhole,
        namespaces,
        ...(remark === undefined ? {} : { remark }),
      },
    };
  }

  #lookAtAll(): void {
    this.#walk = { keys: this.#allKeys(), at: 0, isSweep: false };
    this.#dirty = new Set();
  }

  /** The keys of the cache, in order, and those that the page has and the cache has not any more. */
  #allKeys(): ObjectKey[] {
    const { lister } = this.#view.cache.informer;
    const ordered = lister.viewByKey?.();
    const keys = ordered ? lightsOf(ordered).map((entry) => keyIn(entry as ReadonlyObject)) : [...lister.keys()].sort();
    return [...keys, ...[...this.#sent].filter((key) => !lister.has(key))];
  }
}

function take<T>(from: Iterable<T>, most: number): T[] {
  const taken: T[] = [];
  for (const item of from) {
    if (taken.length === most) break;
    taken.push(item);
  }
  return taken;
}
