import { abortable, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { messageOf } from '../../kit/error.ts';
import { cellsOf, type TableColumn } from '../../model/cells.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { failure, type Status } from '../../model/status.ts';
import type { CachedPart } from './cached-collection.ts';
import { bookmarkText, eventObjectText, itemText, listAround } from './forms.ts';
import { type HistoryEvent, isUpTo } from './history.ts';
import type { ReadRequest } from './read-request.ts';
import { Refusal, unserved } from './refusal.ts';

/** The context that the answers of a serve share. */
export interface CacheContext {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long a list waits for a version or a relist. Source: apiserver storage/cacher blockTimeout. */
const WAIT_MS = 3_000;
/** How often a watch gets a bookmark, if its source has proved to be current meanwhile. */
const BOOKMARK_MS = 15_000;
/** A chunk ends with the line that reaches this length, so that the back-pressure of a slow client is felt. */
const CHUNK_LENGTH = 128 * 1024;

/** The present objects, in chunks. Throws a {@link Refusal} before the first one. */
export async function cachedList(
  part: CachedPart,
  request: ReadRequest,
  context: CacheContext,
): Promise<Iterable<string>> {
  const { source, collection } = part;
  const { version, match } = request;
  await whole(part, context);
  collection.catchUp();
  if (match === 'Exact' && version !== source.version) unserved('old states of a list are not kept here');
  if (version !== '' && version !== '0' && !(await reached(part, version, context))) {
    const details = {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    };
    const message = `Too large resource version: ${version}, current: ${source.version}`;
    throw new Refusal(failure(504, 'Timeout', message, details));
  }
  const objects = source.sorted().filter(([key, object]) => request.selects?.(object, key) !== false);
  const columns = columnsOf(objects[0]?.[1] ?? collection.anyObject());
  if (request.form.kind === 'table' && !columns) unserved(`no object has shown the columns of ${collection.name} yet`);
  return chunked(listAround(request.form, collection, source.version, columns ?? []), objects, {
    request,
    now: context.clock.now(),
  });
}

function* chunked(
  [head, end]: readonly [string, string],
  objects: readonly (readonly [string, ReadonlyObject])[],
  { request, now }: { readonly request: ReadRequest; readonly now: number },
): Generator<string> {
  let text = head;
  for (const [i, [, object]] of objects.entries()) {
    text += (i === 0 ? '' : ',') + itemText(request.form, object, now);
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = '';
  }
  yield text + end;
}

/**
 * The changes after a version, in chunks, as they happen. Throws a {@link Refusal} before the first one. It ends when
 * the source loses its connection, and with a 410 when changes may have been missed, or are not kept any more.
 */
export async function cachedWatch(
  part: CachedPart,
  request: ReadRequest,
  context: CacheContext,
): Promise<AsyncIterable<string>> {
  await whole(part, context);
  return new CacheWatch(part, request, context).run();
}

class CacheWatch {
  readonly #part: CachedPart;
  readonly #request: ReadRequest;
  readonly #context: CacheContext;
  readonly #epoch: number;
  /** The place of the next change; undefined if the version of the request is not known any more. */
  #place: number | undefined;
  #columns: readonly TableColumn[] | undefined;
  #lastSign: number | undefined;

  constructor(part: CachedPart, request: ReadRequest, context: CacheContext) {
    this.#part = part;
    this.#request = request;
    this.#context = context;
    const { history, epoch } = part.source;
    this.#epoch = epoch;
    this.#place = this.#startsWithState ? history.next : history.after(request.version);
    this.#lastSign = part.continuity.lastSignOfLife;
  }

  get #startsWithState(): boolean {
    return this.#request.version === '' || this.#request.version === '0';
  }

  async *run(): AsyncGenerator<string> {
    const { clock, signal } = this.#context;
    using ending = scope(signal);
    const { timeoutMs } = this.#request;
    using _timeout = timeoutMs > 0 ? clock.after(timeoutMs, () => ending.abort()) : undefined;
    if (this.#startsWithState) yield* this.#state();
    while (!ending.signal.aborted) {
      const { source, continuity } = this.#part;
      if (source.epoch !== this.#epoch || this.#place === undefined || this.#place < source.history.first) {
        yield `{"type":"ERROR","object":${JSON.stringify(this.#expired())}}\n`;
        return;
      }
      const lines = this.#drain(this.#place);
      if (lines !== '') yield lines;
      else if (continuity.connection.state === 'disconnected') return;
      else if (this.#place === source.history.next) yield* this.#quiet(ending.signal);
    }
  }

  /** Waits for a change; sends a bookmark if the source has proved meanwhile that there is none. */
  async *#quiet(signal: AbortSignal): AsyncGenerator<string> {
    const { source, collection, continuity } = this.#part;
    using pause = scope(signal);
    using _bookmark = this.#context.clock.after(BOOKMARK_MS, () => pause.abort());
    await source.changed.wait(pause.signal).catch(() => {});
    if (!pause.signal.aborted || signal.aborted || !this.#request.withBookmarks) return;
    collection.catchUp();
    const sign = continuity.lastSignOfLife;
    if (sign === this.#lastSign || this.#place !== source.history.next || source.epoch !== this.#epoch) return;
    this.#lastSign = sign;
    yield `{"type":"BOOKMARK","object":${bookmarkText(this.#request.form, collection, source.version)}}\n`;
  }

  *#state(): Generator<string> {
    for (const [key, object] of this.#part.source.sorted())
      if (this.#request.selects?.(object, key) !== false) yield this.#line('ADDED', object);
  }

  #drain(from: number): string {
    const { history } = this.#part.source;
    let place = from;
    let lines = '';
    while (place < history.next && lines.length < CHUNK_LENGTH)
      lines += this.#shown(history.at(place++) as HistoryEvent);
    this.#place = place;
    return lines;
  }

  /** With a selector, an object that stops matching is DELETED, and one that starts is ADDED. */
  #shown({ type, version, key, object, previous }: HistoryEvent): string {
    const { selects, version: since } = this.#request;
    if (!this.#startsWithState && isUpTo(version, since)) return ''; // the request is ahead of this cache
    if (!selects) return this.#line(type, object);
    const was = type === 'DELETED' || (previous !== undefined && selects(previous, key));
    const is = selects(object, key);
    if (type === 'DELETED') return is ? this.#line('DELETED', object) : '';
    if (is) return this.#line(was ? 'MODIFIED' : 'ADDED', object);
    return was && previous ? this.#line('DELETED', withVersion(previous, version)) : '';
  }

  #line(type: HistoryEvent['type'], object: ReadonlyObject): string {
    const columns = columnsOf(object);
    const isNew = columns !== this.#columns;
    this.#columns = columns;
    const row = { columns: isNew ? columns : undefined, now: this.#context.clock.now() };
    return `{"type":"${type}","object":${eventObjectText(this.#request.form, object, row)}}\n`;
  }

  #expired(): Status {
    const { version } = this.#part.source;
    return failure(410, 'Expired', `too old resource version: ${this.#request.version} (${version})`);
  }
}

/** Waits for a relist that goes on. Throws what a source that has no whole state, or no connection, answers. */
async function whole({ source, collection, continuity }: CachedPart, context: CacheContext): Promise<void> {
  await until(() => source.state === 'whole', source, context);
  if (source.state === 'filling') unserved(`${collection.name} are still being listed`);
  const { connection } = continuity;
  if (connection.state === 'disconnected') {
    const since = new Date(connection.since).toISOString();
    throw unavailable(
      `the serve has had no connection since ${since}: ${messageOf(connection.error ?? connection.why)}`,
    );
  }
  if (source.state !== 'whole') throw unavailable(`the serve lists ${collection.name} again`);
}

const unavailable = (message: string) => new Refusal(failure(503, 'ServiceUnavailable', message));

async function reached({ source, collection }: CachedPart, version: string, context: CacheContext): Promise<boolean> {
  const isThere = () => {
    collection.catchUp();
    return isUpTo(version, source.version);
  };
  await until(isThere, source, context);
  return isThere();
}

/** Waits for a condition, three seconds at most. */
async function until(
  isMet: () => boolean,
  { changed }: CachedPart['source'],
  { clock, signal }: CacheContext,
): Promise<void> {
  using patience = scope(signal);
  using _ = clock.after(WAIT_MS, () => patience.abort());
  while (!isMet() && !patience.signal.aborted)
    await abortable(changed.wait(patience.signal), patience.signal).catch(() => {});
}

const columnsOf = (object: ReadonlyObject | undefined) => object && cellsOf(object)?.columns;

/** As the API server shows an object that left a selection: its last matching state, at the version of the change. */
function withVersion(object: ReadonlyObject, resourceVersion: string): ReadonlyObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}
