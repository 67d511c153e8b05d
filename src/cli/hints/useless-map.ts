import type { ReadonlyObject } from '../../model/object.ts';
import type { CachedObjects } from '../../query/answer/cached-objects.ts';
import { samplesOf } from '../../query/answer/samples.ts';
import type { Server } from '../session/session.ts';
import { absentFields } from './absent-fields.ts';
import { countText } from './count-text.ts';
import type { Facts } from './hint.ts';

export interface MapFacts {
  readonly map: {
    /** The value of `--map`. */
    readonly text: string;
    /** True if the map looks in an index of the reconciled type. */
    readonly isIndex: boolean;
    /** The keys to which an object leads. */
    keysOf(object: ReadonlyObject): readonly string[];
  };
  /** The reconciled objects; those of the watched type are the facts. */
  readonly primary: CachedObjects;
  isReconciled(key: string): boolean;
}

/** Says of a `--map` that leads no object to a reconciled one what it finds instead. */
export async function uselessMap(facts: Facts & MapFacts, server: Server): Promise<string[]> {
  const absent = await absentFields(facts, server);
  if (absent.length > 0) return absent;
  const { map, primary, isReconciled, samples } = facts;
  const to = samplesOf(primary);
  const objects = samples.flatMap((sample) => sample.objects);
  if (objects.length === 0 || to.objects.length === 0) return [];
  let example: string | undefined;
  for (const object of objects) {
    const keys = map.keysOf(object);
    if (keys.some(isReconciled)) return [];
    example ??= keys[0];
  }
  const flag = `--map ${map.text}`;
  if (map.isIndex) return [`${flag}: none of ${countText([to])} has one of ${countText(samples)} in this index`];
  return example === undefined
    ? [`${flag} finds nothing in ${countText(samples)}`]
    : [`${flag}: no key that it finds in ${countText(samples)} is one of ${countText([to])}, for example ${example}`];
}
