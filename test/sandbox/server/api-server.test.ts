import { expect, it } from 'vitest';
import { negotiate } from '../../../src/sandbox/api/negotiate.ts';
import { parseRoute } from '../../../src/sandbox/api/route.ts';

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
  ['/api/v1/namespaces/shop/pods/a/log', resource(['', 'v1', 'pods'], { namespace: 'shop', name: 'a', subresource: 'log' })],
  ['/apis/apps/v1/namespaces/shop/deployments', resource(['apps', 'v1', 'deployments'], { namespace: 'shop' })],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
    resource(['rbac.authorization.k8s.io', 'v1', 'clusterroles'], { name: 'system:node' }),
  ],
  ['/api/v1/nodes/n/proxy/a/b', resource(['', 'v1', 'nodes'], { name: 'n', subresource: 'proxy', rest: 'a/b' })],
])('reads the path %s', (path, route) => {
  expect(parseRoute(path)).toEqual(route);
});

const form = (accept: string | undefined, watch = false) => {
  const headers = new Map(accept === undefined ? [] : [['accept', accept]]);
  const { form: as, syntax } = negotiate(headers, new URLSearchParams(), watch);
  return `${as} ${syntax}`;
};

it.each([
  [undefined, 'object json'],
  ['*/*', 'object json'],
  ['application/vnd.kubernetes.protobuf,application/json', 'object json'],
  ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'table json'],
  ['application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', 'object json'],
  [
    'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    'metadata json',
  ],
  ['application/json;q=0.5, application/yaml', 'object yaml'],
])('answers Accept %s with %s', (accept, expected) => {
  expect(form(accept)).toBe(expected);
});

it('refuses what it cannot make, and YAML in a watch', () => {
  expect(() => form('text/csv')).toThrow('406: Not Acceptable');
  expect(() => form('application/vnd.kubernetes.protobuf')).toThrow('406: Not Acceptable');
  expect(() => form('application/yaml', true)).toThrow('406: Not Acceptable');
});
