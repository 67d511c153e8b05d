import { surroundingsOf, withSurroundings } from '../../kit/surroundings.ts';
import type { Transport, TransportRequest } from './transport.ts';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A transport whose writes need a permit. `permit` is called when a write begins, and directly before each time that it
 * is sent: after it waited for the rate limit, for a connection, or for a server that asks to wait. What `permit` throws
 * rejects the write, and nothing is sent. Reads and watches need no permit.
 *
 * The rate limit of the other transport stays: `qps` and `burst` belong to the client that made it. Does not call back
 * a request that has been sent. `close` does nothing, because the other transport stays in use.
 * @example
 * const fenced = createClient(fencedTransport(client.transport, () => elector.assertLeading()));
 */
export function fencedTransport(transport: Transport, permit: () => void): Transport & AsyncDisposable {
  const other: Transport & AsyncDisposable = {
    async request(init: TransportRequest) {
      if (READS.has(init.method)) return transport.request(init);
      permit();
      const permitted = () => {
        init.permit?.();
        permit();
      };
      return transport.request({ ...init, permit: permitted });
    },
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  return withSurroundings(other, surroundingsOf(transport));
}
