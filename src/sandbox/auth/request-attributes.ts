import { failure } from '../../model/status.ts';
import type { Call } from '../api/call.ts';
import type { Route } from '../api/route.ts';
import { isWatch } from '../read/read-options.ts';
import { refuse } from '../status/statuses.ts';
import type { RequestAttributes } from './authorizer.ts';

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
  GET: 'get',
  HEAD: 'get',
};

/**
 * The action of a request, with the verb and the resource names that roles use. Source: apiserver
 * endpoints/request/requestinfo.go.
 */
export function requestAttributesOf({ method, query, path }: Call, route: Route): RequestAttributes {
  if (route.kind !== 'resource') return { verb: method.toLowerCase(), path };
  const { gvr, name, subresource } = route.resource;
  const single = name ?? (verbOf(method) === 'get' ? onlyName(query.get('fieldSelector')) : undefined);
  const namespace = route.resource.namespace ?? (gvr.group === '' && gvr.resource === 'namespaces' ? name : undefined);
  const verb = verbOf(method);
  const onMany = verb === 'get' ? (isWatch(query) ? 'watch' : 'list') : verb === 'delete' ? 'deletecollection' : verb;
  return {
    verb: name === undefined ? onMany : verb,
    group: gvr.group,
    resource: gvr.resource,
    subresource,
    namespace,
    name: single,
  };
}

function verbOf(method: string): string {
  return VERBS[method] ?? method.toLowerCase();
}

/**
 * The name that a field selector picks: a role with resourceNames allows to list or watch an object that is selected by
 * name.
 */
function onlyName(selector: string | null): string | undefined {
  const [, name] = /(?:^|,)metadata\.name==?([^,=!]+)(?:,|$)/.exec(selector ?? '') ?? [];
  return name;
}

/**
 * Throws 403 for an action that no role allows. Source: apiserver handlers/responsewriters forbiddenMessage, Forbidden.
 */
export function refuseUser(
  username: string,
  { verb, group = '', resource, subresource, namespace, name, path }: RequestAttributes,
): never {
  if (resource === undefined) {
    refuse(
      failure(
        403,
        'Forbidden',
        `forbidden: User ${JSON.stringify(username)} cannot ${verb} path ${JSON.stringify(path)}`,
        {},
      ),
    );
  }
  const what = subresource ? `${resource}/${subresource}` : resource;
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  const why = `User ${JSON.stringify(username)} cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const details = { ...(name ? { name } : {}), ...(group === '' ? {} : { group }), kind: resource };
  refuse(failure(403, 'Forbidden', `${qualified}${name ? ` "${name}"` : ''} is forbidden: ${why}`, details));
}
