import { messageOf } from '../../kit/error.ts';
import { parseJson } from '../../kit/exact-json.ts';
import { joinKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import { failure, type Status, StatusError } from '../../model/status.ts';
import { AdmissionControl, type AdmittedRun } from '../admission/control.ts';
import type { Call, ResourceCall, UserInfo } from '../api/call.ts';
import { type ApiRequest, type ApiResponse, bodyText, once } from '../api/exchange.ts';
import { negotiate } from '../api/negotiate.ts';
import { compress, compressStream, respondStatus } from '../api/respond.ts';
import { parseRoute, type ResourcePath } from '../api/route.ts';
import { authenticate } from '../auth/authenticate.ts';
import { Authorizer, type RequestAttributes } from '../auth/authorizer.ts';
import { checkEscalation } from '../auth/escalation.ts';
import { checkImpersonation } from '../auth/impersonation.ts';
import { refuseUser, requestAttributesOf } from '../auth/request-attributes.ts';
import { review } from '../auth/reviews.ts';
import type { TokenKeeper } from '../auth/token-keeper.ts';
import { requestToken } from '../auth/token-request.ts';
import type { Cluster } from '../cluster.ts';
import { answerGet } from '../read/get.ts';
import { answerList } from '../read/list.ts';
import { isWatch } from '../read/read-options.ts';
import { answerWatch, type WatchSettings } from '../read/watch.ts';
import { methodNotAllowed, notImplemented, refuse, unknownResource } from '../status/statuses.ts';
import { Versions } from '../versions/versions.ts';
import type { ResolveService } from '../webhook-call.ts';
import type { WriteRequests } from '../write/requests.ts';
import { health, isHealthPath, pageNotFound, plainPath } from './plain-paths.ts';

export interface ApiServerOptions extends WatchSettings {
  readonly tokens: TokenKeeper;
  /** True: roles and bindings restrict every user. False: they restrict impersonated users only. */
  readonly rbac: boolean;
  readonly resolveService: ResolveService;
}

/**
 * The API server without a socket: it takes a request and returns an answer. It never throws; every failure is answered
 * with a Status.
 *
 * Promises: every body can be left early; a watch ends when the signal of its request aborts. What is not implemented
 * is answered 501.
 */
export class ApiServer {
  readonly #cluster: Cluster;
  readonly #writes: WriteRequests;
  readonly #options: ApiServerOptions;
  readonly #authorizer: Authorizer;
  readonly #admission: AdmissionControl;
  readonly #versions: Versions;
  /** The host:port that discovery shows. */
  address = '127.0.0.1:6443';

  constructor(cluster: Cluster, writes: WriteRequests, options: ApiServerOptions) {
    this.#cluster = cluster;
    this.#writes = writes;
    this.#options = options;
    this.#authorizer = new Authorizer(cluster.store);
    this.#versions = new Versions(cluster, options.resolveService);
    this.#admission = new AdmissionControl(cluster, this.#versions, options.resolveService);
  }

  /** Ends what follows the store. */
  [Symbol.dispose](): void {
    this.#versions[Symbol.dispose]();
  }

  /**
   * Answers a request. One without credentials is the administrator's if `trusted`, which is for requests that came
   * through no socket.
   */
  async serve(request: ApiRequest, { trusted = false }: { trusted?: boolean } = {}): Promise<ApiResponse> {
    try {
      const headers = lowerCased(request.headers);
      const response = await this.#answer(request, headers, trusted);
      if (isHead(request)) return withoutBody(response);
      const encoding = headers.get('accept-encoding');
      const query = new URLSearchParams(split(request.path)[1]);
      if (!isWatch(query)) return await compress(response, encoding); // a watch may send nothing for a long time
      const isList = query.get('sendInitialEvents') === 'true' && response.status === 200;
      return isList && this.#cluster.features.watchListCompression ? compressStream(response, encoding) : response;
    } catch (error) {
      const answer = respondStatus(error instanceof StatusError ? error.status : internalError(messageOf(error)));
      return isHead(request) ? withoutBody(answer) : answer;
    }
  }

  async #answer(request: ApiRequest, headers: ReadonlyMap<string, string>, trusted: boolean): Promise<ApiResponse> {
    const [path = '/', search = ''] = split(request.path);
    if (isHealthPath(path)) return health();
    const { tokens, rbac } = this.#options;
    const identity = authenticate(headers, tokens, { trusted, anonymous: rbac });
    if (!identity) refuse(failure(401, 'Unauthorized', 'Unauthorized'));
    if (rbac) checkImpersonation(this.#authorizer, identity);
    const { user, sender } = identity;
    const route = parseRoute(path);
    const unrestricted = !rbac && user === sender;
    const call: Call = {
      method: request.method.toUpperCase(),
      path,
      query: new URLSearchParams(search),
      headers,
      body: typeof request.body === 'string' ? Buffer.from(request.body) : Buffer.from(request.body ?? []),
      signal: request.signal ?? new AbortController().signal,
      user,
      unrestricted,
      checkMay: (verb) => this.#checkMay(user, unrestricted, { ...requestAttributesOf(call, route), verb }),
    };
    this.#checkMay(user, unrestricted, requestAttributesOf(call, route));
    return route.kind === 'resource'
      ? this.#resource(call, route.resource)
      : plainPath(this.#cluster, call, route, this.address);
  }

  #checkMay(user: UserInfo, unrestricted: boolean, attempt: RequestAttributes): void {
    if (!unrestricted && this.#authorizer.decide(user, attempt) === undefined) refuseUser(user.username, attempt);
  }

  async #resource(call: Call, path: ResourcePath): Promise<ApiResponse> {
    const { types } = this.#cluster;
    const { gvr, namespace, name, subresource } = path;
    const type = types.find(gvr);
    if (!type) {
      if (gvr.resource === 'watch' && types.version(gvr.group, gvr.version))
        notImplemented('the deprecated /watch/ paths; add ?watch=1 instead');
      return types.version(gvr.group, gvr.version) ? unknownResource() : pageNotFound();
    }
    if (!type.namespaced && namespace !== undefined) unknownResource();
    if (type.namespaced && namespace === undefined && name !== undefined) unknownResource();
    const watching = call.method === 'GET' && name === undefined && isWatch(call.query);
    const asked = negotiate(call.headers, call.query, watching);
    const dropsManagedFields = asked.dropsManagedFields && this.#cluster.features.managedFieldsOptOut;
    const representation = { ...asked, dropsManagedFields };
    const resourceCall: ResourceCall = { ...call, type, namespace, name, subresource, representation };
    return subresource === undefined
      ? this.#object(resourceCall, watching)
      : this.#subresource(resourceCall, subresource);
  }

  #object(call: ResourceCall, watching: boolean): ApiResponse | Promise<ApiResponse> {
    const verb = verbOf(call, watching);
    if (!call.type.verbs.includes(verb)) methodNotAllowed();
    if (call.type.namespaced && call.namespace === undefined && verb === 'create') methodNotAllowed();
    if (!call.type.verbs.includes('get'))
      return verb === 'create'
        ? review(this.#cluster, this.#authorizer, this.#options.tokens, call)
        : methodNotAllowed();
    if (isUnserved(call.type.gvr)) notImplemented(`${call.type.gvr.group}/${call.type.gvr.version} ${call.type.kind}`);
    if (WRITES.has(verb) && call.type.gvr.group === RBAC_GROUP && !call.unrestricted) return this.#grant(call, verb);
    return this.#admitted(call, verb, (writes, cluster) => this.#carryOut(call, verb, writes, cluster));
  }

  /** Carries out a request; a write as admission lets it. */
  #admitted(call: ResourceCall, verb: string, carryOut: AdmittedRun): ApiResponse | Promise<ApiResponse> {
    if (call.type.custom?.conversion) return this.#converted(call, verb, carryOut);
    const isWrite = WRITES.has(verb) || verb === 'delete' || verb === 'deletecollection';
    if (isWrite && this.#admission.decidesOn(call)) return this.#admission.admit(call, carryOut);
    return carryOut(this.#writes, this.#cluster);
  }

  /** Carries out a request about objects that a webhook may have to convert. */
  async #converted(call: ResourceCall, verb: string, carryOut: AdmittedRun): Promise<ApiResponse> {
    if (verb === 'list' || verb === 'watch') return carryOut(this.#writes, await this.#versions.read(call, verb));
    if (verb === 'deletecollection') await this.#versions.latest(call);
    return this.#admission.admit(call, carryOut);
  }

  /** Writes a role or a binding, after a dry run whose result grants nothing that the user does not have. */
  async #grant(call: ResourceCall, verb: string): Promise<ApiResponse> {
    const query = new URLSearchParams([...call.query].filter(([name]) => name !== 'dryRun'));
    query.append('dryRun', 'All');
    const representation = { ...call.representation, form: 'object', syntax: 'json' } as const;
    const tried = await this.#carryOut({ ...call, query, representation }, verb);
    const after = parseJson(await bodyText(tried)) as UnknownObject;
    const before = this.#cluster.store.get(
      call.type.storage,
      joinKey(call.namespace, after.metadata.name ?? ''),
    )?.object;
    checkEscalation({ authorizer: this.#authorizer, user: call.user, resource: call.type.gvr.resource, after, before });
    return this.#admitted(call, verb, (writes) => this.#carryOut(call, verb, writes));
  }

  #carryOut(
    call: ResourceCall,
    verb: string,
    writes = this.#writes,
    cluster = this.#cluster,
  ): ApiResponse | Promise<ApiResponse> {
    switch (verb) {
      case 'get':
        return answerGet(cluster, call);
      case 'list':
        return answerList(cluster, call);
      case 'watch':
        return answerWatch(cluster, call, this.#options);
      case 'create':
        return writes.create(call);
      case 'update':
        return writes.update(call);
      case 'patch':
        return writes.patch(call);
      case 'delete':
        return writes.delete(call);
      default:
        return writes.deleteCollection(call);
    }
  }

  #subresource(call: ResourceCall, name: string): ApiResponse | Promise<ApiResponse> {
    const subresource = call.type.subresourceTypes.get(name);
    if (!subresource) return unknownResource();
    const verb = verbOf(call, false);
    if (!subresource.verbs.includes(verb)) methodNotAllowed();
    if (name === 'token') return requestToken(this.#cluster, this.#options.tokens, call);
    return this.#admitted(call, verb, (writes, cluster) => this.#carryOutSubresource(call, verb, writes, cluster));
  }

  #carryOutSubresource(call: ResourceCall, verb: string, writes: WriteRequests, cluster: Cluster): ApiResponse {
    const { subresource: name = '' } = call;
    if (name === 'eviction') return writes.evict(call);
    if (name === 'binding') return writes.bind(call);
    if (name === 'finalize') return writes.update(call);
    if (name !== 'status' && name !== 'scale')
      return notImplemented(`the ${name} subresource of ${call.type.gvr.resource}`);
    if (verb === 'update') return writes.update(call);
    if (verb === 'patch') return writes.patch(call);
    return name === 'scale' ? writes.getScale(call) : answerGet(cluster, call);
  }
}

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const WRITES = new Set(['create', 'update', 'patch']);

function isHead({ method }: ApiRequest): boolean {
  return method.toUpperCase() === 'HEAD';
}

function withoutBody(response: ApiResponse): ApiResponse {
  return { ...response, body: once(Buffer.alloc(0)) };
}

function internalError(message: string): Status {
  return failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** Versions that discovery lists, but to which the sandbox cannot convert stored objects. */
function isUnserved({ group, version }: { group: string; version: string }): boolean {
  return group === 'autoscaling' && version === 'v1';
}

function verbOf({ method, name, subresource }: ResourceCall, watching: boolean): string {
  switch (method) {
    case 'GET':
      return name !== undefined ? 'get' : watching ? 'watch' : 'list';
    case 'POST':
      return name === undefined || subresource !== undefined ? 'create' : methodNotAllowed();
    case 'PUT':
      return name === undefined ? methodNotAllowed() : 'update';
    case 'PATCH':
      return name === undefined ? methodNotAllowed() : 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      return methodNotAllowed();
  }
}

function split(path: string): [string, string] {
  const at = path.indexOf('?');
  return at < 0 ? [path, ''] : [path.slice(0, at), path.slice(at + 1)];
}

function lowerCased(headers: ApiRequest['headers']): ReadonlyMap<string, string> {
  const entries = Object.entries(headers ?? {}).filter((e): e is [string, string] => e[1] !== undefined);
  return new Map(entries.map(([name, value]) => [name.toLowerCase(), value]));
}
