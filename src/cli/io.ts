import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

/** A stream the program writes to. A reader that has gone away is not an error: see `closed`. */
export class TextSink {
  readonly #stream: Writable;
  readonly #gone = new AbortController();

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#gone.abort(error);
    });
  }

  /** Aborts when the reader has gone (EPIPE, as after `| head`) or writing failed otherwise; the reason is the error. */
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

  /** Writes, and says whether the reader keeps up. When not, await {@link ready} before writing more. */
  write(text: string): boolean {
    if (this.#gone.signal.aborted || text === '') return true;
    return this.#stream.write(text);
  }

  /** Resolves when more may be written, or nobody reads any more. */
  ready(): Promise<void> {
    if (this.#gone.signal.aborted || !this.#stream.writableNeedDrain) return Promise.resolve();
    return this.#until('drain');
  }

  /** Resolves when all has been handed to the operating system, or nobody reads any more. */
  async drained(): Promise<void> {
    while (!this.#gone.signal.aborted && this.#stream.writableLength > 0) {
      await new Promise<void>((resolve) => {
        this.#gone.signal.addEventListener('abort', () => resolve(), { once: true });
        this.#stream.write('', () => resolve());
      });
    }
  }

  #until(event: string): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#stream.off(event, done);
        this.#gone.signal.removeEventListener('abort', done);
        resolve();
      };
      this.#stream.once(event, done);
      this.#gone.signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** The process's edges, handed in so that commands can be run without one. */
export interface Io {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: NodeJS.ProcessEnv;
}

export function processIo(): Io {
  return { stdout: new TextSink(process.stdout), stderr: new TextSink(process.stderr), env: process.env };
}
