import type { ListerWatcher } from '../../informer/watch/lister-watcher.ts';
import type { UnknownObject } from '../../model/object.ts';
import { isForbidden, isNotFound, statusOf } from '../../model/status.ts';
import type { ServedSource } from './served-version.ts';

/** How many sources a type's names may need, each with a list and a watch of its own. */
const MOST_NAMED = 16;

/** Whether the objects are asked for one by one, so that a role with their `resourceNames` is enough. */
export const areNamed = (names: readonly string[], scopes: readonly string[]): boolean =>
  names.length > 0 && names.length * scopes.length <= MOST_NAMED;

/** A source of one object. Where it may not be listed, the right to get it is enough, as it is for kubectl. */
export function gotByName(source: ServedSource, name: string): ListerWatcher<UnknownObject> {
  return {
    list: async (options, context) => {
      try {
        return await source.list(options, context);
      } catch (error) {
        if (!isForbidden(error)) throw error;
      }
      try {
        const object = await source.get(name, context);
        return { items: [object], resourceVersion: object.metadata.resourceVersion ?? '0' };
      } catch (error) {
        if (!isNotFound(error) || statusOf(error)?.details?.name !== name) throw error;
        return { items: [], resourceVersion: '0' };
      }
    },
    watch: (options, context) => source.watch(options, context),
    consistentUnpagedList: (context) => source.consistentUnpagedList(context),
  };
}
