import type { ResourceType } from '../../model/resource-type.ts';
import type { KindSource } from '../shown-object.ts';
import type { CompiledCondition } from './condition.ts';
import type { ForCondition } from './for-condition.ts';

/**
 * The rules that end a stream when they are met. They are about all objects of the selectors and names, shown or not.
 */
export interface WaitRules {
  /** `--until`: met when every selected object meets all of these, and there is at least one. */
  readonly until?: readonly CompiledCondition[] | undefined;
  /** `--until-any`: met when one object meets one of these. */
  readonly untilAny?: readonly CompiledCondition[] | undefined;
  /** `--fail-if`: met when one object meets one of these. `staysMs` does not apply to it. */
  readonly failIf?: readonly CompiledCondition[] | undefined;
  /**
   * `--for`: each object must meet these one after the other. A condition that an object has met counts from then on.
   */
  readonly for?: readonly ForCondition[] | undefined;
  /** `--stays`: how long a rule must be met without a break before it ends the stream, ms. */
  readonly staysMs?: number | undefined;
}

/** One type in a wait. */
export interface WaitTarget {
  readonly type: KindSource & Pick<ResourceType, 'namespaced'>;
  /** The names that were given; undefined = all objects of the selectors. */
  readonly names?: ReadonlySet<string> | undefined;
  /** The namespaces that are watched; undefined or '' = all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
}
