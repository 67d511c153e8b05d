import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { type Access, accessOf, observedTransport } from '../../../src/hooks/access/request-access.ts';
import { deployments, WEB } from '../../support/hook-cluster.ts';
import { inProcess } from '../../support/in-process.ts';

const NS = '/api/v1/namespaces';

describe('what a request needs', () => {
  it.each<[string, string, Partial<Access>]>([
    ['GET', `${NS}/shop/pods/a`, { verb: 'get', group: '', resource: 'pods', namespace: 'shop' }],
    ['GET', `${NS}/shop/pods?limit=5`, { verb: 'list', group: '', resource: 'pods', namespace: 'shop' }],
    ['GET', `${NS}/shop/pods?watch=true`, { verb: 'watch', group: '', resource: 'pods', namespace: 'shop' }],
    ['GET', `${NS}/shop/pods?watch=false`, { verb: 'list', group: '', resource: 'pods', namespace: 'shop' }],
    ['GET', '/api/v1/pods?watch=1', { verb: 'watch', group: '', resource: 'pods' }],
    ['GET', `${NS}/shop`, { verb: 'get', group: '', resource: 'namespaces' }],
    ['GET', NS, { verb: 'list', group: '', resource: 'namespaces' }],
    ['PUT', `${NS}/shop/finalize`, { verb: 'update', group: '', resource: 'namespaces/finalize' }],
    [
      'POST',
      '/apis/apps/v1/namespaces/shop/deployments',
      { verb: 'create', group: 'apps', resource: 'deployments', namespace: 'shop' },
    ],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/shop/deployments/a/status',
      { verb: 'patch', group: 'apps', resource: 'deployments/status', namespace: 'shop' },
    ],
    ['DELETE', '/apis/example.com/v1/things/a', { verb: 'delete', group: 'example.com', resource: 'things' }],
    [
      'DELETE',
      '/apis/example.com/v1/things?labelSelector=a',
      { verb: 'deletecollection', group: 'example.com', resource: 'things' },
    ],
  ])('%s %s', (method, path, access) => {
    expect(accessOf({ method, path })).toEqual(access);
  });

  it('is nothing for what every user may ask', () => {
    for (const path of ['/api', '/apis', '/api/v1', '/apis/apps/v1', '/version', '/openapi/v3', '/healthz'])
      expect(accessOf({ method: 'GET', path })).toBeUndefined();
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect(accessOf({ method: 'POST', path })).toBeUndefined();
  });
});

it('an apply needs create too, also where its object exists now', async () => {
  await using place = await inProcess({ objects: [WEB] });
  const seen: Access[] = [];
  const client = createClient(
    observedTransport(place.transport, (access) => seen.push(access)),
    { clock: place.clock },
  );
  const resource = client.resource(deployments.gvr, { namespace: 'shop' });
  const apply = (name: string) => {
    const object = { ...WEB, metadata: { name } };
    return resource.patch(name, object, { type: 'apply', fieldManager: 'a', force: true });
  };
  await apply('web');
  expect(seen.map(({ verb }) => verb)).toEqual(['patch', 'create']);
  await apply('new');
  expect(seen.map(({ verb }) => verb)).toEqual(['patch', 'create', 'patch', 'create']);
  await resource.patch('web', { metadata: { labels: { a: 'b' } } }, { type: 'merge' });
  expect(seen.map(({ verb }) => verb).slice(4)).toEqual(['patch']);
});
