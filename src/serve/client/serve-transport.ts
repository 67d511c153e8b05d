import type { IncomingMessage } from 'node:http';
import { readWhole } from '../../client/http/response.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../client/http/transport.ts';
import { builtin } from '../../kit/builtin.ts';
import type { Clock } from '../../kit/clock.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { afterOwnTime } from '../../kit/own-time.ts';
import { parseCollectionPath } from '../../model/collection-path.ts';
import { isConnectionRefused } from '../../model/connection-error.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { FoundServe } from '../find.ts';
import {
  isThisProtocol,
  MANAGED_FIELDS_HEADER,
  PROTOCOL_HEADER,
  PROTOCOL_VERSION,
  protocolError,
  UNSERVED,
} from '../protocol.ts';

export interface ServeTransportOptions {
  readonly serve: FoundServe;
  /** The transport for requests that the serve cannot answer, and for all once the serve has ended. */
  readonly direct: Transport;
  readonly clock: Clock;
  readonly needsManagedFields: boolean;
  /** No line says that the serve answers; what it does not answer is said. */
  readonly isQuiet: boolean;
  /** Removes the socket of a serve that listens no more. Returns a line for a person; undefined if one listens again. */
  forgetKilled(serve: FoundServe): Promise<string | undefined>;
  /** Gets lines for a person, each once. */
  notice(text: string): void;
}

/** How long a serve may take for the head of an answer, ms. */
const HEAD_MS = 5_000;
const LARGEST_REASON = 64 * 1024;

/**
 * Sends lists and watches of collections to a running serve, and all other requests to the cluster. What the serve
 * cannot answer goes to the cluster too; so does everything once the serve ends or stops to answer. Its versions are
 * those of the cluster, so a watch is resumed there with nothing missed.
 */
export function serveTransport(options: ServeTransportOptions): Transport {
  return new ServeTransport(options);
}

class ServeTransport implements Transport {
  readonly #options: ServeTransportOptions;
  readonly #said = new Set<string>();
  #isGone = false;

  constructor(options: ServeTransportOptions) {
    this.#options = options;
  }

  async request(init: TransportRequest): Promise<TransportResponse> {
    const { direct, serve, isQuiet } = this.#options;
    const asked = init.method === 'GET' && !this.#isGone ? parseCollectionPath(init.path) : undefined;
    if (!asked) return direct.request(init);
    const { pid } = serve.about;
    try {
      const response = await this.#ask(init);
      if (response.status !== UNSERVED) {
        if (!isQuiet) this.#say(`from serve (pid ${pid})`);
        return response;
      }
      const { message } = JSON.parse(
        (await readWhole(response.body, 'the refusal of a serve', LARGEST_REASON)).toString('utf8'),
      ) as { message: string };
      this.#say(`${formatGroupResource(asked.gvr)} from the cluster, not from serve (pid ${pid}): ${message}`);
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason;
      const isFirst = !this.#isGone;
      this.#isGone = true;
      const killed = isFirst && isConnectionRefused(error) ? await this.#options.forgetKilled(serve) : undefined;
      if (killed !== undefined) this.#say(killed);
      if (killed !== undefined || !isFirst) return direct.request(init);
      const hint = isInformerError(error) && error.hint !== undefined ? ` (${error.hint})` : '';
      this.#say(`from the cluster, not from serve (pid ${pid}) any more: ${messageOf(error)}${hint}`);
    }
    return direct.request(init);
  }

  close(): Promise<void> {
    return this.#options.direct.close();
  }

  #say(text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.#options.notice(text);
  }

  #ask({ path, headers, signal }: TransportRequest): Promise<TransportResponse> {
    const { serve, clock, needsManagedFields } = this.#options;
    return new Promise((resolve, reject) => {
      const request = builtin.http().request(
        {
          socketPath: serve.socket,
          path,
          agent: false,
          headers: {
            ...headers,
            [PROTOCOL_HEADER]: String(PROTOCOL_VERSION),
            ...(needsManagedFields ? { [MANAGED_FIELDS_HEADER]: 'true' } : {}),
          },
          signal,
        },
        (response) => {
          timer.cancel();
          const version = response.headers[PROTOCOL_HEADER];
          if (isThisProtocol(version)) resolve(responseOf(response));
          else {
            reject(protocolError(version?.toString(), `the serve with pid ${serve.about.pid}`));
            response.destroy();
          }
        },
      );
      const timer = afterOwnTime(clock, HEAD_MS, () =>
        request.destroy(new InformerError('transport', `it has not answered for ${HEAD_MS / 1000}s`)),
      );
      request.on('error', (error) => {
        timer.cancel();
        reject(error);
      });
      request.end();
    });
  }
}

function responseOf(response: IncomingMessage): TransportResponse {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return { status: response.statusCode as number, headers: Object.fromEntries(headers), body: bodyOf(response) };
}

/** A serve that ends in the middle of a body is a broken connection, as a server's. */
async function* bodyOf(response: IncomingMessage): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of response) yield chunk as Uint8Array;
  } catch (cause) {
    throw new InformerError('transport', `the serve ended its answer: ${messageOf(cause)}`, { cause });
  }
}
