import { onAbort } from '../../kit/abort.ts';
import { Bell } from '../../kit/bell.ts';
import type { Clock, Timer } from '../../kit/clock.ts';
import type { Status } from '../../model/status.ts';
import type { ResourceCall } from '../api/call.ts';
import type { ApiResponse } from '../api/exchange.ts';
import type { Cluster } from '../cluster.ts';
import { tooOld } from '../status/statuses.ts';
import type { Collection } from '../store/collection.ts';
import type { StoreEvent } from '../store/event-log.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { bookmarkObject } from './bookmark.ts';
import { encodeObject } from './encode.ts';
import { keyPrefix, select } from './list.ts';
import { parseWatchOptions, type ReadOptions } from './read-options.ts';
import { type Selection, selectionOf } from './selection.ts';

/** The settings of all watches of a server. */
export interface WatchSettings {
  readonly bookmarkIntervalMs: number;
}

/** A watch without `timeoutSeconds` ends after half an hour to an hour. Source: apiserver --min-request-timeout. */
const DEFAULT_TIMEOUT_MS = 1_800_000;

/** How long before the end of a watch its last bookmark is sent. Source: apiserver storage/cacher bookmark timing. */
const LAST_BOOKMARK_MS = 2_000;

/**
 * Answers WATCH. The options are checked at once. The body then yields changes, in batches, as soon as they happen.
 *
 * A watcher is a cursor into the log of the collection, not a queue, so a slow client costs no memory. A watcher that
 * falls behind the kept history ends; its client then starts again and gets 410.
 */
export function answerWatch(cluster: Cluster, call: ResourceCall, settings: WatchSettings): ApiResponse {
  const options = parseWatchOptions(call, cluster.features);
  const watcher = new Watcher(cluster, call, options, selectionOf(call.type, options), settings);
  return { status: 200, headers: { 'content-type': 'application/json' }, body: watcher.run() };
}

/** The initial events are sent in chunks of about this many characters. */
const CHUNK_LENGTH = 128 * 1024;

class Watcher {
  readonly #cluster: Cluster;
  readonly #call: ResourceCall;
  readonly #options: ReadOptions;
  readonly #selection: Selection | undefined;
  readonly #settings: WatchSettings;
  readonly #collection: Collection;
  readonly #prefix: string;
  readonly #wake = new Bell();
  #cursor = 0;
  #headed = false;
  #bookmarkDue = false;
  #over = false;

  constructor(
    cluster: Cluster,
    call: ResourceCall,
    options: ReadOptions,
    selection: Selection | undefined,
    settings: WatchSettings,
  ) {
    this.#cluster = cluster;
    this.#call = call;
    this.#options = options;
    this.#selection = selection;
    this.#settings = settings;
    this.#collection = cluster.store.collection(call.type.storage);
    this.#prefix = keyPrefix(call.namespace);
  }

  async *run(): AsyncGenerator<Uint8Array, void, void> {
    using _timers = this.#timers();
    using _gone = onAbort(this.#call.signal, () => this.#end());
    using _changes = this.#collection.onChange(() => this.#wake.wake());
    const { compacted } = this.#collection.log;
    const { resourceVersion } = this.#options;
    if (!this.#startsWithState() && Number(resourceVersion) < compacted) {
      yield Buffer.from(errorLine(tooOld(resourceVersion, compacted)));
      return;
    }
    yield* this.#initialState();
    yield* this.#follow();
  }

  /** Whether the watch begins with the present objects: a streaming list, or a watch without a particular version. */
  #startsWithState(): boolean {
    const { resourceVersion, sendInitialEvents } = this.#options;
    return sendInitialEvents || resourceVersion === '' || resourceVersion === '0';
  }

  async *#initialState(): AsyncGenerator<Uint8Array, void, void> {
    const { store } = this.#cluster;
    const { log } = this.#collection;
    if (!this.#startsWithState() || this.#skipsState()) {
      this.#cursor = log.after(this.#skipsState() ? store.revision : Number(this.#options.resourceVersion));
      return;
    }
    this.#cursor = log.next;
    const bookmark = bookmarkObject(this.#call.type, store.revision, true);
    const objects = select(this.#cluster, this.#call.type, this.#call.namespace, this.#selection);
    yield* this.#chunks(objects);
    if (this.#options.allowWatchBookmarks) yield Buffer.from(this.#line('BOOKMARK', bookmark));
  }

  /** `sendInitialEvents=false` without a particular version: a watch from now on, without initial events. */
  #skipsState(): boolean {
    const { resourceVersion, sendInitialEvents } = this.#options;
    return (
      this.#call.query.has('sendInitialEvents') &&
      !sendInitialEvents &&
      (resourceVersion === '' || resourceVersion === '0')
    );
  }

  async *#follow(): AsyncGenerator<Uint8Array, void, void> {
    const { log } = this.#collection;
    while (!this.#call.signal.aborted) {
      if (this.#cursor < log.first) return; // it is behind the kept history: the client has to start again
      const lines = this.#drain();
      if (lines.length > 0) yield lines.length === 1 ? (lines[0] as Uint8Array) : Buffer.concat(lines);
      else if (this.#over || this.#collection.closed || this.#collection.isRetired(this.#call.type)) return;
      else await this.#wake.wait();
    }
  }

  /** At most this many events in one chunk, so that a slow client's back-pressure is felt. */
  static readonly #BATCH = 256;

  #drain(): Uint8Array[] {
    const { log } = this.#collection;
    const lines: Uint8Array[] = [];
    for (let i = 0; i < Watcher.#BATCH && this.#cursor < log.next; i++) {
      const line = this.#show(log.at(this.#cursor++) as StoreEvent);
      if (line) lines.push(line);
    }
    const { revision } = this.#cluster.store;
    // The bookmark of a watch from a future version must not be older than that version.
    if (this.#bookmarkDue && this.#cursor === log.next && revision >= Number(this.#options.resourceVersion)) {
      this.#bookmarkDue = false;
      lines.push(Buffer.from(this.#line('BOOKMARK', bookmarkObject(this.#call.type, revision, false))));
    }
    return lines;
  }

  /**
   * The event of a change in this watch, if it has one. With a selector, an object that stops matching is DELETED, one
   * that starts is ADDED.
   */
  #show(event: StoreEvent): Uint8Array | undefined {
    const { object, previous } = event;
    if (this.#options.resourceVersion !== '' && event.revision <= Number(this.#options.resourceVersion))
      return undefined; // not reached yet
    if (this.#prefix !== '' && !object.key.startsWith(this.#prefix)) return undefined;
    const selected = this.#selection;
    if (!selected) return this.#eventLine(event, event.type, object);
    const before = previous !== undefined && selected(previous);
    if (event.type === 'DELETED') return before ? this.#eventLine(event, 'DELETED', object) : undefined;
    if (selected(object)) return this.#eventLine(event, before ? 'MODIFIED' : 'ADDED', object);
    return before ? this.#eventLine(event, 'DELETED', event.left) : undefined;
  }

  /** The line of an event. Watchers share it, except for tables: their cells contain ages. */
  #eventLine(event: StoreEvent, type: string, object: StoredObject): Uint8Array {
    const { form, dropsManagedFields } = this.#call.representation;
    if (form === 'table') return Buffer.from(this.#line(type, object));
    const { gvr } = this.#call.type;
    return event.line(`${form} ${dropsManagedFields} ${type} ${gvr.group} ${gvr.version}`, () =>
      this.#line(type, object),
    );
  }

  #line(type: string, object: StoredObject): string {
    const body = encodeObject(
      this.#call.type,
      object,
      this.#call.representation,
      this.#cluster.clock.now(),
      !this.#headed,
    );
    this.#headed = true;
    return `{"type":"${type}","object":${body}}\n`;
  }

  async *#chunks(objects: readonly StoredObject[]): AsyncGenerator<Uint8Array, void, void> {
    let lines = '';
    for (const [i, object] of objects.entries()) {
      lines += this.#line('ADDED', object);
      if (lines.length < CHUNK_LENGTH && i < objects.length - 1) continue;
      if (this.#call.signal.aborted) return;
      yield Buffer.from(lines);
      lines = '';
    }
  }

  #end(): void {
    this.#over = true;
    this.#wake.wake();
  }

  #timers(): Disposable {
    const { clock, random } = this.#cluster;
    const { allowWatchBookmarks, timeoutSeconds } = this.#options;
    const lifeMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 : DEFAULT_TIMEOUT_MS * (1 + random());
    const timers = [clock.after(lifeMs, () => this.#end())];
    if (allowWatchBookmarks && lifeMs > LAST_BOOKMARK_MS)
      timers.push(clock.after(lifeMs - LAST_BOOKMARK_MS, () => this.#bookmark()));
    const bookmarks = allowWatchBookmarks
      ? every(clock, this.#settings.bookmarkIntervalMs, () => this.#bookmark())
      : undefined;
    return {
      [Symbol.dispose]() {
        for (const timer of timers) timer.cancel();
        bookmarks?.cancel();
      },
    };
  }

  #bookmark(): void {
    this.#bookmarkDue = true;
    this.#wake.wake();
  }
}

function errorLine(status: Status): string {
  return `${JSON.stringify({ type: 'ERROR', object: status })}\n`;
}

/** Calls `run` every `ms` until cancelled. */
function every(clock: Clock, ms: number, run: () => void): Pick<Timer, 'cancel'> {
  const fire = () => {
    run();
    timer = clock.after(ms, fire);
  };
  let timer = clock.after(ms, fire);
  return { cancel: () => timer.cancel() };
}
