import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, configMapNamed, type Loose } from '../../support/sandbox-requests.ts';
import { refusal, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();
const patch = (path: string, change: object) => server.ask('PATCH', path, change);

it('requires the name of the URL in a PUT', async () => {
  server.sandbox.apply(configMapNamed('a'));
  const without = await server.ask('PUT', `${CONFIG_MAPS}/a`, { data: {} });
  expect(refusal(without)).toEqual([
    400,
    'the name of the object (a based on URL) was undeterminable: name must be provided',
  ]);
  const other = await server.ask('PUT', `${CONFIG_MAPS}/a`, { metadata: { name: 'b' } });
  expect(refusal(other)).toEqual([400, 'the name of the object (b) does not match the name on the URL (a)']);
  const elsewhere = await server.ask('PUT', `${CONFIG_MAPS}/a`, { metadata: { name: 'a', namespace: 'x' } });
  expect(refusal(elsewhere)).toEqual([
    400,
    'the namespace of the object (x) does not match the namespace on the request (default)',
  ]);
});

it('requires the name of the URL in an applied configuration, and refuses the uid of another object', async () => {
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } };
  const refused = await server.ask('PATCH', `${CONFIG_MAPS}/a?fieldManager=x`, body, headers);
  expect(refusal(refused)).toEqual([400, 'the name of the object (b) does not match the name on the URL (a)']);
  const uid = { ...body, metadata: { name: 'a', uid: 'u' } };
  const stale = await server.ask('PATCH', `${CONFIG_MAPS}/a?fieldManager=x`, uid, headers);
  expect(stale.body.message).toBe(
    'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid u, and no existing object was found',
  );
});

describe('managed fields', () => {
  const managers = (object: Loose) => object.metadata.managedFields?.map((m) => m.manager);

  it('can be cleared; then no field has an owner until the next apply', async () => {
    await server.ask('POST', CONFIG_MAPS, configMapNamed('a', { x: '1' }));
    const cleared = await patch(`${CONFIG_MAPS}/a`, { metadata: { managedFields: [{}] } });
    expect(managers(cleared.body)).toBeUndefined();
    expect(managers((await patch(`${CONFIG_MAPS}/a`, { data: { y: '2' } })).body)).toBeUndefined();
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { z: '3' } };
    const applied = await server.ask('PATCH', `${CONFIG_MAPS}/a?fieldManager=me`, body, {
      'content-type': 'application/apply-patch+yaml',
    });
    expect(managers(applied.body)).toEqual(['me', 'before-first-apply']);
  });

  it('can be transferred, as kubectl does before its first server-side apply', async () => {
    const { body: made } = await server.ask(
      'POST',
      `${CONFIG_MAPS}?fieldManager=kubectl-client-side-apply`,
      configMapNamed('a', { x: '1' }),
    );
    const [entry] = made.metadata.managedFields ?? [];
    const operations = [
      { op: 'replace', path: '/metadata/managedFields', value: [{ ...entry, manager: 'kubectl', operation: 'Apply' }] },
      { op: 'replace', path: '/metadata/resourceVersion', value: made.metadata.resourceVersion },
    ];
    const { body } = await server.ask('PATCH', `${CONFIG_MAPS}/a`, operations, {
      'content-type': 'application/json-patch+json',
    });
    expect(body.metadata.managedFields?.map((m) => `${m.manager} ${m.operation}`)).toEqual(['kubectl Apply']);
  });

  it('keep the time of a manager that only removes fields', async () => {
    const { body: made } = await server.ask('POST', CONFIG_MAPS, configMapNamed('a', { x: '1', y: '2' }));
    await server.clock.advance(5_000);
    const { body } = await patch(`${CONFIG_MAPS}/a`, { data: { y: null } });
    expect(body.metadata.managedFields?.[0]?.time).toBe(made.metadata.managedFields?.[0]?.time);
  });
});
