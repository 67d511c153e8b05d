import type { Transport, TransportRequest, TransportResponse } from '../client/http/transport.ts';
import { jsonText } from '../kit/exact-json.ts';
import { compareText } from '../kit/text-order.ts';
import { parseCollectionPath } from '../model/collection-path.ts';
import { formatGroupResource, formatGvr, type GroupVersionResource, sameGvr } from '../model/gvr.ts';
import { joinKey, partsOfKey } from '../model/key.ts';
import type { UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { failure, type Status } from '../model/status.ts';
import { RecordedForm } from './recorded-form.ts';
import type { RecordedSource, Recording } from './recording.ts';
import { ofVersion } from './replay-watch.ts';
import type { StateShape } from './state-shape.ts';
import type { RecordedState } from './state-text.ts';

/** How far a recording is read. */
export interface RecordedPosition {
  /** The last revision of a source that has happened. */
  revisionOf(source: RecordedSource): number;
  /** The resourceVersion of a list of these sources. */
  versionOf(sources: readonly RecordedSource[]): string;
  /** The time, wall-clock ms. */
  now(): number;
}

export interface RecordedApiOptions {
  readonly recording: Recording;
  /** The moment whose state is answered, wall-clock ms; or a position that moves. */
  readonly at: number | RecordedPosition;
  /** Called once with each source that is read. */
  readonly onRead?: ((source: RecordedSource) => void) | undefined;
  /** Objects that were written to. Without it there is nothing that writes. */
  readonly written?: WrittenView | undefined;
}

/** The objects that were written to, which take the place of recorded ones. */
interface WrittenView {
  /** Those of a type; undefined for one that is gone. */
  objectsOf(gvr: GroupVersionResource, namespace: string | undefined): Map<string, RecordedState | undefined>;
  /** The versions that readers get for recorded ones. */
  versionsOf(gvr: GroupVersionResource): { shown(version: string): string };
}

/** The part of a collection that is read. */
interface ChosenStates {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly shape?: StateShape;
}

/** A collection whose rows go into a chunk of this length, in characters. */
const CHUNK = 256 * 1024;

/**
 * The cluster as it was at a moment, as an API server would answer: discovery, lists and single objects, in every form.
 * Commands that ask a cluster so ask a recording. It takes no writes and has no watches.
 */
export class RecordedApi implements Transport {
  readonly #options: RecordedApiOptions;
  readonly #position: RecordedPosition;
  readonly #read = new Set<number>();

  constructor(options: RecordedApiOptions) {
    this.#options = options;
    this.#position = typeof options.at === 'number' ? momentOf(options.recording, options.at) : options.at;
  }

  async close(): Promise<void> {}

  async request({ method, path, headers = {} }: TransportRequest): Promise<TransportResponse> {
    if (method !== 'GET') return recordedAnswer(405, failure(405, 'MethodNotAllowed', 'a recording takes no writes'));
    const [place = ''] = path.split('?');
    if (place === '/version') return recordedAnswer(200, { major: '1', minor: '36', gitVersion: 'v1.36.0' });
    if (place === '/api' || place === '/apis')
      return { ...recordedAnswer(200, this.#discovery(place === '/api')), headers: { 'content-type': DISCOVERY } };
    const list = parseCollectionPath(path);
    if (list && list.query.get('watch') !== 'true' && this.sourcesOf(list.gvr).length > 0)
      return stream(this.#list(list.gvr, list.namespace, list.query, headers.accept ?? ''));
    const found = list ? undefined : this.#one(path, headers.accept);
    if (found !== undefined) return stream([found]);
    const type = (list ?? parseCollectionPath(place.slice(0, place.lastIndexOf('/'))))?.gvr;
    if (type && this.sourcesOf(type).length === 0)
      return recordedAnswer(501, failure(501, 'NotImplemented', `${formatGvr(type)} was not recorded`)); // not known to be absent
    return recordedAnswer(404, failure(404, 'NotFound', `${place} is not in the recording`));
  }

  #discovery(isCore: boolean): object {
    const types = [...new Map(this.#options.recording.sources.map(({ type }) => [formatGvr(type.gvr), type])).values()];
    const groups = Map.groupBy(
      types.filter(({ gvr }) => (gvr.group === '') === isCore),
      ({ gvr }) => gvr.group,
    );
    const items = [...groups].map(([name, ofGroup]) => ({
      metadata: { name },
      versions: [...Map.groupBy(ofGroup, ({ gvr }) => gvr.version)].map(([version, resources]) => ({
        version,
        resources: resources.map((type) => resourceOf(type, this.#options.written !== undefined)),
        freshness: 'Current',
      })),
    }));
    return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  }

  /** The sources that have objects of a type, of a namespace or of all. */
  sourcesOf(gvr: GroupVersionResource, namespace?: string): readonly RecordedSource[] {
    return this.#options.recording.sources.filter(
      (source) =>
        sameGvr(source.type.gvr, gvr) &&
        (namespace === undefined || source.namespace === '' || source.namespace === namespace),
    );
  }

  /** The states of a collection, each object once, in the order of keys within a source. */
  *states(gvr: GroupVersionResource, chosen: ChosenStates = {}): Generator<{ key: string; state: RecordedState }> {
    const { recording, onRead, written } = this.#options;
    const { namespace } = chosen;
    const seen = new Set<string>();
    const own = written?.objectsOf(gvr, namespace) ?? new Map<string, RecordedState | undefined>();
    const present = [...own].flatMap(([key, state]) => (state ? { key, state } : [])).sort((a, b) => compareKeys(a.key, b.key)); // biome-ignore format: one line
    for (const source of this.sourcesOf(gvr, namespace)) {
      if (!this.#read.has(source.id)) onRead?.(source);
      this.#read.add(source.id);
      for (const { key, state } of recording.statesAt(source.id, this.#position.revisionOf(source), chosen)) {
        if (seen.has(key)) continue;
        seen.add(key);
        while (present[0] && compareKeys(present[0].key, key) <= 0) yield present.shift() as (typeof present)[number];
        if (!own.has(key)) yield { key, state: this.#shown(gvr, state) };
      }
    }
    yield* present;
  }

  #shown(gvr: GroupVersionResource, state: RecordedState): RecordedState {
    const { written } = this.#options;
    const { resourceVersion } = (state.object as unknown as UnknownObject).metadata;
    if (!written || resourceVersion === undefined) return state;
    return ofVersion(state, written.versionsOf(gvr).shown(resourceVersion));
  }

  *#list(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    query: URLSearchParams,
    accept: string,
  ): Generator<string> {
    const sources = this.sourcesOf(gvr, namespace);
    const form = new RecordedForm(sources, query, { accept, now: this.#position.now });
    let text = form.listBegin(this.#position.versionOf(sources));
    let comma = '';
    for (const { state } of this.states(gvr, { namespace, shape: form.shape })) {
      if (!form.selects(state)) continue;
      text += comma + form.item(state);
      comma = ',';
      if (text.length < CHUNK) continue;
      yield text;
      text = '';
    }
    yield `${text}]}\n`;
  }

  /** The text of an object. */
  #one(path: string, accept: string | undefined): string | undefined {
    const [place = '', query = ''] = path.split('?');
    const at = place.lastIndexOf('/');
    const list = parseCollectionPath(place.slice(0, at));
    if (!list) return undefined;
    const name = decodeURIComponent(place.slice(at + 1));
    const key = joinKey(list.namespace, name);
    for (const each of this.states(list.gvr, { namespace: list.namespace, name })) {
      if (each.key !== key) continue;
      const form = new RecordedForm(this.sourcesOf(list.gvr, list.namespace), new URLSearchParams(query), {
        accept,
        now: this.#position.now,
      });
      return form.watched(each.state, true);
    }
    return undefined;
  }
}

/** The order of keys in a list: that of namespaces, then of names. */
function compareKeys(a: string, b: string): number {
  const [first, second] = [partsOfKey(a), partsOfKey(b)];
  return compareText(first.namespace, second.namespace) || compareText(first.name, second.name);
}

function resourceOf(type: ResourceType, isWritable: boolean): object {
  const { gvr, kind, singular, shortNames, categories, namespaced } = type;
  return {
    resource: gvr.resource,
    responseKind: { group: '', version: '', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: isWritable ? [...READS, 'create', 'update', 'patch', 'delete'] : READS,
    shortNames,
    categories,
    ...(isWritable && SCALED.has(formatGroupResource(gvr)) && { subresources: [SCALE] }),
  };
}

const READS = ['get', 'list', 'watch'];
/** The built-in types with a scale. Source: the API reference of Kubernetes 1.36. */
const SCALED = new Set(['deployments.apps', 'replicasets.apps', 'statefulsets.apps', 'replicationcontrollers']);
const SCALE = {
  subresource: 'scale',
  responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  verbs: ['get', 'patch', 'update'],
};

function momentOf(recording: Recording, at: number): RecordedPosition {
  const revision = recording.revisionAt(at);
  return { revisionOf: () => revision, versionOf: () => String(revision || 1), now: () => at };
}

/** Source: KEP-3352, aggregated discovery. */
const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const JSON_HEADERS = { 'content-type': 'application/json' };

export const recordedAnswer = (status: number, body: object | Status): TransportResponse => ({
  status,
  headers: JSON_HEADERS,
  body: bytesOf([jsonText(body)]),
});

const stream = (chunks: Iterable<string>): TransportResponse => ({
  status: 200,
  headers: JSON_HEADERS,
  body: bytesOf(chunks),
});

async function* bytesOf(chunks: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk, 'utf8');
}
