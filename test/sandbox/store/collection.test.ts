import { describe, expect, it } from 'vitest';
import { ObjectStore } from '../../../src/sandbox/store/object-store.ts';

const named = (name: string) => ({ metadata: { name } });

describe('a collection', () => {
  it.each([3, 500])('lists %i objects in key order, in whatever order they were put and removed', (count) => {
    const store = new ObjectStore({ historySize: 10 });
    const keys = Array.from({ length: count }, (_, i) => `ns-${i % 7}/é-${(i * 7919) % count}`);
    for (const [i, key] of keys.entries()) {
      store.put('pods', key, named(key));
      if (i % 50 === 1) store.remove('pods', keys[i - 1] ?? '');
    }
    const left = keys.filter((key) => store.get('pods', key)).sort();
    const listed = store.collection('pods').list({ prefix: '' }, store.revision);
    expect(listed.map(({ key }) => key)).toEqual(left);
  });

  it('lists from a key on, also at an earlier revision', () => {
    const store = new ObjectStore({ historySize: 10 });
    for (const key of ['a/1', 'a/2', 'a/3', 'b/1']) store.put('pods', key, named(key));
    const then = store.revision;
    store.remove('pods', 'a/2');
    const keys = (revision: number) =>
      store
        .collection('pods')
        .list({ prefix: 'a/', from: 'a/2' }, revision)
        .map(({ key }) => key);
    expect(keys(store.revision)).toEqual(['a/3']);
    expect(keys(then)).toEqual(['a/2', 'a/3']);
  });

  it('wakes its watchers at every change and when it closes, until they are disposed', () => {
    const store = new ObjectStore({ historySize: 10 });
    const pods = store.collection('pods');
    let woken = 0;
    const watching = pods.onChange(() => woken++);
    store.put('pods', 'a', named('a'));
    store.put('secrets', 'a', named('a'));
    expect(woken).toBe(1);
    store.close('pods');
    expect([woken, pods.closed]).toEqual([2, true]);
    watching[Symbol.dispose]();
    pods.close();
    expect(woken).toBe(2);
  });

  it('ends the watches of retired types only', () => {
    const pods = new ObjectStore({ historySize: 10 }).collection('pods');
    const [old, current] = [{}, {}];
    let woken = 0;
    using _watching = pods.onChange(() => woken++);
    pods.retire([old]);
    expect([pods.isRetired(old), pods.isRetired(current), pods.closed, woken]).toEqual([true, false, false, 1]);
  });
});
