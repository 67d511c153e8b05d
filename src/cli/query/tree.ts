import type { Client } from '../../client/client.ts';
import { goJson } from '../../expr/go-text.ts';
import { messageOf } from '../../kit/error.ts';
import { formatGroupResource, formatGroupVersion } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isForbidden } from '../../model/status.ts';
import { safeJson } from '../../output/escape.ts';
import { kyamlDocument } from '../../output/objects/kyaml-printer.ts';
import { toYaml } from '../../output/objects/yaml.ts';
import { qualifiedName } from '../../output/printer.ts';
import { factsOf, treeTable } from '../../output/tables/tree-table.ts';
import { loadOwners } from '../../query/index/owner-graph.ts';
import { ownerTrees, type TreeNode } from '../../query/answer/owner-tree.ts';
import type { AnswerSink } from './answer-sink.ts';
import type { Found } from '../../query/answer/found.ts';
import { onlyNamespaceOf } from './plan.ts';
import type { QueryPlan } from './question.ts';
import { treeTypes } from '../../query/answer/tree-types.ts';

interface TreeContext {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly sink: AnswerSink;
}

/** Writes the objects that were found as trees of owners: with their owners up to the root, and all that they own. */
export async function printTrees(plan: QueryPlan, found: readonly Found[], context: TreeContext): Promise<void> {
  const { sink, client } = context;
  const types = await treeTypes(plan.selections.map(({ type }) => type), plan.tree ?? [], client); // biome-ignore format: one line
  const search = new TreeSearch(context);
  const scopes = namespacesToSearch(plan, found);
  if (found.length > 0)
    await Promise.all(
      types.flatMap((type) => (type.namespaced ? scopes : ['']).map((scope) => search.list(type, scope))),
    );
  const first = await search.items();
  await loadOwners(found.map(({ object }) => object), {
    known: () => [...found, ...first].map(({ object }) => object),
    isComplete: ({ group, kind }, namespace) => search.hasListed(group, kind, namespace),
    list: (kind, namespace) => search.listKind(kind, namespace),
  }); // biome-ignore format: one line a function
  const trees = ownerTrees(found, await search.items());
  const names = types.map(({ gvr }) => formatGroupResource(gvr)).join(', ');
  if (plan.explain) sink.notice(`--tree: looked for ${names} in ${scopes.map((scope) => scope || 'all namespaces').join(', ')}`); // biome-ignore format: one line
  await sink.write(textOf(plan, trees, sink.clock.now()));
  for (const line of search.unread.sort()) sink.notice(line);
  const alone = trees.filter(({ children, item }) => children.length === 0 && item.type.kind !== 'Pod');
  if (alone.length > 0)
    sink.notice(`${alone.length === 1 ? nameOf(alone[0] as Tree) : `${alone.length} of ${trees.length}`} own${alone.length === 1 ? 's' : ''} none of: ${names}; --tree=TYPE looks for more`); // biome-ignore format: one line
}

type Tree = TreeNode<Found>;

const nameOf = ({ item: { object, type } }: Tree) => qualifiedName(object.metadata.name ?? '', type);

/** Owned objects are in the namespace of their owner; those of a cluster-scoped one are in any. */
function namespacesToSearch({ namespaces, selections }: QueryPlan, found: readonly Found[]): readonly string[] {
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
  /** What could not be read, for a person. */
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
    const { client, signal } = this.#context;
    const where = namespace === '' ? '' : ` in ${namespace}`;
    try {
      const api = client.resource<UnknownObject>(type.gvr, {
        as: { table: 'Metadata' },
        namespace: namespace || undefined,
      });
      const { items } = await api.list({}, { signal });
      return items.map((object) => ({ object, type }));
    } catch (error) {
      if (signal.aborted) throw error;
      const why = isForbidden(error) ? 'not allowed' : messageOf(error);
      this.unread.push(`not in the tree: ${formatGroupResource(type.gvr)}${where} could not be listed (${why})`);
      return [];
    }
  }
}

function textOf(
  { format, noHeaders, namespaces, counting: { terminal, ascii, painter } }: QueryPlan,
  trees: readonly Tree[],
  now: number,
): string {
  const safe = terminal ? safeJson : (text: string) => text;
  const records = () => trees.map(treeRecord);
  switch (format.kind) {
    case 'json':
      return safe(`${goJson(records(), 4)}\n`);
    case 'ndjson':
      return safe(records().map((record) => `${goJson(record)}\n`).join('')); // biome-ignore format: short
    case 'yaml':
      return toYaml(records());
    case 'kyaml':
      return kyamlDocument(records());
    default:
      return trees.length === 0
        ? ''
        : treeTable(trees, {
            now,
            painter,
            noHeaders,
            ascii,
            withNamespace: onlyNamespaceOf(namespaces) === undefined,
          });
  }
}

/** A tree as data. */
function treeRecord({ item, isAsked, children }: Tree): object {
  const { object, type } = item;
  const { ready, status, restarts } = factsOf(item);
  const { name, namespace, uid, creationTimestamp } = object.metadata;
  return {
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
    children: children.map(treeRecord),
  };
}
