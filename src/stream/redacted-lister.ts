import type { Lister, ListFilter, NamespaceLister } from '../informer/store/lister.ts';
import type { ValueRange } from '../informer/store/value-range.ts';
import { lazyList } from '../kit/lazy-list.ts';
import type { GroupVersionResource } from '../model/gvr.ts';
import type { ObjectKey } from '../model/key.ts';
import type { ReadonlyObject, UnknownObject } from '../model/object.ts';
import type { ResourceVersion } from '../model/resource-version.ts';
import type { ObjectRedactor } from './redact.ts';

/**
 * Creates a lister of Secrets for code that must not see their values. The objects and the index values that it returns
 * are redacted; keys, counts and versions are not. Lookups take the real index value, not its digest.
 */
export function createRedactedLister(
  lister: Lister<UnknownObject>,
  redactor: ObjectRedactor,
  gvr: Pick<GroupVersionResource, 'group' | 'resource'>,
): Lister<UnknownObject> {
  return new RedactedLister(lister, redactor, gvr);
}

class RedactedLister implements Lister<UnknownObject> {
  readonly #lister: Lister<UnknownObject>;
  readonly #redactor: ObjectRedactor;
  readonly #shown: (object: ReadonlyObject) => ReadonlyObject;

  constructor(
    lister: Lister<UnknownObject>,
    redactor: ObjectRedactor,
    gvr: Pick<GroupVersionResource, 'group' | 'resource'>,
  ) {
    this.#lister = lister;
    this.#redactor = redactor;
    this.#shown = (object) => redactor.redact(object, gvr);
  }

  get size(): number {
    return this.#lister.size;
  }

  get resourceVersion(): ResourceVersion {
    return this.#lister.resourceVersion;
  }

  get(key: ObjectKey): ReadonlyObject | undefined {
    const object = this.#lister.get(key);
    return object && this.#shown(object);
  }

  glance(key: ObjectKey): ReadonlyObject | undefined {
    return this.get(key);
  }

  require(key: ObjectKey): ReadonlyObject {
    return this.#shown(this.#lister.require(key));
  }

  has(key: ObjectKey): boolean {
    return this.#lister.has(key);
  }

  keys(): IterableIterator<ObjectKey> {
    return this.#lister.keys();
  }

  values(): IterableIterator<ReadonlyObject> {
    return Iterator.from(this.#lister.values()).map(this.#shown);
  }

  list(filter?: ListFilter): ReadonlyObject[] {
    return this.#lister.list(filter).map(this.#shown);
  }

  view(filter?: ListFilter): readonly ReadonlyObject[] {
    return this.#shownView(this.#lister.view(filter));
  }

  /** Texts are not looked for: what is shown has others. */
  scan(): Iterable<ReadonlyObject | undefined> {
    return Iterator.from(this.#lister.scan()).map((object) => object && this.#shown(object));
  }

  byNamespace(namespace: string): NamespaceLister<UnknownObject> {
    const lister = this.#lister.byNamespace(namespace);
    return {
      get: (name) => {
        const object = lister.get(name);
        return object && this.#shown(object);
      },
      require: (name) => this.#shown(lister.require(name)),
      list: (filter) => lister.list(filter).map(this.#shown),
    };
  }

  viewByIndex(name: string, value: string): readonly ReadonlyObject[] {
    return this.#shownView(this.#lister.viewByIndex(name, value));
  }

  #shownView(view: readonly ReadonlyObject[]): readonly ReadonlyObject[] {
    return lazyList(view.length, (i) => this.#shown(view[i] as ReadonlyObject));
  }

  byIndex(name: string, value: string): ReadonlyObject[] {
    return this.#lister.byIndex(name, value).map(this.#shown);
  }

  indexKeys(name: string, value: string): ObjectKey[] {
    return this.#lister.indexKeys(name, value);
  }

  byIndexRange(name: string, range: ValueRange): ReadonlyObject[] {
    return this.#lister.byIndexRange(name, range).map(this.#shown);
  }

  indexValues(name: string, range?: ValueRange): string[] {
    return this.#lister.indexValues(name, range).map((value) => this.#redactor.value(value));
  }

  indexCount(name: string, value: string): number {
    return this.#lister.indexCount(name, value);
  }

  hasIndex(name: string): boolean {
    return this.#lister.hasIndex(name);
  }
}
