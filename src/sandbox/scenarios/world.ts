import type { Backend } from '../write/backend.ts';

/** What a scenario works with: the write path that clients use too, on a cluster with a source of chance of its own. */
export type World = Backend;
