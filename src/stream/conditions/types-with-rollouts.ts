import type { CelProgram } from '../../expr/cel/cel.ts';
import { calls, keysRead } from '../../expr/cel/walk.ts';
import { InformerError } from '../../kit/error.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { hasRollout, noRolloutText } from '../../model/rollout-status.ts';
import type { ForCondition } from './for-condition.ts';

/**
 * Refuses `rolledOut(object)` and `--for rollout` for a type that has no rollout status. Throws `argument`.
 * An expression that looks at `object.kind` may choose by itself which objects it asks.
 */
export function checkRollouts(
  programs: readonly CelProgram[],
  waits: readonly ForCondition[],
  types: readonly Pick<ResourceType, 'gvr' | 'kind'>[],
): void {
  const other = types.find((type) => !hasRollout(type));
  if (!other) return;
  const refuse = (asked: string): never => {
    throw new InformerError('argument', `${asked}: ${noRolloutText(other)}`, {
      hint: 'other types report their progress in their conditions: --for condition=Ready',
    });
  };
  if (waits.some(({ kind }) => kind === 'rollout')) refuse('--for rollout');
  const asking = programs.find(({ ast }) => calls(ast, 'rolledOut') && !keysRead(ast, 'object').includes('kind'));
  if (asking) refuse(`${asking.flag}: rolledOut()`);
}
