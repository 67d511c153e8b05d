import type { GroupVersionResource } from './gvr.ts';

/**
 * Whether a type is that of Secrets. Works on the type because items of lists, and rows of metadata only, have no kind.
 */
export function isSecretResource(gvr: Pick<GroupVersionResource, 'group' | 'resource'>): boolean {
  return gvr.group === '' && gvr.resource === 'secrets';
}
