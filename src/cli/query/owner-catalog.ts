import type { Client } from '../../client/client.ts';
import type { UnknownObject } from '../../model/object.ts';
import { IndexCatalog } from '../../query/index-catalog.ts';
import type { Lookup } from '../../query/lookup.ts';
import { loadOwners } from '../../query/owner-graph.ts';
import type { Holding } from './holding.ts';
import type { Question } from './question.ts';

/** The question's indexes, with an `owner` index that knows the owners' owners. */
export async function ownerCatalog(
  { client, signal }: { client: Client; signal: AbortSignal },
  { declared, lookups }: Pick<Question, 'declared' | 'lookups'>,
  holdings: readonly Holding[],
): Promise<IndexCatalog> {
  const objects = holdings.flatMap(({ informer }) => informer.lister.list());
  const resolve = await loadOwners(objects, async (kind, namespace) => {
    const type = await client.mapper.typeOfKind(kind);
    if (!type?.verbs.includes('list')) return [];
    const api = client.resource<UnknownObject>(type.gvr, {
      as: 'metadata',
      namespace: type.namespaced ? namespace : undefined,
    });
    return (await api.list({}, { signal })).items;
  });
  const kinds = new Map<string, string>();
  for (const lookup of lookups) for (const word of typeWords(lookup)) kinds.set(word, await kindText(client, word));
  return new IndexCatalog(declared, { resolve, kindOf: (word) => kinds.get(word) });
}

function typeWords(lookup: Lookup): string[] {
  if (lookup.index !== 'owner' || lookup.kind !== 'in') return [];
  return lookup.values.filter((value) => value.includes('/')).map((value) => value.slice(0, value.indexOf('/')));
}

/** `deploy` → `Deployment.apps`; a word the server does not know stays as it is. */
async function kindText({ mapper }: Client, word: string): Promise<string> {
  const type = await mapper.find(word);
  if (!type) return word;
  return type.gvr.group === '' ? type.kind : `${type.kind}.${type.gvr.group}`;
}
