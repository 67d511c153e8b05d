import { copyOf } from '../kit/copy-of.ts';
import { InformerError } from '../kit/error.ts';
import { sameValue } from '../kit/same-value.ts';
import { joinKey } from '../model/key.ts';
import type { KubeObject } from '../model/object.ts';
import { checkName } from '../model/path-segment.ts';
import { isNotFound } from '../model/status.ts';
import type { NewObject, WriteBody } from '../model/write-body.ts';

/** The part of a resource client that {@link createOrUpdate} needs. */
export interface Upsertable<T> {
  get(name: string): Promise<T>;
  create(object: WriteBody<T>): Promise<unknown>;
  update(object: WriteBody<T>): Promise<unknown>;
}

/** What {@link createOrUpdate} did. */
export type OperationResult = 'created' | 'updated' | 'unchanged';

/**
 * Creates an object, or updates it if `mutate` changes it. `object` gives the name, and the content for a creation.
 * `mutate` gets `object`, or the existing object, and changes it in place. Nothing is written if nothing changed.
 *
 * Rejects without a write if the read fails for another reason than 404, if the object has no name, and if `mutate`
 * changes the name or the namespace. Source: controller-runtime controllerutil.CreateOrUpdate.
 */
export async function createOrUpdate<T extends KubeObject>(
  resource: Upsertable<T>,
  object: NewObject<NoInfer<T>>,
  mutate: (object: T) => unknown,
): Promise<OperationResult> {
  const name = object.metadata.name ?? '';
  checkName(name, object.kind ?? 'object');
  const existing = await resource.get(name).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (!existing) {
    await resource.create((await mutated(object as T, mutate)) as WriteBody<T>);
    return 'created';
  }
  const before = copyOf(existing);
  const after = await mutated(existing, mutate);
  if (sameValue(before, after)) return 'unchanged';
  await resource.update(after as WriteBody<T>);
  return 'updated';
}

async function mutated<T extends KubeObject>(object: T, mutate: (object: T) => unknown): Promise<T> {
  const key = joinKey(object.metadata.namespace, object.metadata.name ?? '');
  await mutate(object);
  if (joinKey(object.metadata.namespace, object.metadata.name ?? '') === key) return object;
  throw new InformerError('argument', 'MutateFn cannot mutate object name and/or object namespace');
}
