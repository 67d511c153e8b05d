import type { JsonPathStep } from '../../expr/jsonpath/ast.ts';
import { compileSteps } from '../../expr/jsonpath/compile.ts';
import { parseTemplate } from '../../expr/jsonpath/parse.ts';
import { InformerError } from '../../kit/error.ts';
import { isContainer } from '../../kit/exact-json.ts';
import { sameValue } from '../../kit/same-value.ts';
import type { ReadonlyObject } from '../../model/object.ts';

/** Whether two states of an object are the same but for what was masked. */
export type SameBut = (oldObject: ReadonlyObject, object: ReadonlyObject) => boolean;

/**
 * Compiles paths that are not looked at. What always follows from the rest (resourceVersion, managedFields, generation) is masked too.
 *
 * Promises: kubectl's dialect and paths as changes are written, filters and wildcards included; list items that a path finds are left out, so that their number does not
 * count; a map that held nothing else counts as absent. Throws `argument` for a path that cannot be read, is a template, or begins with `$`.
 */
export function compileSameBut(paths: readonly string[]): SameBut {
  const masks = [...paths.map(stepsOf), ...DERIVED];
  const masked = (object: ReadonlyObject) => closed(masks.reduce<unknown>((value, steps) => without(value, steps), object));
  return (oldObject, object) => sameValue(masked(oldObject), masked(object));
}

const DERIVED: readonly (readonly JsonPathStep[])[] = ['resourceVersion', 'managedFields', 'generation'].map((name) => [
  { kind: 'field', name: 'metadata' },
  { kind: 'field', name },
]);

function stepsOf(text: string): readonly JsonPathStep[] {
  const [part, ...more] = /^\s*\$/.test(text) || text.trim() === '' ? [] : parseTemplate(text);
  if (part?.kind === 'print' && more.length === 0 && part.path.length > 0) return part.path;
  throw new InformerError('argument', `${JSON.stringify(text)} is not the path of a field`, { hint: 'write it as .status.conditions' });
}

const GONE = Symbol('gone');
type Fields = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Fields => isContainer(value) && !Array.isArray(value);

/** A copy, as far as it has to be one, without what the path finds. */
function without(value: unknown, steps: readonly JsonPathStep[]): unknown {
  const left = strip(value, steps);
  return left === GONE ? undefined : left;
}

/** Without the places that list items have left: until all paths have been followed, each item keeps its own. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.filter((item) => item !== GONE).map(closed);
    return items.length === value.length && items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, closed(child)] as const);
  return entries.every(([key, child]) => child === value[key]) ? value : Object.fromEntries(entries);
}

function strip(value: unknown, steps: readonly JsonPathStep[]): unknown {
  const [step, ...rest] = steps;
  if (!step) return GONE;
  switch (step.kind) {
    case 'field':
      return mapped(value, (key) => key === step.name, rest);
    case 'wildcard':
      return mapped(value, () => true, rest);
    case 'slice':
    case 'filter':
    case 'item':
      return stripFound(value, step, rest);
    case 'key': {
      const isPath = compileSteps(step.path, 'lenient')(value).length > 0;
      return strip(value, [...(isPath ? step.path : [{ kind: 'field', name: step.literal } as const]), ...rest]);
    }
    case 'union':
      return step.members.reduce<unknown>((left, member) => (left === GONE ? left : strip(left, [...member, ...rest])), value);
    case 'recurse': {
      const here = rest.length === 0 ? GONE : strip(value, rest);
      return here === GONE ? here : mapped(here, () => true, steps);
    }
    case 'literal':
      return value;
  }
}

/** Items of a list, told by what the step itself finds there. */
function stripFound(value: unknown, step: JsonPathStep, rest: readonly JsonPathStep[]): unknown {
  if (!Array.isArray(value)) return value;
  const found = new Set(compileSteps([step], 'lenient')(value.map((item, at) => (isMap(item) ? item : new Place(item, at)))));
  const isFound = value.map((item, at) => found.has(item) || [...found].some((each) => each instanceof Place && each.at === at));
  return mapped(value, (_, at) => isFound[at] === true, rest);
}

/** Stands for a plain item, of which a list may hold equal ones. */
class Place {
  readonly item: unknown;
  readonly at: number;

  constructor(item: unknown, at: number) {
    this.item = item;
    this.at = at;
  }
}

function mapped(value: unknown, takes: (key: string, at: number) => boolean, rest: readonly JsonPathStep[]): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item, at) => (takes(String(at), at) ? strip(item, rest) : item));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, child], at) => [key, takes(key, at) ? strip(child, rest) : child] as const);
  if (entries.every(([key, child]) => child === value[key])) return value;
  const left = entries.filter(([, child]) => child !== GONE);
  return left.length === 0 ? GONE : Object.fromEntries(left);
}
