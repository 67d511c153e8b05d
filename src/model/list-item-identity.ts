import { isJsonMap, jsonText } from '../kit/exact-json.ts';

type Item = Readonly<Record<string, unknown>>;

/**
 * The fields that may identify an item of a list, in the order of preference. The merge keys of the API are among them.
 * Source: the patchMergeKey and listMapKey markers of k8s.io/api.
 */
const MERGE_KEYS: readonly (readonly string[])[] = [
  ['name'],
  ['type'],
  ['uid'],
  ['containerPort'],
  ['containerPort', 'protocol'],
  ['port'],
  ['port', 'protocol'],
  ['mountPath'],
  ['devicePath'],
  ['topologyKey'],
  ['ip'],
  ['id'],
  ['key'],
  ['kind', 'name'],
  ['kind', 'namespace', 'name'],
];

/** The first of the merge keys that every item of both lists has, with a value that is unique in its list. */
export function mergeKeyOf(before: readonly unknown[], after: readonly unknown[]): readonly string[] | undefined {
  const first = after[0] ?? before[0];
  if (!isJsonMap(first)) return undefined;
  return MERGE_KEYS.find((names) => hasIdentity(first, names) && isUniqueIn(before, names) && isUniqueIn(after, names));
}

function isUniqueIn(list: readonly unknown[], names: readonly string[]): boolean {
  if (!list.every((item) => hasIdentity(item, names))) return false;
  return list.length < 2 || new Set(list.map((item) => identityOf(item as Item, names))).size === list.length;
}

const hasIdentity = (item: unknown, names: readonly string[]) =>
  isJsonMap(item) && names.every((name) => IDENTIFYING.has(typeof item[name]));

/** The types of values that may identify an item: texts, and whole numbers of any size. */
const IDENTIFYING: ReadonlySet<string> = new Set(['string', 'number', 'bigint']);

export function identityOf(item: Item, names: readonly string[]): unknown {
  return names.length === 1 ? item[names[0] as string] : jsonText(names.map((name) => item[name]));
}
