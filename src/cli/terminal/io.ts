import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { neutralised, neutralisedButColours, neutralisedButDrawing } from '../../output/escape.ts';

export interface SinkOptions {
  /**
   * Whether what is written is text for people wherever it goes, as on stderr. Default: only on a terminal; else it is
   * data, byte for byte.
   */
  readonly isText?: boolean | undefined;
}

/**
 * A stream the program writes to: the one door to its terminal. Whatever a terminal would obey or show in another order
 * is shown as text; only the colours of printers pass, and in {@link draw} what moves the cursor. What is written
 * within one turn of the event loop goes out as one chunk, in order. A reader that has gone away is not an error: see
 * `closed`.
 */
export class TextSink {
  readonly #stream: Writable;
  /** The stream's own: that of process.stdout is taken from those who would write past this door, see ModuleOutput. */
  readonly #write: Writable['write'];
  readonly #gone = new AbortController();
  readonly #isText: boolean;
  #pending = '';
  /** All that wait for a slow reader wait for the same. */
  #draining: Promise<void> | undefined;
  #scheduled = false;
  #lineAsJson: ((line: string) => string) | undefined;
  /** With {@link asJson}: text without a line end yet. */
  #beginning = '';

  constructor(stream: Writable, { isText = false }: SinkOptions = {}) {
    this.#stream = stream;
    this.#write = stream.write.bind(stream);
    this.#isText = isText;
    stream.on('error', this.#fail);
  }

  /**
   * From now on only this sink handles the stream's errors; listeners of libraries, which throw unknown errors, are
   * removed.
   */
  claimErrors(): void {
    this.#stream.removeAllListeners('error');
    this.#stream.on('error', this.#fail);
  }

  /**
   * Aborts when the reader has gone (EPIPE, as after `| head`) or writing failed otherwise; the reason is the error.
   */
  get closed(): AbortSignal {
    return this.#gone.signal;
  }

  get isTerminal(): boolean {
    return (this.#stream as Partial<WriteStream>).isTTY === true;
  }

  /** Columns of the terminal; undefined when it is none. */
  get columns(): number | undefined {
    return (this.#stream as Partial<WriteStream>).columns;
  }

  /** Rows of the terminal; undefined when it is none. */
  get rows(): number | undefined {
    return (this.#stream as Partial<WriteStream>).rows;
  }

  /** Called right before text goes out: what else is on the same terminal can make room. */
  beforeText: (() => void) | undefined;

  /** Called right after text went out, with that text: what made room can come back. */
  afterText: ((text: string) => void) | undefined;

  /** Calls `listener` when the terminal's size changes, until disposed. */
  onResize(listener: () => void): Disposable {
    this.#stream.on('resize', listener);
    return { [Symbol.dispose]: () => void this.#stream.off('resize', listener) };
  }

  readonly #fail = (error: unknown) => this.#gone.abort(error);

  /** Whether every line is a JSON object, see {@link asJson}. */
  get isJson(): boolean {
    return this.#lineAsJson !== undefined;
  }

  /** From now on each line of text goes out as the JSON object that `lineAsJson` makes of it, and nothing is drawn. */
  asJson(lineAsJson: (line: string) => string): void {
    this.#lineAsJson = lineAsJson;
  }

  writeJson(line: string): void {
    this.#put(`${line}\n`);
  }

  /** Writes, and says whether the reader keeps up. When not, await {@link ready} before writing more. */
  write(text: string): boolean {
    if (this.#lineAsJson) return this.#putLines(text, this.#lineAsJson);
    return this.#put(this.#isText ? neutralised(text) : this.isTerminal ? neutralisedButColours(text) : text);
  }

  /** As {@link writeNow}, for text that moves the cursor: what redraws a line or a screen. Only for a terminal. */
  draw(text: string): void {
    if (this.#lineAsJson) return;
    this.#put(neutralisedButDrawing(text));
    this.#flush();
  }

  #putLines(text: string, lineAsJson: (line: string) => string): boolean {
    const lines = (this.#beginning + text).split(/\r?\n/);
    this.#beginning = lines.pop() ?? '';
    const written = lines.filter((line) => line !== '').map((line) => `${lineAsJson(line)}\n`);
    return this.#put(written.join(''));
  }

  #put(text: string): boolean {
    if (this.#gone.signal.aborted || text === '') return true;
    this.#pending += text;
    if (this.#pending.length >= FLUSH_AT) this.#flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => this.#flush());
    }
    return !this.#stream.writableNeedDrain;
  }

  /** Hands over what waits for the end of the turn: what another stream gets next comes behind it. */
  flush(): void {
    this.#flush();
  }

  /** Writes at once, with all that was waiting. */
  writeNow(text: string): void {
    this.write(text);
    this.#flush();
  }

  /** Resolves when more may be written, or the reader is gone. */
  ready(): Promise<void> {
    this.#flush();
    if (this.#gone.signal.aborted || !this.#stream.writableNeedDrain) return Promise.resolve();
    this.#draining ??= this.#settled((done) => this.#stream.once('drain', done)).finally(() => {
      this.#draining = undefined;
    });
    return this.#draining;
  }

  /** Resolves when all has been handed to the operating system, or the reader is gone. */
  async drained(): Promise<void> {
    if (this.#beginning !== '') this.write('\n');
    this.#flush();
    while (!this.#gone.signal.aborted && this.#stream.writableLength > 0)
      await this.#settled((done) => this.#write('', done));
    if (this.#stream.errored) this.#fail(this.#stream.errored); // of which the event may be still to come
  }

  #flush(): void {
    this.#scheduled = false;
    const text = this.#pending;
    this.#pending = '';
    if (text === '' || this.#gone.signal.aborted) return;
    this.beforeText?.();
    try {
      this.#write(text);
    } catch (error) {
      this.#fail(error); // a file is written at once, and fails at once
    }
    this.afterText?.(text);
  }

  #settled(when: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#gone.signal.removeEventListener('abort', done);
        resolve();
      };
      this.#gone.signal.addEventListener('abort', done, { once: true });
      when(done);
    });
  }
}

/** How much text waits for the end of the turn at most, in UTF-16 units. */
const FLUSH_AT = 64 * 1024;

/** The process's edges, handed in so that commands can be run without one. */
export interface Io {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: NodeJS.ProcessEnv;
}

/** Whether what was written to a stream can be written over: it is a terminal that knows how to move its cursor. */
export function canRedraw({ env }: Io, sink: TextSink): boolean {
  return sink.isTerminal && !sink.isJson && env.TERM !== 'dumb';
}

/** Both streams of the process, as everything else in it sees them. */
export function processStreams(): NodeJS.WriteStream[] {
  return [process.stdout, process.stderr];
}

export function processIo(): Io {
  return {
    stdout: new TextSink(process.stdout),
    stderr: new TextSink(process.stderr, { isText: true }),
    env: process.env,
  };
}
