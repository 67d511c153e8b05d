import type { ReadonlyObject } from '../../model/object.ts';
import type { Sample } from '../../query/answer/samples.ts';
import { absentFields, type FieldFacts } from './absent-fields.ts';
import { countText } from './count-text.ts';

export interface MapFacts extends FieldFacts {
  readonly map: {
    /** The value of `--map`. */
    readonly text: string;
    /** It looks in an index of the reconciled type. */
    readonly isIndex: boolean;
    /** The keys to which an object leads. */
    keysOf(object: ReadonlyObject): readonly string[];
  };
  /** The objects of the watched type. */
  readonly from: Sample;
  /** The reconciled objects. */
  readonly to: Sample;
  isReconciled(key: string): boolean;
}

/** Says of a `--map` that leads no object to a reconciled one what it finds instead. */
export async function uselessMap(facts: MapFacts): Promise<string[]> {
  const absent = await absentFields(facts);
  if (absent.length > 0) return absent;
  const { map, from, to, isReconciled } = facts;
  if (from.objects.length === 0 || to.objects.length === 0) return [];
  let example: string | undefined;
  for (const object of from.objects) {
    const keys = map.keysOf(object);
    if (keys.some(isReconciled)) return [];
    example ??= keys[0];
  }
  const flag = `--map ${map.text}`;
  if (map.isIndex) return [`${flag}: none of ${countText([to])} has one of ${countText([from])} in this index`];
  return example === undefined
    ? [`${flag} finds nothing in ${countText([from])}`]
    : [`${flag}: no key that it finds in ${countText([from])} is one of ${countText([to])}, for example ${example}`];
}
