import type { Client } from '../../client/client.ts';
import type { Representation } from '../../client/resource-api.ts';
import { passing } from '../../kit/lazy-list.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { CollectionPart } from './collection-part.ts';

/** The objects of a type that are at hand. */
export interface Sample {
  readonly type: ResourceType;
  readonly objects: readonly ReadonlyObject[];
  /** There are more of them. */
  readonly isPart?: boolean | undefined;
  /** The number of all objects, where only the first of them are at hand. Default: that of `objects`. */
  readonly count?: number | undefined;
}

/** A synced cache, and which of its objects were asked for by name. */
export interface Sampled {
  readonly type: ResourceType;
  readonly names: ReadonlySet<string> | undefined;
  readonly informer: {
    readonly lister: {
      list(): readonly ReadonlyObject[];
      view?(): readonly ReadonlyObject[];
      /** See {@link Sample.count}. */
      readonly count?: number | undefined;
    };
  };
}

/** The objects of a cache that were asked for. The list is made when it is first looked at: many answers need none. */
export function samplesOf({ type, informer, names }: Sampled): Sample {
  let objects: Sample['objects'] | undefined;
  return {
    type,
    count: informer.lister.count,
    get objects() {
      objects ??= named(informer.lister.view?.() ?? informer.lister.list(), names);
      return objects;
    },
  };
}

/** Objects that are looked at, at most, where the server was asked for fewer than the user's selectors give. */
const MOST_COUNTED = 500;

export interface UserSelection {
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly as: Representation;
  readonly part: Pick<CollectionPart, 'selector' | 'has'> | undefined;
}

/**
 * The objects that the user's own selectors give, where the server was asked for less: only with them one knows that
 * nothing matches. 500 of each namespace at most. What cannot be read is left out.
 */
export function unfilteredSamples(
  targets: readonly (Pick<Sampled, 'type' | 'names'> & { readonly namespaces?: readonly string[] | undefined })[],
  { selector, fieldSelector, as, part }: UserSelection,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<Sample[]> {
  const asked = { ...part?.selector, labelSelector: selector, fieldSelector, limit: MOST_COUNTED };
  return Promise.all(
    targets.map(async ({ type, names, namespaces = [''] }) => {
      const lists = namespaces.map((namespace) =>
        client
          .resource(type.gvr, { namespace: namespace || undefined, as })
          .list(asked, { signal })
          .catch(() => undefined),
      );
      const found = (await Promise.all(lists)).flatMap((list) => list ?? []);
      const isPart = found.some((page) => (page.continue ?? '') !== '');
      const objects = found.flatMap(({ items }) => items as readonly ReadonlyObject[]);
      return { type, objects: named(part ? objects.filter((each) => part.has(each)) : objects, names), isPart };
    }),
  );
}

/** The objects with one of these names; all of them without names. */
function named(objects: readonly ReadonlyObject[], names: ReadonlySet<string> | undefined): readonly ReadonlyObject[] {
  return names ? passing(objects, ({ metadata }) => names.has(metadata.name ?? '')) : objects;
}
