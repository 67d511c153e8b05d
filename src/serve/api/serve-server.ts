import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kit/clock.ts';
import { isInformerError, messageOf } from '../../kit/error.ts';
import type { ServerRequest, StreamedAnswer, WholeAnswer } from '../../kit/http-listener.ts';
import type { AnswerSink } from '../../query/answer/answer-sink.ts';
import {
  type AnswerEnd,
  type AnswerError,
  isThisProtocol,
  PROTOCOL_HEADER,
  PROTOCOL_VERSION,
  protocolError,
  QUERY_PATH,
  type QueryRequest,
} from '../protocol.ts';
import type { WatchCaches } from '../watch-cache/watch-caches.ts';
import { refuseBeyondRights, seesMarks } from './caller-rights.ts';
import { HttpAnswer } from './http-answer.ts';
import type { Lookups } from './lookups.ts';
import { type CallerAccess, json, jsonError, ndjson, routed, type ServeRoutes } from './routes.ts';

/** Where an answer goes. */
export interface AnswerOutlet extends AnswerSink {
  /** Aborts when the answer has no reader any more. */
  readonly signal: AbortSignal;
}

/** Reads questions of `query`, and answers them. */
export interface ServeAnswers {
  /** Reads a question as JSON. Throws `argument`. */
  parse(text: string): QueryRequest;
  /** Reads a question as the parameters of a URL. Throws `argument`. */
  ofParameters(parameters: URLSearchParams): QueryRequest;
  mediaTypeOf(question: QueryRequest): string;
  /** The HTTP status for an error of an answer. */
  statusOf(error: AnswerError): number;
  /**
   * Writes the answer to a question, and resolves with its end. `isMasked`: expressions see marks in place of values of
   * Secrets. Rejects only when the reader is gone.
   */
  answer(question: QueryRequest, outlet: AnswerOutlet, isMasked: boolean): Promise<AnswerEnd>;
}

export interface ServeServerOptions {
  readonly clock: Clock;
  readonly questions: ServeAnswers;
  readonly lookups: Lookups;
  /** Answers the paths that no route has. */
  other(request: ServerRequest): Promise<WholeAnswer>;
  /** Whether callers on a port may see values of Secrets. */
  readonly showsSecrets: boolean;
  /** The status that `serve status` shows. */
  status(): object;
  /** Holds more types and indexes. Resolves with what is cached then. */
  add(words: readonly string[], indexes: readonly string[]): Promise<object>;
  /** Ends the serve. */
  stop(): void;
  /** The caches that answer lists and watches of the Kubernetes API, on the private socket. */
  readonly caches: WatchCaches;
  /** Further paths. */
  readonly routes?: ServeRoutes | undefined;
}

/** Answers the clients of a serve, and knows when it last had one. */
export class ServeServer {
  readonly #options: ServeServerOptions;
  readonly #routes: ServeRoutes;
  /** Names this run: a client can see that another serve has taken its place. */
  readonly #run = randomBytes(4).toString('hex');
  #open = 0;
  #lastUse: number;

  constructor(options: ServeServerOptions) {
    this.#options = options;
    this.#lastUse = options.clock.monotonic();
    this.#routes = {
      [QUERY_PATH]: { methods: ['GET', 'POST'], answer: (request, url, access) => this.#query(request, url, access) },
      '/v1/lookup': {
        methods: ['POST'],
        answer: ({ chunks }, _, access) =>
          ndjson((body) => options.lookups.stream(chunks, body, seesMarks(access, options))),
      },
      '/v1/types': { methods: ['GET', 'POST'], answer: (request) => this.#types(request) },
      '/v1/status': { methods: ['GET'], answer: () => json({ run: this.#run, ...options.status() }) },
      '/v1/stop': { methods: ['POST'], access: 'private', answer: () => this.#stop() },
      ...options.routes,
    };
  }

  /** How long no client has been there, ms. */
  get idleMs(): number {
    return this.#open > 0 ? 0 : this.#options.clock.monotonic() - this.#lastUse;
  }

  async answer(request: ServerRequest, access: CallerAccess): Promise<WholeAnswer | StreamedAnswer> {
    const { caches } = this.#options;
    const answer = await this.#used(() =>
      access === 'private' && caches.takes(request.url)
        ? this.#read(request)
        : routed(this.#routes, access, request, this.#options.other),
    );
    if (!('stream' in answer)) return answer;
    return { ...answer, stream: (body) => this.#used(() => answer.stream(body)) };
  }

  async #used<R>(run: () => Promise<R>): Promise<R> {
    this.#open++;
    try {
      return await run();
    } finally {
      this.#open--;
      this.#lastUse = this.#options.clock.monotonic();
    }
  }

  async #read({ method, url, headers }: ServerRequest): Promise<WholeAnswer | StreamedAnswer> {
    const answer = await this.#options.caches.answer({ method, url, headers });
    if (typeof answer !== 'function') return json(answer, answer.code);
    const head = { status: 200, type: 'application/json', headers: { [PROTOCOL_HEADER]: String(PROTOCOL_VERSION) } };
    return { ...head, stream: answer };
  }

  async #query(
    request: ServerRequest,
    { searchParams }: URL,
    access: CallerAccess,
  ): Promise<WholeAnswer | StreamedAnswer> {
    const { method, headers, takesTrailers, signal } = request;
    const theirs = headers[PROTOCOL_HEADER];
    if (theirs !== undefined && !isThisProtocol(theirs)) {
      const { message, hint } = protocolError(String(theirs), 'the asking program');
      return jsonError(400, message, hint);
    }
    const text = method === 'POST' ? await request.text() : '';
    if (text === undefined) return jsonError(413, 'the question is too large');
    const { clock, questions } = this.#options;
    try {
      const question = method === 'POST' ? questions.parse(text) : questions.ofParameters(searchParams);
      refuseBeyondRights(question, access, this.#options);
      const outlet = new HttpAnswer({
        clock,
        type: questions.mediaTypeOf(question),
        statusOf: questions.statusOf,
        takesTrailers,
        isForCommand: theirs !== undefined && takesTrailers,
        signal,
      });
      return await outlet.response(questions.answer(question, outlet, seesMarks(access, this.#options)));
    } catch (error) {
      return badRequest(error);
    }
  }

  async #types(request: ServerRequest): Promise<WholeAnswer> {
    if (request.method !== 'POST') return json(this.#options.status());
    let asked: ReturnType<typeof readTypes>;
    try {
      asked = readTypes(await request.text());
    } catch (error) {
      return badRequest(error);
    }
    return json(await this.#options.add(asked.words, asked.indexes));
  }

  #stop(): WholeAnswer {
    void this.#options.clock.yield().then(() => this.#options.stop()); // after the answer
    return json({ stopping: true });
  }
}

const badRequest = (error: unknown) =>
  jsonError(400, messageOf(error), isInformerError(error) ? error.hint : undefined);

function readTypes(text = ''): { words: readonly string[]; indexes: readonly string[] } {
  const { words = [], indexes = [] } = (JSON.parse(text) ?? {}) as { words?: unknown; indexes?: unknown };
  if (!isTextList(words) || !isTextList(indexes)) throw new Error('words and indexes are lists of texts');
  return { words, indexes };
}

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
