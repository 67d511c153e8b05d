import type { Representation } from '../../client/resource-api.ts';
import { passing } from '../../kit/lazy-list.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { Shard } from '../../model/shard.ts';
import { ShardSet } from '../../model/shard-set.ts';
import type { WatchTarget } from './informers.ts';
import type { Sample } from './path-advice.ts';
import type { Session } from './session.ts';

/** Objects that are looked at, at most, where the server was asked for fewer than the user's selectors give. */
const MOST_COUNTED = 500;

export interface UserSelection {
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly as: Representation;
  readonly shard: Shard | undefined;
}

/**
 * The objects that the user's own selectors give, where the server was asked for less: only with them one knows that
 * nothing matches. 500 of each namespace at most. What cannot be read is left out.
 */
export function unnarrowedSamples(
  targets: readonly Pick<WatchTarget, 'type' | 'names' | 'namespaces'>[],
  { selector, fieldSelector, as, shard }: UserSelection,
  { client, signal }: Pick<Session, 'client' | 'signal'>,
): Promise<Sample[]> {
  const parts = shard && new ShardSet({ of: shard.of, by: shard.by, indexes: [shard.index] }).selection;
  const shardSelector = parts?.selector;
  return Promise.all(
    targets.map(async ({ type, names, namespaces = [''] }) => {
      const lists = namespaces.map((namespace) =>
        client
          .resource(type.gvr, { namespace: namespace || undefined, as })
          .list({ labelSelector: selector, fieldSelector, limit: MOST_COUNTED, shardSelector }, { signal })
          .catch(() => undefined),
      );
      const found = (await Promise.all(lists)).flatMap((list) => list ?? []);
      const isPart = found.some((page) => (page.continue ?? '') !== '');
      const objects = found.flatMap(({ items }) => items as readonly ReadonlyObject[]);
      return { type, objects: named(parts ? objects.filter((each) => parts.has(each)) : objects, names), isPart };
    }),
  );
}

/** The objects with one of these names; all of them without names. */
export function named(
  objects: readonly ReadonlyObject[],
  names: ReadonlySet<string> | undefined,
): readonly ReadonlyObject[] {
  return names ? passing(objects, ({ metadata }) => names.has(metadata.name ?? '')) : objects;
}
