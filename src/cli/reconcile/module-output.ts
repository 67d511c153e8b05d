import { StringDecoder } from 'node:string_decoder';
import { currentModuleRun } from '../../hooks/run/module.ts';
import { OutputLimit } from '../../hooks/run/output-limit.ts';
import { type Clock, systemClock } from '../../kit/clock.ts';
import { processStreams } from '../terminal/io.ts';

/** The longest part of a line that is kept until its end, in UTF-16 units. A longer line is shown in parts. */
const LONGEST_LINE = 64 * 1024;

type Write = NodeJS.WriteStream['write'];

interface Beginning {
  readonly decoder: StringDecoder;
  text: string;
}

/** Shows a line that a module printed in the run of a key. Outside of a run the module's name is the key. */
export type ShowLine = (key: string, line: string) => void;

/**
 * Passes the output of a hook's module on (console, process.stdout, process.stderr), line by line, at most 200 lines a
 * second of each run. So a terminal obeys nothing in it, and nothing of it is taken for the program's data. Does not
 * see what is written past the streams (`fs.writeSync(1, …)`, a child process that inherits them). Disposing gives the
 * streams back.
 */
export class ModuleOutput implements Disposable {
  readonly #showLine: ShowLine;
  readonly #name: string;
  readonly #beginnings = new Map<string, Beginning>();
  readonly #limits = new Map<string, OutputLimit>();
  readonly #clock: Clock;
  readonly #back: (() => void)[];

  constructor(
    show: ShowLine,
    name: string,
    {
      streams = processStreams(),
      clock = systemClock,
    }: { streams?: readonly NodeJS.WriteStream[]; clock?: Clock } = {},
  ) {
    this.#showLine = show;
    this.#clock = clock;
    this.#name = name;
    this.#back = streams.map((stream, i) => this.#take(stream, i));
  }

  /** Ends the output of a run: shows lines that were begun and not ended, of one key or all, and what was left out. */
  endRun(key?: string): void {
    this.#flush(key);
    this.#endLimits(key);
  }

  #flush(key?: string): void {
    for (const [place, { decoder, text }] of this.#beginnings) {
      const of = keyOf(place);
      if (key !== undefined && of !== key) continue;
      this.#beginnings.delete(place);
      this.#show(of, text + decoder.end());
    }
  }

  [Symbol.dispose](): void {
    this.endRun();
    for (const back of this.#back) back();
  }

  #take(stream: NodeJS.WriteStream, i: number): () => void {
    const own = {
      write: Object.getOwnPropertyDescriptor(stream, 'write'),
      end: Object.getOwnPropertyDescriptor(stream, 'end'),
    };
    const written = (chunk: unknown, encoding?: unknown, callback?: unknown): true => {
      this.#add(
        `${i} ${currentModuleRun()?.key ?? this.#name}`,
        chunk,
        typeof encoding === 'string' ? encoding : 'utf8',
      );
      const done = [chunk, encoding, callback].find((each) => typeof each === 'function');
      if (done) queueMicrotask(() => (done as () => void)());
      return true;
    };
    const ended = (...args: unknown[]) => {
      written(...(args as [unknown]));
      this.#flush();
      return stream;
    };
    Object.defineProperty(stream, 'write', { value: written as Write, configurable: true, writable: true });
    Object.defineProperty(stream, 'end', { value: ended, configurable: true, writable: true });
    return () => {
      for (const name of ['write', 'end'] as const) {
        const before = own[name];
        if (before) Object.defineProperty(stream, name, before);
        else Reflect.deleteProperty(stream, name);
      }
    };
  }

  #add(place: string, chunk: unknown, encoding: string): void {
    if (chunk === undefined || chunk === null || typeof chunk === 'function') return;
    const beginning = this.#beginnings.get(place) ?? { decoder: new StringDecoder('utf8'), text: '' };
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk, encoding as BufferEncoding) : Buffer.from(chunk as Uint8Array);
    const lines = (beginning.text + beginning.decoder.write(bytes)).split(/\r?\n/);
    beginning.text = lines.pop() ?? '';
    this.#beginnings.set(place, beginning);
    for (const line of lines) this.#show(keyOf(place), line);
    if (beginning.text.length > LONGEST_LINE) this.#flush(keyOf(place));
  }

  #limitOf(key: string): OutputLimit {
    const limit = this.#limits.get(key) ?? new OutputLimit((line) => this.#showLine(key, line), this.#clock);
    this.#limits.set(key, limit);
    return limit;
  }

  /** Says what was left out. */
  #endLimits(key: string | undefined): void {
    for (const [of, limit] of this.#limits) {
      if (key !== undefined && of !== key) continue;
      this.#limits.delete(of);
      limit[Symbol.dispose]();
    }
  }

  #show(key: string, line: string): void {
    if (line !== '') this.#limitOf(key).line(line);
  }
}

/** The key in `place`, which follows the number of the stream and a blank. */
const keyOf = (place: string) => place.slice(2);
