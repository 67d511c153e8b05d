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
import { WrittenChanges, WrittenVersions } from './written-versions.ts';

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
  readonly changes = new WrittenChanges();
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
    if (parseCollectionPath(place)) return undefined;
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

  /** The written changes of a type after a version; undefined: they are not kept any more. */
  changesAfter(gvr: GroupVersionResource, version: ResourceVersion): readonly WatchedState[] | undefined {
    return this.#of(gvr).changes.after(version);
  }

  /** Whether a recorded change of an object is not shown: a writer had the object before. */
  hides(gvr: GroupVersionResource, key: ObjectKey, shown: ResourceVersion): boolean {
    const since = this.#of(gvr).since.get(key);
    return since !== undefined && (!isComparable(shown) || BigInt(shown) > BigInt(since));
  }

  /** Does something between two requests: what the recording has next does not come into the midst of a write. */
  async between(work: () => void): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    await turn;
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
    if (place.name !== undefined && !present && !isApply(init)) return refused(notFound(gvr, place.name));
    const { whyNot, before } = await this.#prepared(target, { ...place, name: given }, present);
    if (whyNot) return refused(whyNot);
    const response = await this.#server.request(forwarded(init, body, [present, before]));
    const text = await textOf(response);
    if (response.status >= 300) return answered(response.status, text);
    const answer = parsed(text) ?? {};
    const name = given ?? nameIn(answer) ?? '';
    if (init.method === 'DELETE' && isNamespaces(gvr)) await this.#finalize(`${collection}/${name}`);
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
    const change = { namespace: namespace ?? '', version, before: present, after: state, isGone: !after };
    of.changes.add(change);
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

  /** Makes the server have of an object what readers see. Returns its object, or the reason if it cannot be written to. */
  async #prepared(
    { type, version }: WrittenTarget,
    { collection, namespace, name }: WritePlace,
    present: RecordedState | undefined,
  ): Promise<{ readonly before?: UnknownObject | undefined; readonly whyNot?: Status }> {
    const no = (why: string) => ({ whyNot: failure(501, 'NotImplemented', `${formatGvr(type.gvr)} of this recording cannot be written to: ${why}`) }); // biome-ignore format: one line
    if (version !== '' && !isComparable(version)) return no('its versions have no order');
    try {
      if (!isBuiltInGroup(type.gvr.group)) this.#server.put([definitionOf(type)]);
      if (namespace !== undefined && !(await this.#object(`/api/v1/namespaces/${namespace}`)))
        this.#server.put([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]);
      if (name === undefined) return {};
      const path = `${collection}/${name}`;
      const before = await this.#object(path);
      const isSame = before && metadataIn(before)?.uid === metadataIn(present?.object)?.uid;
      if (isSame && this.#of(type.gvr).objects.has(joinKey(namespace, name))) return { before };
      if (before && !isSame) await this.#remove(path, type.gvr);
      if (!present) return { before: await this.#object(path) };
      const { metadata, ...rest } = present.object as unknown as UnknownObject;
      const { resourceVersion: _, managedFields: _managed, ...own } = metadata;
      this.#server.put([{ ...rest, metadata: own }]);
      if (metadata.deletionTimestamp) await this.#ask('DELETE', path, {});
      const put = await this.#object(path);
      return put ? { before: put } : no(`${name} is being deleted, and nothing known holds it`);
    } catch (error) {
      return no((error as Error).message);
    }
  }

  /** Removes an object from the server, whatever holds it. */
  async #remove(path: string, gvr: GroupVersionResource): Promise<void> {
    await this.#ask('DELETE', path, { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
    if (isNamespaces(gvr)) await this.#finalize(path);
    await this.#ask('PATCH', path, { metadata: { finalizers: null } });
  }

  /** Ends the deletion of a namespace, as its controller does when it is empty. */
  async #finalize(path: string): Promise<void> {
    const namespace = await this.#object(path);
    if (namespace?.metadata.deletionTimestamp)
      await this.#ask('PUT', `${path}/finalize`, { ...namespace, spec: { finalizers: [] } });
  }

  async #ask(method: 'DELETE' | 'PATCH' | 'PUT', path: string, body: object): Promise<void> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    await textOf(await this.#server.request({ method, path, headers: { accept: 'application/json', 'content-type': type }, body: jsonText(body) })); // biome-ignore format: one line
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

const isApply = ({ method, headers }: TransportRequest) =>
  method === 'PATCH' && headers?.['content-type']?.startsWith('application/apply-patch') === true;
const isNamespaces = ({ group, resource }: GroupVersionResource) => group === '' && resource === 'namespaces';

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
  const own = (version: unknown) => (version === versionIn(present?.object) ? versionIn(before) : STALE);
  const sent = {
    accept: 'application/json',
    ...(type !== undefined && { 'content-type': type }),
    ...(agent !== undefined && { 'user-agent': agent }),
  };
  const atOnce = (options: Fields): Fields => {
    const { orphanDependents: _, preconditions, ...rest } = options;
    const version = (preconditions as Fields | undefined)?.resourceVersion;
    const conditions = version === undefined ? preconditions : { ...(preconditions as Fields), resourceVersion: own(version) }; // biome-ignore format: one line
    return {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...rest,
      ...(conditions !== undefined && { preconditions: conditions }),
      gracePeriodSeconds: 0,
      propagationPolicy: 'Background',
    };
  };
  if (method === 'DELETE') {
    const [place = '', query = ''] = path.split('?');
    const kept = new URLSearchParams(query);
    for (const name of ['gracePeriodSeconds', 'propagationPolicy', 'orphanDependents']) kept.delete(name);
    return { method, path: `${place}?${kept}`, headers: sent, body: jsonText(atOnce(body ?? {})) };
  }
  if (body?.kind === 'Eviction')
    return { method, path, headers: sent, body: jsonText({ ...body, deleteOptions: atOnce((body.deleteOptions as Fields | undefined) ?? {}) }) }; // biome-ignore format: one line
  if (Array.isArray(body)) {
    const steps = (body as readonly (Fields | null)[]).map((step) => (step?.path === VERSION_PATH && step.value !== undefined ? { ...step, value: own(step.value) } : step)); // biome-ignore format: one line
    return { method, path, headers: sent, body: jsonText(steps) };
  }
  const version = versionIn(body);
  if (!body || version === undefined) return { method, path, headers: sent, body: original };
  return { method, path, headers: sent, body: jsonText(withVersion(body, own(version))) };
}

/** The version of an object in the steps of a JSON patch. */
const VERSION_PATH = '/metadata/resourceVersion';

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
  const { uid = metadata.uid, creationTimestamp = metadata.creationTimestamp, deletionTimestamp, generation, managedFields = [] } = was ?? {}; // biome-ignore format: one line
  return {
    ...after,
    metadata: {
      ...metadata,
      uid,
      creationTimestamp,
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
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
