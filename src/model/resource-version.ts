/**
 * An opaque position in the server's history. Only equality has a meaning. '' means "none yet". Only {@link
 * compareResourceVersions} may order two versions, for `--at-least-rv` and the ledger.
 */
export type ResourceVersion = string;

const WELL_FORMED = /^[1-9][0-9]*$/;

/** Whether {@link compareResourceVersions} can order it. */
export const isComparable = (version: ResourceVersion): boolean => WELL_FORMED.test(version);

/**
 * Orders two versions of the same resource type: negative, zero or positive; undefined when either is not a plain
 * decimal.
 * Compares the length first, then the text, so that numbers of any size are exact. Source: KEP-5504 (comparable
 * resource version), apimachinery util/resourceversion.
 */
export function compareResourceVersions(a: ResourceVersion, b: ResourceVersion): number | undefined {
  if (!WELL_FORMED.test(a) || !WELL_FORMED.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether `a` is later than `b`; false where they have no order, or one is not known. */
export const isLaterVersion = (a: ResourceVersion | undefined, b: ResourceVersion | undefined): boolean =>
  a !== undefined && b !== undefined && (compareResourceVersions(a, b) ?? 0) > 0;
