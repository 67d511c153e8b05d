import { InformerError, isInformerError } from '../kit/error.ts';
import { jsonText } from '../kit/exact-json.ts';
import { checkChoice, checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { FieldSelector } from '../model/field-selector.ts';
import { formatGroupResource, formatGvr, type GroupVersionResource, pathOf } from '../model/gvr.ts';
import { LabelSelector } from '../model/label-selector.ts';
import { KNOWN_SELECTORS, type ListOptions, queryOf, type Selectors, type WatchOptions } from '../model/list-options.ts';
import type { KubeObject, ListPage, UnknownObject } from '../model/object.ts';
import { checkName } from '../model/path-segment.ts';
import { withoutSecretValues } from '../model/secret-error.ts';
import { isSecretResource } from '../model/secret-type.ts';
import { type Status, type StatusError, statusOf } from '../model/status.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import { readList } from './decode/list-body.ts';
import { decodeJson, dropManagedFields } from './decode/object-decoder.ts';
import { type IncludeObject, isTable, objectOfRow, TABLE_ACCEPT } from './decode/table.ts';
import { WatchStream } from './decode/watch-stream.ts';
import { isAtLeast, type ServerVersion } from './discovery/server-version.ts';
import { LARGEST_OBJECT } from './http/limits.ts';
import type { WatchTurns } from './http/refused-watches.ts';
import { isSuccess, readWhole, statusErrorOf } from './http/response.ts';
import { Traffic, type TrafficStats } from './http/traffic.ts';
import type { Transport, TransportRequest, TransportResponse } from './http/transport.ts';
import { type FailedRequest, type IsNamespaced, withScope } from './scope-error.ts';

/** In what form objects are asked for: whole, their metadata alone, or as rows of the server's table (see cellsOf). */
export type Representation = 'object' | 'metadata' | { table: IncludeObject };

/** Which part of a resource type an api speaks for, and how. */
export interface ResourceApiOptions {
  /** Unset: all namespaces for reading, the object's own for writing. Left unset for cluster-scoped types. */
  namespace?: string | undefined;
  /** Default `object`. */
  as?: Representation | undefined;
  /** Takes `metadata.managedFields` off everything that is read. Default false. */
  dropManagedFields?: boolean | undefined;
  /** How to learn the server's version; without it {@link ResourceApi.consistentUnpagedList} is false. */
  serverVersion?: ((signal?: AbortSignal) => Promise<ServerVersion>) | undefined;
  /** How to learn whether the type is namespaced, for the text of an error. Without it such errors are worded as the server words them. */
  isNamespaced?: IsNamespaced | undefined;
  /** Resolves when the server answers again, after a connection failed. For {@link ResourceApi.whenReachable}. */
  whenReachable?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Who may try a watch again that the server refused. For {@link ResourceApi.whenTurn}. */
  refusedWatches?: WatchTurns | undefined;
  /** Counts along with {@link ResourceApi.stats}, for several apis together. */
  traffic?: Traffic | undefined;
}

/** What a call that reads many objects goes by. */
export interface ReadContext {
  signal?: AbortSignal | undefined;
  /** Called, chunk by chunk, when something of a list arrives; with a time ahead, ms, when the server asked to wait before. */
  alive?: ((aheadMs?: number) => void) | undefined;
  /** Use a new connection. */
  fresh?: boolean | undefined;
}

/** Options of every call for one object. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  subresource?: string | undefined;
}

/** Options of every call that writes. */
export interface WriteOptions extends CallOptions {
  /** The server does everything but store it. */
  dryRun?: boolean | undefined;
  fieldManager?: string | undefined;
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

/** Options of {@link ResourceApi.patch}. */
export interface PatchOptions extends WriteOptions {
  /** `merge` RFC 7386, `json` RFC 6902, `strategic` for built-in types, `apply` server-side apply (needs a fieldManager). */
  type: 'merge' | 'json' | 'strategic' | 'apply';
  /** With `apply`: takes over fields that others own. */
  force?: boolean | undefined;
}

/** Options of {@link ResourceApi.delete}. Source: apimachinery meta/v1 DeleteOptions. */
export interface DeleteOptions extends CallOptions {
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  preconditions?: { uid?: string; resourceVersion?: string } | undefined;
  gracePeriodSeconds?: number | undefined;
  dryRun?: boolean | undefined;
}

/**
 * What {@link ResourceApi.deleteCollection} is about. A selector restricts by what an object must have: a label (`app=web`, `app in (a,b)`, `app`) or a
 * field's value (`metadata.name=web`). One that only excludes (`!app`, `app!=web`, `app notin (web)`, `metadata.name!=web`), asks for an empty field or
 * for the namespace may match everything, and needs `all` beside it.
 */
export interface CollectionSelection extends Selectors {
  /** Everything that is not excluded is meant. Not to be given beside a selector that restricts. */
  all?: true | undefined;
}

/** The options of `Client.resource`. */
export const KNOWN_RESOURCE_OPTIONS = {
  namespace: 'text',
  as: true,
  dropManagedFields: 'boolean',
  serverVersion: 'function',
  isNamespaced: 'function',
  whenReachable: 'function',
  refusedWatches: true,
  traffic: true,
} satisfies KnownOptionsOf<ResourceApiOptions>;
const KNOWN_CALL_OPTIONS = { signal: 'signal', subresource: true } satisfies KnownOptionsOf<CallOptions>; // the path checks what it is made of
const KNOWN_WRITE_OPTIONS = {
  ...KNOWN_CALL_OPTIONS,
  dryRun: 'boolean',
  fieldManager: 'text',
  fieldValidation: ['Ignore', 'Warn', 'Strict'],
} satisfies KnownOptionsOf<WriteOptions>;
const KNOWN_NAMED_WRITE = { ...KNOWN_WRITE_OPTIONS, name: true } as const;
const KNOWN_PATCH_OPTIONS = { ...KNOWN_WRITE_OPTIONS, type: true, force: 'boolean' } satisfies KnownOptionsOf<PatchOptions>;
const KNOWN_DELETE_OPTIONS = {
  ...KNOWN_CALL_OPTIONS,
  propagationPolicy: ['Orphan', 'Background', 'Foreground'],
  preconditions: { uid: 'text', resourceVersion: 'text' },
  gracePeriodSeconds: 'number',
  dryRun: 'boolean',
} satisfies KnownOptionsOf<DeleteOptions>;
const { subresource: _, ...KNOWN_COLLECTION_OPTIONS } = KNOWN_DELETE_OPTIONS;
const KNOWN_LIST_OPTIONS = {
  ...KNOWN_SELECTORS,
  resourceVersion: 'text',
  resourceVersionMatch: ['Exact', 'NotOlderThan'],
  limit: 'number',
  continue: 'text',
} satisfies KnownOptionsOf<ListOptions>;
const KNOWN_WATCH_OPTIONS = {
  ...KNOWN_SELECTORS,
  resourceVersion: 'text',
  resourceVersionMatch: ['NotOlderThan'],
  allowWatchBookmarks: 'boolean',
  sendInitialEvents: 'boolean',
  timeoutSeconds: 'number',
} satisfies KnownOptionsOf<WatchOptions>;
const KNOWN_CONTEXT = { signal: 'signal', alive: 'function', fresh: 'boolean' } satisfies KnownOptionsOf<ReadContext>;
const KNOWN_SELECTION = { all: 'boolean', ...KNOWN_SELECTORS } satisfies KnownOptionsOf<CollectionSelection>;

/** Throws `argument` for what is no {@link Representation}. */
export function checkRepresentation(as: unknown): void {
  if (typeof as === 'object' && as !== null) checkOptions('the table of resource', as, { table: ['None', 'Metadata', 'Object'] });
  else checkChoice('resource: as', as, ['object', 'metadata']);
}

const ACCEPT = {
  object: 'application/json',
  metadata: (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io,application/json`,
};

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml', // JSON is YAML
};

/**
 * Requests for one resource type. A name that can be none (empty, missing, `.`, `..`, with `/` or `%`) rejects with `argument` before anything is
 * sent, and so do such namespaces and subresources, and an option that is unknown: a `dryrun` that is passed over would be a write. What the server refuses rejects with StatusError, what did not reach it with `transport`,
 * an answer that is not what it should be with `decode`. Errors about Secrets are worded from code, reason and field alone. Retries nothing itself.
 */
export class ResourceApi<T extends object = UnknownObject> {
  readonly gvr: GroupVersionResource;
  readonly namespace: string | undefined;
  readonly #transport: Transport;
  readonly #as: Representation;
  readonly #dropManagedFields: boolean;
  readonly #serverVersion: ResourceApiOptions['serverVersion'];
  readonly #isNamespaced: ResourceApiOptions['isNamespaced'];
  readonly #traffic: Traffic;
  /** Resolves when the server answers again, after a connection failed. Absent where nothing finds that out. */
  readonly whenReachable: ((context: { signal: AbortSignal }) => Promise<void>) | undefined;
  /** Resolves when a watch that the server refused may be tried again: one of all that wait tries at a time. Absent where nobody keeps the turns. */
  readonly whenTurn: ((context: { signal: AbortSignal }) => Promise<void>) | undefined;
  readonly #refusedWatches: WatchTurns | undefined;

  constructor(transport: Transport, gvr: GroupVersionResource, options: ResourceApiOptions = {}) {
    this.#transport = transport;
    this.gvr = gvr;
    this.namespace = options.namespace;
    this.#as = options.as ?? 'object';
    this.#dropManagedFields = options.dropManagedFields ?? false;
    this.#serverVersion = options.serverVersion;
    this.#isNamespaced = options.isNamespaced;
    this.#traffic = new Traffic(options.traffic);
    const { whenReachable, refusedWatches } = options;
    this.whenReachable = whenReachable && (({ signal }) => whenReachable(signal));
    this.whenTurn = refusedWatches && (({ signal }) => refusedWatches.wait(this, signal));
    this.#refusedWatches = refusedWatches;
  }

  /** What this api's requests have cost so far. */
  get stats(): TrafficStats {
    return this.#traffic;
  }

  /** One LIST, decoded while it arrives. With a `limit` it may be one page of several. `alive` hears that something came, chunk by chunk. */
  async list(options: ListOptions = {}, context: ReadContext = {}): Promise<ListPage<T>> {
    checkOptions('list', options, KNOWN_LIST_OPTIONS);
    checkOptions('the context of list', context, KNOWN_CONTEXT);
    const { signal, alive, fresh } = context;
    const headers = { accept: this.#accept('PartialObjectMetadataList') };
    const path = this.#collection(queryOf(options));
    const response = await this.#send({ method: 'GET', path, headers, signal, fresh, onWait: alive }, alive && (() => alive()));
    if (!isSuccess(response)) throw await this.#failure(response, { verb: 'list', namespace: this.namespace, signal });
    const page = await readList<T>(response.body, {
      gvr: this.gvr,
      table: this.#isTable,
      dropManagedFields: this.#dropManagedFields,
      onItems: (objects) => this.#traffic.add({ objects }),
    });
    this.#traffic.left(page.remainingItemCount);
    return page;
  }

  /** One LIST of objects' metadata, whatever this api reads otherwise, asked once: also a server that asks to wait gives its answer. */
  async probe(options: ListOptions = {}, { signal, fresh }: ReadContext = {}): Promise<ListPage<KubeObject>> {
    const path = withQuery(pathOf(this.gvr, { namespace: this.namespace }), [queryOf(options)]);
    const headers = { accept: ACCEPT.metadata('PartialObjectMetadataList') };
    const response = await this.#send({ method: 'GET', path, headers, signal, fresh, once: true });
    if (!isSuccess(response)) throw await this.#failure(response, { verb: 'list', namespace: this.namespace, signal });
    return readList<KubeObject>(response.body, { gvr: this.gvr, table: false, dropManagedFields: true });
  }

  /** Opens a watch; resolves once the server has agreed to it. Closing the result, or aborting, closes the connection. */
  async watch(options: WatchOptions = {}, context: ReadContext = {}): Promise<AsyncIterableIterator<WatchEvent<T>[]>> {
    checkOptions('watch', options, KNOWN_WATCH_OPTIONS);
    checkOptions('the context of watch', context, KNOWN_CONTEXT);
    const { signal, fresh } = context;
    const response = await this.#send({
      method: 'GET',
      path: this.#collection(queryOf({ ...options, watch: true })),
      headers: { accept: this.#accept('PartialObjectMetadata') },
      signal,
      fresh,
      stream: true,
    });
    if (!isSuccess(response)) throw await this.#failure(response, { verb: 'watch', namespace: this.namespace, signal });
    await checkIsWatch(response, this.gvr);
    this.#refusedWatches?.accepted(this);
    return new WatchStream<T>(response.body, {
      gvr: this.gvr,
      table: this.#isTable,
      dropManagedFields: this.#dropManagedFields,
      onEvents: (events) => this.#traffic.add({ events }),
    });
  }

  /**
   * Whether one LIST without resourceVersion and limit is consistent and comes out of the server's memory: Kubernetes ≥ 1.31.
   * A server that will not tell its version, or tells none, is taken for an older one. Source: KEP-2340.
   */
  async consistentUnpagedList({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<boolean> {
    try {
      const version = await this.#serverVersion?.(signal);
      return version !== undefined && isAtLeast(version, 1, 31);
    } catch (error) {
      if (statusOf(error) || isInformerError(error, 'decode')) return false;
      throw error;
    }
  }

  async get<R extends object = T>(name: string, options: CallOptions = {}): Promise<R> {
    checkOptions('get', options, KNOWN_CALL_OPTIONS);
    const { signal, subresource } = options;
    const accept = subresource ? ACCEPT.object : this.#accept('PartialObjectMetadata');
    const query = subresource ? '' : this.#includeObject();
    return this.#call<R>('get', { method: 'GET', name, subresource, query, headers: { accept }, signal });
  }

  /** With a `subresource`, of the object of that `name`. */
  async create<R extends object = T>(object: object, options: WriteOptions & { name?: string | undefined } = {}): Promise<R> {
    checkOptions('create', options, KNOWN_NAMED_WRITE);
    const { signal, subresource, name } = options;
    return this.#call<R>('create', {
      method: 'POST',
      name,
      isOfCollection: subresource === undefined && name === undefined,
      subresource,
      query: writeQuery(options),
      ...json(object),
      signal,
    });
  }

  /** Replaces the object of that name. With a resourceVersion in it, only if that is still the latest. */
  async update<R extends object = T>(object: object, options: WriteOptions & { name?: string | undefined } = {}): Promise<R> {
    checkOptions('update', options, KNOWN_NAMED_WRITE);
    const { signal } = options;
    const name = options.name ?? metadataOf(object).name;
    return this.#call<R>('update', {
      method: 'PUT',
      name,
      subresource: options.subresource,
      query: writeQuery(options),
      ...json(object),
      signal,
    });
  }

  async patch<R extends object = T>(name: string, body: unknown, options: PatchOptions): Promise<R> {
    checkOptions('patch', options === undefined ? {} : options, KNOWN_PATCH_OPTIONS);
    const { signal, type, force, subresource, ...rest } = options ?? {};
    if (!Object.hasOwn(PATCH_TYPES, type ?? '')) {
      throw new InformerError('argument', `a patch needs a type: one of ${Object.keys(PATCH_TYPES).join(', ')}`);
    }
    const query = writeQuery({ ...rest, force });
    return this.#call<R>('patch', { method: 'PATCH', name, subresource, query, ...json(body, PATCH_TYPES[type]), signal });
  }

  /** Resolves with the object as it is now (a finalizer or grace period keeps it), or with a Status when it is gone. */
  async delete(name: string, options: DeleteOptions = {}): Promise<T | Status> {
    checkOptions('delete', options, KNOWN_DELETE_OPTIONS);
    const { signal, subresource, ...rest } = options;
    return this.#call<T | Status>('delete', { method: 'DELETE', name, subresource, query: '', ...json(deleteBody(rest)), signal });
  }

  /**
   * Deletes every object that the selectors choose, or with `{all: true}` every one there is but those they exclude: in the api's namespace, or of a
   * cluster-scoped type. Rejects with `argument`, and sends nothing, without a selector that restricts something (see {@link CollectionSelection})
   * and without `all`, and with both.
   */
  async deleteCollection(selection: CollectionSelection, options: Omit<DeleteOptions, 'subresource'> = {}): Promise<void> {
    checkOptions('the selection of deleteCollection', selection === undefined ? {} : selection, KNOWN_SELECTION);
    checkOptions('deleteCollection', options, KNOWN_COLLECTION_OPTIONS);
    const { signal, ...rest } = options;
    const query = queryOf(selectorsOf(selection));
    const call = { method: 'DELETE', name: undefined, isOfCollection: true, subresource: undefined, query, signal };
    await this.#call('deletecollection', { ...call, ...json(deleteBody(rest)) });
  }

  get #isTable(): boolean {
    return typeof this.#as === 'object';
  }

  #accept(metadataKind: string): string {
    if (this.#as === 'object') return ACCEPT.object;
    return this.#as === 'metadata' ? ACCEPT.metadata(metadataKind) : TABLE_ACCEPT;
  }

  #includeObject(): string {
    return typeof this.#as === 'object' ? `includeObject=${this.#as.table}` : '';
  }

  #collection(query: string): string {
    return withQuery(pathOf(this.gvr, { namespace: this.namespace }), [query, this.#includeObject()]);
  }

  async #call<R extends object>(verb: string, call: Call): Promise<R> {
    const { name, subresource, signal, method, headers, body } = call;
    const namespace = this.namespace ?? call.namespace;
    if (!call.isOfCollection) checkName(name, formatGroupResource(this.gvr));
    const path = withQuery(pathOf(this.gvr, { namespace, name, subresource }), [call.query]);
    const response = await this.#send({ method, path, headers, body, signal });
    if (!isSuccess(response)) throw await this.#failure(response, { verb, name, namespace, signal });
    return this.#objectIn<R>(await readWhole(response.body, `the answer to ${verb} ${path.split('?', 1)[0]}`, LARGEST_OBJECT));
  }

  #objectIn<R extends object>(bytes: Buffer): R {
    const answer = decodeJson<R>(bytes, 0);
    const row = isTable(answer) ? answer.rows?.[0] : undefined;
    const object = row && isTable(answer) ? objectOfRow<R>(row, answer.columnDefinitions ?? []) : answer;
    return this.#dropManagedFields ? dropManagedFields(object) : object;
  }

  async #send(request: TransportRequest, alive?: () => void): Promise<TransportResponse> {
    this.#traffic.add({ requests: 1 });
    const response = await this.#transport.request(request);
    return { ...response, body: this.#traffic.counted(response.body, alive) };
  }

  async #failure(response: TransportResponse, request: Omit<FailedRequest, 'gvr' | 'isNamespaced'>): Promise<StatusError> {
    const { verb, name } = request;
    const asWorded = await statusErrorOf(response, { verb, resource: this.gvr, name });
    const error = isSecretResource(this.gvr) ? withoutSecretValues(asWorded, name) : asWorded;
    return withScope(error, { ...request, gvr: this.gvr, isNamespaced: this.#isNamespaced });
  }
}

interface Call {
  method: string;
  name: string | undefined;
  /** No object is meant, so that there is no name to be checked. */
  isOfCollection?: boolean;
  subresource: string | undefined;
  /** The object's own, used when the api is bound to none. */
  namespace?: string | undefined;
  query: string;
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal | undefined;
}

/** The first piece of a body as text; the rest is let go. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const piece of body) return Buffer.from(piece).toString('utf8', 0, 512);
  return '';
}

/** A login page or a proxy's greeting comes with 200, too. */
async function checkIsWatch({ headers, body }: TransportResponse, gvr: GroupVersionResource): Promise<void> {
  const type = headers['content-type'];
  if (type === undefined || /json/i.test(type)) return;
  const start = (await beginningOf(body).catch(() => '')).replace(/\s+/g, ' ').trim().slice(0, 80);
  throw new InformerError('decode', `the answer to watching ${formatGvr(gvr)} is no watch but ${type}: ${JSON.stringify(start)}`, {
    hint: 'something in front of the API server answers in its place: a login page, or a proxy',
  });
}

function json(value: unknown, contentType = 'application/json'): Pick<Call, 'headers' | 'body' | 'namespace'> {
  return { headers: { 'content-type': contentType }, body: jsonText(value), namespace: metadataOf(value).namespace };
}

function metadataOf(value: unknown): { name?: string; namespace?: string } {
  return ((value ?? {}) as { metadata?: { name?: string; namespace?: string } }).metadata ?? {};
}

function deleteBody({ dryRun, ...options }: Omit<DeleteOptions, 'signal' | 'subresource'>): object {
  return { kind: 'DeleteOptions', apiVersion: 'v1', ...options, ...(dryRun ? { dryRun: ['All'] } : {}) };
}

/** Whether a selection says what it restricts, or that it means all; a selector that only excludes may match everything there is. */
function selectorsOf(selection: CollectionSelection): Selectors {
  const { all, labelSelector, fieldSelector } = selection ?? {};
  const restricts = LabelSelector.parse(labelSelector ?? '').restricts || FieldSelector.parse(fieldSelector ?? '').restricts;
  if (restricts !== (all === true)) return { labelSelector, fieldSelector };
  throw restricts
    ? new InformerError('argument', 'deleteCollection takes either a selector that restricts something or {all: true}, not both')
    : new InformerError('argument', 'deleteCollection needs a selector that restricts something, or {all: true}', {
        hint: 'a selector restricts by what it asks for (app=web, app in (a,b), app, metadata.name=web), not by what it excludes (!app, app!=web); delete(name) deletes one object',
      });
}

function writeQuery({ dryRun, fieldManager, fieldValidation, force }: Omit<PatchOptions, 'type'>): string {
  const query = new URLSearchParams();
  if (dryRun) query.set('dryRun', 'All');
  if (fieldManager) query.set('fieldManager', fieldManager);
  if (fieldValidation) query.set('fieldValidation', fieldValidation);
  if (force) query.set('force', 'true');
  return query.toString();
}

function withQuery(path: string, queries: string[]): string {
  const query = queries.filter(Boolean).join('&');
  return query === '' ? path : `${path}?${query}`;
}
