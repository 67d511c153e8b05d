import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, type Loose } from '../../support/sandbox-requests.ts';
import { APPLY, deployment, PATHS, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();

describe('server-side apply', () => {
  const names = ({ spec }: Loose) =>
    (spec as { template: { spec: { containers: { name: string }[] } } }).template.spec.containers.map((c) => c.name);
  const apply = (body: { metadata: { name: string } }, manager = 'one', query = '') =>
    server.ask('PATCH', `${PATHS.deployments}/${body.metadata.name}?fieldManager=${manager}${query}`, body, APPLY);
  const a = { name: 'a', image: 'a:1' };
  const b = { name: 'b', image: 'b:1' };
  const c = { name: 'c', image: 'c:1' };

  it('puts list items in the order of the configuration, with the items of others between', async () => {
    await apply(deployment('web', [a, b]));
    expect(names((await apply(deployment('web', [b, a]))).body)).toEqual(['b', 'a']);
    expect(names((await apply(deployment('web', [c]), 'two')).body)).toEqual(['b', 'a', 'c']);
    expect(names((await apply(deployment('web', [a, b]))).body)).toEqual(['a', 'c', 'b']);
  });

  it('of the status subresource owns only status, and any other apply owns no status', async () => {
    await apply(deployment('web', [a], { replicas: 2 }));
    const other = { ...deployment('web', [a], { replicas: 5 }), status: { replicas: 1 } };
    const { status, body } = await server.ask(
      'PATCH',
      `${PATHS.deployments}/web/status?fieldManager=two`,
      other,
      APPLY,
    );
    expect(status).toBe(200);
    const entries = body.metadata.managedFields ?? [];
    expect(entries.find((e) => e.manager === 'two')?.fieldsV1).toEqual({ 'f:status': { 'f:replicas': {} } });
    expect(JSON.stringify(entries.find((e) => e.manager === 'one')?.fieldsV1)).toContain('f:replicas');
    const { body: third } = await apply(other, 'three', '&force=true');
    expect(JSON.stringify(third.metadata.managedFields?.find((e) => e.manager === 'three')?.fieldsV1)).not.toContain(
      'f:status',
    );
  });

  it('refuses a configuration with managedFields, even with none in the list', async () => {
    for (const managedFields of [[], [{ manager: 'one' }]]) {
      const configuration = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm', managedFields } };
      const { status, body } = await server.ask('PATCH', `${CONFIG_MAPS}/cm?fieldManager=one`, configuration, APPLY);
      expect([status, body.message]).toEqual([400, 'metadata.managedFields must be nil']);
    }
  });

  it('refuses a configuration of another version, or without a version or kind', async () => {
    const path = `${CONFIG_MAPS}/cm?fieldManager=one`;
    const other = await server.ask('PATCH', path, { apiVersion: 'v2', kind: 'ConfigMap' }, APPLY);
    expect([other.status, other.body.message]).toEqual([
      400,
      'Incorrect version specified in apply patch. Specified patch version: v2, expected: v1',
    ]);
    const without = await server.ask('PATCH', path, { kind: 'ConfigMap' }, APPLY);
    expect([without.status, without.body.message]).toEqual([
      400,
      'Incorrect version specified in apply patch. Specified patch version: , expected: v1',
    ]);
    const kindless = await server.ask('PATCH', path, { apiVersion: 'v1', data: { a: 'b' } }, APPLY);
    expect([kindless.status, kindless.body.message]).toEqual([
      500,
      'failed to create typed patch object (default/cm; /v1, Kind=): no corresponding type for /v1, Kind=',
    ]);
    expect((await server.ask('GET', `${CONFIG_MAPS}/cm`)).status).toBe(404);
  });
});
