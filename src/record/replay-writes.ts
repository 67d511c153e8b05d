import type { Transport, TransportRequest, TransportResponse } from '../client/http/transport.ts';
import { jsonText, parseJson } from '../kit/exact-json.ts';
import type { TableColumn } from '../model/cells.ts';
import { parseCollectionPath } from '../model/collection-path.ts';
import { formatGroupVersion, formatGvr, type GroupVersionResource } from '../model/gvr.ts';
import { joinKey, type ObjectKey, partsOfKey } from '../model/key.ts';
import type { ManagedFieldsEntry, UnknownObject } from '../model/object.ts';
import { isBuiltInGroup } from '../model/object-name.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { isComparable, type ResourceVersion } from '../model/resource-version.ts';
import { failure, notFound, type Status } from '../model/status.ts';
import { isSameEntry } from './managed-fields-change.ts';
import { recordedAnswer } from './recorded-api.ts';
import { ofVersion, type WatchedState } from './replay-watch.ts';
import type { RecordedState } from './state-text.ts';
import { WrittenVersions } from './written-versions.ts';

/** A server that has nothing but the objects that are written to. It checks and carries out the requests. */
export interface WriteServer extends Pick<Transport, 'request'> {
  /** The field manager of what is put. */
  readonly manager: string;
  /** Stores objects as they are. Throws for those that it refuses. */
  put(objects: readonly object[]): void;
}

/** The annotation of an object that was written to: when, in the time of the recording. */
const WRITTEN = 'kubectl-informer/written';

/** The place in a path that a request writes to, or the subresource that it reads. */
export interface WritePlace {
  readonly gvr: GroupVersionResource;
  readonly namespace: string | undefined;
  /** The path of the collection. */
  readonly collection: string;
  /** Undefined: a new object. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** The type that is written to, as the recording has it now. */
export interface WrittenTarget {
  readonly type: ResourceType;
  readonly columns: readonly TableColumn[];
  readonly now: number;
  /** The version of a list of what was recorded. */
  readonly version: ResourceVersion;
  /** The recorded state of an object. */
  recorded(key: ObjectKey): RecordedState | undefined;
}

/** The writes to a type. */
class WrittenType {
  readonly versions = new WrittenVersions();
  /** The present state of each object that was written to; undefined: it is gone. */
  readonly objects = new Map<ObjectKey, RecordedState | undefined>();
  /** When an object was written to first. */
  readonly since = new Map<ObjectKey, ResourceVersion>();
  readonly changes: (WatchedState & { readonly key: ObjectKey })[] = [];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The writes to a replay: an object that was written to has left the recording, and is from then on what its writers
 * make of it. They are carried out by a server of their own, which has these objects alone.
 */
export class ReplayWrites {
  readonly #server: WriteServer;
  readonly #types = new Map<string, WrittenType>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(server: WriteServer) {
    this.#server = server;
  }

  /** The place of a request that this answers; undefined for other reads. */
  static placeOf({ method, path }: TransportRequest): WritePlace | undefined {
    const [place = ''] = path.split('?');
    const created = method === 'POST' ? parseCollectionPath(place) : undefined;
    if (created) return { ...created, collection: place, name: undefined, subresource: undefined };
    const parts = place.split('/');
    const last = (i: number) => decodeURIComponent(parts.at(-i) ?? '');
    const [above, higher] = [parts.slice(0, -1).join('/'), parts.slice(0, -2).join('/')];
    const object = method === 'GET' ? undefined : parseCollectionPath(above);
    if (object) return { ...object, collection: above, name: last(1), subresource: undefined };
    const owner = parseCollectionPath(higher);
    return owner && { ...owner, collection: higher, name: last(2), subresource: last(1) };
  }

  /** The states of objects that were written to, in a namespace or in all. */
  objectsOf(gvr: GroupVersionResource, namespace: string | undefined): Map<ObjectKey, RecordedState | undefined> {
    const all = this.#types.get(formatGvr(gvr))?.objects ?? [];
    return new Map([...all].filter(([key]) => namespace === undefined || partsOfKey(key).namespace === namespace));
  }

  versionsOf(gvr: GroupVersionResource): WrittenVersions {
    return this.#of(gvr).versions;
  }

  /** The written changes of a type after a version. */
  changesAfter(gvr: GroupVersionResource, version: ResourceVersion): readonly WatchedState[] {
    const { changes } = this.#of(gvr);
    return changes.filter((each) => BigInt(each.version) > BigInt(version || '0'));
  }

  /** Whether a recorded change of an object is not shown: a writer had the object before. */
  hides(gvr: GroupVersionResource, key: ObjectKey, shown: ResourceVersion): boolean {
    const since = this.#of(gvr).since.get(key);
    return since !== undefined && (!isComparable(shown) || BigInt(shown) > BigInt(since));
  }

  /** Answers requests one after the other. `written` gets each change. */
  async answer(
    init: TransportRequest,
    place: WritePlace,
    target: () => WrittenTarget,
    written: (change: WatchedState) => void,
  ): Promise<TransportResponse> {
    const turn = this.#turn.then(() => this.#answer(init, place, target(), written));
    this.#turn = turn.catch(() => {});
    return await turn;
  }

  /** Answers a question about the form of objects. */
  describe({
    method,
    path,
    headers: { accept = 'application/json' } = {},
  }: TransportRequest): Promise<TransportResponse> {
    return this.#server.request({ method, path, headers: { accept } });
  }

  async #answer(
    init: TransportRequest,
    place: WritePlace,
    target: WrittenTarget,
    written: (change: WatchedState) => void,
  ): Promise<TransportResponse> {
    const { gvr, namespace, collection } = place;
    const body = parsed(init.body);
    const given = place.name ?? nameIn(body);
    const present = given === undefined ? undefined : this.#present(target, joinKey(namespace, given));
    if (place.name !== undefined && !present) return refused(notFound(gvr, place.name));
    const whyNot = this.#whyNot(target, present, given === undefined ? undefined : joinKey(namespace, given));
    if (whyNot) return refused(whyNot);
    const before = given === undefined ? undefined : await this.#object(`${collection}/${given}`);
    const response = await this.#server.request(forwarded(init, body, [present, before]));
    const text = await textOf(response);
    if (response.status >= 300) return answered(response.status, text);
    const answer = parsed(text) ?? {};
    const name = given ?? nameIn(answer) ?? '';
    const after = await this.#object(`${collection}/${name}`);
    if (versionIn(after) === versionIn(before))
      return answered(response.status, jsonText(withVersion(answer, versionIn(present?.object))));
    const of = this.#of(gvr);
    const version = of.versions.next(target.version);
    const state: RecordedState = after
      ? { object: marked(after, { present: present?.object, before, version, at: target.now, manager: this.#server.manager }), cells: await this.#cells(`${collection}/${name}`, target.columns) } // biome-ignore format: one line
      : ofVersion(present as RecordedState, version);
    const key = joinKey(namespace, name);
    of.objects.set(key, after && state);
    if (!of.since.has(key)) of.since.set(key, version);
    const change = { key, namespace: namespace ?? '', version, before: present, after: state, isGone: !after };
    of.changes.push(change);
    written(change);
    const isObject = place.subresource === undefined && init.method !== 'DELETE';
    return answered(response.status, jsonText(isObject ? state.object : withVersion(answer, version)));
  }

  #present({ type, recorded }: WrittenTarget, key: ObjectKey): RecordedState | undefined {
    const { objects, versions } = this.#of(type.gvr);
    if (objects.has(key)) return objects.get(key);
    const state = recorded(key);
    return state && ofVersion(state, versions.shown(versionIn(state.object) ?? ''));
  }

  /** Gives an object to the server before its first write. Returns the reason if it cannot be written to. */
  #whyNot({ type, version }: WrittenTarget, present: RecordedState | undefined, key: ObjectKey | undefined) {
    const about = `${formatGvr(type.gvr)} of this recording cannot be written to`;
    if (version !== '' && !isComparable(version))
      return failure(501, 'NotImplemented', `${about}: its versions have no order`);
    try {
      if (!isBuiltInGroup(type.gvr.group)) this.#server.put([definitionOf(type)]);
      if (!present || key === undefined || this.#of(type.gvr).objects.has(key)) return undefined;
      const { metadata, ...rest } = present.object as unknown as UnknownObject;
      // its owners are not on that server, which would collect it
      const { resourceVersion: _, managedFields: _managed, ownerReferences: _owners, ...own } = metadata;
      this.#server.put([{ ...rest, metadata: own }]);
      return undefined;
    } catch (error) {
      return failure(501, 'NotImplemented', `${about}: ${(error as Error).message}`);
    }
  }

  #of(gvr: GroupVersionResource): WrittenType {
    const known = this.#types.get(formatGvr(gvr)) ?? new WrittenType();
    this.#types.set(formatGvr(gvr), known);
    return known;
  }

  async #object(path: string): Promise<UnknownObject | undefined> {
    const response = await this.#server.request({ method: 'GET', path, headers: { accept: 'application/json' } });
    const object = parsed(await textOf(response));
    return response.status === 200 ? (object as unknown as UnknownObject) : undefined;
  }

  async #cells(path: string, columns: readonly TableColumn[]): Promise<readonly unknown[] | undefined> {
    if (columns.length === 0) return undefined;
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const table = parsed(await textOf(await this.#server.request({ method: 'GET', path, headers }))) as {
      columnDefinitions?: readonly TableColumn[];
      rows?: readonly [{ cells: readonly unknown[] }];
    };
    const cell = (name: string) => table.rows?.[0].cells[table.columnDefinitions?.findIndex((each) => each.name === name) ?? -1]; // biome-ignore format: one line
    return columns.map(({ name }) => (name === 'Age' ? null : (cell(name) ?? '')));
  }
}

const refused = (status: Status) => recordedAnswer(status.code ?? 500, status);

function answered(status: number, text: string): TransportResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: (async function* () { yield Buffer.from(text); })() }; // biome-ignore format: one line
}

async function textOf({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The JSON of a body; undefined for another form. */
function parsed(body: string | Uint8Array | undefined): Fields | undefined {
  try {
    return body === undefined ? undefined : (parseJson(Buffer.from(body as string).toString()) as Fields);
  } catch {
    return undefined;
  }
}

const metadataIn = (value: object | undefined) => (value as Partial<UnknownObject> | undefined)?.metadata;
const nameIn = (value: object | undefined) => metadataIn(value)?.name;
const versionIn = (value: object | undefined) => metadataIn(value)?.resourceVersion;

const withVersion = (object: Fields, resourceVersion: string | undefined): Fields =>
  metadataIn(object) === undefined ? object : { ...object, metadata: { ...metadataIn(object), resourceVersion } };

/** The request for the server, with its versions in place of those that readers got. A deletion is done at once. */
function forwarded(
  { method, path, headers = {}, body: original }: TransportRequest,
  body: Fields | undefined,
  [present, before]: readonly [RecordedState | undefined, UnknownObject | undefined],
): TransportRequest {
  const type = method === 'DELETE' ? 'application/json' : headers['content-type'];
  const agent = headers['user-agent'];
  const sent = {
    accept: 'application/json',
    ...(type !== undefined && { 'content-type': type }),
    ...(agent !== undefined && { 'user-agent': agent }),
  };
  if (method === 'DELETE') {
    const { propagationPolicy: _, orphanDependents: _orphan, ...options } = body ?? {};
    const [place = '', query = ''] = path.split('?');
    const kept = new URLSearchParams(query);
    for (const name of ['gracePeriodSeconds', 'propagationPolicy', 'orphanDependents']) kept.delete(name);
    const own = jsonText({ kind: 'DeleteOptions', apiVersion: 'v1', ...options, gracePeriodSeconds: 0 });
    return { method, path: `${place}?${kept}`, headers: sent, body: own };
  }
  const version = versionIn(body);
  if (!body || version === undefined) return { method, path, headers: sent, body: original };
  const isPresent = version === versionIn(present?.object);
  return { method, path, headers: sent, body: jsonText(withVersion(body, isPresent ? versionIn(before) : STALE)) };
}

/** A version that no object has. */
const STALE = '1';

interface MarkedBy {
  readonly present: Fields | undefined;
  readonly before: UnknownObject | undefined;
  readonly version: ResourceVersion;
  readonly at: number;
  readonly manager: string;
}

/** An object of the server as readers of the replay get it: with its history, and the mark. */
function marked(after: UnknownObject, { present, before, version, at, manager }: MarkedBy): Fields {
  const { metadata } = after;
  const was = metadataIn(present);
  const entries = (metadata.managedFields ?? []).filter((each) => each.manager !== manager);
  const isOlder = (each: ManagedFieldsEntry) => !entries.some((own) => isSameEntry({ ...own, time: '' }, { ...each, time: '' })); // biome-ignore format: one line
  const { ownerReferences = metadata.ownerReferences, generation, managedFields = [] } = was ?? {};
  return {
    ...after,
    metadata: {
      ...metadata,
      ...(ownerReferences && { ownerReferences }),
      ...(generation !== undefined && { generation: generation + (metadata.generation ?? 0) - (before?.metadata.generation ?? 0) }), // biome-ignore format: one line
      resourceVersion: version,
      annotations: { ...metadata.annotations, [WRITTEN]: new Date(at).toISOString() },
      managedFields: [...managedFields.filter(isOlder), ...entries],
    },
  };
}

/** A definition of a recorded custom type that takes every object. */
function definitionOf({ gvr, kind, singular, namespaced }: ResourceType): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: formatGroupVersion({ group: 'apiextensions.k8s.io', version: 'v1' }),
    kind: 'CustomResourceDefinition',
    metadata: { name: `${gvr.resource}.${gvr.group}` },
    spec: {
      group: gvr.group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural: gvr.resource, singular, kind, listKind: `${kind}List` },
      versions: [{ name: gvr.version, served: true, storage: true, schema }],
    },
  };
}
