/**
 * A source with the edit of one breakage made; undefined when `find` is not in it exactly once. `at` is an offset, for
 * one of several places.
 */
export function edited(source, { find, replace, at }) {
  const offset = at ?? (source.split(find).length === 2 ? source.indexOf(find) : -1);
  if (offset < 0 || !source.startsWith(find, offset)) return undefined;
  return source.slice(0, offset) + replace + source.slice(offset + find.length);
}
