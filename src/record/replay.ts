import type { Transport, TransportRequest, TransportResponse } from '../client/http/transport.ts';
import { Bell } from '../kit/bell.ts';
import type { Clock, Timer } from '../kit/clock.ts';
import { type CollectionPath, parseCollectionPath } from '../model/collection-path.ts';
import { formatGvr } from '../model/gvr.ts';
import { partsOfKey } from '../model/key.ts';
import { compareResourceVersions } from '../model/resource-version.ts';
import { failure } from '../model/status.ts';
import { RecordedApi, recordedAnswer } from './recorded-api.ts';
import { RecordedForm } from './recorded-form.ts';
import type { MarkedGap, RecordedSource, Recording, Revision } from './recording.ts';
import { isAfter, later, ReplayTrack } from './replay-track.ts';
import { ReplayWatch, type WatchedState } from './replay-watch.ts';
import { ReplayWrites, type WritePlace, type WriteServer } from './replay-writes.ts';
import type { RecordedState } from './state-text.ts';

export interface ReplayOptions {
  readonly recording: Recording;
  /** The moment at which it begins, wall-clock ms. */
  readonly from: number;
  /** How many times as fast as it happened. Infinity: as fast as it is read. */
  readonly speed: number;
  /** The time of the reader. */
  readonly clock: Clock;
  /** Called once with each source that is listed. */
  readonly onRead?: ((source: RecordedSource) => void) | undefined;
  /** Called when a watch has come to a time in which changes may be missing. */
  readonly onGap?: ((source: RecordedSource, gap: MarkedGap) => void) | undefined;
  /** Carries out writes. Without it none are taken. */
  readonly writeServer?: WriteServer | undefined;
  /** Called once for each object of which recorded changes are not shown, because it was written to. */
  readonly onHidden?: ((source: RecordedSource, key: string) => void) | undefined;
  /** With speed Infinity: whether the reader still works on what it has taken. */
  readonly isBusy?: (() => boolean) | undefined;
}

/** Revisions that are read from the file together: a reader that stays would keep the writer's log from shrinking. */
const TOGETHER = 500;
/** Last states that are kept, to make the next one of an object. */
const STATES = 5_000;
/** Lines that a slow reader may have before it. */
const BACKLOG = 1_000;
/** A list is usually followed by a watch, and a watch that ended by a list. They are waited for no longer than this, ms. */
const COMES_BACK_MS = 5_000;
/** A busy reader is looked at again after this time, ms. */
const LOOK_AGAIN_MS = 2;
/** Turns of the event loop in which a reader has handled what it took. */
const TURNS = 4;

/** A source that is listed: for the first time, or after a gap. */
interface ListedAgain {
  readonly track: ReplayTrack;
  readonly at: number;
  readonly version: string;
}

/**
 * A recording as an API server that goes on in the time of the recording: lists answer with the state of the moment,
 * watches get each change when it was received. Writes are taken where there is a server that carries them out.
 *
 * Promises: changes come in their order, each at its own `now`. A reader whose watch reaches a gap gets 410, as it did
 * from the server, and then finds the state that was listed after the gap. A type is answered from its first list on.
 * With speed Infinity no change comes before the readers have taken the one before.
 */
export class Replay implements Transport {
  readonly #options: ReplayOptions;
  readonly #api: RecordedApi;
  readonly #tracks: ReadonlyMap<number, ReplayTrack>;
  readonly #writes: ReplayWrites | undefined;
  readonly #hidden = new Set<string>();
  readonly #watches = new Map<ReplayWatch, { readonly path: string; readonly sources: ReadonlySet<number> }>();
  readonly #states = new Map<number, RecordedState>();
  /** Paths whose readers have not come back yet: with a watch after a list, or with a list. */
  readonly #owed = new Map<string, Timer>();
  readonly #changed = new Bell();
  #isAsked = false;
  /** The sources that a request waits for. */
  readonly #waiting = new Set<readonly ReplayTrack[]>();
  #lists = 0;
  #now: number;
  #startedAt: number | undefined;
  #isOver = false;
  /** A list is due, which its readers make before anything else happens. */
  #isNewlyListed = false;

  constructor(options: ReplayOptions) {
    const { recording, from, onRead } = options;
    this.#options = options;
    this.#now = from;
    this.#tracks = new Map(recording.sources.map((source) => [source.id, new ReplayTrack(source)]));
    const at = {
      revisionOf: ({ id }: RecordedSource) => this.#trackOf(id).revision,
      versionOf: (sources: readonly RecordedSource[]) => this.#versionOf(sources) || '1',
      now: () => this.now,
    };
    this.#writes = options.writeServer && new ReplayWrites(options.writeServer);
    this.#api = new RecordedApi({ recording, at, onRead, written: this.#writes });
    const start = recording.revisionAt(from);
    for (const track of this.#tracks.values()) {
      track.revision = start;
      const stretch = recording.stretches(track.source.id).findLast(({ since }) => since <= from);
      if (stretch) track.begin(start, later(stretch.firstVersion, recording.versionAt(track.source.id, start)));
    }
  }

  /** The time of the recording, wall-clock ms. */
  get now(): number {
    const { clock, speed, from } = this.#options;
    if (this.#startedAt === undefined || speed === Number.POSITIVE_INFINITY) return this.#now;
    return Math.max(this.#now, Math.floor(from + (clock.monotonic() - this.#startedAt) * speed));
  }

  async close(): Promise<void> {}

  async request(init: TransportRequest): Promise<TransportResponse> {
    if (!isDecodable(init.path))
      return recordedAnswer(
        400,
        failure(400, 'BadRequest', `${init.path} is not a path: it has a % that begins no character`),
      );
    if (this.#writes && init.path.startsWith('/openapi/')) return await this.#writes.describe(init);
    const list = init.method === 'GET' ? parseCollectionPath(init.path) : undefined;
    const write = this.#writes && !list ? ReplayWrites.placeOf(init) : undefined;
    if (write) return await this.#write(init, write);
    const place = list ?? placeOfObject(init);
    const sources = place ? this.#api.sourcesOf(place.gvr, place.namespace) : [];
    if (sources.length === 0) return await this.#api.request(init);
    const isWatch = ['true', '1'].includes(list?.query.get('watch') ?? '');
    if (isWatch && list?.query.has('sendInitialEvents'))
      return recordedAnswer(
        422,
        failure(422, 'Invalid', 'sendInitialEvents: Forbidden: a recording sends no initial events'),
      );
    const isFirst = !hasBegun(sources.map(({ id }) => this.#trackOf(id)));
    const unlisted = await this.#unlisted(sources, init.signal);
    if (unlisted) return unlisted;
    if (!list) return isFirst ? await this.#list(init) : await this.#api.request(init);
    if (isWatch) return this.#watch(init, list, sources);
    return this.#notKept(list.query, this.#versionOf(sources)) ?? (await this.#list(init));
  }

  /** Waits until the sources have been listed. Returns the answer if they never are. */
  async #unlisted(sources: readonly RecordedSource[], signal?: AbortSignal): Promise<TransportResponse | undefined> {
    this.#isAsked = true;
    this.#changed.wake();
    await this.#begun(sources, signal);
    if (!this.#isOver || sources.some(({ id }) => this.#trackOf(id).isBegun)) return undefined;
    return recordedAnswer(503, failure(503, 'ServiceUnavailable', 'no list of it was recorded'));
  }

  async #write(init: TransportRequest, place: WritePlace): Promise<TransportResponse> {
    const { gvr, namespace } = place;
    const sources = this.#api.sourcesOf(gvr, namespace);
    const [source] = sources;
    if (!source) return recordedAnswer(501, failure(501, 'NotImplemented', `${formatGvr(gvr)} was not recorded`));
    const unlisted = await this.#unlisted(sources, init.signal);
    if (unlisted) return unlisted;
    const recorded = (key: string) => {
      for (const { id } of sources) {
        const chosen = { namespace: partsOfKey(key).namespace, name: partsOfKey(key).name };
        for (const { state } of this.#options.recording.statesAt(id, this.#trackOf(id).revision, chosen)) return state;
      }
      return undefined;
    };
    const target = () => ({ type: source.type, columns: source.columns, now: this.now, version: this.#recordedVersionOf(this.#api.sourcesOf(gvr)), recorded }); // biome-ignore format: one line
    const written = (change: WatchedState) => {
      const ids = new Set(this.#api.sourcesOf(gvr, change.namespace).map(({ id }) => id));
      for (const [watch, { sources: of }] of this.#watches) if ([...of].some((id) => ids.has(id))) watch.take(change);
    };
    return await (this.#writes as ReplayWrites).answer(init, place, target, written);
  }

  /**
   * Goes through the recording until its end. Resolves when its readers have taken all of it, with the sources that
   * they asked for and of which no list was recorded.
   */
  async run(signal: AbortSignal): Promise<readonly RecordedSource[]> {
    const { recording, from, clock } = this.#options;
    while (!this.#isAsked) await this.#changed.wait(signal);
    for (let i = 0; i < TURNS; i++) await clock.yield(); // lists of other types come at the same time
    this.#startedAt = clock.monotonic();
    const lists = this.#listsAfter(from);
    const inLists = new Map<number, number>(); // the last revisions that a list showed
    for (const revision of this.#revisions(recording.revisionAt(from))) {
      const track = this.#trackOf(revision.source);
      if (revision.id <= track.revision) continue;
      const isListed = revision.cause !== 'watch';
      while (lists[0] && (lists[0].at < revision.at || (!isListed && isBefore(lists[0], revision, inLists))))
        await this.#listAgain(lists.shift() as ListedAgain, signal);
      if (isListed) inLists.set(revision.source, revision.id);
      if (isListed || !track.isBegun || revision.id <= track.revision) continue;
      await this.#reach(revision.at, signal);
      await this.#betweenWrites(() => this.#pass(track, revision));
    }
    for (const list of lists) await this.#listAgain(list, signal);
    await this.#reach(Math.max(this.#now, ...recording.runs.map(({ until }) => until)), signal);
    await this.#settled(signal);
    this.#isOver = true;
    const unlisted = [...this.#waiting].flat().filter(({ isBegun }) => !isBegun);
    this.#changed.wake();
    return unlisted.map(({ source }) => source);
  }

  #trackOf(source: number): ReplayTrack {
    return this.#tracks.get(source) as ReplayTrack;
  }

  #versionOf(sources: readonly RecordedSource[]): string {
    const recorded = this.#recordedVersionOf(sources);
    const [source] = sources;
    return this.#writes && source ? this.#writes.versionsOf(source.type.gvr).ofList(recorded) : recorded;
  }

  /** The version of a recorded change as readers get it. */
  #shown({ type }: RecordedSource, version: string): string {
    return this.#writes ? this.#writes.versionsOf(type.gvr).shown(version) : version;
  }

  #recordedVersionOf(sources: readonly RecordedSource[]): string {
    return sources.map(({ id }) => this.#trackOf(id).version).reduce(later, '');
  }

  /** The lists that were made after a moment, in their order. */
  #listsAfter(from: number): ListedAgain[] {
    const { recording } = this.#options;
    const all = [...this.#tracks.values()].flatMap((track) =>
      recording
        .stretches(track.source.id)
        .filter(({ since }) => since > from)
        .map(({ since, firstVersion }) => ({ track, at: since, version: firstVersion })),
    );
    return all.sort((a, b) => a.at - b.at);
  }

  *#revisions(after: number): Generator<Revision> {
    const { recording } = this.#options;
    const sources = [...this.#tracks.keys()];
    for (let last = after; ; ) {
      const some = [...recording.revisionsBetween(sources, last, Number.MAX_SAFE_INTEGER).take(TOGETHER)];
      yield* some;
      if (some.length < TOGETHER) return;
      last = some.at(-1)?.id ?? last;
    }
  }

  /** Goes to the state after a list. Readers learn what happened in the gap before it from lists of their own. */
  async #listAgain({ track, at, version }: ListedAgain, signal: AbortSignal): Promise<void> {
    const { recording } = this.#options;
    const { id } = track.source;
    await this.#reach(at, signal);
    await this.#betweenWrites(() => {
      let last = track.revision;
      for (const revision of recording.revisionsBetween([id], track.revision, Number.MAX_SAFE_INTEGER)) {
        if (revision.at > at || (revision.at === at && revision.cause === 'watch')) break;
        last = revision.id;
        this.#states.delete(revision.object);
      }
      const wasBegun = track.isBegun;
      track.begin(last, version);
      if (wasBegun) this.#expire(track, at);
    });
    this.#isNewlyListed = true;
    this.#changed.wake();
  }

  /** A write has one state of the recording from its beginning to its end. */
  async #betweenWrites(work: () => void): Promise<void> {
    if (this.#writes) await this.#writes.between(work);
    else work();
  }

  #expire({ source }: ReplayTrack, at: number): void {
    const { recording, onGap } = this.#options;
    const gap = recording.gaps([source.id]).find(({ until }) => until === at);
    const status = failure(410, 'Expired', gap ? `changes may be missing (${gap.reason})` : 'there was a new list');
    const watches = [...this.#watches].filter(([, { sources }]) => sources.has(source.id));
    for (const [watch, { path }] of watches) {
      watch.fail(status);
      this.#owe(path);
    }
    if (gap && watches.length > 0) onGap?.(source, gap);
  }

  #pass(track: ReplayTrack, revision: Revision): void {
    const watches = [...this.#watches].filter(([, { sources }]) => sources.has(revision.source));
    const before = track.revision;
    track.pass(revision);
    const isHidden = this.#isHidden(track.source, revision);
    if (watches.length === 0 || isHidden) {
      this.#states.delete(revision.object);
      return;
    }
    const change = this.#changeOf(revision, before);
    for (const [watch] of watches) watch.take(change);
  }

  /** Whether a writer had the object of a recorded change before. */
  #isHidden(source: RecordedSource, { key, version }: Revision): boolean {
    if (!this.#writes?.hides(source.type.gvr, key, this.#shown(source, version))) return false;
    const name = `${formatGvr(source.type.gvr)} ${key}`;
    if (!this.#hidden.has(name)) this.#options.onHidden?.(source, key);
    this.#hidden.add(name);
    return true;
  }

  #changeOf(revision: Revision, last: number): WatchedState {
    const { recording } = this.#options;
    const { object, event, key } = revision;
    const version = this.#shown(this.#trackOf(revision.source).source, revision.version);
    const isNew = event === 'ADDED';
    const before = isNew ? undefined : (this.#states.get(object) ?? recording.stateAfter(object, last));
    const after = recording.next(revision, before);
    this.#states.delete(object);
    if (event !== 'DELETED') this.#states.set(object, after);
    for (const oldest of this.#states.keys()) {
      if (this.#states.size <= STATES) break;
      this.#states.delete(oldest);
    }
    return { namespace: partsOfKey(key).namespace, version, before, after, isGone: event === 'DELETED' };
  }

  /** The answer to a list of a version that is not the present one. Source: Kubernetes API concepts, "Resource versions". */
  #notKept(query: URLSearchParams, version: string): TransportResponse | undefined {
    const wanted = query.get('resourceVersion') || '0';
    if (wanted === '0' || wanted === version) return undefined;
    if (isAfter(wanted, version))
      return recordedAnswer(504, failure(504, 'Timeout', `Too large resource version: ${wanted}, current: ${version}`));
    if (query.get('resourceVersionMatch') !== 'Exact') return undefined;
    return recordedAnswer(410, failure(410, 'Expired', `the state at ${wanted} is not kept: ask query --at`));
  }

  async #list(init: TransportRequest): Promise<TransportResponse> {
    const [path = ''] = init.path.split('?');
    this.#lists++;
    const response = await this.#api.request(init);
    const ended = () => {
      this.#lists--;
      this.#owe(path);
      this.#changed.wake();
    };
    return { ...response, body: untilEnd(response.body, ended) };
  }

  #watch(init: TransportRequest, list: CollectionPath, sources: readonly RecordedSource[]): TransportResponse {
    const { clock } = this.#options;
    const { query, namespace } = list;
    const watch = new ReplayWatch({
      form: new RecordedForm(sources, query, { accept: init.headers?.accept, now: () => this.now }),
      namespace,
      clock,
      signal: init.signal,
      bookmark: query.get('allowWatchBookmarks') === 'true' ? () => this.#versionOf(sources) : undefined,
      onIdle: () => {
        if (watch.isOver) this.#watches.delete(watch);
        this.#changed.wake();
      },
    });
    const [path = ''] = init.path.split('?');
    this.#owed.get(path)?.cancel();
    this.#owed.delete(path);
    this.#watches.set(watch, { path, sources: new Set(sources.map(({ id }) => id)) });
    this.#catchUp(watch, list, query.get('resourceVersion') ?? '');
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: untilEnd(watch.body(), () => watch.end()),
    };
  }

  /** Gives a watch the changes since its version, or the present state if it has none. */
  #catchUp(watch: ReplayWatch, { gvr, namespace: asked }: CollectionPath, query: string): void {
    const sources = this.#api.sourcesOf(gvr, asked);
    if (query === '' || query === '0') {
      for (const { key, state } of this.#api.states(gvr, { namespace: asked })) {
        const { resourceVersion = '' } = (state.object as { metadata: { resourceVersion?: string } }).metadata;
        const { namespace } = partsOfKey(key);
        watch.take({ namespace, version: resourceVersion, before: undefined, after: state, isGone: false });
      }
      return;
    }
    const written = this.#writes ? this.#writes.changesAfter(gvr, query) : [];
    const missed: WatchedState[] = [...(written ?? [])];
    for (const source of sources) {
      const track = this.#trackOf(source.id);
      const place = track.placeOf(this.#writes ? this.#writes.versionsOf(gvr).recordedBefore(query) : query);
      if (place === undefined || written === undefined) {
        watch.fail(failure(410, 'Expired', `too old resource version: ${query} (${track.version})`));
        return;
      }
      missed.push(...this.#recordedAfter(source, place));
    }
    if (written?.length) missed.sort((a, b) => compareResourceVersions(a.version, b.version) ?? 0);
    for (const change of missed) watch.take(change);
  }

  *#recordedAfter(source: RecordedSource, place: number): Generator<WatchedState> {
    const { recording } = this.#options;
    for (const revision of recording.revisionsBetween([source.id], place, this.#trackOf(source.id).revision)) {
      if (this.#isHidden(source, revision)) continue;
      const { object, id, event, key } = revision;
      const after = recording.stateAfter(object, id);
      const before = event === 'ADDED' ? undefined : recording.stateAfter(object, id - 1);
      const version = this.#shown(source, revision.version);
      yield { namespace: partsOfKey(key).namespace, version, before, after, isGone: event === 'DELETED' };
    }
  }

  #owe(path: string): void {
    this.#owed.get(path)?.cancel();
    const given = this.#options.clock.after(COMES_BACK_MS, () => {
      this.#owed.delete(path);
      this.#changed.wake();
    });
    this.#owed.set(path, given);
  }

  async #begun(sources: readonly RecordedSource[], signal: AbortSignal | undefined): Promise<void> {
    const { recording } = this.#options;
    const tracks = sources.map(({ id }) => this.#trackOf(id));
    const listed = tracks.filter((track) => track.isBegun || recording.stretches(track.source.id).length > 0);
    const awaited = listed.length > 0 ? listed : tracks;
    this.#waiting.add(awaited);
    try {
      while (!this.#isOver && !hasBegun(awaited)) await this.#changed.wait(signal);
    } finally {
      this.#waiting.delete(awaited);
    }
  }

  /** Waits until a moment of the recording has come. */
  async #reach(at: number, signal: AbortSignal): Promise<void> {
    const { speed, clock, from } = this.#options;
    if (at > this.#now || this.#isNewlyListed || !this.#isFollowed) await this.#settled(signal);
    this.#isNewlyListed = false;
    if (speed !== Number.POSITIVE_INFINITY && this.#startedAt !== undefined) {
      const due = this.#startedAt + (at - from) / speed - clock.monotonic();
      if (due > 0) await clock.sleep(due, { signal });
    }
    this.#now = Math.max(this.#now, at);
  }

  get #isFollowed(): boolean {
    return [...this.#watches.keys()].every(({ backlog }) => backlog < BACKLOG);
  }

  get #isSettled(): boolean {
    if (this.#lists > 0 || [...this.#waiting].some(hasBegun)) return false;
    if (this.#options.speed !== Number.POSITIVE_INFINITY) return this.#isFollowed; // a watch gets what it missed
    if (this.#owed.size > 0) return false;
    return [...this.#watches.keys()].every(({ isIdle }) => isIdle);
  }

  /** Waits until the readers have taken what has happened. */
  async #settled(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { clock, speed } = this.#options;
    while (!this.#isSettled) await this.#changed.wait(signal);
    for (let i = 0; i < TURNS; i++) await clock.yield();
    const isBusy = speed === Number.POSITIVE_INFINITY && (this.#options.isBusy?.() ?? false);
    if (isBusy) await clock.sleep(LOOK_AGAIN_MS, { signal });
    if (isBusy || !this.#isSettled) await this.#settled(signal);
  }
}

/** The collection of the object that a request reads. */
function placeOfObject({ method, path }: TransportRequest): CollectionPath | undefined {
  const [place = ''] = path.split('?');
  return method === 'GET' ? parseCollectionPath(place.slice(0, Math.max(0, place.lastIndexOf('/')))) : undefined;
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path.split('?')[0] ?? '') !== '';
  } catch {
    return false;
  }
}

const hasBegun = (tracks: readonly ReplayTrack[]) => tracks.length > 0 && tracks.every(({ isBegun }) => isBegun);

/** Whether a list in the same millisecond comes before a change that a watch showed: if it showed one before that. */
const isBefore = ({ at, track }: ListedAgain, revision: Revision, inLists: ReadonlyMap<number, number>) =>
  at === revision.at &&
  track.source.id === revision.source &&
  (!track.isBegun || (inLists.get(revision.source) ?? 0) > track.revision);

/** A body that says once when it has been read, or closed: also when its reading has not begun. */
function untilEnd(body: AsyncIterable<Uint8Array>, ended: () => void): AsyncIterableIterator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  let end = () => {
    end = () => {};
    ended();
  };
  return {
    async next() {
      try {
        const result = await iterator.next();
        if (result.done) end();
        return result;
      } catch (error) {
        end();
        throw error;
      }
    },
    async return() {
      end();
      await iterator.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
