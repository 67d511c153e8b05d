import { describe, expect, it, vi } from 'vitest';
import { createOrUpdate } from '../../src/controller/create-or-update.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { notFound, StatusError } from '../../src/model/status.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

function setup(existing?: ConfigMap) {
  const absent = new StatusError(notFound({ group: '', resource: 'configmaps' }, 'settings'));
  const resource = {
    get: vi.fn(async () => {
      if (!existing) throw absent;
      return structuredClone(existing);
    }),
    create: vi.fn(),
    update: vi.fn(),
  };
  const named: ConfigMap = { metadata: { name: 'settings', namespace: 'shop' } };
  return { resource, named };
}

const settings = (value: string): ConfigMap => ({
  metadata: { name: 'settings', namespace: 'shop', resourceVersion: '3' },
  data: { value },
});
const setTo = (value: string) => (object: ConfigMap) => {
  object.data = { value };
};

describe('create or update', () => {
  it('creates what is absent [UTL-01]', async () => {
    const { resource, named } = setup();
    expect(await createOrUpdate(resource, named, setTo('a'))).toBe('created');
    expect(resource.create).toHaveBeenCalledWith({ metadata: { name: 'settings', namespace: 'shop' }, data: { value: 'a' } });
  });

  it('updates what differs, as it was read [UTL-01]', async () => {
    const { resource, named } = setup(settings('a'));
    expect(await createOrUpdate(resource, named, setTo('b'))).toBe('updated');
    expect(resource.update).toHaveBeenCalledWith(settings('b'));
  });

  it('writes nothing when nothing differs [UTL-01]', async () => {
    const { resource, named } = setup(settings('a'));
    expect(await createOrUpdate(resource, named, setTo('a'))).toBe('unchanged');
    expect(resource.create).not.toHaveBeenCalled();
    expect(resource.update).not.toHaveBeenCalled();
  });

  it('refuses to rename [UTL-01]', async () => {
    const { resource, named } = setup(settings('a'));
    const rename = (object: ConfigMap) => {
      object.metadata.name = 'other';
    };
    await expect(createOrUpdate(resource, named, rename)).rejects.toThrow('cannot mutate object name');
    expect(resource.update).not.toHaveBeenCalled();
  });

  it('writes nothing when reading fails otherwise [UTL-01]', async () => {
    const { resource, named } = setup();
    resource.get.mockRejectedValue(new Error('down'));
    await expect(createOrUpdate(resource, named, setTo('a'))).rejects.toThrow('down');
    expect(resource.create).not.toHaveBeenCalled();
  });
});
