import { isJsonMap } from '../kit/exact-json.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { StructuralSchema } from './structural.ts';

/** One change of a definition, and whether it breaks objects or requests. */
export interface DefinitionChange {
  /** The version, and the path in its objects: `v1 .spec.size`. Of the whole definition: ''. */
  readonly at: string;
  /** `it is required, and has no default`. */
  readonly change: string;
  /**
   * `stored`: objects in the store lose data, are refused at their next write, or cannot be read. `clients`: requests
   * that were accepted are not any more. Undefined: nothing that is there breaks.
   */
  readonly breaks: 'stored' | 'clients' | undefined;
}

type Json = Readonly<Record<string, unknown>>;

interface Definition {
  readonly group?: string;
  readonly scope?: string;
  readonly names?: Json;
  readonly versions?: readonly Version[];
  readonly conversion?: { readonly strategy?: string };
}

interface Version {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: Json };
  readonly subresources?: Json;
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/**
 * The changes from one CustomResourceDefinition to the next, with those first that break stored objects. With `before`
 * from a cluster its `status.storedVersions` count; else the version that it stores.
 */
export function compareDefinitions(before: ReadonlyObject, after: ReadonlyObject): DefinitionChange[] {
  const [old, next] = [before.spec as Definition, after.spec as Definition];
  const status = (before.status ?? {}) as { storedVersions?: readonly string[] };
  const stored = new Set(
    status.storedVersions ?? old.versions?.filter(({ storage }) => storage).map(({ name }) => name),
  );
  const changes = [
    ...wholeChanges(old, next),
    ...(old.versions ?? []).flatMap((each) => versionChanges(each, next, stored)),
  ];
  for (const { name } of next.versions ?? [])
    if (!old.versions?.some((each) => each.name === name))
      changes.push({ at: name, change: 'a new version', breaks: undefined });
  const rank = ({ breaks }: DefinitionChange) => (breaks === 'stored' ? 0 : breaks === 'clients' ? 1 : 2);
  return changes.sort((a, b) => rank(a) - rank(b));
}

function wholeChanges(old: Definition, next: Definition): DefinitionChange[] {
  const found: DefinitionChange[] = [];
  const whole = (change: string, breaks: DefinitionChange['breaks']) => found.push({ at: '', change, breaks });
  const isOther = (what: string, a: unknown, b: unknown) =>
    a === b ? undefined : whole(`${what} ${String(a)} becomes ${String(b)}: the server refuses it`, 'stored');
  isOther('scope', old.scope, next.scope);
  isOther('group', old.group, next.group);
  isOther('plural', old.names?.plural, next.names?.plural);
  if (old.names?.kind !== next.names?.kind)
    whole(`kind ${String(old.names?.kind)} becomes ${String(next.names?.kind)}`, 'clients');
  const [was, is] = [old, next].map(({ versions }) => versions?.find(({ storage }) => storage));
  if (was && is && was.name !== is.name) {
    const converts = next.conversion?.strategy === 'Webhook';
    const lost = converts ? [] : schemaChanges(was.schema?.openAPIV3Schema ?? {}, is.schema?.openAPIV3Schema ?? {}, '');
    const [first] = lost.filter(({ breaks }) => breaks);
    whole(
      `${is.name} is stored in place of ${was.name}${first ? `, without a webhook that converts ${first.at || 'its objects'}` : ''}`,
      first ? 'stored' : undefined,
    );
  }
  if (old.conversion?.strategy === 'Webhook' && next.conversion?.strategy !== 'Webhook')
    whole('the webhook that converts is gone', 'stored');
  return found;
}

function versionChanges(old: Version, next: Definition, stored: ReadonlySet<string>): DefinitionChange[] {
  const isStored = stored.has(old.name);
  const version = next.versions?.find(({ name }) => name === old.name);
  const at = old.name;
  if (!version && isStored)
    return [{ at, change: 'it is removed, and objects are stored in it: the server refuses that', breaks: 'stored' }];
  if (!version) return old.served === false ? [] : [{ at, change: 'it is removed', breaks: 'clients' }];
  const found: DefinitionChange[] = [];
  if (old.served !== false && version.served === false)
    found.push({ at, change: 'it is not served any more', breaks: 'clients' });
  for (const name of ['status', 'scale']) {
    const [had, has] = [old.subresources?.[name] !== undefined, version.subresources?.[name] !== undefined];
    if (had && !has) found.push({ at, change: `the subresource ${name} is removed`, breaks: 'clients' });
    if (!had && has)
      found.push({ at, change: `a subresource ${name}`, breaks: name === 'status' ? 'clients' : undefined });
  }
  for (const { jsonPath } of old.selectableFields ?? [])
    if (!version.selectableFields?.some((each) => each.jsonPath === jsonPath))
      found.push({ at, change: `${jsonPath} cannot be selected by any more`, breaks: 'clients' });
  const inSchema = schemaChanges(old.schema?.openAPIV3Schema ?? {}, version.schema?.openAPIV3Schema ?? {}, '');
  for (const { at: path, change, breaks } of inSchema)
    found.push({ at: `${at} ${path || '.'}`, change, breaks: breaks && !isStored ? 'clients' : breaks });
  return found;
}

/** The changes of a schema, as they concern an object that was stored under the old one. */
function schemaChanges(old: Json, next: Json, path: string): DefinitionChange[] {
  const found: DefinitionChange[] = [];
  const note = (change: string, breaks = true, at = path) =>
    found.push({ at, change, breaks: breaks ? 'stored' : undefined });
  const [was, is] = [typeOf(old), typeOf(next)];
  if (was !== is) {
    note(`${was} becomes ${is}`, !WIDER.has(`${was} ${is}`));
    if (was !== 'anything' && is !== 'anything') return found;
  }
  for (const [change, breaks] of valueChanges(old, next)) note(change, breaks);
  found.push(...fieldChanges(old, next, path));
  for (const [key, mark] of [
    ['items', '[]'],
    ['additionalProperties', '.*'],
  ] as const) {
    const [a, b] = [old[key], next[key]];
    if (isJsonMap(a) && isJsonMap(b)) found.push(...schemaChanges(a, b, `${path}${mark}`));
    else if (isJsonMap(a) && key === 'additionalProperties' && next['x-kubernetes-preserve-unknown-fields'] !== true)
      note('it takes no further keys', true);
  }
  return found;
}

/** The changes of the fields of an object, and of those that it must have. */
function fieldChanges(old: Json, next: Json, path: string): DefinitionChange[] {
  const found: DefinitionChange[] = [];
  const note = (name: string, change: string, breaks: boolean) =>
    found.push({ at: `${path}.${name}`, change, breaks: breaks ? 'stored' : undefined });
  const [fields, others] = [propertiesOf(old), propertiesOf(next)];
  const [before, needed] = [old, next].map(({ required }) => new Set((required ?? []) as string[]));
  const keeps = next['x-kubernetes-preserve-unknown-fields'] === true || isJsonMap(next.additionalProperties);
  for (const [name, schema] of Object.entries(fields)) {
    const other = others[name];
    if (other) found.push(...schemaChanges(schema, other, `${path}.${name}`));
    else if (keeps) note(name, 'it is in the schema no more', false);
    else note(name, 'it is removed, and dropped from what is stored', true);
  }
  for (const name of needed ?? []) {
    const hasDefault = others[name]?.default !== undefined;
    const lost = fields[name]?.default !== undefined && !hasDefault;
    if (before?.has(name) && lost) note(name, 'it is required, and has a default no more', true);
    else if (!before?.has(name)) note(name, `it is required, and has ${hasDefault ? 'a' : 'no'} default`, !hasDefault);
  }
  for (const name of Object.keys(others)) if (!fields[name] && !needed?.has(name)) note(name, 'a new field', false);
  return found;
}

const WIDER = new Set(['integer number', 'integer number or text', 'string number or text', ...anythingAfter()]);

function anythingAfter(): string[] {
  return ['object', 'array', 'string', 'integer', 'number', 'boolean', 'number or text'].map(
    (type) => `${type} anything`,
  );
}

function typeOf(schema: Json): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number or text';
  return typeof schema.type === 'string' ? schema.type : 'anything';
}

function propertiesOf(schema: Json): Readonly<Record<string, Json>> {
  return (schema.properties ?? {}) as Record<string, Json>;
}

/** The changes of a value itself, each with whether a value that was accepted may be refused now. */
function valueChanges(old: Json, next: Json): [change: string, breaks: boolean][] {
  const found: [string, boolean][] = [];
  const { enum: were, nullable: wasNullable } = old as Partial<StructuralSchema>;
  const { enum: are, nullable } = next as Partial<StructuralSchema>;
  const gone = were && are ? were.filter((each) => !are.includes(each)) : [];
  if (gone.length > 0) found.push([`${gone.map((each) => JSON.stringify(each)).join(', ')} is a value no more`, true]);
  if (!were && are) found.push([`it takes ${are.length} values only`, true]);
  if (wasNullable && !nullable) found.push(['it takes no null any more', true]);
  for (const [name, isLow] of BOUNDS) {
    const [a, b] = [old[name], next[name]] as (number | undefined)[];
    if (a === b) continue;
    const narrower = b !== undefined && (a === undefined || (isLow ? b > a : b < a));
    found.push([`${name} ${a === undefined ? `${b}` : b === undefined ? 'is gone' : `${a} becomes ${b}`}`, narrower]);
  }
  for (const name of ['pattern', 'format', 'multipleOf']) {
    if (old[name] === next[name]) continue;
    const isWider = next[name] === undefined || (name === 'format' && old[name] === 'int32' && next[name] === 'int64');
    found.push([`${name} ${next[name] === undefined ? 'is gone' : `becomes ${String(next[name])}`}`, !isWider]);
  }
  if (listTypeOf(old) !== listTypeOf(next))
    found.push([
      `a list of the type ${listTypeOf(old)} becomes ${listTypeOf(next)}`,
      !listTypeOf(next).startsWith('atomic'),
    ]);
  const rules = (schema: Json) =>
    ((schema['x-kubernetes-validations'] ?? []) as { rule: string }[]).map(({ rule }) => rule);
  const known = new Set(rules(old));
  for (const rule of rules(next)) if (!known.has(rule)) found.push([`a new rule: ${rule}`, true]);
  if (JSON.stringify(old.default) !== JSON.stringify(next.default) && next.default !== undefined)
    found.push([`the default is ${JSON.stringify(next.default)}`, false]);
  return found;
}

const BOUNDS = [
  ['minimum', true],
  ['maximum', false],
  ['minLength', true],
  ['maxLength', false],
  ['minItems', true],
  ['maxItems', false],
  ['minProperties', true],
  ['maxProperties', false],
] as const;

function listTypeOf(schema: Json): string {
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []) as string[];
  return `${String(schema['x-kubernetes-list-type'] ?? 'atomic')}${keys.length > 0 ? ` by ${keys.join(', ')}` : ''}`;
}
