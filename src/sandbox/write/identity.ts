import type { Random } from '../../kit/random.ts';
import type { ObjectMeta } from '../../model/object.ts';

/** Letters of generated names: none that make words. Source: apimachinery util/rand. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Names longer than this are cut before the suffix. Source: apiserver storage/names. */
const LONGEST_BASE = 58;

/** `generateName` with five random letters. */
export function generatedName(base: string, random: Random): string {
  return base.slice(0, LONGEST_BASE) + randomLetters(5, random);
}

export function randomLetters(count: number, random: Random): string {
  return Array.from({ length: count }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
}

/** A version 4 UUID from the given source, so that a seed gives the same ones each time. */
export function newUid(random: Random): string {
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

/** Metadata in the order in which the server writes it, absent and empty parts left out. */
export function tidyMetadata(metadata: ObjectMeta): ObjectMeta {
  const tidy: Record<string, unknown> = {};
  for (const field of ORDER) if (!isEmpty(metadata[field])) tidy[field] = metadata[field];
  return tidy;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
