/** A store of kind `auto` keeps up to this number of objects parsed, unless its options have another one. */
const AUTO_ABOVE = 5_000;

/** Whether a store of kind `auto` that is to have this number of objects keeps them as compressed text from now on. */
export function isWorthPacking(objects: number, above: number = AUTO_ABOVE): boolean {
  return objects > above;
}
