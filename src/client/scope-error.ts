import { abortable } from '../kit/abort.ts';
import { formatGroupResource, type GroupVersionResource } from '../model/gvr.ts';
import { StatusError } from '../model/status.ts';

/** Says whether the type is namespaced; undefined if the server does not have it. */
export type IsNamespaced = () => Promise<boolean | undefined>;

/** The request of an error. */
export interface FailedRequest {
  readonly verb: string;
  readonly gvr: GroupVersionResource;
  readonly name?: string | undefined;
  readonly namespace: string | undefined;
  readonly isNamespaced: IsNamespaced | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Explains the 404 (405 of a POST) of a request whose namespace is missing or superfluous: the server's own error does
 * not say so. Any other error is returned as it is. Discovery is used only for such an error.
 */
export async function withScope(error: StatusError, request: FailedRequest): Promise<StatusError> {
  const { verb, gvr, namespace, isNamespaced, signal } = request;
  if (!namespace && (verb === 'list' || verb === 'watch')) return error; // valid for both scopes
  const isUnrouted =
    (error.statusCode === 404 && !isAboutAnObject(error)) || (error.statusCode === 405 && verb === 'create');
  if (!isUnrouted || !isNamespaced) return error;
  // the first error is the one to report
  const namespaced = await abortable(isNamespaced(), signal).catch(() => undefined);
  if (namespaced === undefined || namespaced === Boolean(namespace)) return error;
  const type = formatGroupResource(gvr);
  const text = namespaced
    ? `${type} are namespaced, and no namespace was given`
    : `${type} are cluster-scoped, and were asked for in the namespace ${JSON.stringify(namespace)}`;
  const hint = namespaced ? 'name it: client.resource(gvr, { namespace })' : 'leave the namespace out';
  return new StatusError(error.status, { cause: error, hint, message: text });
}

/** Whether the path is right and the object is missing: `pods "x" not found`. */
function isAboutAnObject({ status }: StatusError): boolean {
  return (
    status.reason === 'NotFound' && (status.message ?? '').endsWith('not found') && status.details?.name !== undefined
  );
}
