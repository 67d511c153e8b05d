import { type Clock, systemClock } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { defaultLogger, type Logger } from '../../kit/logger.ts';
import { isConnectionReset } from '../../model/connection-error.ts';
import { isForbidden, isUnauthorized, statusOf } from '../../model/status.ts';
import { parseOrNone } from '../decode/object-decoder.ts';
import { LARGEST_OBJECT } from '../http/limits.ts';
import { isSuccess, LOG_IN, readWhole, statusErrorOf } from '../http/response.ts';
import type { Transport } from '../http/transport.ts';
import { AGGREGATED_ACCEPT, isAggregated, typesOfAggregated } from './discovery-aggregated.ts';
import {
  type ApiGroupList,
  type ApiVersions,
  groupVersionsOf,
  type ResourceList,
  typesOfLegacy,
} from './discovery-legacy.ts';
import type { DiscoverySnapshot } from './discovery-snapshot.ts';
import type { DiscoveryStore } from './discovery-store.ts';

/** Settings of a {@link Discovery}. */
export interface DiscoveryOptions {
  clock?: Clock | undefined;
  logger?: Logger | undefined;
  /** Keeps snapshots between runs. Default: none. */
  store?: DiscoveryStore | undefined;
  /** See `ServedTypes.server`. */
  server?: unknown;
}

/** A snapshot that is younger than this is not fetched again for a name that it does not have, ms. */
const FRESH_MS = 10_000;
/** The most attempts of a request whose connection breaks. Source: client-go rest/with_retry.go (maxRetries). */
const MOST_TRIES = 10;
/** The most concurrent requests when each group version needs a request of its own. */
const CONCURRENCY = 16;

/**
 * Reads the types of a server: by aggregated discovery (two requests) if the server supports it, else with one request
 * for each group version. A snapshot is kept until {@link invalidate}. Concurrent callers share one fetch.
 * Source: KEP-3352, client-go discovery.
 */
export class Discovery {
  readonly server: unknown;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #store: DiscoveryStore | undefined;
  #snapshot: DiscoverySnapshot | undefined;
  #fetching: Promise<DiscoverySnapshot> | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;

  constructor(transport: Transport, options: DiscoveryOptions = {}) {
    this.#transport = transport;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? defaultLogger;
    this.#store = options.store;
    this.server = options.server;
  }

  /** The types of the server. Rejects if none could be read; with `credentials` if the server refused these. */
  async snapshot(): Promise<DiscoverySnapshot> {
    if (this.#snapshot) return this.#snapshot;
    this.#fetching ??= this.#load().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  /** Whether the snapshot was fetched within the last ten seconds. A snapshot from the store never is fresh. */
  isFresh(): boolean {
    return this.#snapshot !== undefined && this.#clock.monotonic() - this.#fetchedAt < FRESH_MS;
  }

  /** Drops the snapshot here and in the store. The next call fetches. */
  async invalidate(): Promise<void> {
    this.#snapshot = undefined;
    await this.#store?.clear();
  }

  async #load(): Promise<DiscoverySnapshot> {
    const stored = await this.#store?.load();
    if (stored) {
      this.#snapshot = stored;
      return stored;
    }
    const snapshot = await this.#fetch();
    this.#snapshot = snapshot;
    this.#fetchedAt = this.#clock.monotonic();
    // An incomplete snapshot is used for this run only.
    if (snapshot.failures.length === 0) await this.#store?.save(snapshot);
    return snapshot;
  }

  async #fetch(): Promise<DiscoverySnapshot> {
    const [core, groups] = await Promise.allSettled([this.#get('/api'), this.#get('/apis')]);
    if (core.status === 'rejected' && groups.status === 'rejected') throw nothingDiscovered(core.reason);
    const parts = await Promise.all([this.#part(core, 'core'), this.#part(groups, 'apis')]);
    const snapshot = { types: parts.flatMap((p) => p.types), failures: parts.flatMap((p) => p.failures) };
    for (const { group, message } of snapshot.failures)
      this.#logger.warn('discovery is incomplete', { group, message });
    return snapshot;
  }

  async #part(answer: PromiseSettledResult<unknown>, group: string): Promise<DiscoverySnapshot> {
    if (answer.status === 'rejected')
      return { types: [], failures: [{ group, message: messageOf(answer.reason), error: answer.reason }] };
    return isAggregated(answer.value)
      ? typesOfAggregated(answer.value)
      : this.#legacy(answer.value as ApiVersions | ApiGroupList);
  }

  async #legacy(root: ApiVersions | ApiGroupList): Promise<DiscoverySnapshot> {
    const groupVersions = groupVersionsOf(root);
    const lists = await inParallel(groupVersions, CONCURRENCY, ({ path }) => this.#get(path) as Promise<ResourceList>);
    return typesOfLegacy(groupVersions, lists);
  }

  /** Repeats a request whose connection breaks, before or within the response, as client-go does. */
  async #get(path: string): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#getOnce(path);
      } catch (error) {
        if (tries === MOST_TRIES || !isConnectionReset(error)) throw error;
      }
    }
  }

  async #getOnce(path: string): Promise<unknown> {
    const response = await this.#transport.request({ method: 'GET', path, headers: { accept: AGGREGATED_ACCEPT } });
    if (!isSuccess(response)) throw await statusErrorOf(response, { verb: 'get' });
    const text = (await readWhole(response.body, `the answer of ${path}`, LARGEST_OBJECT)).toString('utf8');
    const answer = parseOrNone<unknown>(text);
    if (isDiscovery(answer)) return answer;
    throw new InformerError(
      'decode',
      `the answer to GET ${path} is not a list of types but ${nameOfAnswer(answer, text)}`,
      {
        hint: 'is this a Kubernetes API server, or the login page of a proxy in front of it?',
      },
    );
  }
}

const DISCOVERY_KINDS: ReadonlySet<unknown> = new Set([
  'APIGroupDiscoveryList',
  'APIVersions',
  'APIGroupList',
  'APIResourceList',
]);

const isDiscovery = (answer: unknown) => DISCOVERY_KINDS.has((answer as { kind?: unknown } | null | undefined)?.kind);

function nameOfAnswer(answer: unknown, text: string): string {
  if (answer === undefined) return /^\s*</.test(text) ? 'an HTML page' : 'text that is not JSON';
  const { kind } = (answer ?? {}) as { kind?: unknown };
  return typeof kind === 'string' ? `an object of kind ${JSON.stringify(kind)}` : `JSON without a kind`;
}

/** The error when no type could be read, with kubectl's message. An error of the connection is returned as it is. */
function nothingDiscovered(cause: unknown): unknown {
  if (isUnauthorized(cause)) {
    return new InformerError('credentials', 'You must be logged in to the server (Unauthorized)', {
      cause,
      hint: LOG_IN,
    });
  }
  const { code = 0 } = statusOf(cause) ?? {};
  if (code >= 500) {
    const hint = 'the API server, or a proxy in front of it, failed: try again';
    return new InformerError('transport', `cannot find out what the server has: ${messageOf(cause)}`, { cause, hint });
  }
  if (!isForbidden(cause)) return cause;
  return new InformerError('transport', `cannot find out what the server has: ${messageOf(cause)}`, {
    cause,
    hint: '`kubectl auth whoami` shows who the server thinks you are; the role system:discovery allows this',
  });
}

async function inParallel<A, R>(
  args: readonly A[],
  width: number,
  run: (arg: A) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = [];
  const rest = args.entries();
  const worker = async () => {
    for (const [i, arg] of rest) [results[i]] = (await Promise.allSettled([run(arg)])) as [PromiseSettledResult<R>];
  };
  await Promise.all(Array.from({ length: Math.min(width, args.length) }, worker));
  return results;
}
