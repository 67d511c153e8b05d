import type { JsonPathStep } from '../../expr/jsonpath/ast.ts';
import { compileSteps } from '../../expr/jsonpath/compile.ts';
import { parseTemplate } from '../../expr/jsonpath/template-parser.ts';
import type { PathStep } from '../../model/field-changes.ts';

/** Returns whether a changed field is at one of the given paths, below one of them, or contains one of them. */
export type PathScope = (steps: readonly PathStep[]) => boolean;

/**
 * Compiles paths of kubectl's JSONPath into a test of changed fields. Returns undefined if there is no path, or if one
 * of them cannot be compared with the path of a change: a path that begins with `$`, has `..`, or is a template.
 */
export function compileScope(paths: readonly string[]): PathScope | undefined {
  const wanted = paths.map(stepsOf);
  if (wanted.length === 0 || wanted.some((steps) => steps === undefined)) return undefined;
  return (steps) => wanted.some((path) => isOn(path as readonly JsonPathStep[], steps));
}

function stepsOf(text: string): readonly JsonPathStep[] | undefined {
  if (/^\s*\$/.test(text)) return undefined;
  const [part, ...more] = parseTemplate(text);
  if (part?.kind !== 'print' || more.length > 0) return undefined;
  return part.path.some(({ kind }) => kind === 'recurse' || kind === 'literal') ? undefined : part.path;
}

function isOn([wanted, ...path]: readonly JsonPathStep[], steps: readonly PathStep[]): boolean {
  const [step, ...rest] = steps;
  if (!wanted || !step) return true; // one path is the beginning of the other
  if (wanted.kind === 'union') return wanted.members.some((member) => isOn([...member, ...path], steps));
  if (wanted.kind === 'key')
    return isOn([{ kind: 'field', name: wanted.literal }, ...path], steps) || isOn([...wanted.path, ...path], steps);
  return matches(wanted, step) && isOn(path, rest);
}

function matches(wanted: JsonPathStep, step: PathStep): boolean {
  if (step.kind === 'field')
    return wanted.kind === 'wildcard' || (wanted.kind === 'field' && wanted.name === step.name);
  if (step.kind === 'index')
    return (
      wanted.kind !== 'slice' ||
      !wanted.single ||
      wanted.start === undefined ||
      wanted.start < 0 ||
      wanted.start === step.index
    );
  if (wanted.kind === 'filter' || wanted.kind === 'item')
    return compileSteps([wanted], 'lenient')([step.item]).length > 0;
  return wanted.kind === 'wildcard' || wanted.kind === 'slice';
}
