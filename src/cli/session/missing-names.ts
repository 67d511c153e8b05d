import { InformerError } from '../../kit/error.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { CachedObjects } from '../../query/answer/cached-objects.ts';
import type { Sampled } from '../../query/answer/samples.ts';
import { SeveralErrors } from '../terminal/exit-codes.ts';
import type { SelectedObjects, WatchTarget } from './informers.ts';

/** An object that was asked for by name and is not there. */
interface Missing {
  readonly type: WatchTarget['type'];
  readonly name: string;
}

/** A synced cache, and which names of it were asked for. */
type Named = Sampled &
  Pick<CachedObjects, 'forbidden'> & { informer: { lister: { values(): Iterable<ReadonlyObject> } } };

/**
 * The error that names every object that was asked for by name and is not in the synced caches, in the form of a
 * server's 404. Undefined when all are there, and beside selectors: an object that is missing then may just not match
 * them.
 */
export function missingNames(targets: readonly Named[], plan: SelectedObjects): unknown {
  return missingEverywhere([{ targets, plan }]);
}

/** As {@link missingNames}, of several parts: names that none of them has. */
export function missingEverywhere(
  parts: readonly {
    readonly targets: readonly Named[];
    readonly plan: SelectedObjects;
  }[],
): unknown {
  const [first, ...others] = parts.map((part) => part.targets.flatMap(missingOf));
  const plan = parts[0]?.plan;
  if (!first || !plan || plan.selector || plan.fieldSelector) return undefined;
  const missing = first.filter((each) => others.every((own) => own.some((other) => isSame(each, other))));
  const last = missing.length - 1;
  return SeveralErrors.of(
    missing.map((each, i) => notFound(each, i === last ? hintFor(missing, plan.namespaces) : undefined)),
  );
}

/** The names of a cache that are not there. A name that may not be read may be there. */
export function missingOf({ type, names, informer, forbidden }: Named): Missing[] {
  if (!names) return [];
  const unknown = new Set(forbidden.flatMap(({ need }) => (need.names.length > 0 ? need.names : [...names])));
  const found = new Set<string | undefined>();
  for (const object of informer.lister.values()) found.add(object.metadata.name);
  return [...names].filter((name) => !found.has(name) && !unknown.has(name)).map((name) => ({ type, name }));
}

const isSame = (a: Missing, b: Missing) =>
  a.name === b.name && formatGroupResource(a.type.gvr) === formatGroupResource(b.type.gvr);

function notFound({ type, name }: Missing, hint: string | undefined): InformerError {
  const message = `${formatGroupResource(type.gvr)} ${JSON.stringify(name)} not found (NotFound)`;
  return new InformerError('list', message, { hint });
}

function hintFor(missing: readonly Missing[], namespaces: readonly string[]): string | undefined {
  if (namespaces.includes('') || !missing.some(({ type }) => type.namespaced)) return undefined;
  const where = `namespace${namespaces.length > 1 ? 's' : ''} ${namespaces.join(', ')}`;
  return `looked in ${where}; -n names another, and --ignore-not-found takes it for an empty answer`;
}
