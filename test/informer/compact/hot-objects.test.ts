import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Block } from '../../../src/informer/compact/block.ts';
import { HotObjects } from '../../../src/informer/compact/hot-objects.ts';
import { PackedObject } from '../../../src/informer/compact/packed-object.ts';

const META = { uid: undefined, resourceVersion: undefined, labels: undefined };

/** A handle of a text of this many bytes. */
function handle(bytes: number, key = 'a'): PackedObject<string> {
  const block = new Block(Buffer.alloc(bytes));
  return new PackedObject<string>(key, META, block, block.add('x'.repeat(bytes)));
}

describe('hot objects', () => {
  it('never take more bytes than allowed, whatever is added and read, and count what they have', () => {
    const steps = fc.array(fc.record({ of: fc.nat(19), isRead: fc.boolean() }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (script) => {
        const hot = new HotObjects<string>(100);
        const handles = Array.from({ length: 20 }, (_, i) => handle(5 + 2 * i, `k${i}`));
        for (const { of, isRead } of script) {
          const packed = handles[of] as PackedObject<string>;
          if (isRead && packed.hot !== undefined) packed.isUsed = true;
          else hot.add(packed, packed.key);
          const kept = handles.filter((each) => each.hot !== undefined);
          const bytes = kept.reduce((sum, { block, at }) => sum + block.lengthAt(at), 0);
          expect([hot.count, hot.bytes]).toEqual([kept.length, bytes]);
          expect(bytes).toBeLessThanOrEqual(100);
          for (const each of kept) expect(each.hot).toBe(each.key);
        }
      }),
    );
  });

  it('keep those that are read again and again', () => {
    const hot = new HotObjects<string>(100);
    const often = handle(10, 'often');
    for (let i = 0; i < 100; i++) {
      if (often.hot === undefined) hot.add(often, 'often');
      else often.isUsed = true;
      const other = handle(10, `other-${i}`);
      hot.add(other, other.key);
      other.isUsed = false;
      if (i > 0) expect(often.hot, `after ${i} others`).toBe('often');
    }
  });

  it('give up the one that was not used for longest', () => {
    const hot = new HotObjects<string>(30);
    const handles = ['a', 'b', 'c'].map((key) => handle(10, key));
    for (const packed of handles) hot.add(packed, packed.key);
    for (const packed of handles) packed.isUsed = packed.key !== 'b';
    hot.add(handle(10, 'd'), 'd');
    expect(handles.map((packed) => packed.hot)).toEqual(['a', undefined, 'c']);
  });

  it('give up the first of several that were all used, and keep a new one longer than one that was not used since', () => {
    const hot = new HotObjects<string>(30);
    const handles = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => handle(10, key));
    const kept = () => handles.flatMap((packed) => packed.hot ?? []).join('');
    const seen = handles.map((packed) => {
      hot.add(packed, packed.key);
      if (packed.key === 'd') (handles[1] as PackedObject<string>).isUsed = true; // b is read
      return kept();
    });
    expect(seen).toEqual(['a', 'ab', 'abc', 'bcd', 'bce', 'bef']);
  });

  it('keep one that is exactly as large as all of them may be', () => {
    const hot = new HotObjects<string>(100);
    hot.add(handle(100, 'large'), 'large');
    expect([hot.count, hot.bytes]).toEqual([1, 100]);
  });

  it('do not keep an object that is larger than all of them may be', () => {
    const hot = new HotObjects<string>(100);
    hot.add(handle(101, 'large'), 'large');
    expect([hot.count, hot.bytes]).toEqual([0, 0]);
  });
});
