import { jsonText } from '../../kit/exact-json.ts';
import type { UnknownObject } from '../../model/object.ts';
import { badRequest, invalid } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import { isFieldMap } from '../types/fields.ts';

/** Where objects hold times with microseconds, which unlike others must be written out in full. Source: metav1.MicroTime. */
const FIELDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'leases.coordination.k8s.io': [
    ['spec', 'acquireTime'],
    ['spec', 'renewTime'],
  ],
  events: [['eventTime'], ['series', 'lastObservedTime']],
};

/** Refuses a body whose micro-times cannot be read, with 400. */
export function checkMicroTimes(type: ApiType, object: UnknownObject): void {
  const problem = problemIn(type, object);
  if (problem) badRequest(`${type.kind} in version "${type.gvr.version}" cannot be handled as a ${type.kind}: ${problem}`);
}

/** Refuses what a patch made when its micro-times cannot be read, with 422 and the whole of it. */
export function checkPatchedMicroTimes(type: ApiType, object: UnknownObject): void {
  const problem = problemIn(type, object);
  if (!problem) return;
  refusePatched(object, problem);
}

/** The 422 about what a JSON or merge patch made, with the whole of it. */
export function refusePatched(object: UnknownObject, problem: string): never {
  const detail = `${JSON.stringify(jsonText(asPatched(object)))}: ${problem}`;
  invalid({ group: '', kind: '' }, '', [{ field: 'patch', reason: 'FieldValueInvalid', detail }]);
}

function problemIn(type: ApiType, object: UnknownObject): string | undefined {
  for (const path of FIELDS[type.storage] ?? []) {
    const value = path.reduce<unknown>((at, field) => (isFieldMap(at) ? at[field] : undefined), object);
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

/** In the words of Go's time.Parse. */
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

/** As a patched object is shown: apiVersion first, and what was not read yet in the order of its keys. */
function asPatched({ apiVersion, kind, metadata, ...fields }: UnknownObject): object {
  return { apiVersion, kind, metadata, ...(sorted(fields) as object) };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFieldMap(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}
