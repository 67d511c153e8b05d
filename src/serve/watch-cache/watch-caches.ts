import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { abortable, type Scope, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { type CollectionPath, parseCollectionPath } from '../../model/collection-path.ts';
import { type GroupVersionResource, sameGvr } from '../../model/gvr.ts';
import type { Status } from '../../model/status.ts';
import { MANAGED_FIELDS_HEADER } from '../protocol.ts';
import { cachedList, cachedWatch } from './answers.ts';
import { CachedCollection, type CachedTypeOptions } from './cached-collection.ts';
import { readRequestOf } from './read-request.ts';
import { Refusal, unserved } from './refusal.ts';

/** A request as it arrives over a socket. */
export interface CacheRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: {
    readonly accept?: string | undefined;
    readonly [name: string]: string | readonly string[] | undefined;
  };
}

export interface WatchCachesOptions {
  readonly clock: Clock;
  /** How long a client may read nothing before it is cut off, ms. */
  readonly patienceMs?: number | undefined;
}

/** Within it a client that reads finds some time; what waits for it meanwhile is one chunk. */
const PATIENCE_MS = 60_000;

/**
 * Answers LIST and WATCH of the Kubernetes API from the caches of a serve, as an API server would: for a private socket,
 * because the values of Secrets are in the answers. What it cannot answer so is refused with 421, and belongs to the
 * cluster. A client costs no memory but one chunk: one that falls behind the kept history gets 410, one that reads
 * nothing for a minute is cut off.
 */
export class WatchCaches {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #types = new Set<CachedType>();

  constructor({ clock, patienceMs = PATIENCE_MS }: WatchCachesOptions) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  /**
   * Answers for a type from now on. It costs nothing until the first request for it; from then on the last changes are
   * kept. Disposal ends that, and its watches.
   */
  add(options: CachedTypeOptions): Disposable {
    const cached = new CachedType(options);
    this.#types.add(cached);
    return {
      [Symbol.dispose]: () => {
        this.#types.delete(cached);
        cached[Symbol.dispose]();
      },
    };
  }

  /** Whether a path is for this, and not for another part of a serve. */
  takes(url: string): boolean {
    return url.startsWith('/api/') || url.startsWith('/apis/');
  }

  /**
   * Answers a GET: the refusal of it, or what writes the answer. `write` resolves when the answer is over or its client
   * has gone, and never rejects; it reads no further than the client does.
   */
  async answer({ method, url, headers }: CacheRequest): Promise<Status | ((body: Writable) => Promise<void>)> {
    const ending = scope();
    try {
      const chunks = await this.#chunksFor(
        method === 'GET' ? parseCollectionPath(url) : undefined,
        headers,
        ending.signal,
      );
      return (body) => this.#write(body, chunks, ending);
    } catch (error) {
      ending[Symbol.dispose]();
      if (error instanceof Refusal) return error.status;
      throw error;
    }
  }

  async #chunksFor(
    asked: CollectionPath | undefined,
    headers: CacheRequest['headers'],
    signal: AbortSignal,
  ): Promise<Iterable<string> | AsyncIterable<string>> {
    if (!asked) return unserved('only lists and watches of collections are answered here');
    const cached = [...this.#types].find(({ gvr }) => sameGvr(gvr, asked.gvr));
    if (!cached) return unserved('this type is not cached');
    const collection = cached.collection;
    const part = collection.partFor(asked.namespace);
    if (!part)
      return unserved(asked.namespace === undefined ? 'not all namespaces are cached' : 'this namespace is not cached');
    if (headers[MANAGED_FIELDS_HEADER] === 'true' && !collection.keepsManagedFields)
      return unserved('managedFields are not cached');
    const { accept = '' } = headers;
    const read = readRequestOf(asked, accept, collection);
    const context = { clock: this.#clock, signal };
    return read.isWatch ? cachedWatch(part, read, context) : cachedList(part, read, context);
  }

  async #write(body: Writable, chunks: Iterable<string> | AsyncIterable<string>, ending: Scope): Promise<void> {
    const { signal } = ending;
    body.on('error', () => {}); // of a client that has gone
    body.on('close', () => ending.abort());
    try {
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        if (body.write(chunk)) continue;
        using _ = this.#clock.after(this.#patienceMs, () =>
          body.destroy(new InformerError('closed', 'the client has read nothing')),
        );
        await abortable(once(body, 'drain'), signal);
      }
      body.end();
    } catch {
      body.destroy();
    } finally {
      ending[Symbol.dispose]();
    }
  }
}

/** A type whose changes are kept once they are asked for. */
class CachedType implements Disposable {
  readonly #options: CachedTypeOptions;
  #collection: CachedCollection | undefined;

  constructor(options: CachedTypeOptions) {
    this.#options = options;
  }

  get gvr(): GroupVersionResource {
    return this.#options.type.gvr;
  }

  get collection(): CachedCollection {
    this.#collection ??= new CachedCollection(this.#options);
    return this.#collection;
  }

  [Symbol.dispose](): void {
    this.#collection?.[Symbol.dispose]();
  }
}
