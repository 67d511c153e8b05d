import { describe, expect, it } from 'vitest';
import { createOrUpdate } from '../../src/controller/create-or-update.ts';
import { CONFIG_MAPS, type ConfigMap, inProcess } from '../support/in-process.ts';

const named = (): ConfigMap => ({ metadata: { name: 'settings', namespace: 'shop' } });
const settings = (value: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...named(), data: { value } });

async function setup(...objects: object[]) {
  const { sandbox, client, sent } = await inProcess({
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }, ...objects],
  });
  const resource = client.resource<ConfigMap>(CONFIG_MAPS, { namespace: 'shop' });
  return {
    sandbox,
    resource,
    stored: () => sandbox.get(CONFIG_MAPS, 'shop/settings'),
    sent,
    verbs: () => sent.map(({ method }) => method),
  };
}

const setTo = (value: string) => (object: ConfigMap) => {
  object.data = { value };
};

describe('create or update', () => {
  it('creates an object that does not exist [UTL-01]', async () => {
    const { resource, stored, verbs } = await setup();
    expect(await createOrUpdate(resource, named(), setTo('a'))).toBe('created');
    expect(stored()).toMatchObject(settings('a'));
    expect(verbs()).toEqual(['GET', 'POST']);
  });

  it('updates the object that was read, if it differs [UTL-01]', async () => {
    const { resource, sent, stored, verbs } = await setup(settings('a'));
    const read = stored();
    expect(await createOrUpdate(resource, named(), setTo('b'))).toBe('updated');
    expect(stored()).toMatchObject(settings('b'));
    expect(verbs()).toEqual(['GET', 'PUT']);
    expect(JSON.parse(String(sent[1]?.body))).toEqual({ ...read, data: { value: 'b' } });
  });

  it('writes nothing if nothing differs [UTL-01]', async () => {
    const { resource, verbs } = await setup(settings('a'));
    expect(await createOrUpdate(resource, named(), setTo('a'))).toBe('unchanged');
    expect(verbs()).toEqual(['GET']);
  });

  it('waits for an asynchronous change, and for the write', async () => {
    const later = async (object: ConfigMap) => {
      await new Promise((resolve) => setImmediate(resolve));
      object.data = { value: 'late' };
    };
    for (const objects of [[], [settings('a')]]) {
      const { sandbox, resource, stored } = await setup(...objects);
      await createOrUpdate(resource, named(), later);
      expect(stored()).toMatchObject(settings('late'));
      sandbox.faults.add({
        fault: { kind: 'status', code: 403 },
        match: { method: objects.length > 0 ? 'PUT' : 'POST' },
      });
      if (objects.length === 0) sandbox.delete(CONFIG_MAPS, 'shop/settings');
      await expect(createOrUpdate(resource, named(), setTo('b'))).rejects.toMatchObject({ statusCode: 403 });
    }
  });

  it('refuses to rename [UTL-01]', async () => {
    const { resource, verbs } = await setup(settings('a'));
    const rename = (object: ConfigMap) => {
      object.metadata.name = 'other';
    };
    await expect(createOrUpdate(resource, named(), rename)).rejects.toThrow('cannot mutate object name');
    expect(verbs()).toEqual(['GET']);
  });

  it('writes nothing if the read fails with another error than 404 [UTL-01]', async () => {
    const { sandbox, resource, verbs } = await setup();
    sandbox.faults.add({ fault: { kind: 'refuse' } });
    await expect(createOrUpdate(resource, named(), setTo('a'))).rejects.toThrow('ECONNREFUSED');
    expect(verbs()).toEqual(['GET']);
  });
});
