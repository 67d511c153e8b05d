import { describe, expect, it } from 'vitest';
import { PATHS, refusal, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();
const patch = (path: string, change: object) => server.ask('PATCH', path, change);

describe('services', () => {
  const service = (type?: string) => ({
    metadata: { name: 'web' },
    spec: { ports: [{ port: 80 }], ...(type ? { type } : {}) },
  });

  it('keep their allocated address and node ports when an update omits them', async () => {
    const { body: made } = await server.ask('POST', PATHS.services, service('NodePort'));
    const { status, body } = await server.ask('PUT', `${PATHS.services}/web`, {
      ...service('NodePort'),
      metadata: { name: 'web', labels: { a: 'b' } },
    });
    expect(status).toBe(200);
    expect(body.spec).toEqual(made.spec);
  });

  it('get node ports with the type NodePort, and lose them with ClusterIP', async () => {
    await server.ask('POST', PATHS.services, service());
    const open = await patch(`${PATHS.services}/web`, { spec: { type: 'NodePort' } });
    expect(open.body.spec.ports).toEqual([expect.objectContaining({ nodePort: expect.any(Number) })]);
    const closed = await patch(`${PATHS.services}/web`, { spec: { type: 'ClusterIP' } });
    expect((closed.body.spec.ports as object[])[0]).not.toHaveProperty('nodePort');
  });

  it('do not change their address', async () => {
    await server.ask('POST', PATHS.services, service());
    const refused = await patch(`${PATHS.services}/web`, { spec: { clusterIP: '10.0.9.9' } });
    expect(refusal(refused)).toEqual([
      422,
      'Service "web" is invalid: spec.clusterIPs[0]: Invalid value: ["10.0.9.9"]: may not change once set',
    ]);
  });
});
