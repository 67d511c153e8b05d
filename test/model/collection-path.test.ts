import { expect, it } from 'vitest';
import { parseCollectionPath } from '../../src/model/collection-path.ts';

it.each([
  ['/api/v1/pods', '', 'v1', 'pods', undefined, ''],
  ['/api/v1/namespaces/shop/pods?watch=true&limit=5', '', 'v1', 'pods', 'shop', 'watch=true&limit=5'],
  ['/apis/apps/v1/deployments?', 'apps', 'v1', 'deployments', undefined, ''],
  ['/apis/apps/v1/namespaces/shop/deployments', 'apps', 'v1', 'deployments', 'shop', ''],
  ['/api/v1/namespaces', '', 'v1', 'namespaces', undefined, ''],
])('%s is a collection', (text, group, version, resource, namespace, query) => {
  const parsed = parseCollectionPath(text);
  expect(parsed && { ...parsed, query: String(parsed.query) }).toEqual({
    gvr: { group, version, resource },
    namespace,
    query,
  });
});

it.each([
  '',
  '/',
  '/api',
  '/api/v1',
  '/api/v1/',
  '/apis/apps/v1',
  '/version',
  '/healthz/v1/pods',
  'api/v1/pods',
  'x/api/v1/pods',
  '/api/v1/pods/a',
  '/api/v1/namespaces/shop',
  '/api/v1/namespaces/shop/pods/a',
  '/api/v1/nodes/a/proxy',
  '/api//pods',
  '/apis/apps//deployments',
  '/openapi/v3?pods=/api/v1/pods',
])('%s is no collection', (text) => {
  expect(parseCollectionPath(text)).toBeUndefined();
});
