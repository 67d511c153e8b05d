import { surroundingsOf, withSurroundings } from '../../kit/surroundings.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { Source } from '../sources/source.ts';
import { atCluster } from './typed-keys.ts';

/** The source with the keys of its cluster. */
export function clusterSource(cluster: string, source: Source): Source {
  const keyOf = (key: ObjectKey) => atCluster(cluster, key);
  const keysOf = (keys: Iterable<ObjectKey>) => Array.from(keys, keyOf);
  const changed: Source = {
    name: source.name,
    get reads() {
      return source.reads;
    },
    trouble: () => source.trouble?.(),
    start: (emit, { skipped, ...context }) =>
      source.start(
        (key, note, priority) => emit(keyOf(key), { ...note, keys: note.keys && keysOf(note.keys) }, priority),
        {
          ...context,
          skipped: ({ event, leadsTo, ...skip }) =>
            skipped({
              ...skip,
              event: { ...event, key: keyOf(event.key) },
              leadsTo: leadsTo && (() => keysOf(leadsTo())),
            }),
        },
      ),
  };
  return withSurroundings(changed, surroundingsOf(source));
}
