import { surroundingsOf, withSurroundings } from '../../kit/surroundings.ts';
import type { Transport } from './transport.ts';

/**
 * A transport whose requests do not wait for the client's rate limit behind those of others. `close` does nothing,
 * because the other transport stays in use.
 */
export function urgentTransport(transport: Transport): Transport {
  const other: Transport = {
    request: (init) => transport.request({ ...init, urgent: true }),
    close: async () => {},
  };
  return withSurroundings(other, surroundingsOf(transport));
}
