import { describe, expect, it } from 'vitest';
import {
  addFinalizer,
  addFinalizerPatch,
  containsFinalizer,
  finalizerStep,
  removeFinalizer,
  removeFinalizerPatch,
} from '../../../src/controller/writes/finalizer.ts';
import { InformerError } from '../../../src/kit/error.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { JsonPatchOperation } from '../../../src/model/write-body.ts';
import { CONFIG_MAPS, inProcess } from '../../support/in-process.ts';

const OURS = 'example.com/ours';

function object(finalizers?: string[], deletionTimestamp?: string): KubeObject {
  return {
    metadata: {
      name: 'web',
      uid: 'u1',
      resourceVersion: '7',
      ...(finalizers ? { finalizers } : {}),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
    },
  };
}

describe('changes in place', () => {
  it('a finalizer is added once, all its entries are removed, and both return whether the object changed [UTL-03]', () => {
    const o = object();
    expect([addFinalizer(o, OURS), addFinalizer(o, OURS)]).toEqual([true, false]);
    expect(containsFinalizer(o, OURS)).toBe(true);
    const twice = object([OURS, 'other', OURS]);
    expect([removeFinalizer(twice, OURS), removeFinalizer(twice, OURS)]).toEqual([true, false]);
    expect(twice.metadata.finalizers).toEqual(['other']);
  });

  it('a name that is none is refused', () => {
    for (const wrong of ['', undefined, 5]) {
      const o = object();
      expect(() => addFinalizer(o, wrong as string)).toThrow(InformerError);
      expect(() => finalizerStep(o, wrong as string)).toThrow(InformerError);
      expect(o.metadata.finalizers).toBeUndefined();
    }
  });
});

it.each([
  ['lives without it', object(), 'add'],
  ['lives with it', object([OURS]), 'apply'],
  ['is being deleted with it', object(['other', OURS], 'now'), 'cleanup'],
  ['is being deleted without it', object(['other'], 'now'), 'nothing'],
])('an object that %s has its step [KR-10]', (_, o, step) => {
  expect(finalizerStep(o, OURS)).toBe(step);
});

describe('JSON patches', () => {
  /**
   * A config map with these finalizers on a server, and a function that patches it, which rejects if a test operation
   * fails.
   */
  async function served(finalizers: string[] = []) {
    const { sandbox, client } = await inProcess();
    const put = (fields: object = {}) => {
      const metadata = { name: 'web', namespace: 'shop', finalizers, ...fields };
      return sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata })[0] as KubeObject;
    };
    const remove = () => sandbox.delete(CONFIG_MAPS, 'shop/web');
    const resource = client.resource<KubeObject>(CONFIG_MAPS, { namespace: 'shop' });
    const patched = async (patch: readonly JsonPatchOperation[]) => {
      await resource.patch('web', patch, { type: 'json' });
      return sandbox.get(CONFIG_MAPS, 'shop/web')?.metadata.finalizers;
    };
    return { read: put(), put, remove, patched };
  }

  it('add a finalizer to an object with and without finalizers [KR-10]', async () => {
    const [bare, listed] = [await served(), await served(['example.com/other'])];
    expect(await bare.patched(addFinalizerPatch(bare.read, OURS))).toEqual([OURS]);
    expect(await listed.patched(addFinalizerPatch(listed.read, OURS))).toEqual(['example.com/other', OURS]);
  });

  it('add nothing if the name belongs to another object, and never overwrite a finalizer that was added since [KR-10]', async () => {
    const recreated = await served(['example.com/other']);
    recreated.put({ finalizers: [] });
    recreated.remove();
    const another = recreated.put();
    expect(another.metadata.uid).not.toBe(recreated.read.metadata.uid);
    await expect(recreated.patched(addFinalizerPatch(recreated.read, OURS))).rejects.toMatchObject({ statusCode: 422 });
    const changed = await served();
    changed.put({ finalizers: ['example.com/other'] });
    await expect(changed.patched(addFinalizerPatch(changed.read, OURS))).rejects.toMatchObject({ statusCode: 422 });
    expect(await changed.patched([])).toEqual(['example.com/other']);
  });

  it('remove all entries, and test that each is the finalizer [KR-10]', async () => {
    const other = 'example.com/other';
    const o = await served([OURS, other, OURS]);
    expect(await o.patched(removeFinalizerPatch(o.read, OURS))).toEqual([other]);
    const moved = await served([OURS]);
    moved.put({ finalizers: [other, OURS] });
    await expect(moved.patched(removeFinalizerPatch(moved.read, OURS))).rejects.toMatchObject({ statusCode: 422 });
    expect(await moved.patched([])).toEqual([other, OURS]);
    expect(removeFinalizerPatch(object(['other']), OURS)).toEqual([]);
  });
});
