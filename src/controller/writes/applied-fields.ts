import { isContainer, parseJson } from '../../kit/exact-json.ts';
import { isPlain, sameValue } from '../../kit/same-value.ts';
import type { DeepReadonly, ManagedFieldsEntry, UnknownObject } from '../../model/object.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether an apply of `body` would change nothing in `current`: its record of this manager's last apply has exactly the
 * fields of `body`, and they have these values. False where that cannot be known, as where the server stores a value in
 * another form, or `current` has no managedFields.
 */
export function isApplied(
  current: DeepReadonly<UnknownObject>,
  body: object,
  { fieldManager, subresource = '' }: { fieldManager: string; subresource?: string | undefined },
): boolean {
  const { apiVersion, kind: _, metadata, ...fields } = body as UnknownObject;
  const { name: _1, namespace: _2, ...rest } = metadata;
  const entries: readonly DeepReadonly<ManagedFieldsEntry>[] = current.metadata?.managedFields ?? [];
  const entry = entries.find(
    (each) => each.manager === fieldManager && each.operation === 'Apply' && (each.subresource ?? '') === subresource,
  );
  if (!entry?.fieldsV1 || entry.apiVersion !== apiVersion) return false;
  const wanted = Object.keys(rest).length === 0 ? fields : { ...fields, metadata: rest };
  return isSame(entry.fieldsV1 as Fields, wanted, current);
}

/** Whether recorded fields are those of `wanted`, and have the same values in `is`. Source: structured-merge-diff. */
function isSame(recorded: Fields, wanted: unknown, is: unknown): boolean {
  const paths = Object.keys(recorded).filter((path) => path !== '.');
  if (paths.length === 0 && !('.' in recorded)) return wanted !== null && sameValue(wanted, is);
  if (Array.isArray(wanted)) return Array.isArray(is) && areSameItems(recorded, paths, wanted, is);
  if (!isMap(wanted) || !isMap(is)) return false;
  const names = Object.keys(wanted).filter((name) => wanted[name] !== undefined);
  return (
    names.length === paths.length &&
    names.every((name) => {
      const below = recorded[`f:${name}`];
      return isMap(below) && Object.hasOwn(is, name) && isSame(below, wanted[name], is[name]);
    })
  );
}

/** The same for a list whose items are found by keys or values. An apply also changes their order. */
function areSameItems(recorded: Fields, paths: readonly string[], wanted: unknown[], is: unknown[]): boolean {
  if (wanted.length !== paths.length) return false;
  const left = new Set(paths);
  let after = -1;
  for (const item of wanted) {
    const found = [...left].filter((path) => names(path, item, true));
    const [path] = found;
    if (path === undefined || found.length > 1) return false;
    left.delete(path);
    const at = is.findIndex((each, i) => i > after && names(path, each, false));
    if (at < 0) return false;
    after = at;
    const below = recorded[path];
    if (path.startsWith('k:') && !(isMap(below) && isSame(below, item, is[at]))) return false;
  }
  return true;
}

/** Whether a recorded path leads to an item. An item that is wanted may lack a key that has a default. */
function names(path: string, item: unknown, mayLack: boolean): boolean {
  const value = parseJson(path.slice(2));
  if (path.startsWith('v:')) return sameValue(value, item);
  if (!path.startsWith('k:') || !isMap(value) || !isMap(item)) return false;
  return Object.entries(value).every(([key, of]) => sameValue(of, item[key]) || (mayLack && item[key] === undefined));
}

const isMap = (value: unknown): value is Fields => isContainer(value) && !Array.isArray(value) && isPlain(value);
