import type { Writable } from 'node:stream';
import { abortable } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import type { StreamedAnswer, WholeAnswer } from '../../kit/http-listener.ts';
import type { AnswerSink } from '../../query/answer/answer-sink.ts';
import { type AnswerEnd, type AnswerError, type AnswerTrailer, END_TRAILER, UNSERVED } from '../protocol.ts';
import { jsonError, PROTOCOL } from './routes.ts';

export interface HttpAnswerOptions {
  readonly clock: Clock;
  /** The media type of the text. */
  readonly type: string;
  /** The status that an error has for a program. */
  statusOf(error: AnswerError): number;
  /** Whether a command asks, which reads {@link END_TRAILER}. */
  readonly isForCommand: boolean;
  /** Whether the client can read trailers. Default true. For another an answer of any size is gathered whole. */
  readonly takesTrailers?: boolean | undefined;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** Text that is gathered before it is sent, in UTF-16 units. Printers write single lines. */
const GATHERED = 16 * 1024;
/** A body for a program that is larger is streamed, in UTF-16 units: an error after that cuts the connection. */
const MOST_GATHERED = 256 * 1024;
/** The longest time that a reader may take nothing, ms. Long enough for a person who scrolls in a pager. */
const PATIENCE_MS = 5 * 60_000;
/** The longest header with notices. */
const MOST_NOTICES = 4000;

const AGE = 'kubectl-informer-age-ms';
const NOTICES = 'kubectl-informer-notices';

/**
 * An answer as an HTTP response. A command gets its text while it is made, and all else in {@link END_TRAILER}. For
 * other programs an error has a status, as JSON. The age of the answer is in the header `kubectl-informer-age-ms`, what
 * a person should know of it in `kubectl-informer-notices`. A large answer has them in trailers, because its head is
 * sent before they are known.
 *
 * A slow reader slows down the answer: `write` resolves when the reader can take more.
 */
export class HttpAnswer implements AnswerSink {
  readonly clock: Clock;
  /** Aborts when the answer has no reader any more: work on it can end. */
  readonly signal: AbortSignal;
  readonly #options: HttpAnswerOptions;
  readonly #givenUp = new AbortController();
  readonly #notices: string[] = [];
  readonly #large = Promise.withResolvers<undefined>();
  readonly #target = Promise.withResolvers<Writable>();
  #body = '';
  #isStreamed: boolean;
  readonly #mostGathered: number;

  constructor(options: HttpAnswerOptions) {
    this.#options = options;
    this.#isStreamed = options.isForCommand;
    this.#mostGathered = (options.takesTrailers ?? true) ? MOST_GATHERED : Number.POSITIVE_INFINITY;
    this.clock = options.clock;
    this.signal = AbortSignal.any([options.signal, this.#givenUp.signal]);
  }

  async write(text: string): Promise<void> {
    this.#body += text;
    if (this.#body.length <= (this.#isStreamed ? GATHERED : this.#mostGathered)) return;
    this.#isStreamed = true;
    this.#large.resolve(undefined);
    const target = await abortable(this.#target.promise, this.signal);
    const piece = this.#body;
    this.#body = '';
    if (target.write(piece)) return;
    const drained = new Promise<void>((resolve) => void target.once('drain', resolve));
    using _ = this.clock.after(PATIENCE_MS, () =>
      this.#givenUp.abort(new InformerError('closed', `the asker has read nothing for ${PATIENCE_MS / 1000}s`)),
    );
    await abortable(drained, this.signal);
  }

  notice(text: string): void {
    this.#notices.push(text);
  }

  /** The response, once it is known what it is. `answering` makes the answer, to its end. */
  async response(answering: Promise<AnswerEnd>): Promise<WholeAnswer | StreamedAnswer> {
    const { type, isForCommand, statusOf } = this.#options;
    answering.catch(() => {}); // no one awaits it where the head cannot be sent; who does gets its rejection
    const end = isForCommand ? undefined : await Promise.race([this.#large.promise, answering]);
    if (!end) {
      const trailer = isForCommand ? END_TRAILER : `${AGE}, ${NOTICES}`;
      const headers = { ...PROTOCOL, ...(isForCommand ? {} : this.#facts()), trailer };
      return { status: 200, type, headers, stream: (target) => this.#streamTo(target, answering) };
    }
    if (end.unserved !== undefined)
      return jsonError(UNSERVED, end.unserved, 'ask the cluster itself; POST /v1/types adds a type');
    const [error] = end.errors ?? [];
    if (error) return jsonError(statusOf(error), error.message, error.hint);
    return { status: 200, type, headers: { ...PROTOCOL, ...this.#facts(end) }, body: this.#body };
  }

  async #streamTo(target: Parameters<StreamedAnswer['stream']>[0], answering: Promise<AnswerEnd>): Promise<void> {
    this.#target.resolve(target);
    const end = await answering;
    const [error] = end.errors ?? [];
    if (error && !this.#options.isForCommand) throw new InformerError('terminal', error.message); // the connection is cut
    target.addTrailers?.(this.#options.isForCommand ? this.#trailer(end) : this.#facts(end));
    target.end(this.#body);
  }

  #trailer(end: AnswerEnd): Record<string, string> {
    return { [END_TRAILER]: ascii(JSON.stringify({ ...end, notices: this.#notices } satisfies AnswerTrailer)) };
  }

  /** The facts about the answer so far, for programs. */
  #facts({ ageMs }: Partial<AnswerEnd> = {}): Record<string, string> {
    return {
      ...(ageMs === undefined ? {} : { [AGE]: String(Math.round(ageMs)) }),
      ...(this.#notices.length > 0 ? { [NOTICES]: listWithin(this.#notices, MOST_NOTICES) } : {}),
    };
  }
}

/** A list of as many of the texts as have room. */
function listWithin(texts: readonly string[], most: number): string {
  const kept: string[] = [];
  let room = most;
  for (const text of texts) {
    const written = ascii(JSON.stringify(text));
    room -= written.length + 1;
    if (room < 0) break;
    kept.push(written);
  }
  return `[${kept.join(',')}]`;
}

/** The JSON with escapes for what no header may have. */
const ascii = (json: string) =>
  json.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
