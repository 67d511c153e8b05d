import type { Writable } from 'node:stream';
import { abortable } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import type { StreamedAnswer, WholeAnswer } from '../../kit/http-listener.ts';
import { mediaTypeOf } from '../../output/formats.ts';
import { type EndFrame, type ErrorFrame, UNSERVED } from '../../serve/protocol.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import type { AnswerOutlet } from './answer-request.ts';
import { jsonError, PROTOCOL } from './routes.ts';

/** A body that is larger is streamed, in UTF-16 units: an error after that cuts the connection. */
const MOST_GATHERED = 256 * 1024;
/** The longest time that a reader may take nothing, ms. */
const PATIENCE_MS = 60_000;
/** The longest header with notices. */
const MOST_NOTICES = 4000;

const AGE = 'kubectl-informer-age-ms';
const NOTICES = 'kubectl-informer-notices';

/**
 * An answer as the body of an HTTP response, for programs. An error has a status, as JSON. The age of the answer is in
 * the header `kubectl-informer-age-ms`, what a person should know of it in `kubectl-informer-notices`. A large answer
 * has them in trailers, because its head is sent before they are known.
 */
export class HttpAnswer implements AnswerOutlet {
  readonly #clock: Clock;
  readonly #type: string;
  readonly #gone = new AbortController();
  readonly #notices: string[] = [];
  readonly #begun = Promise.withResolvers<void>();
  readonly #target = Promise.withResolvers<Writable>();
  #body = '';
  #isLarge = false;
  #error: ErrorFrame | undefined;
  #unserved: string | undefined;
  #end: EndFrame | undefined;

  constructor(clock: Clock, format: string) {
    this.#clock = clock;
    this.#type = mediaTypeOf(format);
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  async out(text: string): Promise<void> {
    this.#body += text;
    if (this.#body.length <= MOST_GATHERED) return;
    this.#isLarge = true;
    this.#begun.resolve();
    const target = await abortable(this.#target.promise, this.signal);
    const piece = this.#body;
    this.#body = '';
    if (target.write(piece)) return;
    const drained = new Promise<void>((resolve) => void target.once('drain', resolve));
    using _ = this.#clock.after(PATIENCE_MS, () =>
      this.#gone.abort(new InformerError('closed', `the caller has read nothing for ${PATIENCE_MS / 1000}s`)),
    );
    await abortable(drained, this.signal);
  }

  notice(text: string): void {
    this.#notices.push(text);
  }

  error(error: ErrorFrame): void {
    this.#error ??= error;
  }

  unserved(reason: string): void {
    this.#unserved = reason;
    this.#begun.resolve();
  }

  end(end: EndFrame): void {
    this.#end = end;
    this.#begun.resolve();
  }

  /** The response, once it is known what it is. `answering` makes the answer, to its end. */
  async response(answering: Promise<void>): Promise<WholeAnswer | StreamedAnswer> {
    await Promise.race([this.#begun.promise, answering]);
    if (this.#isLarge) {
      const stream: StreamedAnswer['stream'] = (target) => this.#streamTo(target, answering);
      return {
        status: 200,
        type: this.#type,
        headers: { ...PROTOCOL, ...this.#facts(), trailer: `${AGE}, ${NOTICES}` },
        stream,
      };
    }
    if (this.#unserved !== undefined)
      return jsonError(UNSERVED, this.#unserved, 'ask the cluster itself; POST /v1/types adds a type');
    if (this.#error) return jsonError(statusOf(this.#error), this.#error.message, this.#error.hint);
    return { status: 200, type: this.#type, headers: { ...PROTOCOL, ...this.#facts() }, body: this.#body };
  }

  async #streamTo(target: Parameters<StreamedAnswer['stream']>[0], answering: Promise<void>): Promise<void> {
    target.once('close', () => this.#gone.abort(new InformerError('closed', 'the caller has gone')));
    this.#target.resolve(target);
    await answering;
    if (this.#error) throw new InformerError('terminal', this.#error.message); // the connection is cut
    target.write(this.#body);
    target.addTrailers?.(this.#facts());
    target.end();
  }

  /** The facts about the answer so far. */
  #facts(): Record<string, string> {
    const ageMs = this.#end?.ageMs;
    return {
      ...(ageMs === undefined ? {} : { [AGE]: String(Math.round(ageMs)) }),
      ...(this.#notices.length > 0 ? { [NOTICES]: asciiJson(this.#notices) } : {}),
    };
  }
}

/** As many of the texts as have room. A header has ASCII only. */
function asciiJson(texts: readonly string[]): string {
  const code = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const written = texts.map((text) => JSON.stringify(text).replace(/[^\x20-\x7e]/g, code));
  const kept: string[] = [];
  for (let room = MOST_NOTICES; kept.length < written.length; ) {
    const next = written[kept.length] as string;
    room -= next.length + 1;
    if (room < 0) break;
    kept.push(next);
  }
  return `[${kept.join(',')}]`;
}

function statusOf({ exitCode, message }: ErrorFrame): number {
  if (message.includes('(NotFound)')) return 404;
  if (exitCode === ExitCode.usage) return 400;
  return exitCode === ExitCode.timeout || exitCode === ExitCode.continuity ? 504 : 502;
}
