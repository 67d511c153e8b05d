import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { ObjectStore } from '../../../src/sandbox/store/object-store.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const named = (name: string, value = ''): UnknownObject => ({ metadata: { name }, value });
const namesAt = (store: ObjectStore, revision: number, prefix = '') =>
  store
    .collection('things')
    .list({ prefix }, revision)
    .map((o) => `${o.key}=${o.object.value}`);

describe('ObjectStore', () => {
  it('gives every write of any type the next revision and stamps it on the object', () => {
    const store = new ObjectStore({ historySize: 10, revision: 100 });
    expect(store.put('things', 'a', named('a')).object.metadata.resourceVersion).toBe('101');
    expect(store.put('others', 'a', named('a')).revision).toBe(102);
    expect(store.remove('things', 'a')?.revision).toBe(103);
    expect(store.revision).toBe(103);
  });

  it('shows a collection as it was at any revision that is not compacted', () => {
    const store = new ObjectStore({ historySize: 10 });
    store.put('things', 'b', named('b', '1')); // 2
    store.put('things', 'a', named('a', '1')); // 3
    store.put('things', 'b', named('b', '2')); // 4
    store.remove('things', 'a'); // 5
    store.put('things', 'c', named('c', '1')); // 6
    expect(namesAt(store, 2)).toEqual(['b=1']);
    expect(namesAt(store, 3)).toEqual(['a=1', 'b=1']);
    expect(namesAt(store, 4)).toEqual(['a=1', 'b=2']);
    expect(namesAt(store, 5)).toEqual(['b=2']);
    expect(namesAt(store, 6)).toEqual(['b=2', 'c=1']);
  });

  it('lists in byte order of namespace and name, and by namespace', () => {
    const store = new ObjectStore({ historySize: 10 });
    for (const key of ['b/x', 'a-b/x', 'a/z', 'a/b']) store.put('things', key, named(key));
    expect(namesAt(store, store.revision)).toEqual(['a-b/x=', 'a/b=', 'a/z=', 'b/x=']);
    expect(namesAt(store, store.revision, 'a/')).toEqual(['a/b=', 'a/z=']);
  });

  it('keeps the latest changes of each type and moves its compaction mark when older ones fall out', () => {
    const store = new ObjectStore({ historySize: 3 });
    for (let i = 0; i < 3; i++) store.put('things', 'a', named('a', String(i))); // 2, 3, 4
    expect(store.collection('things').log.compacted).toBe(0);
    store.put('others', 'x', named('x')); // 5
    store.put('things', 'a', named('a', '3')); // 6: 2 falls out
    expect(store.collection('things').log.compacted).toBe(2);
    expect(store.collection('others').log.compacted).toBe(0);
    expect(store.oldestState('things')).toBe(2);
  });

  it('forgets all history on compaction, or only what lists need', () => {
    const store = new ObjectStore({ historySize: 10 });
    store.put('things', 'a', named('a'));
    store.compact({ watches: false });
    expect(store.oldestState('things')).toBe(2);
    expect(store.collection('things').log.compacted).toBe(0);
    store.compact();
    expect(store.collection('things').log.compacted).toBe(2);
    expect(store.collection('never-seen').log.compacted).toBe(2);
  });

  it('finds the first event after a revision by search', () => {
    const store = new ObjectStore({ historySize: 100 });
    for (let i = 0; i < 20; i++) store.put(i % 2 === 0 ? 'things' : 'others', 'a', named('a'));
    const { log } = store.collection('things');
    expect(log.at(log.after(1))?.revision).toBe(2);
    expect(log.at(log.after(7))?.revision).toBe(8);
    expect(log.at(log.after(8))?.revision).toBe(10);
    expect(log.after(store.revision)).toBe(log.next);
  });

  it('lets its log run for a long time without growing beyond the window', () => {
    const store = new ObjectStore({ historySize: 50 });
    for (let i = 0; i < 10_000; i++) store.put('things', 'a', named('a'));
    const { log } = store.collection('things');
    expect(log.next - log.first).toBe(50);
    expect(log.at(log.first)?.revision).toBe(store.revision - 49);
    expect(log.at(log.first - 1)).toBeUndefined();
  });

  it('starts a collection anew when its type comes back, with nothing to resume from', () => {
    const store = new ObjectStore({ historySize: 10 });
    store.put('things', 'a', named('a'));
    store.close('things');
    const reborn = store.collection('things');
    expect(reborn.size).toBe(0);
    expect(reborn.log.compacted).toBe(2);
  });
});

describe('history by age', () => {
  const map = (name: string, n: number) =>
    ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { n: String(n) } }) as UnknownObject;

  it('keeps changes and states for so long, and no longer, whatever their number', async () => {
    const clock = new FakeClock();
    const store = new ObjectStore({ historySize: 1_000, historyMs: 60_000, clock });
    const { log } = store.collection('configmaps');
    for (let i = 0; i < 10; i++) {
      store.put('configmaps', 'a', map('a', i));
      await clock.advance(10_000);
    }
    expect(store.revision - log.compacted).toBe(6);
    expect(log.next - log.first).toBe(6);
    expect(store.oldestState('configmaps')).toBe(log.compacted);
    await clock.advance(120_000);
    expect(store.oldestState('configmaps')).toBe(store.revision);
    expect([log.compacted, log.next - log.first]).toEqual([store.revision, 0]);
  });

  it('lets a watch of a type that is quiet start from an old version, and a list not go back', async () => {
    const clock = new FakeClock();
    const store = new ObjectStore({ historySize: 1_000, historyMs: 60_000, clock });
    store.put('configmaps', 'a', map('a', 1));
    await clock.advance(120_000);
    store.put('secrets', 'a', map('a', 1));
    await clock.advance(120_000);
    expect(store.oldestState('configmaps')).toBe(store.revision);
    expect(store.collection('configmaps').log.compacted).toBe(store.revision - 1);
  });
});
