import { rolloutOf } from '../../model/rollout-status.ts';
import { celFailure, isMap, typeNameOf } from './cel-values.ts';
import { ask, type CelFunction } from './function.ts';

/**
 * `rolledOut(object)`: whether `kubectl rollout status` would report the rollout of a workload as done. It is false
 * before that, after the progress deadline, and for null (`oldObject` of an added object). It fails for other kinds,
 * and for the strategy OnDelete, which has no rollout status.
 */
export const rolloutFunctions: readonly CelFunction[] = [ask('rolledOut', ['rolledOut(dyn): bool'], isRolledOut)];

function isRolledOut(object: unknown): boolean {
  if (object === null) return false;
  if (!isMap(object)) return celFailure(`rolledOut() takes an object, got ${typeNameOf(object)}`);
  const { state, text } = rolloutOf(object);
  return state === 'unknown' ? celFailure(`rolledOut(): ${text}`) : state === 'done';
}
