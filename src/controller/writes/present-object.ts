import { InformerError } from '../../kit/error.ts';
import { checkName } from '../../model/path-segment.ts';
import { isNotFound, statusOf } from '../../model/status.ts';

/** The fields that name an object. Any object of a cache or a server fits, and so do client-node's models. */
export interface NamedObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?:
    | { readonly name?: string | undefined; readonly namespace?: string | undefined; readonly uid?: string | undefined }
    | undefined;
}

/** The part of a resource client that reads one object. A ResourceApi fits. */
export interface ObjectReader<T> {
  /** The namespace of all requests. Without this member it is not compared with that of the object. */
  readonly namespace?: string | undefined;
  get(name: string, options?: { signal?: AbortSignal | undefined }): Promise<T>;
}

/**
 * The object that has the name of `object` on the server; undefined if there is none. Rejects with `argument`, before
 * anything is sent, if `object` has no name, or a namespace that is not the one of `resource`: then the server would
 * report a present object as absent.
 */
export async function presentObject<T>(
  resource: ObjectReader<T>,
  object: NamedObject,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const name = checkIdentity(resource, object);
  try {
    return await resource.get(name, { signal });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Whether the server has the type, but not the object. A 404 without a name is that of a type or a path. */
export function isAbsent(error: unknown): boolean {
  return isNotFound(error) && statusOf(error)?.details?.name !== undefined;
}

/** The name of an object for requests of `resource`. Throws as {@link presentObject} rejects. */
export function checkIdentity(resource: { readonly namespace?: string | undefined }, object: NamedObject): string {
  const { name, namespace } = object.metadata ?? {};
  checkName(name, object.kind ?? 'object');
  // without the member it is not known; then the server's 404 has no name, and is an error
  if (namespace && 'namespace' in resource && namespace !== resource.namespace) {
    throw new InformerError(
      'argument',
      `the object is in the namespace ${JSON.stringify(namespace)}, but the resource ${inNamespace(resource)}`,
      { hint: 'make the resource for the namespace of the object: client.resource(gvr, { namespace })' },
    );
  }
  return name as string;
}

const inNamespace = ({ namespace }: { readonly namespace?: string | undefined }) =>
  namespace ? `is for ${JSON.stringify(namespace)}` : 'has no namespace';
