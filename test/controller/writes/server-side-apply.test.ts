import { describe, expect, it } from 'vitest';
import { ApplyConflictError, asApplyConflict } from '../../../src/controller/writes/apply-conflict.ts';
import { type ApplyOptions, serverSideApply } from '../../../src/controller/writes/server-side-apply.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { isConflict, StatusError } from '../../../src/model/status.ts';
import { CONFIG_MAPS, type ConfigMap, inProcess } from '../../support/in-process.ts';

const settings = (data: Record<string, string>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'shop' },
  data,
});
const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
  },
};

async function setup(...objects: object[]) {
  const { sandbox, client, sent } = await inProcess({
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }, ...objects],
  });
  const resource = client.resource<ConfigMap>(CONFIG_MAPS, { namespace: 'shop' });
  const deployments = client.resource(parseGvr('apps/v1/deployments'), { namespace: 'shop' });
  const apply = (data: Record<string, string>, options: Partial<ApplyOptions> = {}) =>
    serverSideApply(resource, settings(data), { fieldManager: 'alice', ...options });
  const stored = () => sandbox.get(CONFIG_MAPS, 'shop/settings') as ConfigMap | undefined;
  const requests = () => sent.splice(0).map(({ method, path }) => `${method} ${path.replace(/.*\/shop\//, '')}`);
  return { sandbox, client, sent, resource, deployments, apply, stored, requests };
}

describe('server-side apply', () => {
  it('creates, changes, and reports unchanged if the server kept the version', async () => {
    const { apply, stored, requests } = await setup();
    expect(await apply({ a: '1' })).toMatchObject({ result: 'created', object: settings({ a: '1' }) });
    expect(await apply({ a: '2' })).toMatchObject({ result: 'updated', object: settings({ a: '2' }) });
    const version = stored()?.metadata.resourceVersion;
    expect(await apply({ a: '2' })).toMatchObject({ result: 'unchanged', object: settings({ a: '2' }) });
    expect(stored()?.metadata.resourceVersion).toBe(version);
    expect(stored()?.metadata.managedFields).toMatchObject([{ manager: 'alice', operation: 'Apply' }]);
    expect(requests()).toEqual(
      Array(3).fill(['GET configmaps/settings', 'PATCH configmaps/settings?fieldManager=alice']).flat(),
    );
  });

  it('removes fields that it applied before, and keeps those of others', async () => {
    const { apply, resource, stored } = await setup();
    await apply({ a: '1', b: '2' });
    await resource.patch('settings', { data: { other: '3' } }, { type: 'merge', fieldManager: 'bob' });
    await apply({ a: '1' });
    expect(stored()?.data).toEqual({ a: '1', other: '3' });
  });

  it('compares with the given state instead of reading, and knows a new object by its uid', async () => {
    const { sandbox, apply, requests } = await setup();
    const { object: current } = await apply({ a: '1' });
    requests();
    expect((await apply({ a: '1' }, { current })).result).toBe('unchanged');
    expect(requests()).toEqual([]);
    expect((await apply({ a: '2' }, { current })).result).toBe('updated');
    sandbox.delete(CONFIG_MAPS, 'shop/settings');
    expect((await apply({ a: '3' }, { current })).result).toBe('created');
    expect(requests()).toEqual(Array(2).fill('PATCH configmaps/settings?fieldManager=alice'));
  });

  it('sends an object that was read without what only the server writes, so that it is no condition', async () => {
    const { resource, stored, sent } = await setup();
    const { object: old } = await serverSideApply(resource, settings({ a: '1' }), { fieldManager: 'alice' });
    await resource.patch('settings', { data: { other: '3' } }, { type: 'merge', fieldManager: 'bob' });
    expect(old.metadata.managedFields).toHaveLength(1);
    const { result } = await serverSideApply(resource, { ...old, data: { a: '2' } }, { fieldManager: 'alice' });
    expect([result, stored()?.data]).toEqual(['updated', { a: '2', other: '3' }]);
    expect(JSON.parse(String(sent.at(-1)?.body))).toEqual(settings({ a: '2' }));
  });

  it('rejects with any other refusal of the server as it is', async () => {
    const { apply } = await setup();
    const error = await apply({ a: '1' }, { fieldManager: '' }).catch((thrown) => thrown);
    const status = { kind: 'Status', code: 409, reason: 'Conflict', message: 'the object has been modified' };
    const refused = new StatusError(status as never);
    expect(error).not.toBeInstanceOf(ApplyConflictError);
    expect(asApplyConflict(refused)).toBe(refused);
  });

  it('names the managers and their fields in a conflict, writes nothing then, and takes the fields over with force', async () => {
    const { apply, stored, resource } = await setup();
    await apply({ a: '1', b: '1' });
    await resource.patch('settings', { data: { c: '1' } }, { type: 'merge', fieldManager: 'bob "the" builder' });
    const before = stored();
    const error = await apply({ a: '2', b: '2', c: '2' }, { fieldManager: 'eve' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ApplyConflictError);
    expect(isConflict(error)).toBe(true);
    expect(error.conflicts).toEqual([
      { manager: 'alice', fields: ['.data.a', '.data.b'] },
      { manager: 'bob "the" builder', fields: ['.data.c'] },
    ]);
    expect(error.message).toBe(
      String.raw`the apply would change fields of other managers: .data.a, .data.b of "alice"; .data.c of "bob \"the\" builder"`,
    );
    expect(error.hint).toContain('force: true');
    expect(stored()).toEqual(before);
    await apply({ a: '2', b: '2', c: '2' }, { fieldManager: 'eve', force: true });
    expect(stored()?.data).toEqual({ a: '2', b: '2', c: '2' });
  });

  it('names the manager also in a conflict about a Secret, and no value', async () => {
    const { client, sandbox } = await setup();
    const secrets = client.resource(parseGvr('v1/secrets'), { namespace: 'shop' });
    const secret = (password: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'shop' },
      data: { password },
    });
    await serverSideApply(secrets, secret('aHVudGVyMQ=='), { fieldManager: 'alice' });
    const error = await serverSideApply(secrets, secret('aHVudGVyMg=='), { fieldManager: 'eve' }).catch((e) => e);
    expect(error.conflicts).toEqual([{ manager: 'alice', fields: ['.data.password'] }]);
    expect(`${error.message} ${JSON.stringify(error.status)} ${error.cause?.message}`).not.toMatch(/aHVudGVy/);
    expect(sandbox.get(parseGvr('v1/secrets'), 'shop/s')).toMatchObject({ data: { password: 'aHVudGVyMQ==' } });
  });

  it('applies a status: only the status is sent, and the object must exist', async () => {
    const { sandbox, deployments, sent } = await setup(WEB);
    const current = (await deployments.get('web')) as UnknownObject;
    const status = { observedGeneration: 1, replicas: 2 };
    const options = { fieldManager: 'alice', subresource: 'status', force: true };
    const changed = { ...current, spec: { replicas: 9 }, status };
    expect((await serverSideApply(deployments, changed, options)).result).toBe('updated');
    expect(sandbox.get(parseGvr('apps/v1/deployments'), 'shop/web')).toMatchObject({ spec: { replicas: 1 }, status });
    expect(sent.at(-1)?.path).toMatch(/deployments\/web\/status\?/);
    const { apiVersion, kind } = WEB;
    expect(JSON.parse(String(sent.at(-1)?.body))).toEqual({ apiVersion, kind, metadata: WEB.metadata, status });
    expect((await serverSideApply(deployments, changed, options)).result).toBe('unchanged');
    sandbox.delete(parseGvr('apps/v1/deployments'), 'shop/web');
    await expect(serverSideApply(deployments, changed, options)).rejects.toMatchObject({ statusCode: 404 });
  });

  it('says of a dry run what it would do, and stores nothing', async () => {
    const { apply, stored } = await setup();
    expect((await apply({ a: '1' }, { dryRun: true })).result).toBe('created');
    expect(stored()).toBeUndefined();
    await apply({ a: '1' });
    expect((await apply({ a: '1' }, { dryRun: true })).result).toBe('unchanged');
    expect(await apply({ a: '2' }, { dryRun: true })).toMatchObject({
      result: 'updated',
      object: { data: { a: '2' } },
    });
    expect(stored()?.data).toEqual({ a: '1' });
  });

  it('says of a dry run that changes only the metadata that it would do so', async () => {
    const { apply, resource } = await setup();
    await apply({ a: '1' });
    const labelled = { ...settings({ a: '1' }), metadata: { ...settings({}).metadata, labels: { app: 'web' } } };
    const options = { fieldManager: 'alice', dryRun: true };
    expect((await serverSideApply(resource, labelled, options)).result).toBe('updated');
  });

  it.each<[string, object, Partial<ApplyOptions>, string]>([
    ['a kind', { kind: undefined }, {}, 'an object to apply needs a kind'],
    ['an apiVersion', { apiVersion: '' }, {}, 'an object to apply needs an apiVersion'],
    ['a name', { metadata: {} }, {}, 'the name of the object (ConfigMap) must be a text, not undefined'],
    ['a field manager', {}, { fieldManager: '' }, 'serverSideApply needs a fieldManager'],
    [
      'the namespace of its object',
      { metadata: { name: 'settings', namespace: 'bank' } },
      {},
      'the object is in the namespace "bank", but the resource is for "shop"',
    ],
  ])('without %s it refuses to send anything', async (_, part, options, message) => {
    const { resource, sent } = await setup();
    const applied = serverSideApply(resource, { ...settings({}), ...part }, { fieldManager: 'alice', ...options });
    await expect(applied).rejects.toMatchObject({ code: 'argument', message });
    expect(sent).toEqual([]);
  });

  it('refuses a resource without a namespace, where a present object would look absent', async () => {
    const { client, sent } = await setup(settings({}));
    const applied = serverSideApply(client.resource(CONFIG_MAPS), settings({}), { fieldManager: 'alice' });
    await expect(applied).rejects.toMatchObject({
      code: 'argument',
      message: 'the object is in the namespace "shop", but the resource has no namespace',
    });
    expect(sent).toEqual([]);
  });

  it('sends no patch if the read fails with another error than that of an absent object', async () => {
    const { sandbox, apply, requests } = await setup();
    sandbox.faults.add({ fault: { kind: 'status', code: 403 }, match: { method: 'GET' } });
    await expect(apply({ a: '1' })).rejects.toMatchObject({ statusCode: 403 });
    expect(requests()).toEqual(['GET configmaps/settings']);
  });
});
