import type { GroupVersionResource } from './gvr.ts';

/** Whether a type holds secrets. Says so also where the object does not, as in lists and metadata-only rows, whose items carry no kind. */
export function isSecretResource(gvr: Pick<GroupVersionResource, 'group' | 'resource'>): boolean {
  return gvr.group === '' && gvr.resource === 'secrets';
}
