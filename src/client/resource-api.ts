import { systemClock } from '../kit/clock.ts';
import { InformerError, isInformerError } from '../kit/error.ts';
import { jsonText } from '../kit/exact-json.ts';
import { checkArgument, checkChoice, checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import { surroundingsOf, withSurroundings } from '../kit/surroundings.ts';
import { FieldSelector } from '../model/field-selector.ts';
import { formatGroupResource, formatGvr, type GroupVersionResource, isSecretResource, pathOf } from '../model/gvr.ts';
import type { ItemReading } from '../model/item-reading.ts';
import { LabelSelector } from '../model/label-selector.ts';
import {
  KNOWN_LIST_OPTIONS,
  KNOWN_SELECTORS,
  KNOWN_WATCH_OPTIONS,
  type ListOptions,
  needsWholeObjects,
  queryOf,
  type Selectors,
  type WatchOptions,
} from '../model/list-options.ts';
import type { KubeObject, ListPage, ObjectMeta, UnknownObject } from '../model/object.ts';
import { checkName } from '../model/path-segment.ts';
import { withoutSecretValues } from '../model/secret-error.ts';
import { servedTypesOf } from '../model/served-types.ts';
import { isNotFound, type Status, type StatusError, statusOf } from '../model/status.ts';
import { noteWrite } from '../model/stored-write.ts';
import type { UnwantedObjects } from '../model/unwanted-objects.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import type { OfSubresource, PatchBodies, PatchKind, WriteBody } from '../model/write-body.ts';
import { readList } from './decode/list-body.ts';
import { decodeJson, dropManagedFields } from './decode/object-decoder.ts';
import { type IncludeObject, isTable, objectOfRow, TABLE_TYPE } from './decode/table.ts';
import { checkIsWatch } from './decode/watch-answer.ts';
import { WatchStream } from './decode/watch-body.ts';
import { isAtLeast, type ServerVersion } from './discovery/server-version.ts';
import { bounded } from './http/bounded-body.ts';
import { LARGEST_OBJECT } from './http/limits.ts';
import type { WatchTurns } from './http/refused-watches.ts';
import { isSuccess, readWhole, statusErrorOf } from './http/response.ts';
import { TrafficCounter, type TrafficStats } from './http/traffic.ts';
import type { Transport, TransportRequest, TransportResponse } from './http/transport.ts';
import { isOnlyStatus, mayBeStored } from './lost-write.ts';
import { type FailedRequest, type IsNamespaced, withScope } from './scope-error.ts';

/** The form of objects to request: whole, metadata only, or rows of the server's table (see {@link cellsOf}). */
export type Representation = 'object' | 'metadata' | { table: IncludeObject };

/** Options of a {@link ResourceApi}. */
export interface ResourceApiOptions {
  /** Unset: all namespaces for reads, the object's namespace for writes. Must be unset for a cluster-scoped type. */
  namespace?: string | undefined;
  /** The form of objects. Default `object`. */
  as?: Representation | undefined;
  /** Whether objects are read without `metadata.managedFields`: a server is asked to leave them out. Default false. */
  dropManagedFields?: boolean | undefined;
  /** Whether they stay beside the objects of lists and watches as text, which is not parsed. For recordings. Default false. */
  managedFieldsAsText?: boolean | undefined;
  /** Gives the server's version. Without it {@link ResourceApi.consistentUnpagedList} is false. */
  serverVersion?: ((signal?: AbortSignal) => Promise<ServerVersion>) | undefined;
  /** Says whether the type is namespaced, for the text of errors. Without it errors have the server's text. */
  isNamespaced?: IsNamespaced | undefined;
  /** Resolves when the server answers again, after a connection failed. For {@link ResourceApi.whenReachable}. */
  whenReachable?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Decides when a refused watch may be attempted again. For {@link ResourceApi.whenTurn}. */
  refusedWatches?: WatchTurns | undefined;
  /** Counts the traffic of several apis together, besides {@link ResourceApi.stats}. */
  traffic?: TrafficCounter | undefined;
}

/** Options of the requests of {@link ResourceApi.list} and {@link ResourceApi.watch}. */
export interface ReadContext {
  signal?: AbortSignal | undefined;
  /** Called when a chunk of a list arrives, and before a wait of `aheadMs` that a Retry-After asks for. */
  alive?: ((aheadMs?: number) => void) | undefined;
  /** Whether to open a new connection. */
  fresh?: boolean | undefined;
  /** Objects that are left out of a LIST or WATCH without being decoded. */
  unwanted?: UnwantedObjects | undefined;
  /**
   * Called with each object of a LIST as soon as it is decoded. The result takes its place in the page. `bytes` are the
   * JSON that it was parsed from, if that is at hand, in memory that is used again afterwards.
   */
  arrived?: ((object: never, bytes?: Uint8Array) => unknown) | undefined;
  /** Takes the objects of a LIST one by one, and only what is looked at of each: the page then has none. */
  reading?: ItemReading | undefined;
}

/** Options of every call for one object. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  subresource?: string | undefined;
}

/** Options of every call that writes. */
export interface WriteOptions extends CallOptions {
  /** Whether the server only checks the request and stores nothing. */
  dryRun?: boolean | undefined;
  fieldManager?: string | undefined;
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

/** Options of {@link ResourceApi.patch}. */
export interface PatchOptions<P extends PatchKind = PatchKind> extends WriteOptions {
  /** `merge`: RFC 7386; `json`: RFC 6902; `strategic`: built-in types; `apply`: server-side, needs a fieldManager. */
  type: P;
  /** With `apply`: take over fields that other managers own. */
  force?: boolean | undefined;
}

/** Options of a call that writes the object `name`, which is by default the name in its body. */
export interface NamedWriteOptions extends WriteOptions {
  name?: string | undefined;
}

/** Options of {@link ResourceApi.delete}. Source: apimachinery meta/v1 DeleteOptions. */
export interface DeleteOptions extends CallOptions {
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  preconditions?: { uid?: string; resourceVersion?: string } | undefined;
  gracePeriodSeconds?: number | undefined;
  dryRun?: boolean | undefined;
}

/**
 * The objects that {@link ResourceApi.deleteCollection} deletes. A selector restricts by what an object must have: a
 * label (`app=web`, `app in (a,b)`, `app`) or a field's value (`metadata.name=web`). A selector that only excludes
 * (`!app`, `app!=web`, `app notin (web)`, `metadata.name!=web`), or that asks for an empty field or the namespace, may
 * match everything. It needs `all` beside it.
 */
export interface CollectionSelection extends Selectors {
  /** Confirms that everything that is not excluded is deleted. Refused beside a selector that restricts. */
  all?: true | undefined;
}

/** The names and types of the options of `Client.resource`, for their check. */
export const KNOWN_RESOURCE_OPTIONS = {
  namespace: 'text',
  as: true,
  dropManagedFields: 'boolean',
  managedFieldsAsText: 'boolean',
  serverVersion: 'function',
  isNamespaced: 'function',
  whenReachable: 'function',
  refusedWatches: true,
  traffic: true,
} satisfies KnownOptionsOf<ResourceApiOptions>;
// pathOf checks the subresource
const KNOWN_CALL_OPTIONS = { signal: 'signal', subresource: true } satisfies KnownOptionsOf<CallOptions>;
const KNOWN_WRITE_OPTIONS = {
  ...KNOWN_CALL_OPTIONS,
  dryRun: 'boolean',
  fieldManager: 'text',
  fieldValidation: ['Ignore', 'Warn', 'Strict'],
} satisfies KnownOptionsOf<WriteOptions>;
const KNOWN_NAMED_WRITE = { ...KNOWN_WRITE_OPTIONS, name: true } as const;
const KNOWN_PATCH_OPTIONS = {
  ...KNOWN_WRITE_OPTIONS,
  type: true,
  force: 'boolean',
} satisfies KnownOptionsOf<PatchOptions>;
const KNOWN_DELETE_OPTIONS = {
  ...KNOWN_CALL_OPTIONS,
  propagationPolicy: ['Orphan', 'Background', 'Foreground'],
  preconditions: { uid: 'text', resourceVersion: 'text' },
  gracePeriodSeconds: 'number',
  dryRun: 'boolean',
} satisfies KnownOptionsOf<DeleteOptions>;
const { subresource: _, ...KNOWN_COLLECTION_OPTIONS } = KNOWN_DELETE_OPTIONS;
const KNOWN_CONTEXT = {
  signal: 'signal',
  alive: 'function',
  fresh: 'boolean',
  unwanted: true,
  arrived: 'function',
  reading: true,
} satisfies KnownOptionsOf<ReadContext>;
const KNOWN_SELECTION = { all: 'boolean', ...KNOWN_SELECTORS } satisfies KnownOptionsOf<CollectionSelection>;

/** Throws `argument` for a value that is not a {@link Representation}. */
export function checkRepresentation(as: unknown): void {
  if (typeof as === 'object' && as !== null)
    checkOptions('the table of resource', as, { table: ['None', 'Metadata', 'Object'] });
  else checkChoice('resource: as', as, ['object', 'metadata']);
}

const JSON_TYPE = 'application/json';
const metadataType = (kind: string) => `${JSON_TYPE};as=${kind};v=v1;g=meta.k8s.io`;

/**
 * The Accept header for objects as `type`, else whole. `drop` asks for them without managedFields (KEP-5958); a server
 * that does not know the parameter ignores it, and what it sends is dropped here. Behind it are the types without it,
 * for a server that refuses unknown parameters.
 */
function acceptOf(type: string, drop: boolean): string {
  const types = drop ? [`${type};drop=metadata.managedFields`, type] : [type];
  return [...new Set([...types, JSON_TYPE])].join(',');
}

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml', // JSON is YAML
};

/**
 * Sends requests for one resource type. It retries nothing itself.
 *
 * Calls reject with `argument`, before anything is sent, for a name, namespace or subresource that cannot exist (empty,
 * missing, `.`, `..`, with `/` or `%`) and for an unknown option: an ignored `dryrun` would be a write. They reject
 * with a StatusError if the server refuses, with `transport` if the server is not reached, and with `decode` if a
 * response does not have the expected form. Errors about Secrets contain only code, reason and field.
 */
export class ResourceApi<T extends object = UnknownObject> {
  readonly gvr: GroupVersionResource;
  readonly namespace: string | undefined;
  readonly #transport: Transport;
  readonly #as: Representation;
  readonly #managedFields: { readonly dropManagedFields: boolean; readonly managedFieldsAsText: boolean };
  readonly #serverVersion: ResourceApiOptions['serverVersion'];
  readonly #isNamespaced: ResourceApiOptions['isNamespaced'];
  readonly #traffic: TrafficCounter;
  /** Where the counters stood before the present list. */
  #listedSince: TrafficStats;
  /** All objects are as they were parsed from JSON. */
  readonly givesJson = true;
  /** Resolves when the server answers again, after a connection failed. Undefined without the option. */
  readonly whenReachable: ((context: { signal: AbortSignal }) => Promise<void>) | undefined;
  /** Resolves when a watch that the server refused may be attempted again. Undefined without `refusedWatches`. */
  readonly whenTurn: ((context: { signal: AbortSignal }) => Promise<void>) | undefined;
  readonly #refusedWatches: WatchTurns | undefined;

  constructor(transport: Transport, gvr: GroupVersionResource, options: ResourceApiOptions = {}) {
    this.#transport = transport;
    this.gvr = gvr;
    this.namespace = options.namespace;
    this.#as = options.as ?? 'object';
    this.#serverVersion = options.serverVersion;
    this.#isNamespaced = options.isNamespaced;
    this.#traffic = new TrafficCounter(options.traffic);
    this.#listedSince = this.#traffic.toJSON();
    const { whenReachable, refusedWatches, dropManagedFields: drops = false, managedFieldsAsText = false } = options;
    this.#managedFields = { dropManagedFields: drops, managedFieldsAsText };
    this.whenReachable = whenReachable && (({ signal }) => whenReachable(signal));
    this.whenTurn = refusedWatches && (({ signal }) => refusedWatches.wait(this, signal));
    this.#refusedWatches = refusedWatches;
  }

  /** The traffic of this api's requests so far. */
  get stats(): TrafficStats {
    return this.#traffic;
  }

  /**
   * Sends one LIST and decodes it while it arrives. With a `limit` the result may be one page of several. `alive` is
   * called with each chunk.
   */
  async list(options: ListOptions = {}, context: ReadContext = {}): Promise<ListPage<T>> {
    checkOptions('list', options, KNOWN_LIST_OPTIONS);
    checkOptions('the context of list', context, KNOWN_CONTEXT);
    const { signal, alive, fresh, unwanted, arrived, reading } = context;
    const headers = { accept: this.#accept('PartialObjectMetadataList') };
    const path = this.#collection(queryOf(options));
    const response = await this.#send(
      { method: 'GET', path, headers, signal, fresh, onWait: alive },
      alive && (() => alive()),
    );
    if (!isSuccess(response)) throw await this.#failure(response, { verb: 'list', namespace: this.namespace, signal });
    if (!options.continue) this.#listedSince = this.#traffic.toJSON();
    const page = await readList<T>(this.#bounded('list', response, this.#listedSince), {
      ...this.#decoding,
      unwanted,
      arrived,
      reading,
      onItems: (objects) => this.#traffic.add({ objects }),
    });
    this.#traffic.left(page.remainingItemCount);
    return page;
  }

  /**
   * Sends one LIST for the metadata of objects, independent of the representation of this api; for whole objects if
   * the options need them. The request is sent exactly once: a response with Retry-After is an error.
   */
  async probe(options: ListOptions = {}, { signal, fresh, arrived }: ReadContext = {}): Promise<ListPage<KubeObject>> {
    const path = withQuery(pathOf(this.gvr, { namespace: this.namespace }), [queryOf(options)]);
    const type = needsWholeObjects(options) ? JSON_TYPE : metadataType('PartialObjectMetadataList');
    const headers = { accept: acceptOf(type, true) };
    const response = await this.#send({ method: 'GET', path, headers, signal, fresh, once: true });
    if (!isSuccess(response)) throw await this.#failure(response, { verb: 'list', namespace: this.namespace, signal });
    const body = this.#bounded('list', response);
    return readList<KubeObject>(body, { gvr: this.gvr, table: false, dropManagedFields: true, arrived });
  }

  /** Opens a watch. Resolves when the server has accepted it. `return()` or an abort closes the connection. */
  async watch(options: WatchOptions = {}, context: ReadContext = {}): Promise<AsyncIterableIterator<WatchEvent<T>[]>> {
    checkOptions('watch', options, KNOWN_WATCH_OPTIONS);
    checkOptions('the context of watch', context, KNOWN_CONTEXT);
    const { signal, fresh, unwanted } = context;
    const response = await this.#send({
      method: 'GET',
      path: this.#collection(queryOf({ ...options, watch: true })),
      headers: { accept: this.#accept('PartialObjectMetadata') },
      signal,
      fresh,
      stream: true,
      compressed: options.sendInitialEvents,
    });
    if (!isSuccess(response)) throw await this.#failure(response, { verb: 'watch', namespace: this.namespace, signal });
    await checkIsWatch(response, this.gvr);
    this.#refusedWatches?.accepted(this);
    const decoding = { ...this.#decoding, unwanted, traffic: this.#traffic };
    return new WatchStream<T>(this.#bounded('watch', response), decoding);
  }

  /**
   * Whether one LIST without resourceVersion and limit is consistent and served from memory: Kubernetes ≥ 1.31.
   * A server that refuses to give its version, or gives none, counts as older. Source: KEP-2340.
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

  /** Reads one object, or a subresource of it, whose type `R` is not checked. */
  get<R extends object = T>(name: string, options: CallOptions & OfSubresource): Promise<R>;
  get(name: string, options?: CallOptions): Promise<T>;
  async get(name: string, options: CallOptions = {}): Promise<object> {
    checkOptions('get', options, KNOWN_CALL_OPTIONS);
    const { signal, subresource } = options;
    const accept = subresource ? JSON_TYPE : this.#accept('PartialObjectMetadata');
    const query = subresource ? '' : this.#includeObject();
    return this.#call('get', { method: 'GET', name, subresource, query, headers: { accept }, signal });
  }

  /** Creates an object, or with `subresource` a subresource of the object `name`. */
  create<R extends object = T>(object: object, options: NamedWriteOptions & OfSubresource): Promise<R>;
  create(object: WriteBody<T>, options?: NamedWriteOptions): Promise<T>;
  async create(object: object, options: NamedWriteOptions = {}): Promise<object> {
    checkOptions('create', options, KNOWN_NAMED_WRITE);
    checkArgument('create', 'the object', object, 'object');
    const { signal, subresource, name } = options;
    return this.#call('create', {
      method: 'POST',
      name,
      isOfCollection: subresource === undefined && name === undefined,
      named: metadataOf(object).name,
      subresource,
      query: writeQuery(options),
      ...json(object),
      signal,
      write: options,
    });
  }

  /** Replaces an object. If the new one has a resourceVersion, the server refuses unless it is still the latest. */
  update<R extends object = T>(object: object, options: NamedWriteOptions & OfSubresource): Promise<R>;
  update(object: WriteBody<T>, options?: NamedWriteOptions): Promise<T>;
  async update(object: object, options: NamedWriteOptions = {}): Promise<object> {
    checkOptions('update', options, KNOWN_NAMED_WRITE);
    checkArgument('update', 'the object', object, 'object');
    const { signal } = options;
    const { name = metadataOf(object).name } = options;
    return this.#call('update', {
      method: 'PUT',
      name,
      subresource: options.subresource,
      query: writeQuery(options),
      ...json(object),
      signal,
      write: options,
      replaced: metadataOf(object).resourceVersion,
    });
  }

  /** Changes one object, or a subresource of it. */
  patch<R extends object = T>(name: string, body: object, options: PatchOptions & OfSubresource): Promise<R>;
  patch<P extends PatchKind>(name: string, body: PatchBodies<T>[P], options: PatchOptions<P>): Promise<T>;
  async patch(name: string, body: unknown, options: PatchOptions): Promise<object> {
    checkOptions('patch', options === undefined ? {} : options, KNOWN_PATCH_OPTIONS);
    const { signal, type, force, subresource, ...rest } = options ?? {};
    if (!Object.hasOwn(PATCH_TYPES, type ?? '')) {
      throw new InformerError('argument', `a patch needs a type: one of ${Object.keys(PATCH_TYPES).join(', ')}`);
    }
    checkArgument('patch', 'the body', body, type === 'json' ? 'list' : 'object');
    if (type === 'apply' && !rest.fieldManager) {
      throw new InformerError('argument', 'a patch of the type apply needs a fieldManager', {
        hint: 'it names your program in metadata.managedFields: { fieldManager: "my-operator" }',
      });
    }
    const query = writeQuery({ ...rest, force });
    return this.#call('patch', {
      method: 'PATCH',
      name,
      subresource,
      query,
      ...json(body, PATCH_TYPES[type]),
      signal,
      write: rest,
    });
  }

  /** Deletes an object. Resolves with its present state if a finalizer or grace period keeps it, else with a Status. */
  async delete(name: string, options: DeleteOptions = {}): Promise<T | Status> {
    checkOptions('delete', options, KNOWN_DELETE_OPTIONS);
    const { signal, subresource, ...rest } = options;
    return this.#call<T | Status>('delete', {
      method: 'DELETE',
      name,
      subresource,
      query: '',
      ...json(deleteBody(rest)),
      signal,
      write: rest,
    });
  }

  /**
   * Deletes all objects that the selectors match, in the api's namespace or of a cluster-scoped type. Rejects with
   * `argument`, and sends nothing, unless the selection has either a selector that restricts (see
   * {@link CollectionSelection}) or `all`, and not both.
   */
  async deleteCollection(
    selection: CollectionSelection,
    options: Omit<DeleteOptions, 'subresource'> = {},
  ): Promise<void> {
    checkOptions('the selection of deleteCollection', selection === undefined ? {} : selection, KNOWN_SELECTION);
    checkOptions('deleteCollection', options, KNOWN_COLLECTION_OPTIONS);
    const { signal, ...rest } = options;
    const query = queryOf(selectorsOf(selection));
    const call = { method: 'DELETE', name: undefined, isOfCollection: true, subresource: undefined, query, signal };
    await this.#call('deletecollection', { ...call, ...json(deleteBody(rest)), write: rest });
  }

  get #isTable(): boolean {
    return typeof this.#as === 'object';
  }

  #accept(metadataKind: string): string {
    const type = this.#as === 'object' ? JSON_TYPE : this.#as === 'metadata' ? metadataType(metadataKind) : TABLE_TYPE;
    return acceptOf(type, this.#managedFields.dropManagedFields);
  }

  #includeObject(): string {
    return typeof this.#as === 'object' ? `includeObject=${this.#as.table}` : '';
  }

  #collection(query: string): string {
    return withQuery(pathOf(this.gvr, { namespace: this.namespace }), [query, this.#includeObject()]);
  }

  async #call<R extends object = object>(verb: string, call: Call): Promise<R> {
    const { name, subresource, signal, method, headers, body } = call;
    const namespace = this.namespace ?? call.namespace;
    if (!call.isOfCollection) checkName(name, formatGroupResource(this.gvr));
    const path = withQuery(pathOf(this.gvr, { namespace, name, subresource }), [call.query]);
    const noted = this.#noteWrite(call, namespace);
    try {
      const response = await this.#send({ method, path, headers, body, signal });
      if (!isSuccess(response)) throw await this.#failure(response, { verb, name, namespace, signal });
      const answer = this.#objectIn<R>(
        await readWhole(response.body, `the answer to ${verb} ${path.split('?', 1)[0]}`, LARGEST_OBJECT),
      );
      if (isOnlyStatus(method, answer)) noted?.lost(this.#reading(name, namespace));
      else noted?.answered(answer);
      return answer;
    } catch (error) {
      if (noted && mayBeStored(error)) noted.lost(this.#reading(name ?? call.named, namespace));
      throw error;
    }
  }

  /** Reads an object by its name, undefined if there is none. */
  #reading(name: string | undefined, namespace: string | undefined) {
    if (name === undefined) return undefined;
    const api = new ResourceApi<T>(this.#transport, this.gvr, { namespace, as: this.#as });
    return (signal: AbortSignal) =>
      api.get(name, { signal }).catch((error) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
  }

  #noteWrite({ method, name, write, replaced }: Call, namespace: string | undefined): ReturnType<typeof noteWrite> {
    if (!write || write.dryRun) return undefined;
    const { server } = servedTypesOf(this) ?? {};
    return noteWrite({ server, gvr: this.gvr, namespace, method, name, fieldManager: write.fieldManager, replaced });
  }

  /** How a list and a watch are decoded. Rows note when they arrive. */
  get #decoding() {
    const { clock = systemClock } = surroundingsOf(this);
    return { gvr: this.gvr, table: this.#isTable, now: () => clock.now(), ...this.#managedFields };
  }

  #objectIn<R extends object>(bytes: Buffer): R {
    const answer = decodeJson<R>(bytes, 0);
    const row = isTable(answer) ? answer.rows?.[0] : undefined;
    const object = row && isTable(answer) ? objectOfRow<R>(row, answer.columnDefinitions ?? []) : answer;
    return this.#managedFields.dropManagedFields ? dropManagedFields(object) : object;
  }

  /** The body of a collection, which may have no end. */
  #bounded(
    verb: 'list' | 'watch',
    { body }: CountedResponse,
    since: TrafficStats = this.#traffic.toJSON(),
  ): AsyncIterableIterator<Uint8Array> {
    return bounded(body, { what: `the ${verb} of ${formatGvr(this.gvr)}`, traffic: this.#traffic, since });
  }

  async #send(request: TransportRequest, alive?: () => void): Promise<CountedResponse> {
    this.#traffic.add({ requests: 1 });
    const response = await this.#transport.request(request).catch((error) => {
      throw withSurroundings(error, surroundingsOf(this)); // a retry waits by the same clock
    });
    return { ...response, body: this.#traffic.counted(response.body, alive) };
  }

  async #failure(
    response: TransportResponse,
    request: Omit<FailedRequest, 'gvr' | 'isNamespaced'>,
  ): Promise<StatusError> {
    const { verb, name } = request;
    const asWorded = await statusErrorOf(response, { verb, resource: this.gvr, name });
    const error = isSecretResource(this.gvr) ? withoutSecretValues(asWorded, name) : asWorded;
    const scoped = await withScope(error, { ...request, gvr: this.gvr, isNamespaced: this.#isNamespaced });
    return withSurroundings(scoped, surroundingsOf(this));
  }
}

interface CountedResponse extends TransportResponse {
  readonly body: AsyncIterableIterator<Uint8Array>;
}

interface Call {
  method: string;
  name: string | undefined;
  /** Whether the call is for the collection and has no name. */
  isOfCollection?: boolean;
  subresource: string | undefined;
  /** The namespace of the object, used if the api has none. */
  namespace?: string | undefined;
  /** The name in the body of a creation, which has none in its path. */
  named?: string | undefined;
  query: string;
  headers?: Record<string, string>;
  body?: string;
  signal: AbortSignal | undefined;
  /** The options of a write. */
  write?: Pick<WriteOptions, 'dryRun' | 'fieldManager'>;
  /** The version that an update replaces. */
  replaced?: string | undefined;
}

function json(value: unknown, contentType = 'application/json'): Pick<Call, 'headers' | 'body' | 'namespace'> {
  return { headers: { 'content-type': contentType }, body: jsonText(value), namespace: metadataOf(value).namespace };
}

function metadataOf(value: unknown): Pick<ObjectMeta, 'name' | 'namespace' | 'resourceVersion'> {
  return ((value ?? {}) as { metadata?: ObjectMeta }).metadata ?? {};
}

function deleteBody({ dryRun, ...options }: Omit<DeleteOptions, 'signal' | 'subresource'>): object {
  return { kind: 'DeleteOptions', apiVersion: 'v1', ...options, ...(dryRun ? { dryRun: ['All'] } : {}) };
}

/** The selectors of a selection. Throws `argument` unless it either restricts or has `all`. */
function selectorsOf(selection: CollectionSelection): Selectors {
  const { all, labelSelector, fieldSelector } = selection ?? {};
  const restricts =
    LabelSelector.parse(labelSelector ?? '').restricts || FieldSelector.parse(fieldSelector ?? '').restricts;
  if (restricts !== (all === true)) return { labelSelector, fieldSelector };
  throw restricts
    ? new InformerError(
        'argument',
        'deleteCollection takes either a selector that restricts something or {all: true}, not both',
      )
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
