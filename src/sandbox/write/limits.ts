import { isTooDeep, MOST_LEVELS } from '../../kit/depth.ts';
import { badRequest, notImplemented } from '../status/statuses.ts';

/** Throws 501 for a value that is nested too deep for the sandbox. A real server accepts ten times the depth. */
export function checkDepth(value: unknown): void {
  if (isTooDeep(value)) notImplemented(`objects nested deeper than ${MOST_LEVELS} levels`);
}

/** How many values the aliases of a YAML text can add, besides one for each character. */
const ALIASED = 400_000;

/** Throws 400 for YAML whose aliases expand too far. Source: sigs.k8s.io/yaml goyaml.v2 decode.go allowedAliasRatio. */
export function checkAliases(text: string, value: unknown): void {
  if (hasExcessiveAliases(text, value)) badRequest(EXCESSIVE_ALIASES);
}

export const EXCESSIVE_ALIASES = 'yaml: document contains excessive aliasing';

/** Whether the aliases of a YAML text expand to far more values than the text has characters. */
export function hasExcessiveAliases(text: string, value: unknown): boolean {
  if (!text.includes('*') || !text.includes('&')) return false;
  let left = Math.max(ALIASED, text.length);
  const isBeyond = (inner: unknown, level: number): boolean => {
    if (left-- <= 0 || level > MOST_LEVELS) return true; // a value that contains itself never ends
    return (
      typeof inner === 'object' && inner !== null && Object.values(inner).some((part) => isBeyond(part, level + 1))
    );
  };
  return isBeyond(value, 0);
}
