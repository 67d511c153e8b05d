import { copyOf } from '../../kit/copy-of.ts';
import { InformerError } from '../../kit/error.ts';
import { checkArgument, checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { mergePatchOf } from '../../kit/merge-patch.ts';
import { sameValue } from '../../kit/same-value.ts';
import { keyOf } from '../../model/key.ts';
import type { DeepReadonly, KubeObject } from '../../model/object.ts';
import type { NewObject, WriteBody } from '../../model/write-body.ts';
import { checkIdentity, presentObject } from './present-object.ts';
import { RememberedWrites } from './remembered-writes.ts';
import { withoutServerMetadata } from './server-metadata.ts';

/** The part of a resource client that {@link createOrUpdate} needs. A ResourceApi fits. */
export interface Upsertable<T> {
  readonly namespace?: string | undefined;
  get(name: string): Promise<T>;
  create(object: WriteBody<T>): Promise<unknown>;
  update(object: WriteBody<T>): Promise<unknown>;
}

/** The outcome of {@link createOrUpdate}. */
export type OperationResult = 'created' | 'updated' | 'unchanged';

/** The part of a resource client that {@link createOrPatch} needs. A ResourceApi fits. */
export interface Patchable<T> {
  readonly namespace?: string | undefined;
  get(name: string): Promise<T>;
  create(object: WriteBody<T>): Promise<unknown>;
  patch(name: string, body: unknown, options: { type: 'merge'; subresource?: string }): Promise<unknown>;
}

/** The outcome of {@link createOrPatch}. */
export type PatchResult = OperationResult | 'updatedStatus' | 'updatedStatusOnly';

/** Options of {@link createOrUpdate} and {@link createOrPatch}. */
export interface CachedReadOptions<T> {
  /**
   * The object as a cache has it, such as `lister.get(key)`. If `mutate` changes nothing in a copy of it, nothing is
   * sent. Otherwise the object is read from the server, and `mutate` is called again with that.
   */
  current?: DeepReadonly<T> | undefined;
}

const KNOWN_OPTIONS = { current: 'object' } satisfies KnownOptionsOf<CachedReadOptions<object>>;

/** The remembered writes of the process: a controller makes its resource clients again at each run. */
const writes = new RememberedWrites();

/**
 * Creates an object, or updates it if `mutate` changes it. `object` gives the name, and the content for a creation.
 * `mutate` gets `object`, or the existing object, and changes it in place. It may replace a part by a literal: defaults
 * that the server adds do not count as a change, because what it answered to the same request before is remembered. The first run of a process may send an
 * update that the server does not store; the result is `unchanged` then, too.
 *
 * Fails with a conflict if the object changed since the read. Rejects without a write if the read fails for another
 * reason than an absent object, if the object has no name or is not in the namespace of `resource`, and if `mutate`
 * changes the name or the namespace. Source: controller-runtime controllerutil.CreateOrUpdate.
 */
export async function createOrUpdate<T extends KubeObject>(
  resource: Upsertable<T>,
  object: NewObject<NoInfer<T>>,
  mutate: (object: T) => unknown,
  options: CachedReadOptions<NoInfer<T>> = {},
): Promise<OperationResult> {
  checkArgument('createOrUpdate', 'mutate', mutate, 'function');
  checkOptions('createOrUpdate', options, KNOWN_OPTIONS);
  if (await isCurrent(resource, object, mutate, options)) return 'unchanged';
  const existing = await presentObject<T>(resource, object);
  if (!existing) return created(resource, await mutated(object as T, mutate));
  const before = copyOf(existing);
  const after = await mutated(existing, mutate);
  if (isUnchanged(before, after)) return 'unchanged';
  after.metadata.resourceVersion ??= before.metadata.resourceVersion as string;
  const stored = await resource.update(after as WriteBody<T>);
  writes.remember(after, stored);
  return hasVersionOf(before, stored) ? 'unchanged' : 'updated';
}

/**
 * As {@link createOrUpdate}, but sends only what differs, as merge patches: one for the status, and one for everything
 * else. A patch has no version as a condition, so a change of the same list by another writer since the read is lost.
 * The status is not written when the object is created, because the server ignores it then.
 * Source: controller-runtime controllerutil.CreateOrPatch.
 */
export async function createOrPatch<T extends KubeObject>(
  resource: Patchable<T>,
  object: NewObject<NoInfer<T>>,
  mutate: (object: T) => unknown,
  options: CachedReadOptions<NoInfer<T>> = {},
): Promise<PatchResult> {
  checkArgument('createOrPatch', 'mutate', mutate, 'function');
  checkOptions('createOrPatch', options, KNOWN_OPTIONS);
  if (await isCurrent(resource, object, mutate, options)) return 'unchanged';
  const existing = await presentObject<T>(resource, object);
  if (!existing) return created(resource, await mutated(object as T, mutate));
  const before = copyOf(existing);
  const after = await mutated(existing, mutate);
  const main = await patchMain(resource, withoutStatus(before), withoutStatus(after));
  const isUpdated = main !== undefined && !hasVersionOf(before, main);
  const isStatusUpdated = await patchStatus(resource, main ?? before, before, after);
  if (isStatusUpdated) return isUpdated ? 'updatedStatus' : 'updatedStatusOnly';
  return isUpdated ? 'updated' : 'unchanged';
}

/** Whether `mutate` changes nothing in the cached object. */
async function isCurrent<T extends KubeObject>(
  resource: { readonly namespace?: string | undefined },
  object: NewObject<T>,
  mutate: (object: T) => unknown,
  { current }: CachedReadOptions<T>,
): Promise<boolean> {
  if (current === undefined) return false;
  const wanted = object as T;
  checkIdentity(resource, wanted);
  const before = copyOf(current as T);
  if (before.metadata.name !== wanted.metadata.name || (wanted.metadata.namespace && keyOf(before) !== keyOf(wanted)))
    throw new InformerError('argument', `current is ${keyOf(before)}, not ${keyOf(wanted)}`);
  return isUnchanged(before, await mutated(copyOf(before), mutate));
}

type Body = KubeObject & { status?: unknown };

async function created<T extends KubeObject>(resource: Pick<Upsertable<T>, 'create'>, object: T): Promise<'created'> {
  writes.remember(object, await resource.create(object as WriteBody<T>));
  return 'created';
}

/** Sends what differs, if it would store something new. The answer; undefined if nothing was sent. */
async function patchMain<T>(resource: Patchable<T>, before: Body, after: Body): Promise<Body | undefined> {
  const patch = isUnchanged(before, after) ? undefined : mergePatchOf(writable(before), writable(after));
  if (!patch) return undefined;
  const stored = (await resource.patch(nameOf(before), patch, { type: 'merge' })) as Body;
  writes.remember(after, withoutStatus(stored));
  return stored;
}

/** Sends the status if it differs. Whether the server stored it; `latest` has the version before. */
async function patchStatus<T>(resource: Patchable<T>, latest: Body, before: Body, after: Body): Promise<boolean> {
  const patch = mergePatchOf({ status: before.status }, { status: after.status });
  if (!patch) return false;
  const stored = await resource.patch(nameOf(before), patch, { type: 'merge', subresource: 'status' });
  return !hasVersionOf(latest, stored);
}

const nameOf = ({ metadata: { name = '' } }: KubeObject): string => name;

const isUnchanged = (before: KubeObject, after: KubeObject): boolean =>
  sameValue(before, after) || writes.isRepeated(before, after);

/** Whether the server stored nothing. A no-op write keeps the version. */
function hasVersionOf({ metadata: { resourceVersion } }: KubeObject, stored: unknown): boolean {
  const { metadata } = (stored ?? {}) as Partial<KubeObject>;
  return resourceVersion !== undefined && metadata?.resourceVersion === resourceVersion;
}

function withoutStatus({ status: _, ...object }: Body): Body {
  return object;
}

function writable(object: Body): object {
  return { ...object, metadata: withoutServerMetadata(object.metadata) };
}

async function mutated<T extends KubeObject>(object: T, mutate: (object: T) => unknown): Promise<T> {
  const key = keyOf(object);
  await mutate(object);
  if (keyOf(object) === key) return object;
  throw new InformerError('argument', 'MutateFn cannot mutate object name and/or object namespace');
}
