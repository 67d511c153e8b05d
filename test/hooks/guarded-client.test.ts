import { describe, expect, it } from 'vitest';
import { createWriteBudget } from '../../src/hooks/actions/write-budget.ts';
import { guardClient } from '../../src/hooks/guarded-client.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import { settled } from '../../src/testing/fake-clock.ts';
import { cluster, configMap, MINE } from '../support/hook-cluster.ts';

describe("a module's client", () => {
  const gvr = parseGvr('v1/configmaps');

  it('may read but not write with describe', async () => {
    const { requests, client } = await cluster();
    const resource = guardClient(client, { mode: 'describe' }).resource(gvr, { namespace: 'shop' });
    expect(await resource.get('c')).toMatchObject(configMap('c'));
    expect((await resource.list()).items).toHaveLength(3);
    await expect(resource.patch('c', {}, { type: 'merge' })).rejects.toThrow(
      'the hook may not write (patch v1/configmaps)',
    );
    for (const write of [() => resource.create({}), () => resource.update(configMap('c')), () => resource.delete('c')])
      await expect(write()).rejects.toThrow('may not write');
    expect(requests()).toEqual(['GET /api/v1/namespaces/shop/configmaps/c', 'GET /api/v1/namespaces/shop/configmaps']);
  });

  it('sends dry runs with dry-run, with its field manager', async () => {
    const { sandbox, requests, bodies, client } = await cluster();
    const before = sandbox.list(gvr);
    const resource = guardClient(client, { mode: 'dry-run' }).resource(gvr, { namespace: 'shop' });
    await resource.create(configMap('new'));
    await resource.delete('c');
    expect(requests()[0]).toBe(`POST /api/v1/namespaces/shop/configmaps?dryRun=All&${MINE}`);
    expect(bodies()[1]).toMatchObject({ dryRun: ['All'] });
    expect(sandbox.list(gvr)).toEqual(before);
  });

  it('returns redacted Secrets, and does not write them back', async () => {
    const { requests, client } = await cluster();
    const redact = <T extends object>(object: T): T => ({ ...object, data: { password: 'hmac:0123abcd' } });
    const resource = guardClient(client, { mode: 'write', redact }).resource(parseGvr('v1/secrets'), {
      namespace: 'shop',
    });
    const secret = await resource.get('s');
    expect(secret.data).toEqual({ password: 'hmac:0123abcd' });
    await expect(resource.update(secret)).rejects.toThrow('redacted values');
    expect(requests()).toEqual(['GET /api/v1/namespaces/shop/secrets/s']);
  });

  it('counts its writes against the budget', async () => {
    const { clock, requests, client } = await cluster();
    const budget = createWriteBudget({ writes: 1, perMs: 1000 }, clock);
    const resource = guardClient(client, { mode: 'write', budget }).resource(gvr, { namespace: 'shop' });
    await resource.patch('a', {}, { type: 'merge', dryRun: true });
    await resource.patch('b', {}, { type: 'merge', fieldManager: 'mine' });
    const third = resource.patch('c', {}, { type: 'merge' });
    await settled();
    const at = (name: string) => `PATCH /api/v1/namespaces/shop/configmaps/${name}`;
    expect(requests()).toEqual([`${at('a')}?dryRun=All&${MINE}`, `${at('b')}?fieldManager=mine`]);
    await clock.advance(1000);
    await third;
    expect(requests()[2]).toBe(`${at('c')}?${MINE}`);
  });

  it('refuses an invalid name before any request, and before it counts a write', async () => {
    const { clock, requests, client } = await cluster();
    const budget = createWriteBudget({ writes: 1, perMs: 1000 }, clock);
    const resource = guardClient(client, { mode: 'write', budget }).resource(gvr, { namespace: 'shop' });
    for (const name of ['', '..', 'a/b', undefined as unknown as string]) {
      const calls = [resource.get(name), resource.patch(name, {}, { type: 'merge' }), resource.delete(name)];
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'argument' });
    }
    await expect(resource.update({ metadata: {} })).rejects.toMatchObject({ code: 'argument' });
    expect(requests()).toEqual([]);
    await resource.delete('c');
    expect(requests()).toHaveLength(1);
  });

  it('has no deleteCollection', async () => {
    const { client } = await cluster();
    expect(Object.keys(guardClient(client, { mode: 'write' }).resource(gvr)).sort()).toEqual([
      'create',
      'delete',
      'get',
      'list',
      'patch',
      'update',
    ]);
  });
});
