import type { RandomSource } from '../../kit/random.ts';
import type { ObjectMeta } from '../../model/object.ts';

/** The characters of generated names, without vowels, so that no words appear. Source: apimachinery util/rand. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** The longest part of `generateName` that is used before the suffix. Source: apiserver storage/names. */
const LONGEST_BASE = 58;

/** `generateName` with five random characters. */
export function generatedName(base: string, random: RandomSource): string {
  return base.slice(0, LONGEST_BASE) + randomLetters(5, random);
}

export function randomLetters(count: number, random: RandomSource): string {
  return Array.from({ length: count }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
}

/** A version 4 UUID from a source of randomness, so that the same seed gives the same UUIDs. */
export function newUid(random: RandomSource): string {
  const hex = Array.from({ length: 32 }, (_, i) => {
    const digit = Math.floor(random() * 16);
    return (i === 12 ? 4 : i === 16 ? 8 + (digit % 4) : digit).toString(16);
  }).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const ORDER: readonly (keyof ObjectMeta)[] = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** Metadata in the order of the real server, without absent and empty parts. */
export function tidyMetadata(metadata: ObjectMeta): ObjectMeta {
  const tidy: Record<string, unknown> = {};
  for (const field of ORDER) if (!isEmpty(metadata[field])) tidy[field] = metadata[field];
  return tidy;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
