import { nearest } from '../../kit/nearest.ts';
import { USUAL_CONDITIONS } from '../../stream/conditions/for-condition.ts';
import { countText, filled } from './count-text.ts';
import type { Facts } from './hint.ts';

/**
 * Names the conditions of `--for condition=NAME` that none of the objects has, where the name looks like a misspelling
 * of one that some have. Any other condition may come later, and is no mistake.
 */
export async function absentConditions({ plan: { conditionsNamed = [] }, samples }: Facts): Promise<string[]> {
  if (conditionsNamed.length === 0) return [];
  const found = filled(samples);
  const there = new Set(found.flatMap(({ objects }) => objects.flatMap(({ status }) => typesIn(status))));
  const known = new Set([...there, ...USUAL_CONDITIONS].map((type) => type.toLowerCase()));
  return conditionsNamed.flatMap((name) => {
    const [near] = known.has(name.toLowerCase()) ? [] : nearest(name, there);
    return near === undefined
      ? []
      : `--for: none of ${countText(found)} has the condition ${name}; did you mean ${near}?`;
  });
}

function typesIn(status: unknown): string[] {
  const conditions = (status as { conditions?: unknown } | null | undefined)?.conditions;
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((each: { type?: unknown } | null) => (typeof each?.type === 'string' ? each.type : []));
}
