import { copyOf } from '../../kit/copy-of.ts';
import { InformerError } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { mergePatchOf } from '../../kit/merge-patch.ts';
import { sameValue } from '../../kit/same-value.ts';
import type { DeepReadonly, KubeObject } from '../../model/object.ts';
import { isNotFound, StatusError } from '../../model/status.ts';
import { checkIdentity, type ObjectReader } from './present-object.ts';
import { DEFAULT_BACKOFF, type RetryOptions, retryOnConflict } from './retry.ts';

/** Options of {@link updateStatus}: those of the retries on a conflict, and of the write. */
export interface UpdateStatusOptions extends RetryOptions {
  /** The name under which the server records the fields. Default: from the User-Agent. */
  fieldManager?: string | undefined;
}

/** The part of a resource client that {@link updateStatus} needs. A ResourceApi fits. */
export interface StatusWriter<T> extends ObjectReader<T> {
  patch(
    name: string,
    body: unknown,
    options: {
      type: 'merge';
      subresource: string;
      fieldManager?: string | undefined;
      signal?: AbortSignal | undefined;
    },
  ): Promise<T>;
}

/** The outcome of {@link updateStatus}, and the object after it. */
export interface StatusUpdate<T> {
  readonly result: 'updated' | 'unchanged';
  /** The object with the new status: as the server answered it, or, if nothing was sent, as it was last read. */
  readonly object: T;
}

const KNOWN_OPTIONS = {
  fieldManager: 'text',
  backoff: true, // checked by retryOnConflict
  clock: 'clock',
  random: 'function',
  signal: 'signal',
} satisfies KnownOptionsOf<UpdateStatusOptions>;

/**
 * Changes the status of an object. `mutate` changes a copy in place; `object` itself, which may be from a cache, stays
 * as it is. Sends nothing if the status stays equal. Otherwise it sends only what differs, with the resourceVersion as a
 * condition. On a conflict it reads the object and calls `mutate` again with a copy of the present state.
 *
 * `generation` is the metadata.generation of `object`, also after a conflict. It is what the caller has seen, so it is
 * the right value for `status.observedGeneration` and for conditions.
 *
 * Rejects with `argument` if `mutate` changes anything but `status`, with a conflict if the last of the tries has one
 * (default: four tries), and with NotFound if the object is gone or was replaced by another one with its name.
 */
export async function updateStatus<T extends KubeObject>(
  resource: StatusWriter<T>,
  object: DeepReadonly<NoInfer<T>>,
  mutate: (draft: T, generation: number | undefined) => unknown,
  options: UpdateStatusOptions = {},
): Promise<StatusUpdate<T>> {
  checkOptions('updateStatus', options, KNOWN_OPTIONS);
  const { fieldManager, backoff = DEFAULT_BACKOFF, clock, random, signal } = options;
  const given = object as T;
  const name = checkIdentity(resource, given);
  let latest: T | undefined = given.metadata.resourceVersion === undefined ? undefined : given;
  const write = async (): Promise<StatusUpdate<T>> => {
    latest ??= await resource.get(name, { signal });
    const base: T = latest;
    checkSame(given, base);
    latest = undefined; // the next try reads
    const draft = copyOf(base);
    await mutate(draft, given.metadata.generation);
    const patch = statusPatchOf(base, draft);
    if (!patch) return { result: 'unchanged', object: base };
    const after = await resource
      .patch(name, patch, { type: 'merge', subresource: 'status', fieldManager, signal })
      .catch((error) => {
        throw explained(error);
      });
    const isSame = after.metadata.resourceVersion === base.metadata.resourceVersion;
    return { result: isSame ? 'unchanged' : 'updated', object: after };
  };
  return retryOnConflict(write, { backoff, clock, random, signal });
}

type WithStatus = KubeObject & { status?: unknown };

function statusPatchOf(before: WithStatus, after: WithStatus): object | undefined {
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof WithStatus>) {
    if (field === 'status' || sameValue(before[field], after[field])) continue;
    throw new InformerError('argument', `updateStatus writes only the status, but ${field} was changed`, {
      hint: 'write other fields with createOrUpdate, serverSideApply or update',
    });
  }
  const patch = mergePatchOf({ status: before.status }, { status: after.status });
  return patch && { metadata: { resourceVersion: before.metadata.resourceVersion }, ...patch };
}

function checkSame(given: KubeObject, present: KubeObject): void {
  const { uid, name = '' } = given.metadata;
  if (uid === undefined || uid === present.metadata.uid) return;
  const message = `${given.kind ?? 'the object'} ${JSON.stringify(name)} was deleted and created again`;
  throw new StatusError({ reason: 'NotFound', code: 404, message, details: { name, uid } });
}

/** Adds the likely cause to the 404 of a path that does not exist. */
function explained(error: unknown): unknown {
  if (!(error instanceof StatusError) || !isNotFound(error) || error.status.details?.name) return error;
  return new StatusError(error.status, {
    cause: error,
    message: error.message,
    hint: 'does the type have a status subresource? A CustomResourceDefinition needs subresources: { status: {} }',
  });
}
