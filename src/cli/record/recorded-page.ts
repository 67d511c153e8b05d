import { createClient } from '../../client/client.ts';
import type { Transport, TransportRequest } from '../../client/http/transport.ts';
import { SharedInformer } from '../../informer/shared-informer.ts';
import { systemClock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { silentLogger } from '../../kit/logger.ts';
import { parseCollectionPath } from '../../model/collection-path.ts';
import { formatGvr, sameGvr } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { valuePair } from '../../output/value-text.ts';
import { momentText } from '../../record/moments.ts';
import { RecordedApi } from '../../record/recorded-api.ts';
import { Recording } from '../../record/recording.ts';
import type { PastType, UiCache, UiPast } from '../../serve/ui/ui-program.ts';
import { recordedTimeline } from '../../timeline/recorded-timeline.ts';
import type { Timeline } from '../../timeline/timeline.ts';
import type { ReadingFunction, RecordingReader } from './recording-reader.ts';

/** The objects that a page draws; of more those that changed most. */
const MOST_LANES = 12;
const MOST_CHANGES = 400;
const LONGEST_VALUE = 200;
/** A moment that takes longer than this is given up, ms. */
const LONGEST_MS = 60_000;

export interface RecordedPageOptions {
  /** Reads pictures and large moments in processes of their own. Absent: this process reads all. */
  readonly reader?: RecordingReader | undefined;
  /** The objects of a moment that the page reads. They are kept in memory until it shows another moment. */
  readonly mostObjects?: number;
  /** The objects of a moment that this process reads: that takes less time than to start another. */
  readonly mostHere?: number;
}

type PastQuery = Parameters<UiPast['timeline']>[0];

/** A question about a recording that another process answers. */
interface PageJob {
  readonly file: string;
  readonly query: PastQuery;
  readonly at: number;
  readonly path: string;
  readonly headers: TransportRequest['headers'];
}

/** The recording of a serve for its page. The file is open only while it is read. */
export class RecordedPage implements UiPast {
  readonly #file: string;
  readonly #reader: RecordingReader | undefined;
  readonly #mostObjects: number;
  readonly #mostHere: number;
  /** The caches of the last moment, by type and namespace: rows and object ask for it one after the other. */
  #last: { readonly moment: number; readonly caches: Map<string, Promise<UiCache>> } | undefined;

  constructor(file: string, { reader, mostObjects = 20_000, mostHere = 100 }: RecordedPageOptions = {}) {
    this.#file = file;
    this.#reader = reader;
    this.#mostObjects = mostObjects;
    this.#mostHere = mostHere;
  }

  get types(): UiPast['types'] {
    using recording = Recording.open(this.#file);
    return typesOf(recording).map(({ gvr, namespaced }) => ({ id: formatGvr(gvr), namespaced }));
  }

  async timeline(query: PastQuery, signal?: AbortSignal): Promise<Timeline | undefined> {
    if (!this.#reader) return timelineIn(this.#file, query);
    const text = await this.#reader.text({ kind: 'timeline', file: this.#file, query }, signal);
    return text === '' ? undefined : (JSON.parse(text) as Timeline);
  }

  async at(moment: number, types: readonly PastType[]): Promise<readonly UiCache[]> {
    if (this.#last?.moment !== moment) this.#last = { moment, caches: new Map() };
    const { caches } = this.#last;
    return await Promise.all(
      types.map((wanted) => {
        const key = `${wanted.id} ${wanted.namespace ?? ''}`;
        const known = caches.get(key);
        if (known) return known;
        const reading = this.#cacheAt(moment, wanted);
        caches.set(key, reading);
        reading.catch(() => caches.delete(key)); // it is read again when it is asked for again
        return reading;
      }),
    );
  }

  async #cacheAt(moment: number, { id, namespace }: PastType): Promise<UiCache> {
    using recording = Recording.open(this.#file);
    const type = typeNamed(recording, id);
    const count = countIn(recording, type, moment, namespace);
    this.#refuseMany(count, type, moment);
    const clock = { ...systemClock, now: () => moment };
    const api = new RecordedApi({ recording, at: moment });
    const reader = count > this.#mostHere ? this.#reader : undefined;
    const server = reader ? listingIn(reader, api, { file: this.#file, at: moment }) : api;
    const failing = new AbortController();
    const transport = reportingFailure(server, (error) => failing.abort(error));
    const client = createClient(transport, { clock, logger: silentLogger });
    const place = namespace === undefined ? {} : { namespace };
    const source = client.resource<UnknownObject>(type.gvr, { ...place, as: { table: 'Object' } });
    const informer = new SharedInformer<UnknownObject>(source, {
      name: id,
      clock,
      logger: silentLogger,
      store: 'auto',
    });
    const ending = new AbortController();
    const running = informer.run(ending.signal);
    try {
      await informer.whenSynced(AbortSignal.any([failing.signal, AbortSignal.timeout(LONGEST_MS)]));
    } finally {
      ending.abort();
      await running.catch(() => {});
      await client.close();
    }
    return { id, type, informer };
  }

  /** Throws `argument` for a moment with more objects than the page keeps. */
  #refuseMany(count: number, type: ResourceType, moment: number): void {
    if (count <= this.#mostObjects) return;
    const { resource } = type.gvr;
    throw new InformerError(
      'argument',
      `${count} ${resource}: of a moment the page reads at most ${this.#mostObjects}`,
      {
        hint: `query ${resource} --at ${momentText(moment)} --from FILE reads them all`,
      },
    );
  }
}

/** The questions of a page that another process answers. */
export const PAGE_READING = {
  async *timeline({ file, query }: PageJob) {
    const timeline = timelineIn(file, query);
    if (timeline) yield JSON.stringify(timeline);
  },
  async *list({ file, at, path, headers }: PageJob) {
    using recording = Recording.open(file);
    const { body, ...head } = await new RecordedApi({ recording, at }).request({ method: 'GET', path, headers });
    yield `${JSON.stringify(head)}\n`;
    yield* body;
  },
} satisfies Record<string, ReadingFunction>;

function timelineIn(file: string, { type: id, namespace, name, until }: PastQuery): Timeline | undefined {
  using recording = Recording.open(file);
  const type = typeNamed(recording, id);
  return recordedTimeline(recording, {
    type,
    name,
    namespace: type.namespaced ? namespace : undefined,
    until,
    mostLanes: MOST_LANES,
    mostChanges: MOST_CHANGES,
    values: (before, after) => valuePair(before, after, LONGEST_VALUE),
  });
}

/** A recording whose collections another process lists. */
const listingIn = (reader: RecordingReader, api: RecordedApi, of: { file: string; at: number }): Transport => ({
  close: () => api.close(),
  async request(init) {
    const { method, path, headers, signal } = init;
    const list = method === 'GET' ? parseCollectionPath(path) : undefined;
    if (!list || list.query.get('watch') === 'true') return await api.request(init);
    return await reader.response({ kind: 'list', ...of, path, headers }, signal);
  },
});

/** Reports the first failure, after which a list is not tried again: a recording does not get better. */
const reportingFailure = (transport: Transport, report: (error: unknown) => void): Transport => ({
  close: () => transport.close(),
  async request(init) {
    async function* reported(body: AsyncIterable<Uint8Array>) {
      try {
        yield* body;
      } catch (error) {
        report(error);
        throw error;
      }
    }
    try {
      const response = await transport.request(init);
      return { ...response, body: reported(response.body) };
    } catch (error) {
      report(error);
      throw error;
    }
  },
});

function countIn(recording: Recording, { gvr }: ResourceType, moment: number, namespace: string | undefined): number {
  const revision = recording.revisionAt(moment);
  const sources = recording.sources.filter((source) => sameGvr(source.type.gvr, gvr));
  return sources.reduce((sum, { id }) => sum + recording.countAt(id, revision, namespace), 0);
}

const typesOf = ({ sources }: Recording): ResourceType[] => [
  ...new Map(sources.map(({ type }) => [formatGvr(type.gvr), type])).values(),
];

function typeNamed(recording: Recording, id: string): ResourceType {
  const type = typesOf(recording).find(({ gvr }) => formatGvr(gvr) === id);
  if (type) return type;
  throw new InformerError('argument', `${id} is not in the recording`);
}
