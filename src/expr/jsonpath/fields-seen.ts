import type { Address } from '../../model/field-path.ts';
import type { JsonPathStep, Part } from './ast.ts';
import { isDollarPath } from './jsonpath.ts';
import { parseTemplate } from './template-parser.ts';

/**
 * The fields of an object that a path or template of kubectl's dialect may look at: an object with these fields alone
 * gives the same result. Of a field that is not plainly named, all that is above it counts. Undefined if it may look at
 * the whole object: for `$…` expressions, for `{.items…}`, which is about a List, and after `..`. Other than
 * `addressesOf`, also what the conditions of filters look at.
 */
export function fieldsSeenBy(text: string): readonly Address[] | undefined {
  if (isDollarPath(text)) return undefined;
  const parts = parseTemplate(text).filter((part): part is Exclude<Part, { kind: 'text' }> => part.kind !== 'text');
  const addresses = parts.map(({ path }) => namesOf(path));
  return addresses.some(([first]) => first === undefined || first === 'items') ? undefined : addresses;
}

/** The names with which a path begins. What a part inside a range looks at is below the items of that range. */
function namesOf(path: readonly JsonPathStep[]): Address {
  const end = path.findIndex(({ kind }) => kind !== 'field');
  return path.slice(0, end === -1 ? undefined : end).flatMap((step) => (step.kind === 'field' ? step.name : []));
}
