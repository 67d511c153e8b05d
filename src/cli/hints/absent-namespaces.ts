import { nearest } from '../../kit/nearest.ts';
import { isNotFound } from '../../model/status.ts';
import type { OutputFormat } from '../../output/formats.ts';
import type { FoundFacts } from './hint.ts';

export interface NamespaceFacts extends FoundFacts {
  readonly plan: {
    readonly namespaces: readonly string[];
    readonly ignoreNotFound?: boolean;
    readonly format?: OutputFormat;
  };
}

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };

/** How long the server's word about namespaces is waited for, ms. */
const ANSWER_MS = 2_000;

/** Empty namespaces that are asked about, and namespaces among which a resembling name is looked for, at most. */
const MOST_ASKED = 10;
const MOST_NAMES = 500;

/**
 * Names the namespaces that do not exist: one line each, with the name that was probably meant. A server answers for
 * them as for empty ones, so only those of which nothing was found are asked about. Not being allowed to ask says
 * nothing. Where data is printed, and not a table, an answer without objects may be what was asked for: then only a
 * name that looks misspelt is worth a line.
 */
export async function absentNamespaces({
  plan,
  cached,
  session: { client, clock, signal },
}: NamespaceFacts): Promise<string[]> {
  const namespaced = cached.filter(({ type }) => type.namespaced);
  if (namespaced.length === 0 || plan.namespaces.includes('') || plan.ignoreNotFound) return [];
  const filled = new Set(namespaced.flatMap(({ objects }) => objects.map(({ metadata }) => metadata.namespace)));
  const asked = plan.namespaces.filter((name) => !filled.has(name)).slice(0, MOST_ASKED);
  if (asked.length === 0) return [];
  const late = new AbortController();
  const timer = clock.after(ANSWER_MS, () => late.abort());
  const options = { signal: AbortSignal.any([signal, late.signal]) };
  const api = client.resource(NAMESPACES, { as: 'metadata' });
  const isAbsent = (name: string) =>
    api.get(name, options).then(
      () => false,
      (error) => isNotFound(error),
    );
  try {
    const are = await Promise.all(asked.map(isAbsent));
    const absent = asked.filter((_, i) => are[i]);
    if (absent.length === 0) return [];
    const found = await api.list({ limit: MOST_NAMES }, options).catch(() => ({ items: [] }));
    const names = found.items.flatMap(({ metadata }) => metadata.name ?? []);
    const isTable = plan.format?.traits.isTable ?? true;
    return absent.flatMap((name) => lineOf(name, names, isTable));
  } finally {
    timer.cancel();
  }
}

function lineOf(name: string, names: readonly string[], isTable: boolean): string[] {
  const [near] = nearest(name, names, 1);
  if (near === undefined && !isTable) return [];
  return [
    `namespace ${JSON.stringify(name)} does not exist${near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`}`,
  ];
}
