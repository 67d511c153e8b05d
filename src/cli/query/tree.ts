import { formatGroupVersion } from '../../model/gvr.ts';
import { CLUSTER } from '../../output/cluster-column.ts';
import { treesTextOf } from '../../output/compiled-output.ts';
import { qualifiedName } from '../../output/printer.ts';
import { factsOf } from '../../output/tables/tree-table.ts';
import type { AnswerPart } from '../../query/answer/answer.ts';
import type { AnswerSink } from '../../query/answer/answer-sink.ts';
import type { Found } from '../../query/answer/found.ts';
import type { TreeNode } from '../../query/answer/owner-tree.ts';
import { onlyNamespaceOf } from '../../query/answer/query.ts';
import { type FoundTrees, treesOf } from '../../query/answer/tree-search.ts';
import type { QueryPlan } from './read-query.ts';

type Tree = TreeNode<Found>;

/**
 * Writes the objects that were found as trees of owners: with their owners up to the root, and all that they own. Trees
 * are printed cluster by cluster.
 */
export async function printTrees(
  plan: QueryPlan,
  found: readonly Found[],
  { parts, sink }: { readonly parts: readonly AnswerPart[]; readonly sink: AnswerSink },
): Promise<void> {
  const grown = await Promise.all(parts.map((part) => treesIn(part, found, parts.length === 1)));
  await sink.write(textOf(plan, grown.flatMap(({ trees }) => trees), sink.clock.now())); // biome-ignore format: short
  for (const [i, { trees, types, scopes, unread }] of grown.entries()) {
    const { notice } = parts[i] as AnswerPart;
    const names = types.join(', ');
    const where = scopes.map((scope) => scope || 'all namespaces').join(', ');
    if (plan.explain && types.length > 0) notice(`--tree: looked for ${names} in ${where}`);
    for (const line of unread) notice(line);
    const alone = trees.filter(({ children, item }) => children.length === 0 && item.type.kind !== 'Pod');
    if (alone.length > 0)
      notice(`${alone.length === 1 ? nameOf(alone[0] as Tree) : `${alone.length} of ${trees.length}`} own${alone.length === 1 ? 's' : ''} none of: ${names}; --tree=TYPE looks for more`); // biome-ignore format: one line
  }
}

const NO_TREES: FoundTrees = { trees: [], types: [], scopes: [], unread: [] };

/** The trees of one cluster. A cluster of several in which nothing was found is not asked. */
async function treesIn(part: AnswerPart, found: readonly Found[], isOnly: boolean): Promise<FoundTrees> {
  const { query, allCached, client, signal, ownerCaches: caches } = part;
  const own = isOnly ? found : found.filter(({ type }) => allCached.some((cached) => cached.type === type));
  if (own.length === 0 && !isOnly) return NO_TREES;
  return await treesOf(query, own, { client, signal, caches, cluster: own[0]?.type.cluster });
}

const nameOf = ({ item: { object, type } }: Tree) => qualifiedName(object.metadata.name ?? '', type);

function textOf({ format, noHeaders, namespaces, counting }: QueryPlan, trees: readonly Tree[], now: number): string {
  const places = trees.some(({ item }) => item.type.cluster !== undefined) ? [CLUSTER] : [];
  const withNamespace = onlyNamespaceOf(namespaces) === undefined;
  const records = () => trees.map((tree) => treeRecord(tree, now));
  return treesTextOf(format)({ trees, records }, { now, noHeaders, places, withNamespace, ...counting });
}

/** A tree as data. */
function treeRecord({ item, isAsked, children }: Tree, now: number): object {
  const { object, type } = item;
  const { ready, status, restarts } = factsOf(item, now);
  const { name, namespace, uid, creationTimestamp } = object.metadata;
  return {
    cluster: type.cluster,
    apiVersion: formatGroupVersion(type.gvr),
    kind: type.kind,
    name,
    namespace,
    uid,
    creationTimestamp: creationTimestamp ?? undefined,
    ready: ready || undefined,
    status: status || undefined,
    restarts: restarts || undefined,
    asked: isAsked,
    children: children.map((child) => treeRecord(child, now)),
  };
}
