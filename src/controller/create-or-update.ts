import { copyOf } from '../kit/copy-of.ts';
import { InformerError } from '../kit/error.ts';
import { sameValue } from '../kit/same-value.ts';
import { joinKey } from '../model/key.ts';
import type { KubeObject } from '../model/object.ts';
import { checkName } from '../model/path-segment.ts';
import { isNotFound } from '../model/status.ts';

/** The part of a resource client that {@link createOrUpdate} needs. */
export interface Upsertable<T> {
  get(name: string): Promise<T>;
  create(object: T): Promise<unknown>;
  update(object: T): Promise<unknown>;
}

export type OperationResult = 'created' | 'updated' | 'unchanged';

/**
 * Brings an object to the state that `mutate` gives it: made when absent, written when it differs, left alone when it does not.
 * `object` names it and is what is created; `mutate` gets it, or the one read, and changes it in place. Rejects without writing when reading
 * fails for any other reason than 404, when the object has no name, and when `mutate` changes name or namespace.
 * Source: controller-runtime controllerutil.CreateOrUpdate.
 */
export async function createOrUpdate<T extends KubeObject>(
  resource: Upsertable<NoInfer<T>>,
  object: T,
  mutate: (object: T) => void | Promise<void>,
): Promise<OperationResult> {
  const name = object.metadata.name ?? '';
  checkName(name, object.kind ?? 'object');
  const existing = await resource.get(name).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (!existing) {
    await resource.create(await mutated(object, mutate));
    return 'created';
  }
  const before = copyOf(existing);
  const after = await mutated(existing, mutate);
  if (sameValue(before, after)) return 'unchanged';
  await resource.update(after);
  return 'updated';
}

async function mutated<T extends KubeObject>(object: T, mutate: (object: T) => void | Promise<void>): Promise<T> {
  const key = joinKey(object.metadata.namespace, object.metadata.name ?? '');
  await mutate(object);
  if (joinKey(object.metadata.namespace, object.metadata.name ?? '') === key) return object;
  throw new InformerError('argument', 'MutateFn cannot mutate object name and/or object namespace');
}
