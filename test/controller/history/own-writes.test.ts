import { expect, it } from 'vitest';
import { OwnWrites } from '../../../src/controller/history/own-writes.ts';
import { updated } from '../../support/controller.ts';

it('recognises the event of an own write by its key and its version', () => {
  const writes = new OwnWrites();
  writes.add('shop/a', '7');
  expect(writes.has(updated('a', '6', '7'))).toBe(true);
  expect(writes.has(updated('a', '7', '8'))).toBe(false);
  expect(writes.has(updated('b', '6', '7'))).toBe(false);
});

it('takes no event of another object for one, which may have the key and the version in another cluster', () => {
  const writes = new OwnWrites();
  const of = (uid: string) => {
    const event = updated('a', '6', '7');
    return writes.has({ ...event, object: { ...event.object, metadata: { ...event.object?.metadata, uid } } });
  };
  writes.add('shop/a', '7', 'eu');
  writes.add('shop/a', '7', 'us');
  expect([of('eu'), of('us'), of('asia')]).toEqual([true, true, false]);
  writes.add('shop/a', '7'); // whose uid is not known
  expect(of('asia')).toBe(true);
});

it('remembers at least the last 2048 writes, and at most twice as many', () => {
  const writes = new OwnWrites();
  for (let version = 1; version <= 20_000; version++) writes.add('shop/a', String(version));
  const remembered = Array.from({ length: 20_000 }, (_, i) => writes.has(updated('a', '0', String(i + 1))));
  expect(remembered.slice(-2048)).not.toContain(false);
  expect(remembered.filter(Boolean).length).toBeLessThanOrEqual(4096);
});
