import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Block } from '../../../src/informer/compact/block.ts';
import { type Compression, zstd } from '../../../src/informer/compact/compression.ts';
import { Slabs } from '../../../src/informer/compact/slabs.ts';
import { isInformerError } from '../../../src/kit/error.ts';

const read = (block: Block) => {
  const texts = block.texts();
  return Array.from({ length: block.count }, (_, at) => block.textAt(at, texts).toString('utf8'));
};

function filled(texts: readonly string[], room = 4096): Block {
  const block = new Block(Buffer.alloc(room));
  for (const text of texts) block.claim({ block, at: block.add(text) });
  return block;
}

/** A compression that shows the bytes of the block it decompresses. */
function open(): { compression: Compression; stored: () => Uint8Array } {
  let bytes = new Uint8Array();
  const inner = zstd();
  const compression: Compression = {
    compress: (texts) => inner?.compress(texts) ?? texts,
    decompress(stored, length) {
      bytes = stored as Uint8Array<ArrayBuffer>;
      return inner?.decompress(stored, length) ?? Buffer.from(stored);
    },
  };
  return { compression, stored: () => bytes };
}

const TEXTS = Array.from({ length: 30 }, (_, i) => `{"metadata":{"name":"pod-${i}","note":"${'y'.repeat(i)} ü 🦊"}}`);

describe('a block', () => {
  it.each<[string, Compression | undefined]>([
    ['uncompressed', undefined],
    ['compressed', zstd()],
  ])('gives each text back, before and after it is sealed: %s', (_, compression) => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('repeated '.repeat(20)));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 16 }), (texts) => {
        const block = filled(texts, 64 * 1024);
        expect(read(block)).toEqual(texts);
        block.seal(new Slabs(), compression);
        expect(read(block)).toEqual(texts);
        expect(block.storedBytes).toBeLessThanOrEqual(block.textBytes);
      }),
    );
  });

  it('has room for the bytes that it was made for, and for few enough texts that a read decodes few', () => {
    const block = new Block(Buffer.alloc(100));
    expect([block.hasRoom(100), block.hasRoom(101)]).toEqual([true, false]);
    block.claim({ block, at: block.add('x'.repeat(60)) });
    expect([block.hasRoom(40), block.hasRoom(41)]).toEqual([true, false]);
    const many = filled([]);
    while (many.hasRoom(1)) many.claim({ block: many, at: many.add('a') });
    expect(many.count).toBeGreaterThanOrEqual(8);
    expect(many.count).toBeLessThanOrEqual(64);
    many.setNumber(0, many.count - 1, 5);
    expect(many.numberAt(0, many.count - 1)).toBe(5); // each text has room for its numbers
  });

  it('counts the texts that are not dropped; a new one is as it should be', () => {
    const block = new Block(Buffer.alloc(100));
    expect([block.isDamaged, block.isCompressed]).toEqual([false, false]);
    const placed = ['one', 'three', ''].map((text) => ({ block, at: block.add(text) }));
    for (const each of placed) block.claim(each);
    expect([block.live, block.liveBytes]).toEqual([3, 8]);
    block.drop(placed[1] as { block: Block; at: number });
    expect([block.live, block.liveBytes, read(block)]).toEqual([2, 3, ['one', 'three', '']]);
  });

  it('stays as it is when compression saves less than a tenth, or fails', () => {
    const failing: Compression = {
      compress() {
        throw new Error('no memory');
      },
      decompress: () => Buffer.alloc(0),
    };
    for (const [texts, compression] of [
      [TEXTS, { ...failing, compress: (bytes: Uint8Array) => bytes.subarray(0, 0.91 * bytes.length) }],
      [TEXTS, failing],
    ] as const) {
      const block = filled(texts);
      block.seal(new Slabs(), compression);
      expect([block.isCompressed, block.storedBytes]).toEqual([false, block.textBytes]);
      expect(read(block)).toEqual(texts);
    }
  });

  it.each([
    [900, true],
    [901, false],
  ])('of 1000 bytes that can be compressed to %i is compressed: %s', (bytes, isCompressed) => {
    const tenth: Compression = {
      compress: (texts) => texts.subarray(0, bytes),
      decompress: (_, length) => Buffer.alloc(length),
    };
    const block = filled(['x'.repeat(1000)]);
    block.seal(new Slabs(), tenth);
    expect(block.isCompressed).toBe(isCompressed);
  });

  it('is compressed when that saves more than a tenth', () => {
    const half: Compression = {
      compress: (bytes) => bytes.subarray(0, 0.89 * bytes.length),
      decompress: (_, length) => Buffer.from(TEXTS.join('')).subarray(0, length),
    };
    const block = filled(TEXTS);
    const [room, slabs] = [block.texts(), new Slabs()];
    expect(block.storedBytes).toBe(room.length);
    expect(block.seal(slabs, half)).toBe(room);
    expect([block.isCompressed, block.storedBytes]).toEqual([true, Math.floor(0.89 * block.textBytes)]);
    expect([read(block), block.hasRoom(0)]).toEqual([TEXTS, false]);
    expect(() => block.add('more')).toThrow();
  });

  it('takes texts as bytes, and keeps in mind whether one of them has a usual character as an escape', () => {
    const isEscaped = (...texts: string[]) => {
      const block = new Block(Buffer.alloc(100));
      const seen = texts.map((text) => {
        block.claim({ block, at: block.add(Buffer.from(text)) });
        return block.isEscaped;
      });
      expect(read(block)).toEqual(texts);
      return seen;
    };
    expect(isEscaped('"a"', '"\\u0041"', '"b"')).toEqual([false, true, true]);
    expect(isEscaped('"\\ud83d"')).toEqual([false]);
  });

  it('gives its memory in a slab back', () => {
    const slabs = new Slabs();
    const block = filled(TEXTS, 2 * 1024 * 1024);
    block.giveBack(slabs); // of a block with texts in a room of its own nothing is in a slab
    block.seal(slabs, undefined);
    const half = 512 * 1024 - 10;
    slabs.store(Buffer.alloc(half));
    const rest = slabs.store(Buffer.alloc(1024 * 1024 - half - block.textBytes));
    slabs.store(Buffer.alloc(10)); // in the next slab
    slabs.giveBack(rest);
    const before = slabs.size;
    block.giveBack(slabs); // now less than half of the first slab is in use
    expect([before, slabs.size, read(block)]).toEqual([2 * 1024 * 1024, 1024 * 1024, TEXTS]);
  });

  it('has a number for each object in each column: 0 until one is set, and after the object was dropped', () => {
    const block = filled(['a', 'b', 'c']);
    const numbers = (of: Block = block) => [0, 1].map((slot) => [0, 1, 2].map((at) => of.numberAt(slot, at)));
    expect(numbers()).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    block.setNumber(1, 0, 7);
    block.setNumber(1, 2, 9);
    const copy = filled(['c', 'a']);
    copy.copyNumbers(0, block, 2);
    copy.copyNumbers(1, block, 0);
    expect(numbers(copy)[1]).toEqual([9, 7, 0]);
    copy.setNumber(0, 1, 3);
    const second = filled(['a']);
    second.copyNumbers(0, copy, 1);
    expect([second.numberAt(0, 0), second.numberAt(1, 0)]).toEqual([3, 7]);
    const renumbered: number[] = [];
    block.renumber(1, (number) => renumbered.push(number));
    block.renumber(0, () => 5); // has no number
    expect([renumbered, numbers()]).toEqual([
      [7, 9],
      [
        [0, 0, 0],
        [1, 0, 2],
      ],
    ]);
    const dropped = block.objects[2];
    if (dropped) block.drop(dropped);
    expect([block.objects[2], numbers()[1]]).toEqual([undefined, [1, 0, 0]]);
    block.clearNumbers(1);
    expect(numbers()[1]).toEqual([0, 0, 0]);
  });

  it('knows whether a text is the one at a place', () => {
    const block = filled(TEXTS);
    block.seal(new Slabs(), zstd());
    expect(block.hasText(3, Buffer.from(TEXTS[3] as string))).toBe(true);
    expect(block.hasText(3, Buffer.from(TEXTS[4] as string))).toBe(false);
    expect(block.hasText(3, Buffer.from((TEXTS[3] as string).replace('pod', 'pot')))).toBe(false);
  });
});

describe('a damaged block', () => {
  /** Reads all texts. Each is the right one, or throws `store`. Returns how many threw. */
  function expectNoWrongText(block: Block): number {
    let thrown = 0;
    for (const [at, text] of TEXTS.entries()) {
      try {
        expect(block.textAt(at, block.texts()).toString('utf8')).toBe(text);
      } catch (error) {
        if (!isInformerError(error, 'store')) throw error;
        thrown++;
      }
    }
    return thrown;
  }

  it('gives no wrong text, whichever bit is wrong: uncompressed', () => {
    const block = filled(TEXTS);
    block.seal(new Slabs(), undefined);
    const bytes = block.texts();
    for (let i = 0; i < bytes.length; i++) {
      const bit = 1 << (i % 8);
      bytes[i] = (bytes[i] as number) ^ bit;
      expect(expectNoWrongText(block)).toBe(1);
      expect(block.isDamaged).toBe(true);
      bytes[i] = (bytes[i] as number) ^ bit;
    }
    expect(expectNoWrongText(block)).toBe(0);
  });

  it.runIf(zstd())('gives no wrong text, whichever bit is wrong: compressed', () => {
    const { compression, stored } = open();
    const block = filled(TEXTS);
    block.seal(new Slabs(), compression);
    expect(block.isCompressed).toBe(true);
    block.texts();
    const bytes = stored();
    let harmless = 0;
    for (let i = 0; i < bytes.length; i++) {
      const bit = 1 << (i % 8);
      bytes[i] = (bytes[i] as number) ^ bit;
      if (expectNoWrongText(block) === 0) harmless++;
      bytes[i] = (bytes[i] as number) ^ bit;
    }
    expect(harmless, 'bits that change no text').toBeLessThan(bytes.length / 20);
    expect(expectNoWrongText(block)).toBe(0);
  });

  it('says what to do', () => {
    const block = filled(TEXTS);
    block.texts()[0] = 0;
    expect(() => block.textAt(0, block.texts())).toThrow(
      expect.objectContaining({ code: 'store', hint: expect.stringContaining('lists it again') }),
    );
  });
});
