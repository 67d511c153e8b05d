import type { Call } from '../api/call.ts';
import { type ApiResponse, once } from '../api/exchange.ts';
import { isPretty, parseAccept } from '../api/negotiate.ts';
import { respond, respondText } from '../api/respond.ts';
import type { Route } from '../api/route.ts';
import type { Cluster } from '../cluster.ts';
import { apiGroup, apiGroupDiscoveryList, apiGroupList, apiResourceList, apiVersions, etagOf, rootPaths } from '../discovery/documents.ts';
import { methodNotAllowed, notImplemented } from '../status/statuses.ts';
import { openApiPath } from './openapi-path.ts';

/** What `/version` says. Source: the real server's answer, with the sandbox named as the build. */
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

/** Health checks, which need no credentials. */
export function isHealthPath(path: string): boolean {
  return HEALTH.test(path);
}

export function health(): ApiResponse {
  return respondText(200, 'ok');
}

/** Answers every path that does not speak of objects: discovery, version, OpenAPI. */
export function plainPath(cluster: Cluster, call: Call, route: Exclude<Route, { kind: 'resource' }>, address: string): ApiResponse {
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

/** The answer to a path nothing serves: plain text, as Go's mux gives it. */
export function pageNotFound(): ApiResponse {
  return respondText(404, '404 page not found\n');
}

/** What the real server writes past its serializers, which is pretty for everybody. Source: apiserver responsewriters.WriteRawJSON. */
function always(value: object): ApiResponse {
  return respond(200, value, { syntax: 'json', pretty: true });
}

function plain(cluster: Cluster, call: Call, path: string): ApiResponse {
  if (path === '/') return always(rootPaths(cluster.types));
  if (path === '/version') return always(VERSION);
  if (path === '/openapi/v2') return openApiV2(call);
  if (path === '/metrics' || path.startsWith('/metrics/')) return notImplemented('metrics');
  if (path === '/openapi/v3' || path.startsWith('/openapi/v3/')) return openApiPath(cluster, call, path) ?? pageNotFound();
  return pageNotFound();
}

/** With `@` in requests of kubectl, where a media type may have none. Source: kube-openapi handler. */
const V2_TYPES = [
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
];

/**
 * kubectl asks for this document, as protobuf, about a type that the third version does not know: one whose CRD is not there. An empty document
 * says that this version does not know it either, and kubectl then tells what is missing. In JSON there is none.
 */
function openApiV2({ headers }: Call): ApiResponse {
  if (!parseAccept(headers.get('accept')).some(({ type }) => V2_TYPES.includes(type))) notImplemented('OpenAPI v2');
  return { status: 200, headers: { 'content-type': V2_TYPES[0] as string }, body: once(Buffer.alloc(0)) };
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
