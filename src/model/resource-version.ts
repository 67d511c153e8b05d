/**
 * An opaque mark of where in a stream we are: equal or not, nothing else. '' means "none yet".
 * Only {@link compareResourceVersions} may order two, for `--at-least-rv` and the ledger.
 */
export type ResourceVersion = string;

const WELL_FORMED = /^[1-9][0-9]*$/;

/**
 * Orders two versions of the same resource type: negative, zero or positive; undefined when either is not a plain decimal.
 * Length first, then text, so that no size overflows. Source: KEP-5504 (comparable resource version), apimachinery util/resourceversion.
 */
export function compareResourceVersions(a: ResourceVersion, b: ResourceVersion): number | undefined {
  if (!WELL_FORMED.test(a) || !WELL_FORMED.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
