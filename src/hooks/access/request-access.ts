import type { Transport, TransportRequest, TransportResponse } from '../../client/http/transport.ts';

/** The rights that a request needs, as RBAC sees it. Nothing of its body. */
export interface Access {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `deployments/status`. */
  readonly resource: string;
  /** Undefined for all namespaces, and for types without namespaces. */
  readonly namespace?: string | undefined;
  /** The only object that is meant. Undefined for any. */
  readonly name?: string | undefined;
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

/**
 * The rights that a request needs; undefined for one that every user may make: discovery, versions, OpenAPI, and
 * questions about the user's own access. The name of the object is in it for types of which `isNamed` says so. Source: apiserver endpoints/request/requestinfo.go, and the ClusterRoles
 * system:discovery and system:basic-user.
 */
export function accessOf(
  { method, path }: Pick<TransportRequest, 'method' | 'path'>,
  isNamed: (resource: string) => boolean = () => false,
): Access | undefined {
  const [place = '', query = ''] = path.split('?', 2);
  const [root, ...rest] = place
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'apis' ? (rest.shift() ?? '') : '';
  const [_version, ...parts] = rest;
  if (parts.length === 0 || group === 'authorization.k8s.io') return undefined;
  const isScoped = parts[0] === 'namespaces' && parts.length > 2 && !NAMESPACE_PARTS.has(parts[2] as string);
  const [resource = '', name, subresource] = isScoped ? parts.slice(2) : parts;
  return {
    verb: verbOf(method.toUpperCase(), name !== undefined, new URLSearchParams(query)),
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...(isScoped ? { namespace: parts[1] as string } : {}),
    ...(name !== undefined && isNamed(resource) ? { name } : {}),
  };
}

/** The subresources of a namespace, which look like types in it. */
const NAMESPACE_PARTS = new Set(['status', 'finalize']);

const isApply = ({ headers }: TransportRequest) => /^application\/apply-patch\b/.test(headers?.['content-type'] ?? '');

function verbOf(method: string, hasName: boolean, query: URLSearchParams): string {
  if (method === 'DELETE') return hasName ? 'delete' : 'deletecollection';
  if (method !== 'GET' && method !== 'HEAD') return VERBS[method] ?? method.toLowerCase();
  if (hasName) return 'get';
  return /^(true|1)$/.test(query.get('watch') ?? '') ? 'watch' : 'list';
}

/**
 * The same transport. `onAccess` is called with what each request needs. A server-side apply also needs `create`: the
 * object may not exist, at the latest in a run after its deletion.
 */
export function observedTransport(
  transport: Transport,
  onAccess: (access: Access) => void,
  isNamed?: (resource: string) => boolean,
): Transport {
  return {
    async request(request: TransportRequest): Promise<TransportResponse> {
      const access = accessOf(request, isNamed);
      if (access) onAccess(access);
      if (access?.verb === 'patch' && isApply(request)) {
        const { name: _name, ...rest } = access;
        onAccess({ ...rest, verb: 'create' });
      }
      return transport.request(request);
    },
    close: () => transport.close(),
  };
}
