import type { CallContext, ListerWatcher } from '../../src/informer/watch/lister-watcher.ts';
import { Bell } from '../../src/kit/bell.ts';
import type { ListOptions, WatchOptions } from '../../src/model/list-options.ts';
import type { KubeObject, ListPage } from '../../src/model/object.ts';
import { failure, type Status, StatusError } from '../../src/model/status.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../../src/model/watch-event.ts';

type Event<T> = WatchEvent<T>;

/** A watch under the test's control: what is sent arrives, in the batches it was sent in. */
export class ScriptedStream<T> implements AsyncIterable<readonly Event<T>[]> {
  readonly #batches: (readonly Event<T>[])[] = [];
  readonly #bell = new Bell();
  #end: { error?: unknown } | undefined;
  /** The reader has left. */
  isLeft = false;

  send(...events: Event<T>[]): this {
    this.#batches.push(events);
    this.#bell.wake();
    return this;
  }

  close(): this {
    this.#end = {};
    this.#bell.wake();
    return this;
  }

  break(error: unknown): this {
    this.#end = { error };
    this.#bell.wake();
    return this;
  }

  /** Batches that were not read yet. */
  get unread(): number {
    return this.#batches.length;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Event<T>[]> {
    try {
      for (;;) {
        const batch = this.#batches.shift();
        if (batch) yield batch;
        else if (!this.#end) await this.#bell.wait();
        else if (this.#end.error) throw this.#end.error;
        else return;
      }
    } finally {
      this.isLeft = true;
    }
  }
}

type Answer<T, O> = (options: O, context: CallContext) => T | Promise<T>;
export type Request = ({ verb: 'list' | 'probe' } & ListOptions) | ({ verb: 'watch' | 'glimpse' } & WatchOptions);

/**
 * What a reflector meets below HTTP: pages, batches of events and errors, each at the step a test gives it.
 *
 * It is no server: it keeps no objects and no history, and answers whatever was written down. The sandbox cannot serve
 * where it is used: for sequences that no correct server sends (an event of an unknown type, an object without a
 * version, a bookmark that is not one, the same token twice), for errors at an exact step, and where what counts is
 * which events came in one batch or how many wait unread. How the same code fares with a server is shown over the
 * sandbox: test/simulation, and whatever uses support/in-process.ts.
 *
 * Answers one entry per request. When only one function is left it answers again and again; a stream
 * is given out once, and where there is none left a silent one.
 * `requests` is what was asked, in order; unset options are left out.
 */
export class ScriptedListerWatcher<T> implements ListerWatcher<T> {
  readonly requests: Request[] = [];
  readonly #lists: Answer<ListPage<T>, ListOptions>[] = [];
  readonly #probes: Answer<ListPage<unknown>, ListOptions>[] = [];
  readonly #glimpses: ScriptedStream<T>[] = [];
  readonly #watches: (Answer<AsyncIterable<readonly Event<T>[]>, WatchOptions> | ScriptedStream<T>)[] = [];
  unsupported: boolean | undefined;

  onList(...answers: Answer<ListPage<T>, ListOptions>[]): this {
    this.#lists.push(...answers);
    return this;
  }

  onWatch(...answers: (Answer<AsyncIterable<readonly Event<T>[]>, WatchOptions> | ScriptedStream<T>)[]): this {
    this.#watches.push(...answers);
    return this;
  }

  /**
   * Answers to lists of one by which a reflector asks where the server is. Unless said the server is far ahead and
   * shows nothing.
   */
  onProbe(...answers: Answer<ListPage<unknown>, ListOptions>[]): this {
    this.#probes.push(...answers);
    return this;
  }

  /** What watches of one second show, opened beside a silent one. Unless said: nothing. */
  onGlimpse(...answers: ScriptedStream<T>[]): this {
    this.#glimpses.push(...answers);
    return this;
  }

  supportsStreamingLists(): boolean {
    return !(this.unsupported ?? false);
  }

  async list(options: ListOptions, context: CallContext): Promise<ListPage<T>> {
    this.requests.push({ verb: 'list', ...set(options) });
    const answer = next(this.#lists);
    if (!answer) throw new Error(`no script answers a LIST ${JSON.stringify(options)}`);
    return answer(options, context);
  }

  async probe(options: ListOptions, context: CallContext): Promise<ListPage<unknown>> {
    this.requests.push({ verb: 'probe', ...set(options) });
    return next(this.#probes)?.(options, context) ?? page(FAR_AHEAD);
  }

  async watch(options: WatchOptions, context: CallContext): Promise<AsyncIterable<readonly Event<T>[]>> {
    if (options.timeoutSeconds === 1) {
      this.requests.push({ verb: 'glimpse', ...set(options) });
      return this.#glimpses.shift() ?? new ScriptedStream<T>().close();
    }
    this.requests.push({ verb: 'watch', ...set(options) });
    const answer = next(this.#watches);
    return typeof answer === 'function' ? answer(options, context) : (answer ?? new ScriptedStream<T>());
  }

  get lists(): (Request & { verb: 'list' })[] {
    return this.requests.filter((r): r is Request & { verb: 'list' } => r.verb === 'list');
  }

  get watches(): (Request & { verb: 'watch' })[] {
    return this.requests.filter((r): r is Request & { verb: 'watch' } => r.verb === 'watch');
  }

  /**
   * Verb and version of each request: `list 0`, `watch 10`, `stream` for a streaming list, `probe` for a list of one.
   * Without glimpses.
   */
  get trace(): string[] {
    const requests = this.requests.filter((r) => r.verb !== 'glimpse');
    return requests.map((r) => {
      const verb = r.verb === 'watch' && r.sendInitialEvents ? 'stream' : r.verb;
      return `${verb} ${r.resourceVersion ?? ''}`.trim();
    });
  }
}

const FAR_AHEAD = '1000000';

function next<A>(script: A[]): A | undefined {
  return script.length > 1 || script[0] instanceof ScriptedStream ? script.shift() : script[0];
}

function set<O extends object>(options: O): O {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== '')) as O;
}

export function page<T>(resourceVersion: string, items: T[] = [], more: Partial<ListPage<T>> = {}): ListPage<T> {
  return { items, resourceVersion, ...more };
}

export const added = <T>(object: T): Event<T> => ({ type: 'ADDED', object });
export const modified = <T>(object: T): Event<T> => ({ type: 'MODIFIED', object });
export const deleted = <T>(object: T): Event<T> => ({ type: 'DELETED', object });

export function bookmark(resourceVersion: string | number, annotations?: Record<string, string>): Event<never> {
  const object: KubeObject = {
    metadata: { resourceVersion: String(resourceVersion), ...(annotations ? { annotations } : {}) },
  };
  return { type: 'BOOKMARK', object };
}

/** The bookmark that ends the initial events. */
export const initialEnd = (resourceVersion: string | number) =>
  bookmark(resourceVersion, { [INITIAL_EVENTS_END]: 'true' });

export const errorEvent = (status: Status): Event<never> => ({ type: 'ERROR', object: status });

export const expired = () => failure(410, 'Expired', 'too old resource version: 1 (2)');
export const throttled = (retryAfterSeconds?: number) =>
  failure(
    429,
    'TooManyRequests',
    'too many requests',
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  );
export const invalid = () => failure(422, 'Invalid', 'ListOptions is invalid: sendInitialEvents: Forbidden');
export const tooLarge = () =>
  failure(504, 'Timeout', 'Timeout: Too large resource version: 99, current: 9', {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
export const internal = () => failure(500, 'InternalError', 'etcd is having a day');

/** An answer that fails with this Status. */
export const refuse = (status: Status) => () => Promise.reject(new StatusError(status));

export function networkError(code: string): Error {
  return Object.assign(new Error(`connect ${code} 127.0.0.1:6443`), { code });
}

export const unreachable =
  (code = 'ECONNREFUSED') =>
  () =>
    Promise.reject(networkError(code));
