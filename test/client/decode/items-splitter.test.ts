import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ItemsSplitter } from '../../../src/client/decode/items-splitter.ts';
import { isInformerError } from '../../../src/kit/error.ts';
import { parseJson } from '../../../src/kit/exact-json.ts';
import { cut } from '../../support/scripted-bytes.ts';

function split(text: string, lengths: readonly number[], keys?: string[]) {
  const splitter = new ItemsSplitter<unknown>(keys ? { keys } : {});
  const items = cut(text, lengths).flatMap((chunk) => splitter.push(chunk));
  items.push(...splitter.finish());
  return { items, fields: splitter.fields, arrayKey: splitter.arrayKey };
}

const chunking = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const list = fc.record({
  kind: fc.string(),
  metadata: fc.dictionary(fc.string(), fc.jsonValue()),
  items: fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 8 }),
  extra: fc.jsonValue(),
});

describe('ItemsSplitter', () => {
  it('gives what JSON.parse gives, for any chunks, whitespace and order of keys', () => {
    const order = fc.shuffledSubarray(['kind', 'metadata', 'items', 'extra'] as const, { minLength: 4 });
    fc.assert(
      fc.property(list, order, fc.constantFrom(undefined, 1, '\t'), chunking, (value, keys, indent, lengths) => {
        const text = JSON.stringify(Object.fromEntries(keys.map((key) => [key, value[key]])), null, indent);
        const { items, fields } = split(text, lengths);
        const { items: expected, ...rest } = parseJson(text) as { items: unknown[] };
        expect(items).toEqual(expected);
        expect(fields).toEqual(rest);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '{"items":[{"a":"é\\"}]\\\\"}]}',
    '{"a":"\\\\","items":["]","\\"",[[],{}],-1.5e3,true,null]}',
    ' { "items" : [ ] } \n',
    '\r{\r"a"\r:\r1\r,\r"items"\r:\r[\r1\r,\r2\r]\r}\r',
    '\t{\t"items"\t:\t[\t1\t,\ttrue\t,\t"x"\t]\t,\t"a"\t:\tnull\t}\t',
  ])('reads %s one byte at a time', (text) => {
    expect(split(text, [1]).items).toEqual(JSON.parse(text).items);
  });

  it('returns items with the chunk that completes them', () => {
    const splitter = new ItemsSplitter();
    expect(splitter.push(Buffer.from('{"kind":"PodList","items":[{"n":1},{"n":2},{"n"'))).toEqual([{ n: 1 }, { n: 2 }]);
    expect(splitter.fields).toEqual({ kind: 'PodList' });
    expect(splitter.push(Buffer.from(':3}]}'))).toEqual([{ n: 3 }]);
  });

  it('returns an item when the next similar one begins, and the last one at the end', () => {
    const splitter = new ItemsSplitter();
    const item = (n: number) => `{"metadata":{"n":${n}}}`;
    expect(splitter.push(Buffer.from(`{"items":[${item(1)},${item(2)}`))).toHaveLength(1);
    expect(splitter.push(Buffer.from(`,${item(3)}`))).toEqual([JSON.parse(item(2))]);
    expect(splitter.push(Buffer.from(']}'))).toEqual([]);
    expect(splitter.finish()).toEqual([JSON.parse(item(3))]);
  });

  it('reads items that are null, and a field `items` in an item', () => {
    expect(split('{"items":null}', [3])).toEqual({ items: [], fields: { items: null }, arrayKey: undefined });
    expect(split('{"items":[{"items":[1]}]}', [3]).items).toEqual([{ items: [1] }]);
    expect(split('{"metadata":{"items":[1]},"items":[]}', [3]).fields).toEqual({ metadata: { items: [1] } });
  });

  it('splits the given keys and names the one that arrived', () => {
    expect(split('{"rows":[{"cells":[1]}],"kind":"Table"}', [5], ['items', 'rows'])).toEqual({
      items: [{ cells: [1] }],
      fields: { kind: 'Table' },
      arrayKey: 'rows',
    });
  });

  it('never gives a cut body as a list', () => {
    fc.assert(
      fc.property(
        list,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        chunking,
        (value, share, lengths) => {
          const whole = Buffer.from(JSON.stringify(value));
          const part = whole.subarray(0, Math.floor(whole.length * share)).toString('latin1');
          expect(() => split(part, lengths)).toThrow(/^broken JSON at byte \d+ of the response/);
        },
      ),
    );
  });

  it.each([
    ['<html>', 0],
    ['[]', 0],
    ['{"items":[{} {}]}', 13],
    ['{"items":[1,]}', 12],
    ['{"items":[,1]}', 10],
    ['{"items":[{"a":tru}]}', 10],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['{"items":[]}x', 12],
    ['{"items":[]]}', 11],
    ['{"a":}', 5],
    ['', 0],
    ['{"items":[{"a":', 15],
    ['{"items":[{}', 12],
    ['{x', 1],
    ['\u000b{}', 0],
    ['{}\u000c', 2],
  ])('refuses %s and names byte %i', (text, offset) => {
    for (const length of [1, 3, 100]) {
      const error = thrownBy(() => split(text, [length]));
      expect(isInformerError(error, 'decode')).toBe(true);
      expect((error as Error).message).toContain(`at byte ${offset} `);
    }
  });

  it.each([
    ['{"items":[]}x', 'unexpected "x"'],
    ['{"items":[]}!', 'unexpected "!"'],
    ['{"items":[]}~', 'unexpected "~"'],
    ['{"items":[]}\u007f', 'unexpected byte 0x7f'],
    ['{"items":[]}\u0001', 'unexpected byte 0x01'],
    ['{"items":[]}é', 'unexpected byte 0xc3'],
  ])('names an unexpected byte by its character if it can be read, else by its number: %j', (text, named) => {
    expect((thrownBy(() => split(text, [100])) as Error).message).toContain(named);
  });

  it('gives the last value of a field that comes twice, as JSON.parse does', () => {
    expect(split('{"kind":"A","kind":"B","items":[]}', [4]).fields).toEqual({ kind: 'B' });
  });

  it('returns a short item that follows a long one with the chunk that completes it', () => {
    const splitter = new ItemsSplitter<{ metadata: { n: string } }>();
    const item = (n: string) => `{"metadata":{"n":"${n}"}}`;
    expect(splitter.push(Buffer.from(`{"items":[${item('a')},{"metadata":{"n":"${'b'.repeat(500)}`))).toHaveLength(1);
    const more = splitter.push(Buffer.from(`"}},${item('c')},${item('d')}`));
    expect(more.map(({ metadata }) => metadata.n[0])).toEqual(['b', 'c']);
  });

  it('reads values that are larger than its buffers, in chunks of any size', () => {
    const items = [10, 300_000, 20, 150_000, 30].map((length, n) => ({
      metadata: { n },
      text: 'xy'.repeat(length / 2),
    }));
    const text = JSON.stringify({ kind: 'z'.repeat(250_000), items });
    for (const length of [1000, 70_000, 200_000, 1_000_000]) {
      const { items: found, fields } = split(text, [length]);
      expect([found, fields]).toEqual([items, { kind: 'z'.repeat(250_000) }]);
    }
    expect(split('{}', [1])).toEqual({ items: [], fields: {}, arrayKey: undefined });
  });

  it('waits for the byte after a similar item also when much of the list is in the same chunk', () => {
    const items = Array.from({ length: 800 }, (_, n) => `{"metadata":{"n":"${'x'.repeat(100)}${n}"}}`);
    const splitter = new ItemsSplitter();
    expect(splitter.push(Buffer.from(`{"items":[${items.join(',')}`))).toHaveLength(799);
    expect(splitter.push(Buffer.from(']}'))).toHaveLength(0);
    expect(splitter.finish()).toHaveLength(1);
  });

  it('quotes no part of the bytes that it could not read', () => {
    const error = thrownBy(() => split('{"items":[{"password":hunter2}]}', [100])) as Error;
    expect(error.message).not.toContain('hunter2');
  });
});

describe('the ends of items are guessed', () => {
  const plain = '{"metadata":{"n":1}}';
  const misleading = '{"metadata":{"n":1},"spec":[{"metadata":{}},{"metadata":{}}]}';
  const times = (n: number, item: string) => Array.from({ length: n }, () => item);

  /** Whether a whole item waits for the next one, after others. */
  const isGuessing = (...items: string[]) => {
    const found = new ItemsSplitter().push(Buffer.from(`{"items":[${items.join(',')},${plain}`));
    expect(found.slice(0, items.length)).toEqual(items.map((item) => JSON.parse(item)));
    return found.length === items.length;
  };

  it('until nine guesses were wrong, or one more for each eight that were right', () => {
    expect(isGuessing(plain, ...times(8, misleading))).toBe(true);
    expect(isGuessing(plain, ...times(9, misleading))).toBe(false);
    expect(isGuessing(...times(9, plain), ...times(9, misleading))).toBe(true);
    expect(isGuessing(...times(9, plain), ...times(10, misleading))).toBe(false);
  });
});

describe('items that are left out', () => {
  const misleading = (n: number) => `{"metadata":{"n":${n}},"spec":[{"metadata":{"n":7}},{"metadata":{"n":8}}]}`;

  it.each([
    ['plain ones', (n: number) => `{"metadata":{"n":${n}}}`],
    ['ones with inner objects that look like the next one', misleading],
    ['both', (n: number) => (n % 3 ? misleading(n) : `{"metadata":{"n":${n}}}`)],
  ])('of %s are those that a function of their first bytes says, which is called once for each item', (_, item) => {
    for (const length of [1, 10, 1000]) {
      const asked: number[] = [];
      const splitter = new ItemsSplitter<{ metadata: { n: number } }>({
        leavesOut: (head) => {
          const n = Number(/\d/.exec(head.toString())?.[0]);
          asked.push(n);
          return n === 2 || n === 3 || n === 5;
        },
      });
      const text = `{"kind":"List","items":[${[1, 2, 3, 4, 5, 6].map(item).join(',')}]}`;
      const items = cut(text, [length]).flatMap((chunk) => splitter.push(chunk));
      items.push(...splitter.finish());
      expect(items).toEqual([1, 4, 6].map((n) => JSON.parse(item(n))));
      expect(asked).toEqual([1, 2, 3, 4, 5, 6]);
      expect(splitter.fields).toEqual({ kind: 'List' });
    }
  });
});

describe('a limit of bytes', () => {
  const item = (name: string, bytes: number) => {
    const head = `{"metadata":{"name":"${name}","namespace":"shop"},"note":"`;
    return `${head}${'x'.repeat(bytes - head.length - 2)}"}`;
  };
  const read = (items: string[], length: number, leavesOut?: () => boolean) => {
    const splitter = new ItemsSplitter({ limit: 100, leavesOut });
    const read = cut(`{"kind":"List","items":[${items.join(',')}]}`, [length]).flatMap((chunk) => splitter.push(chunk));
    return [...read, ...splitter.finish()].length;
  };

  it.each([50, 1000])('holds for each item, of which the error has the name; chunks of %i bytes', (length) => {
    const three = (bytes: number) => [item('a', 90), item('b', bytes), item('c', 90), item('d', 90)];
    expect(read(three(100), length)).toBe(4);
    const error = thrownBy(() => read(three(101), length)) as Error;
    expect(error.message).toBe(
      'an item of the list ("shop/b"), from byte 115 of the response, is longer than the limit of 100 bytes',
    );
    expect(read(three(100), length, () => true)).toBe(0);
    expect((thrownBy(() => read(three(101), length, () => true)) as Error).message).toBe(error.message);
  });

  /** The first bytes of an item of which the name ends at this byte. */
  const namedAt = (end: number) => {
    const [before, name] = ['{"x":"', '","metadata":{"name":"a"'];
    return `${before}${'x'.repeat(end - before.length - name.length)}${name}}`;
  };

  it.each([
    ['has no namespace', '{"metadata":{"name":"a"}', ' ("a")'],
    ['is the row of a table', '{"cells":[],"object":{"metadata":{"name":"a","namespace":"n"}}', ' ("n/a")'],
    ['shows its name in the first 64 KiB', namedAt(64 * 1024), ' ("a")'],
    ['shows its name behind 64 KiB', namedAt(64 * 1024 + 1), ''],
    ['has no name', '{"spec":{}', ''],
  ])('names an item, as far as its first bytes show it: one that %s', (_, head, named) => {
    const error = thrownBy(() => {
      new ItemsSplitter({ limit: 100 }).push(Buffer.from(`{"items":[${head},"note":"${'x'.repeat(100)}"}]}`));
    }) as Error;
    expect(error.message).toBe(
      `an item of the list${named}, from byte 10 of the response, is longer than the limit of 100 bytes`,
    );
  });

  it('holds for each field', () => {
    const field = (bytes: number) => `{"a":"${'x'.repeat(bytes - 2)}"}`;
    for (const length of [1, 1000]) {
      const splitter = () => new ItemsSplitter({ limit: 100 });
      const push = (text: string) => {
        const one = splitter();
        for (const chunk of cut(text, [length])) one.push(chunk);
        return one.fields;
      };
      expect(push(field(100))).toEqual({ a: 'x'.repeat(98) });
      expect(push(`{"a":${'1'.repeat(100)}}`)).toEqual({ a: BigInt('1'.repeat(100)) });
      expect((thrownBy(() => push(field(101))) as Error).message).toBe(
        'a field of the list, from byte 5 of the response, is longer than the limit of 100 bytes',
      );
    }
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
