import { copyOf } from '../../kit/copy-of.ts';
import { InformerError } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { sameValue } from '../../kit/same-value.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { AppliedFields } from '../../model/write-body.ts';
import { isApplied } from './applied-fields.ts';
import { asApplyConflict } from './apply-conflict.ts';
import { checkIdentity, type NamedObject, type ObjectReader, presentObject } from './present-object.ts';
import { withoutServerMetadata } from './server-metadata.ts';

/** Options of {@link serverSideApply}. */
export interface ApplyOptions {
  /** The name under which the server records the fields. Always use the same one for the same purpose. */
  fieldManager: string;
  /**
   * Whether to take over fields of other managers. Default false: they are a conflict. Kubernetes recommends true for
   * controllers, which cannot resolve a conflict.
   */
  force?: boolean | undefined;
  /** Apply to this subresource, such as `status`. The object must exist. */
  subresource?: string | undefined;
  /** Whether the server only checks the request and stores nothing. */
  dryRun?: boolean | undefined;
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  /**
   * The object as it was last read, such as from a lister. Nothing is sent if its managedFields show that this manager
   * applied the same before, and its fields still have these values. Without it, and with `dryRun`, the object is read
   * first. An outdated one may lead to the result `updated` although nothing was changed.
   */
  current?: ObjectVersion | undefined;
  signal?: AbortSignal | undefined;
}

/** The part of a resource client that {@link serverSideApply} needs. A ResourceApi fits. */
export interface Appliable<T> extends ObjectReader<T> {
  patch(
    name: string,
    body: unknown,
    options: Pick<ApplyOptions, 'fieldManager' | 'force' | 'subresource' | 'dryRun' | 'fieldValidation' | 'signal'> & {
      type: 'apply';
    },
  ): Promise<T>;
}

/** The outcome of {@link serverSideApply}, and the object after it. */
export interface AppliedObject<T> {
  readonly result: 'created' | 'updated' | 'unchanged';
  /** The whole object, as the server answered it; a copy of `current` if nothing was sent. */
  readonly object: T;
}

/** The fields that identify a version of an object. */
export interface ObjectVersion {
  readonly metadata?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
}

const KNOWN_OPTIONS = {
  fieldManager: 'text',
  force: 'boolean',
  subresource: 'text',
  dryRun: 'boolean',
  fieldValidation: ['Ignore', 'Warn', 'Strict'],
  current: true,
  signal: 'signal',
} satisfies KnownOptionsOf<ApplyOptions>;

/**
 * Applies an object: the server creates it, or changes the fields that `object` names, and removes those that this
 * field manager applied before and that `object` no longer names. All other fields stay as they are.
 *
 * `object` may be one that was read: parts of its metadata that only the server writes are not sent, among them
 * managedFields and resourceVersion. With the subresource `status` only the status is sent. The result is `unchanged` if
 * the server kept the resourceVersion; then no watch gets an event.
 *
 * Rejects with an {@link ApplyConflictError} that names the managers and fields, with `argument` if `object` lacks its
 * name, apiVersion or kind, and as the resource client does. Source: Kubernetes "Server-Side Apply".
 *
 * @example
 * const apps = client.resource(DEPLOYMENTS, { namespace: 'shop' });
 * const wanted = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 3 } };
 * const { result } = await serverSideApply(apps, wanted, { fieldManager: 'my-operator', signal });
 * if (result === 'unchanged') console.log('nothing to do');
 */
export async function serverSideApply<T extends object>(
  resource: Appliable<T>,
  object: NamedObject & AppliedFields<NoInfer<T>>,
  options: ApplyOptions,
): Promise<AppliedObject<T>> {
  checkOptions('serverSideApply', options, KNOWN_OPTIONS);
  const { current, ...request } = options;
  const name = checkIdentity(resource, object);
  if (!request.fieldManager) {
    throw new InformerError('argument', 'serverSideApply needs a fieldManager', {
      hint: 'it names your program in metadata.managedFields: { fieldManager: "my-operator" }',
    });
  }
  const body = bodyOf(object, request.subresource);
  if (current && !request.dryRun && isApplied(current as UnknownObject, body, request))
    return { result: 'unchanged', object: copyOf(current) as T };
  const before: ObjectVersion | undefined =
    current && !request.dryRun ? current : await presentObject(resource, object, request.signal);
  const after = await resource.patch(name, body, { ...request, type: 'apply' }).catch((error) => {
    throw asApplyConflict(error);
  });
  return { result: resultOf(before, after, request.dryRun === true), object: after };
}

function bodyOf(object: NamedObject, subresource: string | undefined): object {
  const { apiVersion, kind } = object;
  if (!apiVersion || !kind) {
    throw new InformerError('argument', `an object to apply needs ${apiVersion ? 'a kind' : 'an apiVersion'}`, {
      hint: 'write both into the object: { apiVersion: "apps/v1", kind: "Deployment", metadata: … }',
    });
  }
  // managedFields are refused in an apply; a version would be a condition
  const metadata = withoutServerMetadata(object.metadata ?? {});
  if (subresource !== 'status') return { ...object, metadata };
  const { name, namespace } = metadata;
  const { status } = object as { status?: unknown };
  return { apiVersion, kind, metadata: { name, namespace }, status };
}

function resultOf(
  before: ObjectVersion | undefined,
  after: ObjectVersion,
  isDryRun: boolean,
): AppliedObject<unknown>['result'] {
  if (!before || before.metadata?.uid !== after.metadata?.uid) return 'created';
  const isSame = isDryRun
    ? sameValue(withoutRecords(before), withoutRecords(after)) // a dry run always has the present version
    : before.metadata?.resourceVersion === after.metadata?.resourceVersion;
  return isSame ? 'unchanged' : 'updated';
}

function withoutRecords(object: ObjectVersion): object {
  const metadata = Object.entries(object.metadata ?? {}).filter(([field]) => field !== 'managedFields');
  return { ...object, metadata: Object.fromEntries(metadata) };
}
