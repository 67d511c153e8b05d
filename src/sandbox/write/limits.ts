import { isTooDeep, MOST_LEVELS } from '../../kit/depth.ts';
import { badRequest, notImplemented } from '../status/statuses.ts';

/** Refuses with 501 what is nested too deep for the sandbox to work through. A real server takes ten times as much. */
export function checkDepth(value: unknown): void {
  if (isTooDeep(value)) notImplemented(`objects nested deeper than ${MOST_LEVELS} levels`);
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
  const isBeyond = (inner: unknown, level: number): boolean => {
    if (left-- <= 0 || level > MOST_LEVELS) return true; // what holds itself never ends
    return typeof inner === 'object' && inner !== null && Object.values(inner).some((part) => isBeyond(part, level + 1));
  };
  return isBeyond(value, 0);
}
