import type { Transport, TransportRequest, TransportResponse } from '../../src/client/transport.ts';
import type { Random } from '../../src/kit/random.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { INITIAL_EVENTS_END } from '../../src/model/watch-event.ts';
import { recut } from './recut.ts';

/** A change that reached the client on a stream it was following. */
export interface Delivered {
  readonly type: string;
  readonly key: string;
  readonly version: string;
}

type Answer = (init: TransportRequest) => Promise<TransportResponse>;

/**
 * A transport that cuts bodies anew, and reads along: `delivered` is what a client that loses nothing must have told its handlers, by the
 * namespace that was watched ('' = all). It has a reader of its own, so that a fault of the client's cannot hide in it.
 */
export class Tap implements Transport {
  readonly requests: string[] = [];
  readonly #answer: Answer;
  readonly #random: Random;
  readonly #onRequest: (line: string) => void;
  readonly #delivered = new Map<string, Delivered[]>();
  /** Bodies that were neither read to their end nor left. */
  open = 0;
  /** Watches whose next line is spoilt on its way. */
  toSpoil = 0;

  constructor(answer: Answer, random: Random, onRequest: (line: string) => void) {
    this.#answer = answer;
    this.#random = random;
    this.#onRequest = onRequest;
  }

  async close(): Promise<void> {}

  async request(init: TransportRequest): Promise<TransportResponse> {
    const line = `${init.method} ${init.path}`;
    try {
      const response = await this.#answer(init);
      this.#onRequest(`${line} ${response.status}`);
      const body = this.#counted(recut(response.body, this.#random));
      return { ...response, body: init.stream && response.status === 200 && !isGlimpse(init) ? this.#follow(init, body) : body };
    } catch (error) {
      this.#onRequest(`${line} ${(error as Error).message}`);
      throw error;
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

  async *#follow({ path }: TransportRequest, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    const namespace = /\/namespaces\/([^/?]+)\//.exec(path)?.[1] ?? '';
    const events = this.#delivered.get(namespace) ?? [];
    this.#delivered.set(namespace, events);
    const reader = new LineReader(path.includes('sendInitialEvents=true'));
    for await (const sent of body) {
      const piece = this.#spoilt(sent);
      events.push(...reader.read(piece));
      yield piece;
    }
  }

  #spoilt(piece: Uint8Array): Uint8Array {
    if (this.toSpoil === 0) return piece;
    this.toSpoil--;
    return Buffer.from(piece).fill(1); // nowhere in JSON is this byte allowed
  }
}

/** A watch of one second beside another: what it shows is for nobody's ears. */
const isGlimpse = ({ path }: TransportRequest) => /[?&]timeoutSeconds=1(&|$)/.test(path);

/** Reads the lines of one stream; after its first broken one, or an ERROR, nothing counts any more. */
class LineReader {
  #rest = '';
  #isInitial: boolean;
  #isOver = false;
  readonly #decoder = new TextDecoder();

  constructor(isInitial: boolean) {
    this.#isInitial = isInitial;
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
