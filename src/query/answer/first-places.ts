import type { ComparePlaces } from './cached-objects.ts';

/** The first places by an order, at most this number of them; without `most` all. Only a part of them is sorted. */
export function firstPlaces(count: number, compare: ComparePlaces, most = count): number[] {
  const wanted = Math.max(0, Math.min(most, count));
  const found: number[] = [];
  if (wanted === 0) return found;
  let last: number | undefined;
  for (let place = 0; place < count; place++) {
    if (last !== undefined && compare(place, last) >= 0) continue;
    found.push(place);
    if (found.length < 2 * wanted + SPARE) continue;
    found.sort(compare).length = wanted;
    last = found[wanted - 1] as number;
  }
  found.sort(compare).length = wanted;
  return found;
}

/** So that few objects are not sorted again and again. */
const SPARE = 64;
