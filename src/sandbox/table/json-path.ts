import { isJsonMap } from '../../kit/exact-json.ts';
import { own } from '../types/own-fields.ts';

/** One step of a compiled path: from a value to the values below it. */
type Step = (value: unknown) => unknown[];

const compiled = new Map<string, Step[] | undefined>();

/**
 * The values that the JSONPath of a printer column finds; null counts as absent. Supports what such columns use:
 * `.a.b`, `['a']`, `[0]`,
 * `[-1]`, `[*]`, `.*` and `[?(@.x=="y")]` with == or !=. Any other path finds nothing.
 */
export function findPath(object: unknown, path: string): unknown[] {
  let steps = compiled.get(path);
  if (!compiled.has(path)) {
    steps = compile(path);
    compiled.set(path, steps);
  }
  if (!steps) return [];
  let values = [object];
  for (const step of steps) values = values.flatMap(step).filter((v) => v !== undefined && v !== null);
  return values;
}

const TOKEN =
  /\.([A-Za-z_][\w-]*(?:\\\.[\w-]+)*)|\['([^']*)'\]|\["([^"]*)"\]|\[(-?\d+)\]|(\[\*\]|\.\*)|\[\?\(\s*@((?:\.[\w-]+)+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))\s*\)\]/y;

function compile(path: string): Step[] | undefined {
  const text = path.replace(/^\{(.*)\}$/, '$1').replace(/^\$/, '');
  const whole = text.startsWith('.') || text.startsWith('[') ? text : `.${text}`;
  const steps: Step[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < whole.length) {
    const token = TOKEN.exec(whole);
    if (!token) return undefined;
    steps.push(stepOf(token));
  }
  return steps;
}

function stepOf([, field, single, double, index, all, filterPath, operator, ...values]: RegExpExecArray): Step {
  const name = field?.replaceAll('\\.', '.') ?? single ?? double;
  if (name !== undefined) return (value) => [isJsonMap(value) ? own(value, name) : undefined];
  if (index !== undefined) return (value) => [Array.isArray(value) ? value.at(Number(index)) : undefined];
  if (all !== undefined)
    return (value) => (Array.isArray(value) ? value : isJsonMap(value) ? Object.values(value) : []);
  const wanted = values.find((v) => v !== undefined) ?? '';
  const names = (filterPath ?? '').split('.').slice(1);
  return (value) =>
    Array.isArray(value) ? value.filter((item) => (String(at(item, names)) === wanted) === (operator === '==')) : [];
}

function at(value: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isJsonMap(inner) ? own(inner, name) : undefined), value);
}
