import { expect, test } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { copiesOnRead } from '../../../src/sandbox/seed/copies-on-read.ts';

const stored = () => [{ labels: { a: '1' } }, { labels: { a: '2' } }];

test('every way to read an element gives the same copy, which is not the stored object', () => {
  const originals = stored();
  const copies = copiesOnRead(originals);
  const ways = [
    copies[0],
    copies.at(0),
    copies.slice()[0],
    [...copies][0],
    Object.values(copies)[0],
    copies.find(() => true),
  ];
  expect(new Set(ways).size).toBe(1);
  expect(Object.getOwnPropertyDescriptor(copies, 1)?.value).not.toBe(originals[1]);
  expect(copies.pop()).not.toBe(originals[1]);
  expect(copies).toEqual([stored()[0]]);
});

test('a small and a large array can be cloned, encoded and sorted as any array', () => {
  for (const length of [2, 2_000]) {
    const originals = Array.from({ length }, (_, i) => ({ labels: { a: String(length - i) } }));
    const copies = copiesOnRead(originals);
    expect(structuredClone(copies)).toEqual(originals);
    expect(JSON.stringify(copies)).toBe(JSON.stringify(originals));
    expect(copies[1]).not.toBe(originals[1]);
    copies.sort((a, b) => Number(a.labels.a) - Number(b.labels.a));
    expect(copies[0]?.labels.a).toBe('1');
    copies[0] = { labels: { a: 'new' } };
    expect([copies.length, copies[0].labels.a, originals[length - 1]?.labels.a]).toEqual([length, 'new', '1']);
  }
});

test('an element of a large array is copied when it is first read', () => {
  const originals = Array.from({ length: 2_000 }, (_, i) => ({ labels: { a: String(i) } }));
  const copies = copiesOnRead(originals);
  const first = copies[7];
  expect([copies[7], copies.at(7), copies.find((c) => c.labels.a === '7')]).toEqual([first, first, first]);
  expect(copies[7]).toBe(first);
  expect(first).not.toBe(originals[7]);
  expect(Object.getOwnPropertyDescriptor(copies, 8)?.get).toBeInstanceOf(Function);
});

test('a change of a copy is kept, and does not change the stored object', () => {
  const originals = stored();
  const copies = copiesOnRead(originals);
  for (const { labels } of copies) labels.a = 'changed';
  expect(originals).toEqual(stored());
  expect(copies[1]).toEqual({ labels: { a: 'changed' } });
});

test('what `apply` and `list` returned shows their state, though it is read after the next change', async () => {
  await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
  const object = (value: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { value } });
  const first = sandbox.apply(object('1'));
  const listed = sandbox.list({ apiVersion: 'v1', kind: 'ConfigMap' });
  sandbox.apply(object('2'));
  expect(first[0]?.data).toEqual({ value: '1' });
  expect(listed.find(({ metadata }) => metadata.name === 'c')?.data).toEqual({ value: '1' });
});
