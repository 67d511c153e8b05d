import type { Clock } from '../../kit/clock.ts';
import { systemClock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { checkChoice, checkOptions } from '../../kit/known-options.ts';
import { wireTime } from '../../model/instant.ts';

/** One condition of a status, as {@link setCondition} writes it. Source: apimachinery meta/v1 Condition. */
export interface Condition {
  /** The name of the condition, unique in its list: `Ready`. */
  type: string;
  status: 'True' | 'False' | 'Unknown';
  /** Why, as one word for programs, in CamelCase. */
  reason: string;
  /** Why, as a sentence for people. May be empty. */
  message: string;
  /** The metadata.generation of the object that the condition was computed for. */
  observedGeneration?: number | undefined;
  /** The time when `status` last changed, RFC 3339 with whole seconds. */
  lastTransitionTime: string;
}

/** A condition to set. Default of `message`: empty; of `lastTransitionTime`: now, if the status changes. */
export type NewCondition = Omit<Condition, 'message' | 'lastTransitionTime'> & {
  message?: string | undefined;
  lastTransitionTime?: string | undefined;
};

/** Any condition: its type and its status. */
export type AnyCondition = { readonly type: string; readonly status: string };

/**
 * A list of conditions with `condition` in it, in the place of the one with its type, else at the end. The time of the
 * transition changes only if `status` changes. All fields of a {@link Condition} are those of the new one, so a missing
 * observedGeneration is removed. Further fields of the old one stay.
 *
 * Changes nothing in place, so the list of an object from a cache may be given. Returns the same list if nothing
 * changes. Throws `argument` for a condition without a type or a reason, and for an unknown status.
 * Source: apimachinery api/meta SetStatusCondition.
 */
export function setCondition<C extends AnyCondition = Condition>(
  conditions: readonly C[] | undefined,
  condition: NewCondition,
  options: { clock?: Clock | undefined } = {},
): C[] {
  checkOptions('setCondition', options, { clock: 'clock' });
  checkCondition(condition);
  const list = conditions ?? [];
  const at = list.findIndex(({ type }) => type === condition.type);
  const old = list[at] as (C & Partial<Condition>) | undefined;
  const next = {
    type: condition.type,
    status: condition.status,
    reason: condition.reason,
    message: condition.message ?? '',
    observedGeneration: condition.observedGeneration,
    lastTransitionTime: transitionTime(old, condition, options.clock ?? systemClock),
  };
  if (old && FIELDS.every((field) => old[field] === next[field])) return list as C[];
  const { observedGeneration: _, ...rest } = old ?? {};
  const { observedGeneration, ...fields } = next;
  const merged = { ...rest, ...fields, ...(observedGeneration === undefined ? {} : { observedGeneration }) };
  return (at < 0 ? [...list, merged] : list.with(at, merged as unknown as C)) as C[];
}

function checkCondition(condition: NewCondition): void {
  const { type, status, reason } = condition ?? {};
  if (!type) throw new InformerError('argument', 'a condition needs a type');
  checkChoice(`the status of the condition ${type}`, status ?? null, ['True', 'False', 'Unknown']);
  if (!reason) throw new InformerError('argument', `the condition ${type} needs a reason`);
}

function transitionTime(old: Partial<Condition> | undefined, condition: NewCondition, clock: Clock): string {
  const isSame = old?.status === condition.status && old.lastTransitionTime !== undefined;
  return isSame ? (old.lastTransitionTime as string) : (condition.lastTransitionTime ?? wireTime(clock.now()));
}

const FIELDS = [
  'type',
  'status',
  'reason',
  'message',
  'observedGeneration',
  'lastTransitionTime',
] as const satisfies readonly (keyof Condition)[];

/** The condition of this type; undefined if there is none. */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of this type is `True`. A missing condition is not. */
export function isConditionTrue(conditions: readonly AnyCondition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/** The conditions without the one of this type. Returns the same list if there is none. */
export function removeCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C[] {
  const list = conditions ?? [];
  return (findCondition(list, type) ? list.filter((condition) => condition.type !== type) : list) as C[];
}
