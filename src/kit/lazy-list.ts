/**
 * A list whose items are made when they are read, again at each read: for items that are large, of which most are looked at
 * once. It has all methods of a list; those that return a new one (`filter`, `slice`) return a usual one. It cannot be
 * changed. `light` is what is known of an item without making it, or of all items: see {@link lightsOf}.
 */
export function lazyList<T>(
  length: number,
  at: (index: number) => T,
  light: ((index: number) => unknown) | readonly unknown[] = at,
): readonly T[] {
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
  LAZY.set(lazy, light);
  return lazy;
}

const LAZY = new WeakMap<object, ((index: number) => unknown) | readonly unknown[]>();

/** All that is known of the items without making them; the items themselves in a usual list. */
export function lightsOf(list: readonly unknown[]): readonly unknown[] {
  const light = LAZY.get(list) ?? list;
  if (typeof light !== 'function') return light;
  const lights: unknown[] = [];
  for (let i = 0; i < list.length; i++) lights.push(light(i));
  return lights;
}

/** As {@link lightsOf}, of one item. */
export function lightAt(list: readonly unknown[], index: number): unknown {
  const light = LAZY.get(list) ?? list;
  return typeof light === 'function' ? light(index) : light[index];
}

/** The items that pass the test. Of a {@link lazyList} only their places are kept: each is made again when it is read. */
export function passing<T>(list: readonly T[], test: (item: T) => boolean): readonly T[] {
  if (!LAZY.has(list)) return list.filter(test);
  const places: number[] = [];
  for (let i = 0; i < list.length; i++) if (test(list[i] as T)) places.push(i);
  return places.length === list.length ? list : atPlaces(list, places);
}

/** As {@link passing}, by what is known of the items without making them. */
export function passingLight<T>(list: readonly T[], test: (light: unknown) => boolean): readonly T[] {
  const places: number[] = [];
  for (const [i, light] of lightsOf(list).entries()) if (test(light)) places.push(i);
  return places.length === list.length ? list : atPlaces(list, places);
}

/** The items at these places, in this order. Those of a {@link lazyList} are made when they are read. */
export function atPlaces<T>(list: readonly T[], places: readonly number[]): readonly T[] {
  const at = (i: number) => list[places[i] as number] as T;
  return LAZY.has(list)
    ? lazyList(places.length, at, (i) => lightAt(list, places[i] as number))
    : Array.from(places, (_, i) => at(i));
}

/** The first items. Those of a {@link lazyList} are made when they are read. */
export function firstOf<T>(list: readonly T[], count: number): readonly T[] {
  if (count >= list.length) return list;
  return LAZY.has(list)
    ? lazyList(
        Math.max(0, count),
        (i) => list[i] as T,
        (i) => lightAt(list, i),
      )
    : list.slice(0, count);
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
  const placeOf = (i: number) => {
    const of = starts.findLastIndex((start) => start <= i);
    return [lists[of] as readonly T[], i - (starts[of] as number)] as const;
  };
  const at = (i: number) => {
    const [list, place] = placeOf(i);
    return list[place] as T;
  };
  return lazyList(length, at, (i) => lightAt(...placeOf(i)));
}

function refuse(): never {
  throw new TypeError('a list of cached objects cannot be changed: copy it first');
}
