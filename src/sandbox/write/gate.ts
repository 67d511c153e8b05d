import type { UnknownObject } from '../../model/object.ts';
import { SCALES } from '../read/show-scale.ts';
import type { ApiType } from '../types/api-type.ts';
import { copy } from '../types/copy.ts';
import { equalJson } from '../types/equal.ts';
import { scaleOf, withScale } from '../types/scale.ts';
import { tidyMetadata } from './identity.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** A write as admission sees it: after decoding, before it is stored. */
export interface WriteAttempt {
  readonly operation: Operation;
  /** The type of the path. */
  readonly type: ApiType;
  /** The type of the objects where it is another one, such as Scale. */
  readonly kind?: Pick<ApiType, 'gvr' | 'kind'> | undefined;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  /** '' while the name is still to be generated. */
  readonly name: string;
  readonly object?: UnknownObject | undefined;
  readonly oldObject?: UnknownObject | undefined;
}

/**
 * Decides about writes: it may change the object, and throws to refuse the write. Calls are synchronous; a decision that
 * takes time is made before, from a run of the same write that ended with the question.
 */
export interface Gate {
  /** The object to write: another one than that of the attempt if it was changed. It belongs to the caller. */
  mutate(attempt: WriteAttempt): UnknownObject | undefined;
  validate(attempt: WriteAttempt): void;
}

/** The change that a gate makes; undefined for none. */
export function mutation(gate: Gate | undefined, attempt: WriteAttempt): UnknownObject | undefined {
  const object = gate?.mutate(inReview(attempt));
  if (!object || !attempt.object) return undefined;
  const after = attempt.subresource === 'scale' ? withScale(attempt.type, attempt.object, object) : object;
  return equalJson(after, attempt.object) ? undefined : copy(after);
}

export function validation(gate: Gate | undefined, attempt: WriteAttempt): void {
  gate?.validate(inReview(attempt));
}

/** A new object before the server has given it an identity: so mutating admission sees it. */
export function withoutIdentity(object: UnknownObject, given: UnknownObject['metadata']): UnknownObject {
  const { uid: _uid, creationTimestamp: _time, generation: _generation, name, ...metadata } = object.metadata;
  return { ...object, metadata: tidyMetadata({ ...metadata, ...(given.name ? { name } : {}) }) };
}

/** A changed object with the system's metadata only where the client sent it: so mutating admission sees an update. */
export function asSent(object: UnknownObject, given: UnknownObject['metadata']): UnknownObject {
  const left = Object.entries(object.metadata).filter(([field]) => !SYSTEM.has(field) || field in given);
  return { ...object, metadata: Object.fromEntries(left) as UnknownObject['metadata'] };
}

const SYSTEM = new Set(['uid', 'resourceVersion', 'generation', 'creationTimestamp']);

/** The identity of a new object, on the object that mutating admission answered with. */
export function withIdentity(answer: UnknownObject, { metadata }: UnknownObject): UnknownObject {
  const { uid, creationTimestamp, generation, name } = metadata;
  const identity = { uid, creationTimestamp, generation, name: answer.metadata.name || name };
  return { ...answer, metadata: tidyMetadata({ ...answer.metadata, ...identity } as UnknownObject['metadata']) };
}

function inReview(attempt: WriteAttempt): WriteAttempt {
  const { type, subresource, object, oldObject } = attempt;
  if (subresource !== 'scale') return attempt;
  const shown = (whole: UnknownObject | undefined) => whole && scaleOf(type, whole);
  return { ...attempt, kind: SCALES, object: shown(object), oldObject: shown(oldObject) };
}
