import { isJsonMap, jsonText } from '../../kit/exact-json.ts';
import type { UnknownObject } from '../../model/object.ts';
import { badRequest, invalid } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';

/**
 * The fields that have times with microseconds. Unlike other times these must have all digits. Source:
 * metav1.MicroTime.
 */
const FIELDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'leases.coordination.k8s.io': [
    ['spec', 'acquireTime'],
    ['spec', 'renewTime'],
  ],
  events: [['eventTime'], ['series', 'lastObservedTime']],
};

/** Throws 400 for a body with a micro-time that cannot be parsed. */
export function checkMicroTimes(type: ApiType, object: UnknownObject): void {
  const problem = problemIn(type, object);
  if (problem)
    badRequest(`${type.kind} in version "${type.gvr.version}" cannot be handled as a ${type.kind}: ${problem}`);
}

/** Throws 422 for a patched object with a micro-time that cannot be parsed. The error has the whole object. */
export function checkPatchedMicroTimes(type: ApiType, object: UnknownObject): void {
  const problem = problemIn(type, object);
  if (!problem) return;
  refusePatched(object, problem);
}

/** Throws the 422 for the result of a JSON or merge patch, with the whole object. */
export function refusePatched(object: UnknownObject, problem: string): never {
  const detail = `${JSON.stringify(jsonText(asPatched(object)))}: ${problem}`;
  invalid({ group: '', kind: '' }, '', [{ field: 'patch', reason: 'FieldValueInvalid', detail }]);
}

function problemIn(type: ApiType, object: UnknownObject): string | undefined {
  for (const path of FIELDS[type.storage] ?? []) {
    const value = path.reduce<unknown>((at, field) => (isJsonMap(at) ? at[field] : undefined), object);
    const problem = typeof value === 'string' ? timeProblem(value) : undefined;
    if (problem) return problem;
  }
  return undefined;
}

const LAYOUT = '2006-01-02T15:04:05.000000Z07:00';
const ELEMENTS: readonly [name: string, pattern: RegExp][] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^(0[1-9]|1[0-2])/],
  ['-', /^-/],
  ['02', /^(0[1-9]|[12]\d|3[01])/],
  ['T', /^T/],
  ['15', /^([01]\d|2[0-3])/],
  [':', /^:/],
  ['04', /^[0-5]\d/],
  [':', /^:/],
  ['05', /^[0-5]\d/],
  ['.000000', /^\.\d{6}/],
  ['Z07:00', /^(Z|[+-]\d\d:\d\d)$/],
];

/** The error text of Go's time.Parse; undefined for a time that can be parsed. */
function timeProblem(text: string): string | undefined {
  let rest = text;
  for (const [name, pattern] of ELEMENTS) {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined)
      return `parsing time ${JSON.stringify(text)} as "${LAYOUT}": cannot parse ${JSON.stringify(rest)} as "${name}"`;
    rest = rest.slice(found.length);
  }
  return undefined;
}

/** A patched object as the error shows it: apiVersion first, then the other fields in the order of their keys. */
function asPatched({ apiVersion, kind, metadata, ...fields }: UnknownObject): object {
  return { apiVersion, kind, metadata, ...(sorted(fields) as object) };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonMap(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}
