import { type Address, distinct, EACH } from '../../model/field-path.ts';
import type { JsonPathStep, Part } from './ast.ts';
import { parseTemplate } from './template-parser.ts';

/**
 * The fields that a path or template of kubectl's dialect prints, without the conditions of filters. There are none for
 * `$…` expressions, for `{.items…}` (which is about a List), and after `..` (which searches everywhere). Never throws:
 * a text that cannot be parsed has none.
 */
export function addressesOf(text: string): Address[] {
  return addressesFrom(text).filter(([first]) => first !== 'items');
}

/** As {@link addressesOf}, but `{.items…}` prints fields of the objects of a List. */
export function addressesInList(text: string): Address[] {
  const ofList = addressesFrom(text).filter(([first]) => first === 'items');
  const ofObjects = ofList.flatMap(([, each, ...address]) => (each === EACH && address.length > 0 ? [address] : []));
  return ofList.length === 0 ? addressesOf(text) : ofObjects;
}

function addressesFrom(text: string): Address[] {
  if (/^\s*\$/.test(text)) return [];
  try {
    const found = distinct(parseTemplate(text).flatMap((part) => ofPart(part, [])));
    return found.filter(({ length }) => length > 0);
  } catch {
    return [];
  }
}

/** The names of the one field that a path prints, if it is no more than the path to it: `.spec.nodeName`. */
export function fieldOf(text: string): readonly string[] | undefined {
  try {
    const [part, ...more] = /^\s*\$/.test(text) ? [] : parseTemplate(text);
    if (part?.kind !== 'print' || more.length > 0) return undefined;
    const [address, ...others] = ofPart(part, []);
    const isPlain = part.path.every(({ kind }) => kind === 'field' || kind === 'key');
    const isField = isPlain && others.length === 0 && address?.[0] !== 'items';
    return isField && address?.every((step) => typeof step === 'string') ? (address as readonly string[]) : undefined;
  } catch {
    return undefined;
  }
}

function ofPart(part: Part, root: Address): Address[] {
  if (part.kind === 'text') return [];
  const found = ofSteps(part.path, root);
  if (part.kind === 'print') return found;
  return [...found, ...found.flatMap((address) => part.body.flatMap((inner) => ofPart(inner, address)))];
}

function ofSteps(steps: readonly JsonPathStep[], root: Address): Address[] {
  const [step, ...rest] = steps;
  if (!step) return [root];
  switch (step.kind) {
    case 'field':
      return ofSteps(rest, [...root, step.name]);
    case 'wildcard':
    case 'slice':
    case 'item':
    case 'filter':
      return ofSteps(rest, [...root, EACH]);
    case 'key':
      // only the object decides whether `['a.b']` is a key or a path: what is above both is read in any case
      return isKeyed(root) || step.path.length < 2 ? ofSteps(rest, [...root, step.literal]) : above(root);
    case 'union':
      return step.members.flatMap((member) => ofSteps([...member, ...rest], root));
    default:
      return [];
  }
}

const above = (root: Address): Address[] => (root.length > 0 ? [root] : []);

/** Whether the keys of the map at an address have dots in them. */
const isKeyed = (root: Address) => root.at(-1) === 'labels' || root.at(-1) === 'annotations';
