import { expect, it } from 'vitest';
import { parseRoute, unescaped } from '../../../src/sandbox/api/route.ts';

const resource = (gvr: [string, string, string], more: object = {}) => ({
  kind: 'resource',
  resource: {
    gvr: { group: gvr[0], version: gvr[1], resource: gvr[2] },
    namespace: undefined,
    name: undefined,
    subresource: undefined,
    rest: undefined,
    ...more,
  },
});

it.each<[string, object]>([
  ['/', { kind: 'plain', path: '/' }],
  ['/version', { kind: 'plain', path: '/version' }],
  ['/api', { kind: 'core' }],
  ['/apis', { kind: 'groups' }],
  ['/apis/apps', { kind: 'group', group: 'apps' }],
  ['/api/v1', { kind: 'version', group: '', version: 'v1' }],
  ['/api/v1/pods', resource(['', 'v1', 'pods'])],
  ['/api/v1/namespaces/shop', resource(['', 'v1', 'namespaces'], { name: 'shop' })],
  ['/api/v1/namespaces/shop/status', resource(['', 'v1', 'namespaces'], { name: 'shop', subresource: 'status' })],
  [
    '/api/v1/namespaces/shop/pods/a/log',
    resource(['', 'v1', 'pods'], { namespace: 'shop', name: 'a', subresource: 'log' }),
  ],
  ['/apis/apps/v1/namespaces/shop/deployments', resource(['apps', 'v1', 'deployments'], { namespace: 'shop' })],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
    resource(['rbac.authorization.k8s.io', 'v1', 'clusterroles'], { name: 'system:node' }),
  ],
  ['/api/v1/nodes/n/proxy/a/b', resource(['', 'v1', 'nodes'], { name: 'n', subresource: 'proxy', rest: 'a/b' })],
])('reads the path %s', (path, route) => {
  expect(parseRoute(path)).toEqual(route);
});

it.each([
  ['a%2Fb', 'a/b'],
  ['100%', '100%'],
  ['%zz%20', '%zz%20'],
  ['plain', 'plain'],
])('decodes the segment %s to %s, and keeps one with an invalid escape', (segment, text) => {
  expect(unescaped(segment)).toBe(text);
});
