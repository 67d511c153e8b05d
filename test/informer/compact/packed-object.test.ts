import { describe, expect, it } from 'vitest';
import { Block } from '../../../src/informer/compact/block.ts';
import { metadataOf, NamedPackedObject, PackedObject } from '../../../src/informer/compact/packed-object.ts';

const block = new Block(Buffer.alloc(10));
const meta = { uid: 'u', resourceVersion: '7', labels: { app: 'web' } };

describe('the handle of a packed object', () => {
  it('has the metadata by which objects are compared and selected, and the place of its text', () => {
    const packed = new PackedObject('shop/web-1', meta, block, 3);
    expect(packed).toMatchObject({ key: 'shop/web-1', ...meta, block, at: 3, hot: undefined, isUsed: false });
    expect(packed.metadata).toMatchObject({ name: 'web-1', namespace: 'shop', ...meta });
    expect(metadataOf(packed)).toEqual({ name: 'web-1', namespace: 'shop', ...meta });
  });

  it('has its own name where the key does not say it', () => {
    const named = (namespace: string | undefined) =>
      new NamedPackedObject('any key', { name: 'web-1', namespace, ...meta }, block, 0);
    expect(metadataOf(named('shop'))).toEqual({ name: 'web-1', namespace: 'shop', ...meta });
    expect(metadataOf(named(undefined))).toEqual({ name: 'web-1', ...meta });
    expect(named('shop').key).toBe('any key');
  });

  it('has no field that its object has not', () => {
    const nothing = { uid: undefined, resourceVersion: undefined, labels: undefined };
    expect(Object.keys(metadataOf(new PackedObject('node-1', nothing, block, 0)))).toEqual(['name']);
  });
});
