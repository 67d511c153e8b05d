import type { GroupVersionResource } from './gvr.ts';

/** A request for a collection of objects: its path and query. */
export interface CollectionPath {
  readonly gvr: GroupVersionResource;
  /** Undefined: all namespaces, or the type has none. */
  readonly namespace: string | undefined;
  readonly query: URLSearchParams;
}

/** Reads the path of a LIST or WATCH as `pathOf` writes it; undefined for any other path, such as that of discovery. */
export function parseCollectionPath(text: string): CollectionPath | undefined {
  const at = text.indexOf('?');
  const path = at === -1 ? text : text.slice(0, at);
  const [empty, root, ...parts] = path.split('/');
  if (empty !== '') return undefined;
  const group = root === 'apis' ? parts.shift() : root === 'api' ? '' : undefined;
  const version = parts.shift();
  const namespace = parts.length === 3 && parts[0] === 'namespaces' ? parts[1] : undefined;
  const resource = parts.length === 1 ? parts[0] : namespace === undefined ? undefined : parts[2];
  if (group === undefined || !version || !resource) return undefined;
  return { gvr: { group, version, resource }, namespace, query: new URLSearchParams(at === -1 ? '' : text.slice(at)) };
}
