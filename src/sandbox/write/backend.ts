import type { Cluster } from '../cluster.ts';
import type { Deleter } from './deleter.ts';
import type { Writer } from './writer.ts';

/** The cluster with its write path: what controllers, fixtures, scenarios and write requests need to read and change objects. */
export interface Backend {
  readonly cluster: Cluster;
  readonly writer: Writer;
  readonly deleter: Deleter;
}
