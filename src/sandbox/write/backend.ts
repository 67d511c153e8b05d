import type { Cluster } from '../cluster.ts';
import type { Deleter } from './deleter.ts';
import type { Gate } from './gate.ts';
import type { Writer } from './writer.ts';

/**
 * The cluster with its write path. Controllers, fixtures, scenarios and write requests read and change objects through
 * it.
 */
export interface Backend {
  readonly cluster: Cluster;
  readonly writer: Writer;
  readonly deleter: Deleter;
  /** Decides about what the writer and the deleter are asked for; undefined for the server's own writes. */
  readonly gate?: Gate | undefined;
}
