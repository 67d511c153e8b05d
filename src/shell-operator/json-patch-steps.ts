import { isJsonMap } from '../kit/exact-json.ts';
import { sameValue } from '../kit/same-value.ts';

/** A step of a JSON patch as a hook writes it (RFC 6902). */
interface GivenStep {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** The object after the steps. Throws for a step that has no place. The object itself is not changed. */
export function afterSteps(object: unknown, steps: unknown): unknown {
  if (!Array.isArray(steps)) throw new Error('the patch must be a list');
  return steps.reduce((state: unknown, step) => afterStep(state, Object(step) as GivenStep), structuredClone(object));
}

function afterStep(state: unknown, { op, path, from = '', value }: GivenStep): unknown {
  switch (op) {
    case 'add':
      return put(state, namesOf(path), value, 'add');
    case 'replace':
      valueAt(state, path);
      return put(state, namesOf(path), value, 'replace');
    case 'remove':
      return removed(state, namesOf(path));
    case 'copy':
      return put(state, namesOf(path), structuredClone(valueAt(state, from)), 'add');
    case 'move':
      return put(removed(state, namesOf(from)), namesOf(path), valueAt(state, from), 'add');
    case 'test':
      if (!sameValue(valueAt(state, path), value)) throw new Error(`the test of ${path} failed`);
      return state;
    default:
      throw new Error(`there is no step ${JSON.stringify(op)}`);
  }
}

function namesOf(path: string): string[] {
  if (path === '') return [];
  if (typeof path !== 'string' || !path.startsWith('/')) throw new Error(`${JSON.stringify(path)} is no path`);
  return path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The place in a list that a name means; NaN for none. Source: RFC 6901, section 4. */
const placeOf = (name: string): number => (/^(0|[1-9]\d*)$/.test(name) ? Number(name) : Number.NaN);

function valueAt(state: unknown, path: string): unknown {
  return namesOf(path).reduce((value, name) => {
    if (Array.isArray(value) ? placeOf(name) < value.length : isJsonMap(value) && Object.hasOwn(value, name))
      return (value as Record<string, unknown>)[name];
    throw new Error(`there is nothing at ${path}`);
  }, state);
}

function put(state: unknown, [name, ...rest]: readonly string[], value: unknown, op: 'add' | 'replace'): unknown {
  if (name === undefined) return value;
  if (Array.isArray(state)) {
    const at = name === '-' ? state.length : placeOf(name);
    if (!(at <= state.length)) throw new Error(`the list has no place ${name}`);
    const isInserted = rest.length === 0 && op === 'add';
    return state.toSpliced(at, isInserted ? 0 : 1, rest.length === 0 ? value : put(state[at], rest, value, op));
  }
  if (!isJsonMap(state)) throw new Error(`there is nothing for ${name}`);
  return { ...state, [name]: put(state[name], rest, value, op) };
}

function removed(state: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) throw new Error('the whole object cannot be removed');
  valueAt(state, `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  if (Array.isArray(state))
    return rest.length === 0
      ? state.toSpliced(Number(name), 1)
      : state.with(Number(name), removed(state[Number(name)], rest));
  const { [name]: inner, ...others } = state as Record<string, unknown>;
  return rest.length === 0 ? others : { ...others, [name]: removed(inner, rest) };
}
