import { beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, PODS } from '../../support/sandbox-requests.ts';
import { deployment, MERGE, PATHS, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();
const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };

it('refuses a scale with a number of replicas that is not an integer', async () => {
  await server.ask('POST', PATHS.deployments, deployment('web', [{ name: 'a', image: 'a' }]));
  const body = { metadata: { name: 'web' }, spec: { replicas: 'x' } };
  expect((await server.ask('PUT', `${PATHS.deployments}/web/scale`, body)).status).toBe(400);
  expect((await server.ask('PATCH', `${PATHS.deployments}/web/scale`, { spec: { replicas: 1.5 } }, MERGE)).status).toBe(
    422,
  );
  expect((await server.ask('GET', `${PATHS.deployments}/web`)).body.spec.replicas).toBe(1);
});

it('creates an absent lease by PUT, as leader election needs it, but no config map', async () => {
  const spec = { holderIdentity: 'a', leaseDurationSeconds: 15 };
  expect((await server.ask('PUT', `${PATHS.leases}/lock`, { metadata: { name: 'lock' }, spec })).status).toBe(201);
  expect((await server.ask('PUT', `${CONFIG_MAPS}/none`, { metadata: { name: 'none' } })).status).toBe(404);
});

it('lets a leader renew its lease by the version that it read, and refuses an older or no version', async () => {
  const { body: lease } = await server.ask('POST', PATHS.leases, {
    metadata: { name: 'lock' },
    spec: { holderIdentity: 'a' },
  });
  const renewed = { ...lease, spec: { holderIdentity: 'a', renewTime: '2026-01-01T00:00:10.000000Z' } };
  expect((await server.ask('PUT', `${PATHS.leases}/lock`, renewed)).status).toBe(200);
  expect((await server.ask('PUT', `${PATHS.leases}/lock`, { ...lease, spec: { holderIdentity: 'b' } })).status).toBe(
    409,
  );
  const { resourceVersion: _version, ...blind } = lease.metadata;
  const refused = await server.ask('PUT', `${PATHS.leases}/lock`, { ...lease, metadata: blind });
  expect(refused.body.message).toContain('metadata.resourceVersion: Invalid value: 0: must be specified for an update');
});

describe('an eviction', () => {
  beforeEach(() => server.ask('POST', PODS, pod));
  const isThere = async () => (await server.ask('GET', `${PODS}/p`)).body.metadata.deletionTimestamp === undefined;

  it('refuses an eviction of another pod than that of the URL, and accepts one of the same', async () => {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'q' } };
    const answer = await server.ask('POST', `${PODS}/p/eviction`, body);
    expect([answer.status, answer.body.message]).toEqual([400, 'name in URL does not match name in Eviction object']);
    expect(await isThere()).toBe(true);
    expect((await server.ask('POST', `${PODS}/p/eviction`, { ...body, metadata: { name: 'p' } })).status).toBe(201);
    expect(await isThere()).toBe(false);
  });
});
