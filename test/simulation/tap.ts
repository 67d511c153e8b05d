import type { Transport, TransportRequest, TransportResponse } from '../../src/client/http/transport.ts';
import { onAbort } from '../../src/kit/abort.ts';
import type { Clock } from '../../src/kit/clock.ts';
import { InformerError } from '../../src/kit/error.ts';
import type { RandomSource } from '../../src/kit/random.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { INITIAL_EVENTS_END } from '../../src/model/watch-event.ts';
import { recut } from './recut.ts';

/** A change that reached the client on a stream that it was following. */
export interface Delivered {
  readonly type: string;
  readonly key: string;
  readonly version: string;
}

type Answer = (init: TransportRequest) => Promise<TransportResponse>;

/**
 * A transport that cuts bodies into other pieces and reads them itself. `delivered` has the changes that a client
 * without losses must have reported, by the namespace of the watch ('': all). Its reader is its own, so that an error
 * in the client cannot hide in it.
 */
export class Tap implements Transport {
  readonly requests: string[] = [];
  readonly #answer: Answer;
  readonly #random: RandomSource;
  readonly #clock: Clock;
  readonly #onRequest: (line: string) => void;
  readonly #delivered = new Map<string, Delivered[]>();
  /** The number of bodies that were neither read to their end nor cancelled. */
  open = 0;
  /** The number of watches whose next line will be damaged. */
  toSpoil = 0;
  /** The streams that are followed, by namespace. */
  readonly #followed: string[] = [];
  /** Aborts when every open connection dies. */
  #life = new AbortController();
  /** The number of idle connections that have died. */
  #idleDead = 0;
  /** The time until which nothing is answered, on the monotonic clock. */
  #deafUntil = 0;

  constructor(answer: Answer, random: RandomSource, clock: Clock, onRequest: (line: string) => void) {
    this.#answer = answer;
    this.#random = random;
    this.#clock = clock;
    this.#onRequest = onRequest;
  }

  async close(): Promise<void> {}

  async request(init: TransportRequest): Promise<TransportResponse> {
    const line = `${init.method} ${init.path}`;
    try {
      if (this.#meetsSilence(init)) {
        this.#onRequest(`${line} into silence`);
        return await this.#unanswered(init);
      }
      const life = this.#life.signal;
      const response = await this.#answer(init);
      this.#onRequest(`${line} ${response.status}`);
      const body = this.#counted(recut(this.#mortal(response.body, life, init.signal), this.#random));
      if (init.stream && isGlimpse(init)) return { ...response, body: this.#glance(init, body) };
      return { ...response, body: init.stream && response.status === 200 ? this.#follow(init, body) : body };
    } catch (error) {
      this.#onRequest(`${line} ${(error as Error).message}`);
      throw error;
    }
  }

  /**
   * Makes every open connection die without a sign: it brings nothing more and does not end. The next `idle` requests
   * die too, unless they use a new connection, and until `deafUntil` those as well.
   */
  breakSilently(idle: number, deafUntil: number): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#idleDead = idle;
    this.#deafUntil = deafUntil;
  }

  heal(): void {
    this.#idleDead = 0;
    this.#deafUntil = 0;
  }

  /**
   * When the server last answered a second watch of a namespace that its version is forgotten, on the monotonic clock.
   */
  readonly forgotten = new Map<string, number>();

  /** Whether a stream of a namespace is being read. */
  isFollowing(namespace: string): boolean {
    return this.#followed.includes(namespace);
  }

  /** Fails like a client's connection: no answer for some time is an error. */
  #unanswered({ stream, signal }: TransportRequest): Promise<never> {
    const timedOut = Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' });
    return new Promise((_, reject) => {
      const timer = this.#clock.after(stream ? 10_000 : 75_000, () =>
        reject(new InformerError('transport', 'no answer', { cause: timedOut })),
      );
      silence(signal).catch((reason) => {
        timer.cancel();
        reject(reason);
      });
    });
  }

  #meetsSilence({ fresh }: TransportRequest): boolean {
    if (this.#clock.monotonic() < this.#deafUntil) return true;
    if (fresh || this.#idleDead === 0) return false;
    this.#idleDead--;
    return true;
  }

  async *#mortal(
    body: AsyncIterable<Uint8Array>,
    life: AbortSignal,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array, void, void> {
    const iterator = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = iterator.next();
        next.catch(() => {}); // on a dead connection not even an end arrives
        const piece = life.aborted ? await silence(signal) : await until(life, next, () => silence(signal));
        if (piece.done) return;
        yield piece.value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  delivered(namespace: string): readonly Delivered[] {
    return this.#delivered.get(namespace) ?? [];
  }

  async *#counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    this.open++;
    try {
      yield* body;
    } finally {
      this.open--;
    }
  }

  async *#glance({ path }: TransportRequest, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    let text = '';
    for await (const piece of body) {
      text += Buffer.from(piece).toString('latin1');
      if (text.includes('"code":410')) this.forgotten.set(namespaceOf(path), this.#clock.monotonic());
      yield piece;
    }
  }

  async *#follow({ path }: TransportRequest, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    const namespace = namespaceOf(path);
    const events = this.#delivered.get(namespace) ?? [];
    this.#delivered.set(namespace, events);
    const isInitial = path.includes('sendInitialEvents=true');
    const reader = new LineReader(isInitial, isInitial ? 0 : Number(/[?&]resourceVersion=(\d+)/.exec(path)?.[1] ?? 0));
    this.#followed.push(namespace);
    try {
      for await (const sent of body) {
        const piece = this.#spoilt(sent);
        events.push(...reader.read(piece));
        yield piece;
      }
    } finally {
      this.#followed.splice(this.#followed.indexOf(namespace), 1);
    }
  }

  #spoilt(piece: Uint8Array): Uint8Array {
    if (this.toSpoil === 0) return piece;
    this.toSpoil--;
    return Buffer.from(piece).fill(1); // this byte is not allowed anywhere in JSON
  }
}

const namespaceOf = (path: string) => /\/namespaces\/([^/?]+)\//.exec(path)?.[1] ?? '';

/** Whether a request is a second watch of one second, whose events reach no handler. */
const isGlimpse = ({ path }: TransportRequest) => /[?&]timeoutSeconds=1(&|$)/.test(path);

/** Settles like `promise`, unless the life ends first; then like `otherwise`. */
function until<T>(life: AbortSignal, promise: Promise<T>, otherwise: () => Promise<never>): Promise<T> {
  return new Promise((resolve, reject) => {
    const ending = onAbort(life, () => otherwise().catch(reject));
    const end = () => ending[Symbol.dispose]();
    promise.then(
      (value) => {
        end();
        if (!life.aborted) resolve(value);
      },
      (error) => {
        end();
        if (!life.aborted) reject(error);
      },
    );
  });
}

/** The result of a request or a stream on a dead connection: nothing, until the client gives up. */
function silence(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal) onAbort(signal, () => reject(signal.reason));
  });
}

/**
 * Reads the lines of one stream. Nothing counts after its first broken line, an ERROR, or a line whose version is
 * before the position that the stream continues.
 */
class LineReader {
  #rest = '';
  #isInitial: boolean;
  #isOver = false;
  /** The version that the stream has reached. */
  #reached: number;
  readonly #decoder = new TextDecoder();

  constructor(isInitial: boolean, since: number) {
    this.#isInitial = isInitial;
    this.#reached = since;
  }

  read(piece: Uint8Array): Delivered[] {
    const lines = (this.#rest + this.#decoder.decode(piece, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    const events = lines.map(parse);
    if (this.#isOver) return [];
    const broken = events.indexOf(undefined);
    if (broken === -1) return events.flatMap((event) => (event ? this.#take(event) : []));
    const whole = events.slice(0, broken).flatMap((event) => (event ? this.#take(event) : []));
    this.#isOver = true;
    return whole;
  }

  #take({ type, object }: Line): Delivered[] {
    if (this.#isOver) return [];
    if (type === 'ERROR') this.#isOver = true;
    const { namespace, name, resourceVersion = '', annotations } = object.metadata;
    const isLive = !this.#isInitial;
    if (isLive && type !== 'ERROR' && Number(resourceVersion) < this.#reached) {
      this.#isOver = true;
      return [];
    }
    if (isLive || type === 'BOOKMARK') this.#reached = Number(resourceVersion);
    if (type === 'BOOKMARK' && annotations?.[INITIAL_EVENTS_END] === 'true') this.#isInitial = false;
    if (!isLive || type === 'BOOKMARK' || type === 'ERROR') return [];
    return [{ type, key: namespace ? `${namespace}/${name}` : `${name}`, version: resourceVersion }];
  }
}

interface Line {
  type: string;
  object: KubeObject;
}

function parse(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
}
