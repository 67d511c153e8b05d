import { isContainer } from './exact-json.ts';
import { thousands } from './thousands.ts';

/** The most levels of maps and lists that recursive functions accept, such as those that print and compare. */
export const MOST_LEVELS = 1_000;

/** The text for a value beyond {@link MOST_LEVELS}. */
export const TOO_DEEP = `it is nested deeper than ${thousands(MOST_LEVELS)} levels`;

/** Whether a value is nested deeper than {@link MOST_LEVELS}. A value that contains itself is. */
export function isTooDeep(value: unknown): boolean {
  return isContainer(value) && isDeeper(value, MOST_LEVELS);
}

function isDeeper(container: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(container)) {
    for (let i = 0; i < container.length; i++) {
      const item: unknown = container[i];
      if (typeof item === 'object' && item !== null && isDeeper(item, levels - 1)) return true;
    }
    return false;
  }
  for (const key in container) {
    const item = (container as Record<string, unknown>)[key];
    if (typeof item === 'object' && item !== null && isDeeper(item, levels - 1)) return true;
  }
  return false;
}
