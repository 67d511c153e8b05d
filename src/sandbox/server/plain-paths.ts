import type { Call } from '../api/call.ts';
import { type ApiResponse, once } from '../api/exchange.ts';
import { isPretty, parseAccept } from '../api/negotiate.ts';
import { respond, respondText } from '../api/respond.ts';
import type { Route } from '../api/route.ts';
import type { Cluster } from '../cluster.ts';
import {
  apiGroup,
  apiGroupDiscoveryList,
  apiGroupList,
  apiResourceList,
  apiVersions,
  etagOf,
  rootPaths,
} from '../discovery/documents.ts';
import { openApiV2Document } from '../discovery/openapi-v2.ts';
import { methodNotAllowed, notImplemented } from '../status/statuses.ts';
import { JSON_TYPES, openApiPath } from './openapi-path.ts';

/** The answer to `/version`. Source: the answer of a real server, with the sandbox as the build. */
const VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.2',
  gitCommit: 'kubectl-informer-sandbox',
  gitTreeState: 'clean',
  buildDate: '2026-07-15T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'linux/amd64',
};

const HEALTH = /^\/(healthz|livez|readyz)(\/|$)/;

/** Whether a path is a health check, which needs no credentials. */
export function isHealthPath(path: string): boolean {
  return HEALTH.test(path);
}

export function health(): ApiResponse {
  return respondText(200, 'ok');
}

/** Answers the paths that name no type: discovery, version, OpenAPI. */
export function plainPath(
  cluster: Cluster,
  call: Call,
  route: Exclude<Route, { kind: 'resource' }>,
  address: string,
): ApiResponse {
  const onlyGet = route.kind !== 'plain' || route.path === '/version';
  if (call.method !== 'GET' && (onlyGet || call.method !== 'HEAD')) methodNotAllowed();
  const { types } = cluster;
  const show = (value: object) => respond(200, value, { syntax: 'json', pretty: isPretty(call.headers, call.query) });
  switch (route.kind) {
    case 'core':
      return aggregated(call) ? discoveryList(cluster, call, 'core') : show(apiVersions(address));
    case 'groups':
      return aggregated(call) ? discoveryList(cluster, call, 'named') : show(apiGroupList(types));
    case 'group': {
      const group = types.group(route.group);
      return group ? show(apiGroup(group)) : pageNotFound();
    }
    case 'version': {
      const version = types.version(route.group, route.version);
      return version ? show(apiResourceList(route.group, version)) : pageNotFound();
    }
    case 'plain':
      return plain(cluster, call, route.path);
  }
}

/** The answer to a path that is not served: plain text, as Go's ServeMux answers. */
export function pageNotFound(): ApiResponse {
  return respondText(404, '404 page not found\n');
}

/**
 * An answer that a real server always indents, whatever the client asks for. Source: apiserver
 * responsewriters.WriteRawJSON.
 */
function alwaysPretty(value: object): ApiResponse {
  return respond(200, value, { syntax: 'json', pretty: true });
}

function plain(cluster: Cluster, call: Call, path: string): ApiResponse {
  if (path === '/') return alwaysPretty(rootPaths(cluster.types));
  if (path === '/version') return alwaysPretty(VERSION);
  if (path === '/openapi/v2') return openApiV2(cluster, call);
  if (path === '/metrics' || path.startsWith('/metrics/')) return notImplemented('metrics');
  if (path === '/openapi/v3' || path.startsWith('/openapi/v3/'))
    return openApiPath(cluster, call, path) ?? pageNotFound();
  return pageNotFound();
}

/**
 * The media types of the document in protobuf. kubectl sends the one with `@`, which is not a valid media type. Source:
 * kube-openapi handler.
 */
const V2_TYPES = [
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
];

/**
 * Answers `/openapi/v2`: JSON. kubectl requests it as protobuf, to look up what OpenAPI v3 does not have: a type whose
 * definition does not exist, and a List. It gets an empty document: then it reports the missing type, or lets the server
 * validate the items.
 */
function openApiV2({ types }: Cluster, { headers }: Call): ApiResponse {
  const accepted = parseAccept(headers.get('accept'));
  if (accepted.some(({ type }) => V2_TYPES.includes(type)))
    return { status: 200, headers: { 'content-type': V2_TYPES[0] as string }, body: once(Buffer.alloc(0)) };
  if (!accepted.some(({ type }) => JSON_TYPES.includes(type)))
    return { status: 406, headers: {}, body: once(Buffer.alloc(0)) };
  const { body, hash } = openApiV2Document(types);
  const common = { etag: `"${hash}"`, vary: 'Accept' };
  if (headers.get('if-none-match') === common.etag)
    return { status: 304, headers: common, body: once(Buffer.alloc(0)) };
  return { status: 200, headers: { 'content-type': 'application/json', ...common }, body: once(body) };
}

const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function aggregated({ headers }: Call): boolean {
  for (const { type, parameters } of parseAccept(headers.get('accept'))) {
    const as = parameters.get('as');
    if (type === 'application/json' && as === undefined) return false;
    if (type === 'application/json' && as === 'APIGroupDiscoveryList' && parameters.get('v') === 'v2') return true;
  }
  return false;
}

function discoveryList({ types }: Cluster, { headers }: Call, which: 'core' | 'named'): ApiResponse {
  const body = Buffer.from(`${JSON.stringify(apiGroupDiscoveryList(types, which))}\n`);
  const etag = etagOf(body);
  const known = headers.get('if-none-match') === etag;
  const common = { etag, vary: 'Accept' };
  if (known) return { status: 304, headers: common, body: once(Buffer.alloc(0)) };
  return { status: 200, headers: { 'content-type': AGGREGATED_TYPE, ...common }, body: once(body) };
}
