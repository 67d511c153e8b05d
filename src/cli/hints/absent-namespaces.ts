import { nearest } from '../../kit/nearest.ts';
import { isNotFound } from '../../model/status.ts';
import type { Server } from '../session/session.ts';
import type { Facts } from './hint.ts';

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };

/** Empty namespaces that are asked about, and namespaces among which a resembling name is looked for, at most. */
const MOST_ASKED = 10;
const MOST_NAMES = 500;

/**
 * Names the namespaces that do not exist: one line each, with the name that was probably meant. A server answers for
 * them as for empty ones, so only those of which nothing was found are asked about. Not being allowed to ask says
 * nothing. Where data is printed, and not a table, an answer without objects may be what was asked for: then only a
 * name that looks misspelt is worth a line.
 */
export async function absentNamespaces({ plan, cached }: Facts, { client, signal }: Server): Promise<string[]> {
  const namespaced = cached.filter(({ type }) => type.namespaced);
  if (namespaced.length === 0 || plan.namespaces.includes('') || plan.ignoreNotFound) return [];
  const filled = new Set(namespaced.flatMap(({ objects }) => objects.map(({ metadata }) => metadata.namespace)));
  const asked = plan.namespaces.filter((name) => !filled.has(name)).slice(0, MOST_ASKED);
  if (asked.length === 0) return [];
  const api = client.resource(NAMESPACES, { as: 'metadata' });
  const isAbsent = (name: string) => api.get(name, { signal }).then(() => false, isNotFound);
  const are = await Promise.all(asked.map(isAbsent));
  const absent = asked.filter((_, i) => are[i]);
  if (absent.length === 0) return [];
  const found = await api.list({ limit: MOST_NAMES }, { signal }).catch(() => ({ items: [] }));
  const names = found.items.flatMap(({ metadata }) => metadata.name ?? []);
  const isTable = plan.format?.traits.isTable ?? true;
  return absent.flatMap((name) => lineOf(name, names, isTable));
}

function lineOf(name: string, names: readonly string[], isTable: boolean): string[] {
  const [near] = nearest(name, names, 1);
  if (near === undefined && !isTable) return [];
  return [
    `namespace ${JSON.stringify(name)} does not exist${near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`}`,
  ];
}
