/**
 * Which fields differ between two states of an object, as paths: `.spec.replicas`, `.metadata.labels['a.b/c']`,
 * `.status.conditions[type=Ready].status`.
 *
 * Promises: items of a list of objects are matched by what names them (name, type, uid, port …), so reordering them is no change;
 * a part that came, went or changed its kind is one path, its root; a list without such a name, or of plain values, is one path when its
 * length or its plain values differ, and is compared place by place otherwise. Paths name keys, never values but those that name items.
 * `metadata.resourceVersion`, `metadata.managedFields` and `metadata.generation` are left out: they follow from the others and change with every write.
 */
export function changedPaths(before: object, after: object): string[] {
  const out: string[] = [];
  compareMaps(before as Fields, after as Fields, out, DERIVED);
  return out;
}

type Fields = Readonly<Record<string, unknown>>;

/** Names of what is not compared, and of what holds such names. A map, for any key may be asked for. */
type Omitted = ReadonlyMap<string, true | Omitted>;

const DERIVED: Omitted = new Map([
  [
    'metadata',
    new Map([
      ['resourceVersion', true],
      ['managedFields', true],
      ['generation', true],
    ]),
  ],
]);

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

function compareMaps(before: Fields, after: Fields, out: string[], omitted?: Omitted): void {
  for (const key of Object.keys(after)) {
    const skip = omitted?.get(key);
    if (skip === true) continue;
    compare(Object.hasOwn(before, key) ? before[key] : undefined, after[key], () => fieldSegment(key), out, skip);
  }
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key) && omitted?.get(key) !== true) out.push(fieldSegment(key));
}

/** Paths are built from the end, and only where something differs, so that equal parts cost no text. */
function compare(before: unknown, after: unknown, segment: () => string, out: string[], omitted?: Omitted): void {
  if (before === after) return;
  const from = out.length;
  if (isMap(before) && isMap(after)) compareMaps(before, after, out, omitted);
  else if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, out);
  else out.push('');
  if (out.length === from) return;
  const prefix = segment();
  for (let i = from; i < out.length; i++) out[i] = prefix + out[i];
}

function compareLists(before: readonly unknown[], after: readonly unknown[], out: string[]): void {
  const names = mergeKeyOf(before, after);
  if (names) compareKeyed(before as Fields[], after as Fields[], names, out);
  else if (before.length !== after.length || differInPlain(before, after)) out.push('');
  else for (let i = 0; i < after.length; i++) compare(before[i], after[i], () => `[${i}]`, out);
}

function differInPlain(before: readonly unknown[], after: readonly unknown[]): boolean {
  return after.some((item, i) => item !== before[i] && (typeof item !== 'object' || item === null));
}

function compareKeyed(before: readonly Fields[], after: readonly Fields[], names: readonly string[], out: string[]): void {
  const old = new Map(before.map((item) => [identityOf(item, names), item]));
  for (const item of after) {
    const identity = identityOf(item, names);
    compare(old.get(identity), item, () => itemSegment(item, names), out);
    old.delete(identity);
  }
  for (const item of old.values()) out.push(itemSegment(item, names));
}

/**
 * What names an item of a list, most telling first; the API's own merge keys among them.
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

/** The first key that every item of both lists has, and no two of one list share. */
function mergeKeyOf(before: readonly unknown[], after: readonly unknown[]): readonly string[] | undefined {
  const first = after[0] ?? before[0];
  if (!isMap(first)) return undefined;
  return MERGE_KEYS.find((names) => hasIdentity(first, names) && isUniqueIn(before, names) && isUniqueIn(after, names));
}

function isUniqueIn(list: readonly unknown[], names: readonly string[]): boolean {
  if (!list.every((item) => hasIdentity(item, names))) return false;
  return list.length < 2 || new Set(list.map((item) => identityOf(item as Fields, names))).size === list.length;
}

const hasIdentity = (item: unknown, names: readonly string[]) =>
  isMap(item) && names.every((name) => typeof item[name] === 'string' || typeof item[name] === 'number');

function identityOf(item: Fields, names: readonly string[]): unknown {
  return names.length === 1 ? item[names[0] as string] : JSON.stringify(names.map((name) => item[name]));
}

const fieldSegment = (key: string) => (/^[A-Za-z_][\w-]*$/.test(key) ? `.${key}` : `[${quoted(key)}]`);

const itemSegment = (item: Fields, names: readonly string[]) =>
  `[${names.map((name) => `${name}=${bareOrQuoted(String(item[name]))}`).join(',')}]`;

const bareOrQuoted = (text: string) => (/^[\w./:@-]+$/.test(text) ? text : quoted(text));

const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
