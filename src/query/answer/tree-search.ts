import type { Client } from '../../client/client.ts';
import { messageOf } from '../../kit/error.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isForbidden } from '../../model/status.ts';
import { loadOwners } from '../index/owner-graph.ts';
import type { Found } from './found.ts';
import { type OwnerCache, relatedIn } from './owned-objects.ts';
import { ownerTrees, type TreeNode } from './owner-tree.ts';
import type { ScopedQuery } from './query.ts';
import { treeTypes } from './tree-types.ts';

/** The requests of a tree to a server: for objects that own others, and for objects that are owned. */
export interface TreeContext {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The name of the cluster, where there are several. */
  readonly cluster?: string | undefined;
  /** Types of which all objects are at hand are not asked for. */
  readonly caches?: readonly OwnerCache[] | undefined;
}

/** Objects with their owners up to the root, and all that they own. */
export interface FoundTrees {
  readonly trees: readonly TreeNode<Found>[];
  /** The types among which owned objects were looked for, and the namespaces. */
  readonly types: readonly string[];
  readonly scopes: readonly string[];
  /** The parts that could not be read, for a person. */
  readonly unread: readonly string[];
}

/** The objects that were found as trees of owners. */
export async function treesOf(
  query: Pick<ScopedQuery, 'selections' | 'namespaces' | 'tree'>,
  found: readonly Found[],
  context: TreeContext,
): Promise<FoundTrees> {
  const asked = query.selections.map(({ type }) => type);
  const types = await treeTypes(asked, query.tree ?? [], context.client);
  const { caches = [] } = context;
  const search = new TreeSearch(context);
  const scopes = namespacesToSearch(query, found);
  const isCached = ({ kind, gvr }: { kind: string; gvr: { group: string } }) =>
    caches.some(({ type }) => type.kind === kind && type.gvr.group === gvr.group);
  const others = types.filter((type) => !isCached(type));
  if (found.length > 0)
    await Promise.all(
      others.flatMap((type) => (type.namespaced ? scopes : ['']).map((scope) => search.list(type, scope))),
    );
  const related = relatedIn(caches, found);
  const first = [...related, ...(await search.items())];
  await loadOwners(found.map(({ object }) => object), {
    known: () => [...found, ...first].map(({ object }) => object),
    isComplete: ({ group, kind }, namespace) =>
      isCached({ kind, gvr: { group } }) || search.hasListed(group, kind, namespace),
    list: (kind, namespace) => search.listKind(kind, namespace),
  }); // biome-ignore format: one line a function
  const trees = ownerTrees(found, [...related, ...(await search.items())]);
  return { trees, types: types.map(({ gvr }) => formatGroupResource(gvr)), scopes, unread: search.unread.sort() };
}

/** Owned objects are in the namespace of their owner; those of a cluster-scoped one are in any. */
function namespacesToSearch(
  { namespaces, selections }: Pick<ScopedQuery, 'namespaces' | 'selections'>,
  found: readonly Found[],
): readonly string[] {
  if (selections.some(({ type }) => !type.namespaced)) return namespaces;
  const own = [...new Set(found.map(({ object }) => object.metadata.namespace ?? ''))];
  return namespaces.includes('') && own.length > MOST_NAMESPACES ? [''] : own;
}

/** With more namespaces than this, one list of all is cheaper. */
const MOST_NAMESPACES = 4;

/** The objects that were listed for a tree. */
class TreeSearch {
  readonly #context: TreeContext;
  readonly #listed = new Map<string, Promise<readonly Found[]>>();
  /** The parts that could not be read, for a person. */
  readonly unread: string[] = [];

  constructor(context: TreeContext) {
    this.#context = context;
  }

  /** All that was listed, type by type in the order in which they were asked for. */
  async items(): Promise<readonly Found[]> {
    return (await Promise.all(this.#listed.values())).flat();
  }

  hasListed(group: string, kind: string, namespace: string | undefined): boolean {
    const known = (scope: string) => this.#listed.has(`${group} ${kind} ${scope}`);
    return known('') || known(namespace ?? '');
  }

  async listKind(
    { group, version, kind }: { group: string; version: string; kind: string },
    namespace: string | undefined,
  ): Promise<readonly UnknownObject[]> {
    const type = await this.#context.client.mapper.typeOfKind({ group, version, kind });
    if (!type?.verbs.includes('list')) return [];
    const found = await this.list(type, type.namespaced ? (namespace ?? '') : '');
    return found.map(({ object }) => object as UnknownObject);
  }

  /** The objects of a type in a namespace; '' = all. None where they may not be read, which is said. */
  list(type: ResourceType, namespace: string): Promise<readonly Found[]> {
    const id = `${type.gvr.group} ${type.kind} ${namespace}`;
    const known = this.#listed.get(id) ?? this.#read(type, namespace);
    this.#listed.set(id, known);
    return known;
  }

  async #read(type: ResourceType, namespace: string): Promise<readonly Found[]> {
    const { client, signal, cluster } = this.#context;
    const where = namespace === '' ? '' : ` in ${namespace}`;
    try {
      const api = client.resource<UnknownObject>(type.gvr, {
        as: { table: 'Metadata' },
        namespace: namespace || undefined,
      });
      const { items } = await api.list({}, { signal });
      const named = cluster === undefined ? type : { ...type, cluster };
      return items.map((object) => ({ object, type: named }));
    } catch (error) {
      if (signal.aborted) throw error;
      const why = isForbidden(error) ? 'not allowed' : messageOf(error);
      this.unread.push(`not in the tree: ${formatGroupResource(type.gvr)}${where} could not be listed (${why})`);
      return [];
    }
  }
}
