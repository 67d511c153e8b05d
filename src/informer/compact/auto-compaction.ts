/** A store of kind `auto` keeps up to this number of objects parsed, unless its options have another one. */
const AUTO_ABOVE = 5_000;

/**
 * The number for rows of a table. They are small, and come without the texts of their objects: a compact cache makes one
 * of each, which takes more CPU time than the list. So they become compact where V8's heap would be too small for them.
 */
export const AUTO_ABOVE_ROWS = 100_000;

/** Whether a store of kind `auto` that is to have this number of objects keeps them as compressed text from now on. */
export function isWorthPacking(objects: number, above: number = AUTO_ABOVE): boolean {
  return objects > above;
}
