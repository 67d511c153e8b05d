import { rolloutOf } from '../../model/rollout.ts';
import { ask, type CelFunction } from './function.ts';
import { failure, isMap, typeNameOf } from './values.ts';

/**
 * `rolledOut(object)`: whether `kubectl rollout status` would say that it is done. False while it is not, and after the progress deadline.
 * Fails for other kinds, and for the strategy OnDelete, of which there is no status. False for null (`oldObject` of an addition).
 */
export const rolloutFunctions: readonly CelFunction[] = [ask('rolledOut', ['rolledOut(dyn): bool'], isRolledOut)];

function isRolledOut(object: unknown): boolean {
  if (object === null) return false;
  if (!isMap(object)) return failure(`rolledOut() takes an object, got ${typeNameOf(object)}`);
  const { state, text } = rolloutOf(object);
  return state === 'unknown' ? failure(`rolledOut(): ${text}`) : state === 'done';
}
