import { it } from 'vitest';
import { simulateOverSockets } from './sockets.ts';

/** These tests use real time, most of it in waiting, so all seeds run at once. */
it.concurrent.each(Array.from({ length: 20 }, (_, i) => i + 1))(
  'over sockets the cache ends like the server (seed %s)',
  (seed) => simulateOverSockets(seed, 60, { tls: seed % 7 === 0 }),
  30_000,
);
