import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { groupVersionsOf, type ResourceList, typesOfLegacy } from '../client/discovery/discovery-legacy.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { parseJson } from '../kit/exact-json.ts';
import { ZipFile } from '../kit/zip-file.ts';
import { parseCollectionPath } from '../model/collection-path.ts';
import { formatGvr, type GroupVersionResource } from '../model/gvr.ts';
import { keyOf } from '../model/key.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { compareResourceVersions } from '../model/resource-version.ts';
import { Redactor } from '../stream/redact.ts';
import { Recording } from './recording.ts';
import { type NewRevision, RecordingWriter } from './recording-writer.ts';
import { SourceRecorder } from './source-recorder.ts';

// Source: github.com/phenixblue/k8shark, docs/archive-format.md, format versions 1 and 2

/** The latest format that is known. */
const FORMAT = 2;
const FOLDER = 'k8shark-capture/';
/** The most bytes of one answer of the server, decompressed. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Revisions that are written together. */
const TOGETHER = 2_000;

/** The recording of an archive of k8shark. It is there as long as it is open. */
export function recordingOfArchive(file: string): Recording {
  const folder = mkdtempSync(path.join(tmpdir(), 'kubectl-informer-archive-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const converted = path.join(folder, `${path.basename(file)}.rec`);
    using archive = new Archive(file);
    archive.convertTo(converted);
    return Recording.open(converted, remove);
  } catch (error) {
    remove();
    if (error instanceof InformerError) throw error;
    throw new InformerError('store', `${file}: it is no archive of k8shark that can be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The records of one path, of lists or of events. */
interface Indexed {
  readonly api_path: string;
  readonly seqs: readonly number[];
  readonly times: readonly string[];
  readonly event_types?: readonly string[];
}

/** An answer of the server, or an event of a watch. */
interface Entry {
  readonly at: number;
  readonly path: string;
  readonly seq: number;
  /** '' = a list. */
  readonly event: string;
  /** No list of the path follows. */
  readonly isLast: boolean;
}

interface Answer {
  readonly response_code?: number;
  readonly response_body?: Readonly<Record<string, unknown>>;
}

/** One collection of an archive, and its objects so far. */
interface Collection {
  readonly recorder: SourceRecorder;
  readonly objects: Map<string, ReadonlyObject>;
  readonly isWatched: boolean;
  isListed: boolean;
}

/**
 * An archive of k8shark as a recording.
 *
 * Lists are moments that were seen. Between two of them changes may be missing, also where there was a watch: the
 * archive does not say when a watch was broken, and one that is opened again begins with the present version. A gap ends
 * with the first list that shows something new, and says what.
 */
class Archive implements Disposable {
  readonly #zip: ZipFile;
  #now = 0;

  constructor(file: string) {
    this.#zip = new ZipFile(file);
  }

  convertTo(file: string): void {
    const about = this.#json('metadata.json') as {
      format_version?: number;
      captured_at?: string;
      captured_until?: string;
    };
    if ((about.format_version ?? 1) > FORMAT)
      throw new InformerError('store', `the archive has format ${about.format_version}, and ${FORMAT} is known here`);
    const lists = this.#index('index.json.zst');
    const watches = this.#index('watch-index.json.zst');
    const types = this.#types(lists);
    const watched = new Set(watches.map(({ api_path }) => api_path));
    const entries = [...lists, ...watches].flatMap(entriesOf).sort((a, b) => a.at - b.at);
    this.#now = Math.min(Date.parse(about.captured_at ?? ''), entries[0]?.at ?? Number.POSITIVE_INFINITY);
    const clock = { now: () => this.#now, monotonic: () => this.#now };
    using writer = RecordingWriter.open(file, { clock, command: 'k8shark' });
    const collections = new Map<string, Collection | undefined>();
    const pending: NewRevision[] = [];
    const redactor = new Redactor();
    const write = () => {
      const sources = [...collections.values()].flatMap((each) => each?.recorder ?? []);
      const accounts = sources.map((source) => source.account());
      writer.write(pending.splice(0), accounts.flatMap(({ stretches }) => stretches), accounts.flatMap(({ gaps }) => gaps)); // biome-ignore format: one line
      for (const source of sources) source.written();
    };
    const collectionOf = (of: string): Collection | undefined => {
      if (collections.has(of)) return collections.get(of);
      const found = parseCollectionPath(of);
      const type = found && found.query.size === 0 ? types(found.gvr, found.namespace !== undefined) : undefined;
      const scope = type && { type, namespace: found?.namespace ?? '', selection: '' };
      const take = (revision: NewRevision) => void pending.push(revision);
      const made = scope && {
        recorder: new SourceRecorder({ writer, redactor, scope, take }),
        objects: new Map<string, ReadonlyObject>(),
        isWatched: watched.has(of),
        isListed: false,
      };
      collections.set(of, made);
      return made;
    };
    for (const entry of entries) {
      const collection = collectionOf(entry.path);
      if (!collection) continue;
      this.#now = Math.max(this.#now, entry.at);
      this.#take(collection, entry);
      if (pending.length >= TOGETHER) write();
    }
    this.#now = Math.max(this.#now, Date.parse(about.captured_until ?? '') || 0);
    write();
    writer.close('ended');
  }

  [Symbol.dispose](): void {
    this.#zip[Symbol.dispose]();
  }

  #take(collection: Collection, { path: of, seq, event, isLast }: Entry): void {
    const folder = createHash('sha256').update(of).digest('hex').slice(0, 16);
    const { response_code, response_body = {} } = this.#json(`records/${folder}/${seq}.json.zst`) as Answer;
    if (event !== '') seeEvent(collection, response_body as unknown as ReadonlyObject, event);
    else if (response_code === 200 && Array.isArray(response_body.items))
      seeList(collection, response_body as never, isLast);
  }

  /** The types, by the discovery in the archive, else by the path. Undefined for what is no list of objects. */
  #types(lists: readonly Indexed[]): (gvr: GroupVersionResource, isNamespaced: boolean) => ResourceType | undefined {
    const paths = new Set(lists.map(({ api_path }) => api_path));
    const read = (of: string) => {
      if (!paths.has(of)) return {};
      const folder = createHash('sha256').update(of).digest('hex').slice(0, 16);
      return (this.#json(`records/${folder}/0.json.zst`) as Answer).response_body ?? {};
    };
    const versions = ['/api', '/apis'].flatMap((of) => groupVersionsOf({ kind: of === '/api' ? 'APIVersions' : 'APIGroupList', ...read(of) } as never)); // biome-ignore format: one line
    const found = versions.map(({ path: of }) => ({ status: 'fulfilled', value: read(of) as ResourceList }) as const);
    const types = new Map(typesOfLegacy(versions, found).types.map((type) => [formatGvr(type.gvr), type]));
    return (gvr, namespaced) => {
      const of = `${gvr.group === '' ? '/api' : `/apis/${gvr.group}`}/${gvr.version}/`;
      const listed = lists.find(({ api_path }) => api_path.startsWith(of) && api_path.endsWith(`/${gvr.resource}`));
      const known = types.get(formatGvr(gvr));
      if (known || !listed) return known;
      const { kind } = read(listed.api_path);
      if (typeof kind !== 'string' || !kind.endsWith('List')) return undefined;
      const singular = kind.slice(0, -4).toLowerCase();
      const rest = {
        shortNames: [],
        categories: [],
        verbs: ['get', 'list', 'watch'],
        subresources: [],
        preferred: true,
      };
      return { gvr, kind: kind.slice(0, -4), singular, namespaced, ...rest };
    };
  }

  #index(name: string): Indexed[] {
    if (!this.#zip.has(FOLDER + name)) return [];
    const index = this.#json(name) as { entries?: Record<string, Indexed> } & Record<string, Indexed>;
    return Object.values((index.entries ?? index) as Record<string, Indexed>);
  }

  #json(name: string): unknown {
    const bytes = this.#zip.read(FOLDER + name, MOST_BYTES);
    return parseJson(
      (name.endsWith('.zst') ? zstdDecompressSync(bytes, { maxOutputLength: MOST_BYTES }) : bytes).toString(),
    );
  }
}

const entriesOf = ({ api_path, seqs, times, event_types }: Indexed): Entry[] =>
  seqs.map((seq, i) => ({
    at: Date.parse(times[i] ?? ''),
    path: api_path,
    seq,
    event: event_types?.[i] ?? '',
    isLast: i === seqs.length - 1,
  }));

function seeEvent(collection: Collection, object: ReadonlyObject, event: string): void {
  const { recorder, objects, isListed } = collection;
  const key = keyOf(object);
  const before = objects.get(key);
  if (!isListed || (before && !isLater(object, before))) return; // the list had it
  recorder.lost(reasonOf(collection));
  const isGone = event === 'DELETED';
  recorder.see({ key, object, before, isGone, cause: 'watch' });
  if (isGone) objects.delete(key);
  else objects.set(key, object);
}

/** Takes a list. One that shows what is known leaves the gap open, so that there are fewer gaps; the last one ends it. */
function seeList(
  collection: Collection,
  { items, metadata }: { readonly items: readonly ReadonlyObject[]; readonly metadata?: { resourceVersion?: string } },
  isLast: boolean,
): void {
  const { recorder, objects, isListed } = collection;
  const { resourceVersion: version = '' } = metadata ?? {};
  const listed = new Map(items.map((item) => [keyOf(item), item]));
  const news = [...listed].filter(([key, item]) => {
    const known = objects.get(key);
    return !known || known.metadata.uid !== item.metadata.uid || isLater(item, known);
  });
  const isOld = ({ metadata: { resourceVersion = '' } }: ReadonlyObject) =>
    (compareResourceVersions(resourceVersion, version) ?? -1) <= 0;
  const gone = [...objects].filter(([key, known]) => !listed.has(key) && isOld(known));
  if (isListed && !isLast && news.length + gone.length === 0) return;
  if (isListed) recorder.lost(reasonOf(collection));
  const cause = isListed ? 'relist' : 'initial';
  for (const [key, object] of gone) {
    recorder.see({ key, object, before: object, isGone: true, cause });
    objects.delete(key);
  }
  for (const [key, object] of news) {
    recorder.see({ key, object, before: objects.get(key), isGone: false, cause });
    objects.set(key, object);
  }
  recorder.listed(cause, version, items.length);
  collection.isListed = true;
}

const reasonOf = ({ isWatched }: Collection) => (isWatched ? 'not known to be watched' : 'not watched');

const isLater = (a: ReadonlyObject, b: ReadonlyObject) =>
  (compareResourceVersions(a.metadata.resourceVersion ?? '', b.metadata.resourceVersion ?? '') ?? 1) > 0;
