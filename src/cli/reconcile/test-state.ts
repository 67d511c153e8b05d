import { keyOf } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import { objectDifferences } from './differences.ts';

/** The objects of a server by their names, without what differs from one server to the next. */
export type EndState = ReadonlyMap<string, unknown>;

/** The annotation that another writer sets before a conflict. */
export const OTHER_WRITER = 'kubectl-informer.example.com/other-writer';

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The state without uids, versions, times and generated names. */
export function endStateOf(objects: readonly UnknownObject[]): EndState {
  const state = new Map<string, unknown>();
  for (const object of objects) {
    const { generateName } = object.metadata as { generateName?: string };
    const { namespace } = object.metadata;
    const named = generateName ? `${namespace ?? ''}/${generateName}…` : keyOf(object);
    let name = `${object.kind} ${named}`;
    for (let n = 2; state.has(name); n++) name = `${object.kind} ${named}#${n}`;
    const { uid: _u, resourceVersion: _r, generation: _g, managedFields: _m, ...metadata } = object.metadata;
    if (generateName) metadata.name = generateName;
    const { [OTHER_WRITER]: _o, ...annotations } = metadata.annotations ?? {};
    const { annotations: _a, ...others } = metadata;
    const kept = Object.keys(annotations).length > 0 ? { ...others, annotations } : others;
    state.set(name, settled({ ...object, metadata: kept }));
  }
  return state;
}

/** What two states differ in, a line each. */
export function stateDifferences(wanted: EndState, seen: EndState): string[] {
  return [...new Set([...wanted.keys(), ...seen.keys()])].flatMap((name) => {
    if (!seen.has(name)) return [`${name} is missing`];
    if (!wanted.has(name)) return [`${name} is there, and should not be`];
    return objectDifferences(wanted.get(name), seen.get(name)).map((line) => `${name}: ${line}`);
  });
}

/** The versions of objects, to see what was written between two moments. */
export function versionsOf(objects: readonly UnknownObject[]): ReadonlyMap<string, string> {
  return new Map(objects.map((object) => [`${object.kind} ${keyOf(object)}`, object.metadata.resourceVersion ?? '']));
}

/** What was written between two moments, a line each. */
export function writesBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    if (!after.has(name)) return [`${name} was deleted`];
    if (!before.has(name)) return [`${name} was created`];
    return before.get(name) === after.get(name) ? [] : [`${name} was changed`];
  });
}

function settled(value: unknown): unknown {
  if (typeof value === 'string') return UID.test(value) ? '<uid>' : TIME.test(value) ? '<time>' : value;
  if (Array.isArray(value)) return value.map(settled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, settled(each)]));
}
