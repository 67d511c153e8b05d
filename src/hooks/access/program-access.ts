import type { Access } from './request-access.ts';

/** The types of which a program means objects by fixed names, so that a right can be one to these only. */
const FIXED = new Set([
  'leases',
  'secrets',
  'customresourcedefinitions',
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
]);

export const isFixedName = (resource: string): boolean => FIXED.has(resource);

/** A watch of an informer may begin with a list. */
const LISTED = ['list', 'watch'];

/**
 * The rights that a request of a program showed to be needed. A namespace of `examples` stands for any, and an object in
 * it for any object.
 */
export function shownAccess(access: Access, examples: ReadonlySet<string>): Access[] {
  const { namespace, name, ...rest } = access;
  const isExample = namespace !== undefined && examples.has(namespace);
  const needed = isExample || name === undefined ? rest : { ...rest, name };
  const placed = isExample || namespace === undefined ? needed : { ...needed, namespace };
  return (access.verb === 'watch' ? LISTED : [access.verb]).map((verb) => ({ ...placed, verb }));
}
