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
  it('gives every write of any type the next revision, and sets it on the object', () => {
    const store = new ObjectStore({ historySize: 10, revision: 100 });
    expect(store.put('things', 'a', named('a')).object.metadata.resourceVersion).toBe('101');
    expect(store.put('others', 'a', named('a')).revision).toBe(102);
    expect(store.remove('things', 'a')?.revision).toBe(103);
    expect(store.revision).toBe(103);
  });

  it('lists a collection as it was at any revision that is not compacted', () => {
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

  it('keeps the latest changes of each type, and moves its compaction mark when it drops older ones', () => {
    const store = new ObjectStore({ historySize: 3 });
    for (let i = 0; i < 3; i++) store.put('things', 'a', named('a', String(i))); // 2, 3, 4
    expect(store.collection('things').log.compacted).toBe(0);
    store.put('others', 'x', named('x')); // 5
    store.put('things', 'a', named('a', '3')); // 6: 2 falls out
    expect(store.collection('things').log.compacted).toBe(2);
    expect(store.collection('others').log.compacted).toBe(0);
    expect(store.oldestState('things')).toBe(2);
  });

  it('drops all history on compaction, or only the history that lists need', () => {
    const store = new ObjectStore({ historySize: 10 });
    store.put('things', 'a', named('a'));
    store.compact({ watches: false });
    expect(store.oldestState('things')).toBe(2);
    expect(store.collection('things').log.compacted).toBe(0);
    store.compact();
    expect(store.collection('things').log.compacted).toBe(2);
    expect(store.collection('never-seen').log.compacted).toBe(2);
  });

  it('starts an empty collection when its type comes back, and no watch can resume in it', () => {
    const store = new ObjectStore({ historySize: 10 });
    store.put('things', 'a', named('a'));
    store.close('things');
    const reborn = store.collection('things');
    expect(reborn.size).toBe(0);
    expect(reborn.log.compacted).toBe(2);
  });
});

describe('a change listener', () => {
  it('is called with each change when the store already shows it, until it is disposed', () => {
    const store = new ObjectStore({ historySize: 10 });
    const seen: string[] = [];
    const listening = store.onChange((storage, { type, object }) => {
      seen.push(`${storage} ${type} ${object.key} ${store.get(storage, object.key) ? 'there' : 'gone'}`);
    });
    store.put('things', 'a', named('a'));
    store.put('things', 'a', named('a', '2'));
    store.remove('things', 'a');
    store.remove('things', 'a');
    listening[Symbol.dispose]();
    store.put('things', 'b', named('b'));
    expect(seen).toEqual(['things ADDED a there', 'things MODIFIED a there', 'things DELETED a gone']);
  });

  it('can wait for the next write, and stops waiting when its signal aborts', async () => {
    const store = new ObjectStore({ historySize: 10 });
    const life = new AbortController();
    const written = store.nextWrite(life.signal);
    store.put('things', 'a', named('a'));
    await written;
    const aborted = store.nextWrite(life.signal);
    life.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
  });
});

describe('a rewrite', () => {
  it('changes what is read, without a revision and without an event', () => {
    const store = new ObjectStore({ historySize: 10 });
    const { object } = store.put('things', 'a', named('a', '1'));
    const { log } = store.collection('things');
    const next = log.next;
    store.rewrite('things', (copy) => Object.assign(copy, { value: '2' }));
    expect(namesAt(store, store.revision)).toEqual(['a=2']);
    expect([store.get('things', 'a')?.revision, log.next]).toEqual([2, next]);
    expect(object.value, 'the earlier state stays as it was').toBe('1');
  });
});

describe('a snapshot', () => {
  it('fills another store with the same objects and revisions; watches from before get 410', () => {
    const store = new ObjectStore({ historySize: 10 });
    store.put('things', 'a', named('a'));
    store.put('others', 'b', named('b'));
    store.remove('things', 'a');
    const other = new ObjectStore({ historySize: 10 });
    other.load(store.snapshot());
    expect(other.snapshot()).toEqual(store.snapshot());
    expect([other.revision, other.get('others', 'b')?.revision]).toEqual([4, 3]);
    expect(other.collection('others').log.compacted).toBe(4);
  });
});

describe('history by age', () => {
  const map = (name: string, n: number) =>
    ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { n: String(n) } }) as UnknownObject;

  it('keeps changes and states as long as it should, and no longer, whatever their number', async () => {
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

  it('lets a watch of a type without changes start from an old version, but no list go back to it', async () => {
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
