import type { GroupVersionResource } from '../../model/gvr.ts';

/** The parts of a path that names a type, an object or a subresource. */
export interface ResourcePath {
  readonly gvr: GroupVersionResource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The path behind the subresource, as in `nodes/NAME/proxy/REST`. */
  readonly rest: string | undefined;
}

export type Route =
  | { readonly kind: 'plain'; readonly path: string }
  | { readonly kind: 'core' }
  | { readonly kind: 'groups' }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'version'; readonly group: string; readonly version: string }
  | { readonly kind: 'resource'; readonly resource: ResourcePath };

/**
 * Words behind `/namespaces/NAME/` that name a subresource of the namespace, not a type. Source: apiserver
 * request.NamespaceSubresources.
 */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/**
 * Parses a path without its query. Percent escapes are decoded segment by segment; a segment with an invalid one stays
 * as it is.
 */
export function parseRoute(path: string): Route {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(unescaped);
  const [root, ...rest] = parts;
  if (root === 'api') return parseVersioned('', rest);
  if (root !== 'apis') return { kind: 'plain', path: `/${parts.join('/')}` };
  const [group, ...versioned] = rest;
  if (group === undefined) return { kind: 'groups' };
  return versioned.length === 0 ? { kind: 'group', group } : parseVersioned(group, versioned);
}

/** A path segment with its percent escapes decoded; unchanged when one of them is invalid. */
export function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function parseVersioned(group: string, [version, ...rest]: string[]): Route {
  if (version === undefined) return { kind: 'core' };
  if (rest.length === 0) return { kind: 'version', group, version };
  return { kind: 'resource', resource: parseResource({ group, version }, rest) };
}

function parseResource(gv: { group: string; version: string }, parts: string[]): ResourcePath {
  const [first, namespace, third, ...rest] = parts;
  const scoped =
    first === 'namespaces' && namespace !== undefined && third !== undefined && !NAMESPACE_SUBRESOURCES.has(third);
  const [resource = '', name, subresource, ...more] = scoped ? [third, ...rest] : parts;
  return {
    gvr: { ...gv, resource },
    namespace: scoped ? namespace : undefined,
    name,
    subresource,
    rest: more.length > 0 ? more.join('/') : undefined,
  };
}
