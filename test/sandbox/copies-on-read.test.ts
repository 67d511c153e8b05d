import { expect, test } from 'vitest';
import { copiesOnRead } from '../../src/sandbox/copies-on-read.ts';
import { Sandbox } from '../../src/sandbox/index.ts';

const stored = () => [{ labels: { a: '1' } }, { labels: { a: '2' } }];

test('a copy is not what is stored, however it is reached, and stays the same one', () => {
  const originals = stored();
  const copies = copiesOnRead(originals);
  const ways = [copies[0], copies.at(0), copies.slice()[0], [...copies][0], Object.values(copies)[0], copies.find(() => true)];
  expect(new Set(ways).size).toBe(1);
  expect(Object.getOwnPropertyDescriptor(copies, 1)?.value).not.toBe(originals[1]);
  expect(copies.pop()).not.toBe(originals[1]);
  expect(copies).toEqual([stored()[0]]);
});

test('changing a copy changes nothing that is stored, and is seen by the next look', () => {
  const originals = stored();
  const copies = copiesOnRead(originals);
  for (const { labels } of copies) labels.a = 'changed';
  expect(originals).toEqual(stored());
  expect(copies[1]).toEqual({ labels: { a: 'changed' } });
});

test('what apply returned shows the state it made, though it is looked at after the next change', async () => {
  await using sandbox = await Sandbox.start({ socket: false, seed: 1 });
  const object = (value: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { value } });
  const first = sandbox.apply(object('1'));
  const listed = sandbox.list({ apiVersion: 'v1', kind: 'ConfigMap' });
  sandbox.apply(object('2'));
  expect(first[0]?.data).toEqual({ value: '1' });
  expect(listed.find(({ metadata }) => metadata.name === 'c')?.data).toEqual({ value: '1' });
});
