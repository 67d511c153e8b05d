import { nearest } from '../../kit/nearest.ts';
import type { Sample } from '../../query/answer/samples.ts';
import { USUAL_CONDITIONS } from '../../stream/conditions/for-condition.ts';
import { countText } from './path-advice.ts';

/**
 * Says of the conditions that `--for condition=NAME` names which none of the objects has, where the name looks like a
 * misspelling of one that some have. Any other condition may come later, and is no mistake.
 */
export function conditionAdvice(names: readonly string[], samples: readonly Sample[]): string[] {
  if (names.length === 0) return [];
  const filled = samples.filter(({ objects }) => objects.length > 0);
  const there = new Set(filled.flatMap(({ objects }) => objects.flatMap(({ status }) => typesIn(status))));
  const known = new Set([...there, ...USUAL_CONDITIONS].map((type) => type.toLowerCase()));
  return names.flatMap((name) => {
    const [near] = known.has(name.toLowerCase()) ? [] : nearest(name, there);
    return near === undefined
      ? []
      : `--for: none of ${countText(filled)} has the condition ${name}; did you mean ${near}?`;
  });
}

function typesIn(status: unknown): string[] {
  const conditions = (status as { conditions?: unknown } | null | undefined)?.conditions;
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((each: { type?: unknown } | null) => (typeof each?.type === 'string' ? each.type : []));
}
