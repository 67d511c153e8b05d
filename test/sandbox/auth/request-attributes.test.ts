import { expect, it } from 'vitest';
import { StatusError } from '../../../src/model/status.ts';
import type { Call } from '../../../src/sandbox/api/call.ts';
import { parseRoute } from '../../../src/sandbox/api/route.ts';
import type { RequestAttributes } from '../../../src/sandbox/auth/authorizer.ts';
import { refuseUser, requestAttributesOf } from '../../../src/sandbox/auth/request-attributes.ts';

function attempt(method: string, target: string): RequestAttributes {
  const [path = '', search = ''] = target.split('?');
  return requestAttributesOf({ method, path, query: new URLSearchParams(search) } as unknown as Call, parseRoute(path));
}

const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments';
const deployments = { group: 'apps', resource: 'deployments', namespace: 'shop' };

it.each<[method: string, path: string, attempt: RequestAttributes]>([
  ['GET', '/version', { verb: 'get', path: '/version' }],
  ['POST', '/apis/apps', { verb: 'post', path: '/apis/apps' }],
  ['GET', DEPLOYMENTS, { ...deployments, verb: 'list' }],
  ['GET', `${DEPLOYMENTS}?watch=1`, { ...deployments, verb: 'watch' }],
  ['GET', `${DEPLOYMENTS}?watch=false`, { ...deployments, verb: 'list' }],
  ['GET', `${DEPLOYMENTS}/web`, { ...deployments, verb: 'get', name: 'web' }],
  ['HEAD', `${DEPLOYMENTS}/web`, { ...deployments, verb: 'get', name: 'web' }],
  ['POST', DEPLOYMENTS, { ...deployments, verb: 'create' }],
  ['PUT', `${DEPLOYMENTS}/web/scale`, { ...deployments, verb: 'update', name: 'web', subresource: 'scale' }],
  ['PATCH', `${DEPLOYMENTS}/web`, { ...deployments, verb: 'patch', name: 'web' }],
  ['DELETE', `${DEPLOYMENTS}/web`, { ...deployments, verb: 'delete', name: 'web' }],
  ['DELETE', DEPLOYMENTS, { ...deployments, verb: 'deletecollection' }],
  ['GET', '/api/v1/nodes', { verb: 'list', group: '', resource: 'nodes' }],
  [
    'GET',
    '/api/v1/namespaces/shop',
    { verb: 'get', group: '', resource: 'namespaces', namespace: 'shop', name: 'shop' },
  ],
])('%s %s is %j', (method, path, expected) => {
  expect(attempt(method, path)).toEqual(expected);
});

it.each([
  ['metadata.name=web', 'web'],
  ['metadata.name==web', 'web'],
  ['status.phase=Running,metadata.name=web', 'web'],
  ['metadata.name!=web', undefined],
  ['spec.nodeName=web', undefined],
])('a list with the field selector %s is on the name %s', (selector, name) => {
  expect(attempt('GET', `${DEPLOYMENTS}?fieldSelector=${encodeURIComponent(selector)}`).name).toBe(name);
  expect(attempt('DELETE', `${DEPLOYMENTS}?fieldSelector=${encodeURIComponent(selector)}`).name).toBeUndefined();
});

function denied(attempt: RequestAttributes) {
  try {
    return refuseUser('kim', attempt);
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
}

it.each<[attempt: RequestAttributes, message: string, details: object]>([
  [{ verb: 'get', path: '/metrics' }, 'forbidden: User "kim" cannot get path "/metrics"', {}],
  [
    { ...deployments, verb: 'patch', name: 'web' },
    'deployments.apps "web" is forbidden: User "kim" cannot patch resource "deployments" in API group "apps" in the namespace "shop"',
    { name: 'web', group: 'apps', kind: 'deployments' },
  ],
  [
    { verb: 'get', group: '', resource: 'nodes', subresource: 'proxy' },
    'nodes is forbidden: User "kim" cannot get resource "nodes/proxy" in API group "" at the cluster scope',
    { kind: 'nodes' },
  ],
])('denies %j in the words of a real server', (attempt, message, details) => {
  expect(denied(attempt)).toMatchObject({ code: 403, reason: 'Forbidden', message, details });
});
