import type { Address } from './field-path.ts';

/** Names of fields that are read, with those that are read below each; `true`: all of what is there is read. */
export type FieldTree = ReadonlyMap<string, FieldTree | true>;

/**
 * The fields that are read to look at all of these addresses. A step other than a name reads all of what is above it.
 * Undefined if an address reads whole objects.
 */
export function fieldTreeOf(addresses: readonly Address[]): FieldTree | undefined {
  const root: Growing = new Map();
  return addresses.every((address) => grow(root, address)) ? root : undefined;
}

type Growing = Map<string, Growing | true>;

/** Adds an address. False if it has no name to begin with. */
function grow(root: Growing, address: Address): boolean {
  const end = address.findIndex((step) => typeof step !== 'string');
  const names = (end === -1 ? address : address.slice(0, end)) as readonly string[];
  let tree = root;
  for (const [i, name] of names.entries()) {
    const below = tree.get(name);
    if (below === true) return true;
    const isLast = i === names.length - 1;
    const next: Growing | true = isLast ? true : (below ?? new Map());
    tree.set(name, next);
    if (next !== true) tree = next;
  }
  return names.length > 0;
}
