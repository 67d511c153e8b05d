import type { Writable } from 'node:stream';
import { abortable, scope } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { ALIVE_MS, type AnswerFrame, type EndFrame, type ErrorFrame } from './protocol.ts';

export interface FrameWriterOptions {
  readonly clock: Clock;
  /** The longest time that a reader may take nothing, ms. Then it is cut off. */
  readonly patienceMs?: number | undefined;
}

/** Long enough for a person who scrolls in a pager; what waits meanwhile has a bound. */
const PATIENCE_MS = 5 * 60_000;

/** The largest frame, in UTF-16 units: a longer text is sent in several. */
const LARGEST_TEXT = 64 * 1024;

/**
 * Writes the frames of one answer, and sends `alive` while nothing else is sent. A reader that is slow slows down the
 * answer: `out` resolves when the reader can take more, so at most one frame waits in memory. `signal` aborts when the
 * reader has gone, or has taken nothing for `patienceMs`. Must be disposed of.
 */
export class FrameWriter implements Disposable {
  readonly #target: Writable;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #gone = scope();
  #alive: Disposable;
  #isEnded = false;

  constructor(target: Writable, { clock, patienceMs = PATIENCE_MS }: FrameWriterOptions) {
    this.#target = target;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#alive = this.#later();
    target.once('error', (error) => this.#gone.abort(error));
    target.once('close', () => this.#gone.abort(new InformerError('closed', 'the asking command has ended')));
  }

  /** Aborts when the answer has no reader any more: work on it can end. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Sends text for stdout. Resolves when the reader can take more; rejects with the signal's reason if it is gone. */
  async out(text: string): Promise<void> {
    for (let at = 0; at < text.length; ) {
      const to = wholeUntil(text, Math.min(text.length, at + LARGEST_TEXT));
      await this.#send({ out: text.slice(at, to) });
      at = to;
    }
  }

  notice(text: string): void {
    this.#put({ notice: text });
  }

  error(error: ErrorFrame): void {
    this.#put({ error });
  }

  /** Ends an answer before it began: this serve cannot give it. */
  unserved(reason: string): void {
    this.#put({ unserved: reason });
    this.#finish();
  }

  end(end: EndFrame): void {
    this.#put({ end });
    this.#finish();
  }

  [Symbol.dispose](): void {
    this.#alive[Symbol.dispose]();
    this.#gone[Symbol.dispose]();
    if (!this.#isEnded) this.#target.destroy();
  }

  #finish(): void {
    this.#isEnded = true;
    this.#alive[Symbol.dispose]();
    this.#target.end();
  }

  async #send(frame: AnswerFrame): Promise<void> {
    this.signal.throwIfAborted();
    if (this.#put(frame)) return;
    const drained = new Promise<void>((resolve) => void this.#target.once('drain', resolve));
    using _ = this.#clock.after(this.#patienceMs, () => this.#giveUp());
    await abortable(drained, this.signal);
  }

  #giveUp(): void {
    const seconds = this.#patienceMs / 1000;
    this.#gone.abort(new InformerError('closed', `the asking command has read nothing for ${seconds}s`));
    this.#target.destroy();
  }

  #put(frame: AnswerFrame): boolean {
    if (this.#isEnded || this.signal.aborted) return true;
    this.#alive[Symbol.dispose]();
    this.#alive = this.#later();
    return this.#target.write(`${JSON.stringify(frame)}\n`);
  }

  #later(): Disposable {
    return this.#clock.after(ALIVE_MS, () => {
      if (!this.#target.writableNeedDrain) this.#put({ alive: true });
      else this.#alive = this.#later();
    });
  }
}

/** An end that splits no pair of surrogates. */
function wholeUntil(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}
