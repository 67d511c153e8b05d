import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { abortable, scope } from '../../kit/abort.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { sameGvr } from '../../model/gvr.ts';
import type { Status } from '../../model/status.ts';
import { parseCollectionPath } from '../collection-path.ts';
import { MANAGED_FIELDS_HEADER, PROTOCOL_HEADER, PROTOCOL_VERSION } from '../protocol.ts';
import { cachedList, cachedWatch } from './answers.ts';
import { HeldCollection, type HeldType } from './held-collection.ts';
import { readRequestOf } from './read-request.ts';
import { Refusal, unserved } from './refusal.ts';

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
  readonly #collections: HeldCollection[] = [];

  constructor({ clock, patienceMs = PATIENCE_MS }: WatchCachesOptions) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  /** Answers for a type from now on, once its informer has synced. Disposal ends that, and its watches. */
  add(held: HeldType): Disposable {
    const collection = new HeldCollection(held);
    this.#collections.push(collection);
    return {
      [Symbol.dispose]: () => {
        this.#collections.splice(this.#collections.indexOf(collection), 1);
        collection[Symbol.dispose]();
      },
    };
  }

  /** Whether a path is for this, and not for another part of a serve. */
  takes(url: string): boolean {
    return url.startsWith('/api/') || url.startsWith('/apis/');
  }

  /** Answers one request. Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    using ending = scope();
    response.on('error', () => {}); // of a client that is gone
    response.on('close', () => ending.abort());
    response.setHeader(PROTOCOL_HEADER, String(PROTOCOL_VERSION));
    response.setHeader('content-type', 'application/json');
    try {
      const chunks = await this.#chunksFor(request, ending.signal);
      response.flushHeaders();
      for await (const chunk of chunks) await this.#write(response, chunk, ending.signal);
      response.end();
    } catch (error) {
      if (error instanceof Refusal && !response.headersSent) refuse(response, error.status);
      else response.destroy();
    }
  }

  async #chunksFor(request: IncomingMessage, signal: AbortSignal): Promise<Iterable<string> | AsyncIterable<string>> {
    const asked = request.method === 'GET' ? parseCollectionPath(request.url ?? '') : undefined;
    if (!asked) return unserved('only lists and watches of collections are answered here');
    const held = this.#collections.find(({ type }) => sameGvr(type.gvr, asked.gvr));
    if (!held) return unserved('this type is not cached');
    const part = held.partFor(asked.namespace);
    if (!part)
      return unserved(asked.namespace === undefined ? 'not all namespaces are cached' : 'this namespace is not cached');
    if (request.headers[MANAGED_FIELDS_HEADER] === 'true' && !held.keepsManagedFields)
      return unserved('managedFields are not cached');
    const read = readRequestOf(asked, request.headers.accept ?? '', held);
    const context = { clock: this.#clock, signal };
    return read.isWatch ? cachedWatch(part, read, context) : cachedList(part, read, context);
  }

  async #write(response: ServerResponse, chunk: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (response.write(chunk)) return;
    using _ = this.#clock.after(this.#patienceMs, () =>
      response.destroy(new InformerError('closed', 'the client has read nothing')),
    );
    await abortable(once(response, 'drain'), signal);
  }
}

function refuse(response: ServerResponse, status: Status): void {
  const body = JSON.stringify(status);
  response.writeHead(status.code ?? 500, { 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
