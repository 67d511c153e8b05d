import { abortable } from '../kit/abort.ts';
import { formatGroupResource, type GroupVersionResource } from '../model/gvr.ts';
import { StatusError } from '../model/status.ts';

/** Whether the type is namespaced; undefined when the server does not have it. */
export type IsNamespaced = () => Promise<boolean | undefined>;

export interface FailedRequest {
  readonly verb: string;
  readonly gvr: GroupVersionResource;
  readonly name?: string | undefined;
  readonly namespace: string | undefined;
  readonly isNamespaced: IsNamespaced | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * The error of a request whose path no server has, worded by its cause where that is a namespace too few or too many: the server's own 404
 * (405 of a POST) does not say so. Any other error comes back as it is. Asks discovery, and only then.
 */
export async function withScope(error: StatusError, request: FailedRequest): Promise<StatusError> {
  const { verb, gvr, namespace, isNamespaced, signal } = request;
  if (!namespace && (verb === 'list' || verb === 'watch')) return error; // of all namespaces, or of none: both are right
  const isUnrouted = (error.statusCode === 404 && !isAboutAnObject(error)) || (error.statusCode === 405 && verb === 'create');
  if (!isUnrouted || !isNamespaced) return error;
  const namespaced = await abortable(isNamespaced(), signal).catch(() => undefined); // the error at hand is the one to report
  if (namespaced === undefined || namespaced === Boolean(namespace)) return error;
  const type = formatGroupResource(gvr);
  const text = namespaced
    ? `${type} are namespaced, and no namespace was given`
    : `${type} are cluster-scoped, and were asked for in the namespace ${JSON.stringify(namespace)}`;
  const hint = namespaced ? 'name it: client.resource(gvr, { namespace })' : 'leave the namespace out';
  return new StatusError(error.status, { cause: error, hint, message: text });
}

/** `pods "x" not found`: the path was right, the object is not there. */
function isAboutAnObject({ status }: StatusError): boolean {
  return status.reason === 'NotFound' && (status.message ?? '').endsWith('not found') && status.details?.name !== undefined;
}
