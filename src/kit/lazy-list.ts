/**
 * A list whose items are made when they are read, again at each read: for items that are large, of which most are looked at
 * once. It has all methods of a list; those that return a new one (`filter`, `slice`) return a usual one. It cannot be
 * changed.
 */
export function lazyList<T>(length: number, at: (index: number) => T): readonly T[] {
  const isIndex = (name: string | symbol): name is string => {
    if (typeof name !== 'string') return false;
    const index = Number(name);
    return Number.isInteger(index) && index >= 0 && index < length && String(index) === name;
  };
  const lazy = new Proxy([] as T[], {
    get: (list, name) => (name === 'length' ? length : isIndex(name) ? at(Number(name)) : Reflect.get(list, name)),
    has: (list, name) => isIndex(name) || Reflect.has(list, name),
    ownKeys: (list) => [...Array.from({ length }, (_, i) => String(i)), ...Reflect.ownKeys(list)],
    getOwnPropertyDescriptor: (list, name) =>
      isIndex(name)
        ? { value: at(Number(name)), enumerable: true, configurable: true, writable: false }
        : (name as string | symbol) === 'length'
          ? { value: length, enumerable: false, configurable: false, writable: true }
          : Reflect.getOwnPropertyDescriptor(list, name),
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
  });
  LAZY.add(lazy);
  return lazy;
}

const LAZY = new WeakSet<object>();

/** The items that pass the test. Of a {@link lazyList} only their places are kept: each is made again when it is read. */
export function passing<T>(list: readonly T[], test: (item: T) => boolean): readonly T[] {
  if (!LAZY.has(list)) return list.filter(test);
  const places: number[] = [];
  for (let i = 0; i < list.length; i++) if (test(list[i] as T)) places.push(i);
  return places.length === list.length ? list : atPlaces(list, places);
}

/** The items at these places, in this order. Those of a {@link lazyList} are made when they are read. */
export function atPlaces<T>(list: readonly T[], places: readonly number[]): readonly T[] {
  const at = (i: number) => list[places[i] as number] as T;
  return LAZY.has(list) ? lazyList(places.length, at) : Array.from(places, (_, i) => at(i));
}

/** The first items. Those of a {@link lazyList} are made when they are read. */
export function firstOf<T>(list: readonly T[], count: number): readonly T[] {
  if (count >= list.length) return list;
  return LAZY.has(list) ? lazyList(Math.max(0, count), (i) => list[i] as T) : list.slice(0, count);
}

/** The items of all lists, one list after the other. Those of a {@link lazyList} are made when they are read. */
export function joined<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const [only] = lists;
  if (lists.length === 1 && only) return only;
  if (!lists.some((list) => LAZY.has(list))) return lists.flat();
  const starts: number[] = [];
  let length = 0;
  for (const list of lists) {
    starts.push(length);
    length += list.length;
  }
  return lazyList(length, (i) => {
    const of = starts.findLastIndex((start) => start <= i);
    return (lists[of] as readonly T[])[i - (starts[of] as number)] as T;
  });
}

function refuse(): never {
  throw new TypeError('a list of cached objects cannot be changed: copy it first');
}
