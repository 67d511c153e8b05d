import type { Lister } from '../../src/informer/store/lister.ts';
import { lazyList } from '../../src/kit/lazy-list.ts';
import type { ReadonlyObject, UnknownObject } from '../../src/model/object.ts';

/** A lister whose every read gives another copy of an object, as a cache that keeps texts does. `reads` counts them. */
export interface FreshLister extends Lister<UnknownObject> {
  reads: number;
}

/** Makes the reads of a lister give copies. Code that compares objects by identity, or keeps them, does not work on it. */
export function freshLister(lister: Lister<UnknownObject>): FreshLister {
  const copy = (object: ReadonlyObject): ReadonlyObject => {
    fresh.reads++;
    return structuredClone(object) as ReadonlyObject;
  };
  const view = (objects: readonly ReadonlyObject[]) =>
    lazyList(objects.length, (i) => copy(objects[i] as ReadonlyObject));
  const fresh: FreshLister = {
    reads: 0,
    get size() {
      return lister.size;
    },
    get resourceVersion() {
      return lister.resourceVersion;
    },
    get: (key) => {
      const object = lister.get(key);
      return object && copy(object);
    },
    glance: (key) => fresh.get(key),
    require: (key) => copy(lister.require(key)),
    has: (key) => lister.has(key),
    keys: () => lister.keys(),
    values: () => Iterator.from(lister.values()).map(copy),
    list: (filter) => lister.list(filter).map(copy),
    view: (filter) => view(lister.view(filter)),
    scan: () => Iterator.from(lister.values()).map(copy),
    byNamespace: (namespace) => {
      const inside = lister.byNamespace(namespace);
      return {
        get: (name) => {
          const object = inside.get(name);
          return object && copy(object);
        },
        require: (name) => copy(inside.require(name)),
        list: (filter) => inside.list(filter).map(copy),
      };
    },
    byIndex: (name, value) => lister.byIndex(name, value).map(copy),
    viewByIndex: (name, value) => view(lister.viewByIndex(name, value)),
    byIndexRange: (name, range) => lister.byIndexRange(name, range).map(copy),
    indexKeys: (name, value) => lister.indexKeys(name, value),
    indexValues: (name, range) => lister.indexValues(name, range),
    indexCount: (name, value) => lister.indexCount(name, value),
    hasIndex: (name) => lister.hasIndex(name),
  };
  return fresh;
}
