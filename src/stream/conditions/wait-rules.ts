import type { ResourceType } from '../../model/resource-type.ts';
import type { KindSource } from '../shown-object.ts';
import type { CompiledCondition } from './condition.ts';
import type { ForCondition } from './for-condition.ts';

/** What ends a stream by being true. The set they speak of is what selectors and names give, not what filters show. */
export interface WaitRules {
  /** `--until`: met when every selected object meets all of these, and there is at least one. */
  readonly until?: readonly CompiledCondition[] | undefined;
  /** `--until-any`: met when some object meets any of these. */
  readonly untilAny?: readonly CompiledCondition[] | undefined;
  /** `--fail-if`: met when some object meets any of these. Never has to stay. */
  readonly failIf?: readonly CompiledCondition[] | undefined;
  /** `--for`: each object has to meet these one after the other; what it has met, it has met. */
  readonly for?: readonly ForCondition[] | undefined;
  /** `--stays`: what ends the stream must have held for so long, ms, without a break. */
  readonly staysMs?: number | undefined;
}

/** One type in a wait. */
export interface WaitTarget {
  readonly type: KindSource & Pick<ResourceType, 'namespaced'>;
  /** The names that were given; undefined = whatever the selectors give. */
  readonly names?: ReadonlySet<string> | undefined;
  /** Where they are looked for; undefined or '' = everywhere. */
  readonly namespaces?: readonly string[] | undefined;
}
