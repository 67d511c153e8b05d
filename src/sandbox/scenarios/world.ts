import type { Cluster } from '../cluster.ts';
import type { Deleter } from '../write/deleter.ts';
import type { Writer } from '../write/writer.ts';

/** What a scenario works with: the cluster with a source of chance of its own, and the same write path that clients use. */
export interface World {
  readonly cluster: Cluster;
  readonly writer: Writer;
  readonly deleter: Deleter;
}
