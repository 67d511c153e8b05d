import type { Backend } from '../write/backend.ts';

/** The access of a scenario to a cluster: the same write path as for clients, with a separate source of randomness. */
export type World = Backend;
