import { type Address, EACH } from '../../model/field-path.ts';
import type { FilterCondition, JsonPathStep, Part } from './ast.ts';
import { isDollarPath } from './jsonpath.ts';
import { parseTemplate } from './template-parser.ts';

/**
 * The fields of an object that a path or template of kubectl's dialect may look at: an object with these fields alone
 * gives the same result. An address that ends in {@link EACH} has all of the items. Of a field that is not plainly
 * named, all that is above it counts. Undefined if it may look at the whole object: for `$…` expressions, for
 * `{.items…}`, which is about a List, and after `..`. Other than `addressesOf`, also what the conditions of filters look
 * at.
 */
export function fieldsSeenBy(text: string): readonly Address[] | undefined {
  if (isDollarPath(text)) return undefined;
  const parts = parseTemplate(text).filter((part): part is Exclude<Part, { kind: 'text' }> => part.kind !== 'text');
  // the parts inside a range look at what is below the items of that range
  const addresses = parts.flatMap(({ kind, path }) => (kind === 'range' ? [namesOf(path)] : ofSteps(path, [])));
  const isWhole = ([first]: Address) => first === undefined || first === EACH || first === 'items';
  return addresses.some(isWhole) ? undefined : addresses;
}

/** The names with which a path begins. */
function namesOf(path: readonly JsonPathStep[]): Address {
  const end = path.findIndex(({ kind }) => kind !== 'field');
  return path.slice(0, end === -1 ? undefined : end).flatMap((step) => (step.kind === 'field' ? step.name : []));
}

function ofSteps(steps: readonly JsonPathStep[], root: Address): Address[] {
  const [step, ...rest] = steps;
  if (!step) return [root];
  const each: Address = [...root, EACH];
  switch (step.kind) {
    case 'field':
      return ofSteps(rest, [...root, step.name]);
    case 'wildcard':
    case 'slice':
      return ofSteps(rest, each);
    case 'item':
      return [
        ...step.fields.map(([name]): Address => (name.includes('.') ? each : [...each, name])),
        ...ofSteps(rest, each),
      ];
    case 'filter':
      return [...step.anyOf.flat().flatMap((condition) => ofCondition(condition, each)), ...ofSteps(rest, each)];
    default:
      return [root];
  }
}

const ofCondition = ({ left, right }: FilterCondition, item: Address): Address[] =>
  [left, ...(right ? [right] : [])].flatMap((path) => (path[0]?.kind === 'literal' ? [] : ofSteps(path, item)));
