import { copy } from './write/copy.ts';

/**
 * An array of copies of what the store holds, each made when it is first looked at: most callers look at few of them, or none. A reader
 * cannot tell: a copy stays the same one, may be changed, and shows the state of when the array was made.
 */
export function copiesOnRead<T extends object>(stored: readonly T[]): T[] {
  const uncopied = new Set<unknown>(stored);
  const own = (copies: T[], name: string | symbol) => {
    const value: unknown = Reflect.get(copies, name);
    if (uncopied.has(value)) Reflect.set(copies, name, copy(value));
  };
  return new Proxy([...stored], {
    get(copies, name, receiver) {
      own(copies, name);
      return Reflect.get(copies, name, receiver);
    },
    getOwnPropertyDescriptor(copies, name) {
      own(copies, name);
      return Reflect.getOwnPropertyDescriptor(copies, name);
    },
  });
}
