import type { ListerWatcher } from '../../src/informer/lister-watcher.ts';
import { Bell } from '../../src/kit/bell.ts';
import { joinKey, keyOf } from '../../src/model/key.ts';
import type { ListOptions, WatchOptions } from '../../src/model/list-options.ts';
import type { ListPage } from '../../src/model/object.ts';
import { failure, type Status, StatusError } from '../../src/model/status.ts';
import type { WatchEvent } from '../../src/model/watch-event.ts';
import { type Pod, pod } from './objects.ts';
import { bookmark, errorEvent, expired, initialEnd, invalid, networkError, tooLarge } from './scripted-lister-watcher.ts';

type Event = WatchEvent<Pod>;

interface Change {
  readonly version: number;
  readonly event: Event & { object: Pod };
}

/** How the next request is answered instead. */
export type RequestFault = () => Error;

class Stream implements AsyncIterable<readonly Event[]> {
  readonly namespace: string | undefined;
  readonly #bell = new Bell();
  #waiting: Event[] = [];
  #end: { error?: Error } | undefined;
  #isStalled = false;
  /** Only changes behind this one are sent. */
  since: number;

  constructor(namespace: string | undefined, since: number) {
    this.namespace = namespace;
    this.since = since;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  send(...events: Event[]): void {
    if (this.#isStalled || this.#end) return;
    this.#waiting.push(...events);
    this.#bell.wake();
  }

  /** Nothing arrives any more, and nobody is told. */
  stall(): void {
    this.#isStalled = true;
  }

  end(error?: Error): void {
    if (this.#isStalled) return;
    this.#end ??= error ? { error } : {};
    this.#bell.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Event[]> {
    try {
      for (;;) {
        if (this.#waiting.length > 0) {
          const batch = this.#waiting;
          this.#waiting = [];
          yield batch;
        } else if (!this.#end) await this.#bell.wait();
        else if (this.#end.error) throw this.#end.error;
        else return;
      }
    } finally {
      this.#end ??= {};
    }
  }
}

/**
 * A collection that behaves like one on an API server: versions, history with a window, pages from a snapshot, watches from a version,
 * streaming lists, bookmarks, 410 and 504. What goes wrong with it is up to the test.
 */
export class VersionedSource {
  readonly #objects = new Map<string, Pod>();
  #log: Change[] = [];
  #streams: Stream[] = [];
  #snapshots = new Map<string, { version: number; items: Pod[] }>();
  #compactedTo = 0;
  #uid = 0;
  version = 1;
  /** Whether streaming lists are understood. */
  canStream = true;
  /** Answers to the next requests, in order. */
  readonly faults: RequestFault[] = [];
  readonly requests: string[] = [];

  get state(): string[] {
    return [...this.#objects].map(([key, o]) => `${key}@${o.metadata.resourceVersion}`).sort();
  }

  /** Every change still in the history. */
  get log(): readonly Change[] {
    return this.#log;
  }

  get openStreams(): number {
    this.#streams = this.#streams.filter((s) => !s.isOver);
    return this.#streams.length;
  }

  has(key: string): boolean {
    return this.#objects.has(key);
  }

  /** Creates the object, or changes it. */
  put(key: string, node = 'n1'): void {
    const old = this.#objects.get(key);
    const uid = old?.metadata.uid ?? `u${++this.#uid}`;
    const object = pod(key, ++this.version, { uid, node });
    this.#objects.set(key, object);
    this.#record({ type: old ? 'MODIFIED' : 'ADDED', object });
  }

  delete(key: string): void {
    const old = this.#objects.get(key);
    if (!old) return;
    this.#objects.delete(key);
    this.#record({ type: 'DELETED', object: { ...old, metadata: { ...old.metadata, resourceVersion: String(++this.version) } } });
  }

  /** Forgets all but the last few changes, and every page token. */
  compact(keep = 0): void {
    this.#log = keep === 0 ? [] : this.#log.slice(-keep);
    this.#compactedTo = this.#log[0] ? this.#log[0].version - 1 : this.version;
    this.#snapshots.clear();
  }

  sendBookmarks(): void {
    for (const stream of this.#streams) if (stream.since <= this.version) stream.send(bookmark(this.version));
  }

  /** Does something to every open stream. */
  disturb(how: 'cut' | 'close' | 'stall' | 'gone' | 'throttle'): void {
    for (const stream of this.#streams) {
      if (how === 'cut') stream.end(networkError('ECONNRESET'));
      if (how === 'close') stream.end();
      if (how === 'stall') stream.stall();
      if (how === 'gone') stream.send(errorEvent(expired()));
      if (how === 'throttle') stream.send(errorEvent(failure(429, 'TooManyRequests', 'slow down')));
    }
    if (how !== 'throttle') this.#streams = [];
  }

  /** Comes back with another history: other objects, lower versions, no memory of the old ones. */
  restartWithNewHistory(keys: readonly string[]): void {
    this.disturb('cut');
    this.#objects.clear();
    this.#log = [];
    this.#snapshots.clear();
    this.#compactedTo = 0;
    this.version = 1;
    for (const key of keys) this.put(key, 'n2');
  }

  resource(namespace?: string): ListerWatcher<Pod> {
    return {
      isWatchListSemanticsUnSupported: () => false,
      list: async (options) => this.#list(options, namespace),
      watch: async (options, { signal }) => this.#watch(options, namespace, signal),
    };
  }

  #list(options: ListOptions, namespace: string | undefined): ListPage<Pod> {
    this.#request(`list ${options.resourceVersion ?? ''}${options.continue ? ` …${options.continue}` : ''}`);
    if (options.continue) return this.#nextPage(options.continue, options.limit ?? 500);
    if (Number(options.resourceVersion || 0) > this.version) refuse(tooLarge());
    const items = this.#in(namespace);
    const limit = options.resourceVersion === '0' ? 0 : (options.limit ?? 0);
    if (limit === 0 || items.length <= limit) return { items, resourceVersion: String(this.version) };
    const token = `t${this.version}.${this.#snapshots.size}`;
    this.#snapshots.set(token, { version: this.version, items: items.slice(limit) });
    return { items: items.slice(0, limit), resourceVersion: String(this.version), continue: token };
  }

  #nextPage(token: string, limit: number): ListPage<Pod> {
    const snapshot = this.#snapshots.get(token);
    if (!snapshot) refuse(failure(410, 'Expired', 'The provided continue parameter is too old'));
    const items = snapshot.items.slice(0, limit);
    snapshot.items = snapshot.items.slice(limit);
    return { items, resourceVersion: String(snapshot.version), ...(snapshot.items.length > 0 ? { continue: token } : {}) };
  }

  #watch(options: WatchOptions, namespace: string | undefined, signal: AbortSignal): Stream {
    this.#request(`${options.sendInitialEvents ? 'stream' : 'watch'} ${options.resourceVersion ?? ''}`);
    const since = Number(options.resourceVersion || 0);
    if (options.sendInitialEvents && !this.canStream) refuse(invalid());
    if (options.sendInitialEvents && since > this.version) refuse(tooLarge());
    const stream = new Stream(namespace, options.sendInitialEvents ? this.version : since);
    signal.addEventListener('abort', () => stream.end(), { once: true });
    if (options.sendInitialEvents) {
      stream.send(...this.#in(namespace).map((object) => ({ type: 'ADDED', object }) as const), initialEnd(this.version));
    } else if (since < this.#compactedTo) {
      stream.send(errorEvent(expired()));
      return stream;
    } else {
      for (const { version, event } of this.#log) if (version > since && isIn(namespace, event.object)) stream.send(event);
    }
    this.#streams.push(stream);
    return stream;
  }

  #request(text: string): void {
    this.requests.push(text.trim());
    const fault = this.faults.shift();
    if (fault) throw fault();
  }

  #record(event: Event & { object: Pod }): void {
    this.#log.push({ version: this.version, event });
    for (const stream of this.#streams) if (this.version > stream.since && isIn(stream.namespace, event.object)) stream.send(event);
  }

  #in(namespace: string | undefined): Pod[] {
    return [...this.#objects.values()].filter((object) => isIn(namespace, object));
  }
}

function isIn(namespace: string | undefined, object: Pod): boolean {
  return !namespace || keyOf(object) === joinKey(namespace, object.metadata.name ?? '');
}

function refuse(status: Status): never {
  throw new StatusError(status);
}
