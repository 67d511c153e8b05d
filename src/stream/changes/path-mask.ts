import type { JsonPathStep } from '../../expr/jsonpath/ast.ts';
import { compileSteps } from '../../expr/jsonpath/compile.ts';
import { parseTemplate } from '../../expr/jsonpath/template-parser.ts';
import { InformerError } from '../../kit/error.ts';
import { isJsonMap } from '../../kit/exact-json.ts';
import { sameValue } from '../../kit/same-value.ts';
import type { ReadonlyObject } from '../../model/object.ts';

/** Returns whether two states of an object are the same except in the masked fields. */
export type SameBut = (oldObject: ReadonlyObject, object: ReadonlyObject) => boolean;

/**
 * Compiles the paths of fields that a comparison ignores. resourceVersion, managedFields and generation, which every
 * write changes, are ignored too.
 *
 * - A path is kubectl's JSONPath, with filters and wildcards, or a path in the form in which changes are printed.
 * - List items that a path finds are left out, so their number does not matter.
 * - A map whose fields are all left out counts as absent.
 *
 * Throws `argument` for a path that cannot be read, is a template, or begins with `$`.
 */
export function compileSameBut(paths: readonly string[]): SameBut {
  const masks = [...paths.map(stepsOf), ...DERIVED];
  const masked = (object: ReadonlyObject) => closed(masks.reduce<unknown>(strip, object));
  return (oldObject, object) => sameValue(masked(oldObject), masked(object));
}

const DERIVED: readonly (readonly JsonPathStep[])[] = ['resourceVersion', 'managedFields', 'generation'].map((name) => [
  { kind: 'field', name: 'metadata' },
  { kind: 'field', name },
]);

function stepsOf(text: string): readonly JsonPathStep[] {
  const [part, ...more] = /^\s*\$/.test(text) || text.trim() === '' ? [] : parseTemplate(text);
  if (part?.kind === 'print' && more.length === 0 && part.path.length > 0) return part.path;
  throw new InformerError('argument', `${JSON.stringify(text)} is not the path of a field`, {
    hint: 'write it as .status.conditions',
  });
}

/** Stands for what a path has removed. */
const GONE = Symbol('gone');

/**
 * The value without the placeholders of removed list items. They stay until all paths have been applied, so that every
 * path sees each item at its own index.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== GONE).map(closed);
  if (!isJsonMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, closed(child)]));
}

/** The value without the parts that the path finds: `GONE` if nothing is left of it. */
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
      return step.members.reduce<unknown>((left, member) => strip(left, [...member, ...rest]), value);
    case 'recurse':
      return mapped(strip(value, rest), () => true, steps);
    case 'literal':
      return value;
  }
}

/** Removes from the items of a list that the step finds. */
function stripFound(value: unknown, step: JsonPathStep, rest: readonly JsonPathStep[]): unknown {
  if (!Array.isArray(value)) return value;
  const found = new Set(
    compileSteps([step], 'lenient')(value.map((item, at) => (isJsonMap(item) ? item : new Place(at)))),
  );
  const isFound = value.map(
    (item, at) => found.has(item) || [...found].some((each) => each instanceof Place && each.at === at),
  );
  return mapped(value, (_, at) => isFound[at] === true, rest);
}

/** A plain item of a list, with its index: two items of a list may be equal. */
class Place {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

function mapped(value: unknown, takes: (key: string, at: number) => boolean, rest: readonly JsonPathStep[]): unknown {
  if (Array.isArray(value)) return value.map((item, at) => (takes(String(at), at) ? strip(item, rest) : item));
  if (!isJsonMap(value)) return value;
  const entries = Object.entries(value).map(
    ([key, child], at) => [key, takes(key, at) ? strip(child, rest) : child] as const,
  );
  if (entries.every(([key, child]) => child === value[key])) return value;
  const left = entries.filter(([, child]) => child !== GONE);
  return left.length === 0 ? GONE : Object.fromEntries(left);
}
