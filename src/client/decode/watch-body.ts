import type { GroupVersionResource } from '../../model/gvr.ts';
import { withManagedFieldsText } from '../../model/managed-fields-text.ts';
import type { UnwantedObjects } from '../../model/unwanted-objects.ts';
import type { WatchEvent } from '../../model/watch-event.ts';
import type { TrafficCounter } from '../http/traffic.ts';
import { parserOf } from './huge-numbers.ts';
import { OF_EVENT, OF_TABLE_EVENT } from './managed-fields.ts';
import { type Decode, decodeJson, decodeTrimmed, dropManagedFields } from './object-decoder.ts';
import { isTable, rowsIn, TableEvents } from './table.ts';
import { type LeavesOut, leavesOutEvent } from './unwanted.ts';
import { WatchDecoder } from './watch-decoder.ts';

/** The request of a watch, and how to decode its events. */
export interface WatchStreamOptions {
  gvr: GroupVersionResource;
  table: boolean;
  /** The wall-clock time, ms: rows note when they arrive. Absent: their cells do not grow older. */
  now?: (() => number) | undefined;
  dropManagedFields: boolean;
  /** managedFields stay beside each object as text. */
  managedFieldsAsText?: boolean | undefined;
  /** Events that are left out without being decoded. A batch of nothing else is empty: it is a sign of life. */
  unwanted?: UnwantedObjects | undefined;
  /** Counts the events. */
  traffic?: TrafficCounter | undefined;
}

/**
 * The events of one watch connection, in batches as they arrive from the network. Ends when the server ends it
 * gracefully; otherwise rejects with `decode`, `transport` or the signal's reason. `return()` closes the connection,
 * also before the first event.
 */
export class WatchStream<T extends object> implements AsyncIterableIterator<WatchEvent<T>[]> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder: WatchDecoder<unknown>;
  readonly #tables: TableEvents<T> | undefined;
  readonly #dropManagedFields: boolean;
  readonly #traffic: TrafficCounter | undefined;
  #ended = false;

  constructor(body: AsyncIterable<Uint8Array>, options: WatchStreamOptions) {
    this.#chunks = body[Symbol.asyncIterator]();
    this.#decoder = new WatchDecoder({ decode: eventDecoder(options), leavesOut: leavesOutOf(options) });
    this.#tables = options.table ? new TableEvents<T>(options.now) : undefined;
    this.#dropManagedFields = options.dropManagedFields;
    this.#traffic = options.traffic;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchEvent<T>[]>> {
    while (!this.#ended) {
      const { leftOut } = this.#decoder;
      const batch = await this.#nextBatch();
      if (batch.length > 0 || this.#decoder.leftOut > leftOut) return { done: false, value: batch };
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<WatchEvent<T>[]>> {
    if (!this.#ended) {
      this.#ended = true;
      await this.#chunks.return?.();
    }
    return { done: true, value: undefined };
  }

  async #nextBatch(): Promise<WatchEvent<T>[]> {
    try {
      if (this.#decoder.hasFailed) return this.#finished(this.#decoder.finish()); // throws
      const chunk = await this.#chunks.next();
      if (this.#ended) return []; // returned during the wait
      if (!chunk.done) return this.#finished(this.#decoder.push(chunk.value));
      this.#ended = true;
      return this.#finished(this.#decoder.finish());
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  #finished(events: WatchEvent<unknown>[]): WatchEvent<T>[] {
    if (events.length > 0) this.#traffic?.add({ events: events.length });
    if (this.#dropManagedFields) for (const { object } of events) trim(object);
    return this.#tables ? this.#tables.objectsOf(events) : (events as WatchEvent<T>[]);
  }
}

function leavesOutOf({ unwanted, table }: WatchStreamOptions): LeavesOut | undefined {
  if (!unwanted || table) return undefined; // a table may have several rows
  return leavesOutEvent(unwanted);
}

function eventDecoder(options: WatchStreamOptions): Decode<WatchEvent<unknown>> {
  const { gvr, table, dropManagedFields, managedFieldsAsText } = options;
  const parse = parserOf(gvr);
  if (!dropManagedFields && !managedFieldsAsText) return (bytes, offset) => decodeJson(bytes, offset, parse);
  const keep = managedFieldsAsText ? keepText : undefined;
  return (bytes, offset) =>
    decodeTrimmed(bytes, offset, table && beginsWithTable(bytes) ? OF_TABLE_EVENT : OF_EVENT, parse, keep);
}

function keepText(event: unknown, text: string): void {
  const { object } = event as WatchEvent<object>;
  const [row] = isTable(object) ? rowsIn(object.rows) : [];
  const of = isTable(object) ? row?.object : object;
  if (of) withManagedFieldsText(of, text);
}

const TABLE_EVENT = /^\{"type":"[A-Z]+","object":\{"kind":"Table","apiVersion":"meta\.k8s\.io\//;

/** Whether an event has a table, in the form that servers write. Other objects may have a field `rows` too. */
function beginsWithTable(bytes: Buffer): boolean {
  return TABLE_EVENT.test(bytes.toString('latin1', 0, 100));
}

/** Removes managed fields that were not cut out before. */
function trim(object: unknown): void {
  if (!isTable(object)) dropManagedFields(object);
  else for (const row of rowsIn(object.rows)) dropManagedFields(row.object);
}
