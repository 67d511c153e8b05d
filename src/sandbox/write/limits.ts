import { badRequest, notImplemented } from '../http/statuses.ts';

/** Refuses with 501 what JavaScript would round: a whole number that an int64 holds and a double does not. `text` is what was decoded. */
export function checkNumbers(text: string, value: unknown): void {
  if (/\d{16}/.test(text) && holdsLarge(value)) notImplemented(`whole numbers beyond ${Number.MAX_SAFE_INTEGER}`);
}

function holdsLarge(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) <= 2 ** 63;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsLarge);
}

/** Values a YAML text may stand for beyond its own length. */
const ALIASED = 400_000;

/** Refuses YAML whose aliases make much of little. Source: sigs.k8s.io/yaml goyaml.v2 decode.go allowedAliasRatio. */
export function checkAliases(text: string, value: unknown): void {
  if (hasExcessiveAliases(text, value)) badRequest(EXCESSIVE_ALIASES);
}

export const EXCESSIVE_ALIASES = 'yaml: document contains excessive aliasing';

/** Whether the aliases of a YAML text make it stand for far more values than it has characters. */
export function hasExcessiveAliases(text: string, value: unknown): boolean {
  if (!text.includes('*') || !text.includes('&')) return false;
  let left = Math.max(ALIASED, text.length);
  const isBeyond = (inner: unknown): boolean => {
    if (left-- <= 0) return true;
    return typeof inner === 'object' && inner !== null && Object.values(inner).some(isBeyond);
  };
  return isBeyond(value);
}
