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
  return new Proxy([] as T[], {
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
}

function refuse(): never {
  throw new TypeError('a list of cached objects cannot be changed: copy it first');
}
