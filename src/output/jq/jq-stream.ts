import { abortable, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { afterOwnTime } from '../../kit/own-time.ts';
import { safeJson } from '../escape.ts';
import { endLine, type Jq, jqFailure } from './jq-expression.ts';
import { JqLimitError } from './jq-limits.ts';

/** Where text goes, at the pace of its reader. */
export interface TextTarget {
  /** False if the reader does not keep up: then wait for {@link ready}. */
  write(text: string): boolean;
  ready(): Promise<void>;
}

export interface JqStreamOptions {
  readonly jq: Jq;
  readonly target: TextTarget;
  readonly clock: Clock;
  /** Escapes control sequences, for output to a terminal. */
  readonly terminal?: boolean | undefined;
  /** Called with each record on which the expression fails. It is left out. `where` names it. */
  onFailure(error: InformerError, where: string, record: FailedRecord): void;
  /** Called once when the expression takes too long or too much memory. Nothing more is written. */
  onLimit(error: InformerError): void;
}

/** The fields of a record on which an expression failed. */
export interface FailedRecord {
  readonly type?: string;
  readonly key?: string;
  readonly object?: { readonly kind?: string };
}

/** The most JSON in one call of jq, in characters. A call costs about 2 ms, an object about 0.1 ms. */
const BATCH_CHARS = 4 * 1024 * 1024;

/** How much JSON may wait before the writer does, in characters. */
const ROOM_CHARS = 4 * 1024 * 1024;

/**
 * Applies a jq expression to the lines of `-o json` on their way to the reader, in their order. Lines that come while
 * jq works are its next batch.
 */
export class JqStream implements TextTarget {
  readonly #options: JqStreamOptions;
  readonly #ending = scope();
  #waiting: string[] = [];
  #chars = 0;
  #running: Promise<void> | undefined;
  #room = Promise.withResolvers<void>();
  /** Resolves when nothing more will be written: then the reader is not waited for. */
  readonly #last = Promise.withResolvers<void>();

  constructor(options: JqStreamOptions) {
    this.#options = options;
  }

  /** Takes whole lines. */
  write(text: string): boolean {
    if (this.#ending.signal.aborted) return true;
    for (const line of text.split('\n')) if (line !== '') this.#waiting.push(line);
    this.#chars += text.length;
    if (this.#waiting.length > 0) this.#running ??= this.#run();
    return this.#chars < ROOM_CHARS;
  }

  async ready(): Promise<void> {
    while (this.#chars >= ROOM_CHARS && !this.#ending.signal.aborted) await this.#room.promise;
  }

  /** Resolves when all that was written has gone out; rejects with the signal's reason. */
  async caughtUp(signal?: AbortSignal): Promise<void> {
    while (this.#running) await abortable(this.#running, signal);
  }

  /** As {@link caughtUp}, and no longer than that. Resolves with the number of records that have not gone out. */
  async end(graceMs: number): Promise<number> {
    using _limit = afterOwnTime(this.#options.clock, graceMs, () => this.#ending.abort());
    this.#last.resolve();
    await this.caughtUp();
    const left = this.#waiting.length;
    this.#ending.abort();
    return left;
  }

  /** Writes what waits. It must not begin without a line: it would end before `#running` is set. */
  async #run(): Promise<void> {
    const { target } = this.#options;
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#batch();
        const text = await this.#printed(batch);
        this.#waiting.splice(0, batch.length);
        this.#chars = this.#waiting.length === 0 ? 0 : this.#chars - sizeOf(batch);
        if (text !== '' && !target.write(text)) await Promise.race([target.ready(), this.#last.promise]);
        this.#wake();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#running = undefined;
      this.#wake();
    }
  }

  /** Lines that do not belong together go one by one to an expression that may read on. */
  #batch(): string[] {
    let count = 0;
    let chars = 0;
    for (const { length } of this.#waiting) {
      if (count > 0 && (this.#options.jq.readsOn || chars + length > BATCH_CHARS)) break;
      chars += length;
      count++;
    }
    return this.#waiting.slice(0, count);
  }

  async #printed(batch: readonly string[]): Promise<string> {
    const { jq, clock, terminal = false, onFailure } = this.#options;
    const { signal } = this.#ending;
    try {
      const text = await jq.results(batch.join('\n'), { clock, signal });
      return endLine(terminal ? safeJson(text) : text);
    } catch (cause) {
      if (signal.aborted) throw cause;
      const [only] = batch;
      const record = only !== undefined && batch.length === 1 ? (JSON.parse(only) as FailedRecord) : undefined;
      if (cause instanceof JqLimitError)
        throw jqFailure(cause, record ? nameOf(record) : `one of ${batch.length} records`);
      if (record) {
        onFailure(jqFailure(cause, nameOf(record)), nameOf(record), record);
        return '';
      }
      const half = batch.length >> 1;
      // finds the record on which it fails
      return (await this.#printed(batch.slice(0, half))) + (await this.#printed(batch.slice(half)));
    }
  }

  #fail(error: unknown): void {
    if (this.#ending.signal.aborted) return; // what waits is counted by `end`
    this.#ending.abort(error);
    this.#options.onLimit(error instanceof InformerError ? error : jqFailure(error, 'the stream'));
  }

  #wake(): void {
    this.#room.resolve();
    this.#room = Promise.withResolvers();
  }
}

const sizeOf = (lines: readonly string[]) => lines.reduce((sum, { length }) => sum + length + 1, 0);

const nameOf = ({ type, key, object }: FailedRecord) =>
  key === undefined ? `the marker ${type}` : [object?.kind, key].filter(Boolean).join(' ');
