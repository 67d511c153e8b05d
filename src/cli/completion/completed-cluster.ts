import type { DiscoverySnapshot } from '../../client/discovery/discovery-snapshot.ts';
import type { FieldSchema } from '../../client/field-schema.ts';
import type { TableColumn } from '../../model/cells.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { IndexValuesRequest, NameScope } from '../../serve/client/serve-names.ts';
import type { Candidate } from './completions.ts';

/** The names that are offered at most. */
export const MOST_NAMES = 500;

/** The requests of completion to a cluster. Every method rejects where the cluster is away, or when the time is up. */
export interface CompletedCluster {
  /** The namespace of the context. */
  readonly namespace: string;
  /** The types of the server, from the cache on disk if there is one, of any age. */
  types(): Promise<DiscoverySnapshot>;
  /** The same, from the server. The cache has them afterwards. */
  freshTypes(): Promise<DiscoverySnapshot>;
  /** The types that the words name, as far as they are known; none for words that are unfinished or wrong. */
  typesOf(words: readonly string[]): Promise<ResourceType[]>;
  /** Names of objects that begin with `prefix`: from a running serve, else from the server, as many as the time allows. */
  names(type: ResourceType, scope: NameScope): Promise<string[]>;
  /** The columns that the server prints of a type; undefined if it does not say. */
  columns(type: ResourceType): Promise<readonly TableColumn[] | undefined>;
  /** Values of an index, and what they are about, from a running serve; none without one. */
  values(asked: IndexValuesRequest): Promise<Candidate[]>;
  /** The fields of a type, from the server's OpenAPI, which is kept on disk; undefined if it has none. */
  fields(type: ResourceType): Promise<FieldSchema | undefined>;
}
