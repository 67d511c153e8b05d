import type { Client } from '../../client/client.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { IndexCatalog } from '../index/index-catalog.ts';
import type { Lookup } from '../index/lookup.ts';
import { loadOwners, type OwnerKind } from '../index/owner-graph.ts';
import { type OwnerIndexOptions, referrersIn } from '../index/owner-index.ts';
import { typeWordOf } from '../index/reference-spellings.ts';
import { viewedStore } from '../index/stored-index.ts';
import { type CachedObjects, storeOf } from './cached-objects.ts';
import { onlyNamespaceOf, type ScopedQuery, usedIndexes } from './query.ts';

interface CatalogContext {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Whether a cache has all objects of its type in its namespaces, and not only those that a server selected. */
  isWhole(cached: CachedObjects): boolean;
  /** Finds owners that are kept up to date. Absent: those of now are found. */
  readonly resolve?: OwnerIndexOptions['resolve'];
}

/**
 * The indexes of a question. Those of references know the words for types; the index `owner` also knows the owners'
 * owners. They are found in the caches, and requested only for kinds of which a cache does not have everything.
 */
export async function answerCatalog(
  context: CatalogContext,
  plan: ScopedQuery,
  allCached: readonly CachedObjects[],
): Promise<IndexCatalog> {
  const { declared, lookups, namespaces } = plan;
  const plain = new IndexCatalog(declared);
  const used = usedIndexes(plan).map((name) => plain.get(name));
  if (!used.some(({ isReference }) => isReference)) return plain;
  const kinds = new Map<string, string>();
  const words = lookups.filter(({ index }) => plain.get(index).isReference).flatMap(typeWords);
  for (const word of words) kinds.set(word, await kindText(context.client, word));
  const resolve = used.some(({ key }) => key === 'owner')
    ? (context.resolve ?? (await ownersOf(context, allCached)))
    : undefined;
  const listsNamespaces = onlyNamespaceOf(namespaces) === undefined;
  return new IndexCatalog(declared, { resolve, kindOf: (word) => kinds.get(word), listsNamespaces });
}

function ownersOf({ client, signal, isWhole }: CatalogContext, allCached: readonly CachedObjects[]) {
  const referrers = allCached.flatMap((cached) => [...referrersIn(storeOf(cached))]);
  return loadOwners(referrers, {
    known: ({ group, kind }) =>
      allCached.filter(({ type }) => type.kind === kind && type.gvr.group === group).flatMap(objectsIn),
    isComplete: (kind, namespace) =>
      allCached.some((cached) => holds(cached, kind, namespace) && cached.names === undefined && isWhole(cached)),
    async list(kind, namespace) {
      const type = await typeOfOwner(client, kind);
      if (!type?.verbs.includes('list')) return [];
      const api = client.resource<UnknownObject>(type.gvr, {
        as: 'metadata',
        namespace: type.namespaced ? namespace : undefined,
      });
      return (await api.list({}, { signal })).items;
    },
  });
}

/** The type of a kind, in another version if the server does not serve the one that is named. */
async function typeOfOwner({ mapper }: Client, owner: OwnerKind): Promise<ResourceType | undefined> {
  const { group, kind } = owner;
  const type = await mapper.typeOfKind(owner);
  if (type) return type;
  const other = await mapper.find(`${kind}${group === '' ? '' : `.${group}`}`.toLowerCase());
  return other?.kind === kind && other.gvr.group === group ? other : undefined;
}

const objectsIn = ({ informer }: CachedObjects) => viewedStore(informer.lister).list();

/** Whether a cache is of a kind, in any version: an object is the same in each. */
const holds = (
  { type, namespaces, forbidden }: CachedObjects,
  { group, kind }: OwnerKind,
  namespace: string | undefined,
): boolean =>
  type.kind === kind &&
  type.gvr.group === group &&
  forbidden.length === 0 &&
  (namespaces === undefined || namespaces.includes('') || namespaces.includes(namespace ?? ''));

function typeWords(lookup: Lookup): string[] {
  return lookup.kind === 'in' ? lookup.values.flatMap((value) => typeWordOf(value) ?? []) : [];
}

/** `deploy` → `Deployment.apps`, `po` → `Pod.`; a word the server does not know stays as it is. */
async function kindText({ mapper }: Client, word: string): Promise<string> {
  const type = await mapper.find(word);
  return type ? `${type.kind}.${type.gvr.group}` : word;
}
