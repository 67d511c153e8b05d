import { describe, expect, it } from 'vitest';
import { EventLog, StoreEvent } from '../../../src/sandbox/store/event-log.ts';
import { ObjectStore } from '../../../src/sandbox/store/object-store.ts';
import { StoredObject } from '../../../src/sandbox/store/stored-object.ts';

const named = (name: string) => ({ metadata: { name } });
const state = (revision: number, value = '') => new StoredObject('a', { ...named('a'), value }, revision);
const change = (revision: number) => new StoreEvent('MODIFIED', state(revision), state(revision - 1));

describe('the log of a collection', () => {
  it('finds the first event after a revision by search', () => {
    const store = new ObjectStore({ historySize: 100 });
    for (let i = 0; i < 20; i++) store.put(i % 2 === 0 ? 'things' : 'others', 'a', named('a'));
    const { log } = store.collection('things');
    expect(log.at(log.after(1))?.revision).toBe(2);
    expect(log.at(log.after(7))?.revision).toBe(8);
    expect(log.at(log.after(8))?.revision).toBe(10);
    expect(log.after(store.revision)).toBe(log.next);
  });

  it('does not grow beyond its capacity in a long time', () => {
    const store = new ObjectStore({ historySize: 50 });
    for (let i = 0; i < 10_000; i++) store.put('things', 'a', named('a'));
    const { log } = store.collection('things');
    expect(log.next - log.first).toBe(50);
    expect(log.at(log.first)?.revision).toBe(store.revision - 49);
    expect(log.at(log.first - 1)).toBeUndefined();
  });

  it('drops what is too old when it is read, and moves the compaction mark to it', () => {
    let floor = 0;
    const log = new EventLog({ capacity: 10, compacted: 3, floor: () => floor });
    for (const revision of [5, 7, 9]) log.push(change(revision));
    expect([log.compacted, log.first, log.next]).toEqual([3, 0, 3]);
    floor = 7;
    expect([log.compacted, log.first, log.next]).toEqual([7, 2, 3]);
    expect([log.at(1), log.at(2)?.revision]).toEqual([undefined, 9]);
  });

  it('is compacted up to a revision, also one without an event, and never back', () => {
    const log = new EventLog({ capacity: 10 });
    for (const revision of [5, 7]) log.push(change(revision));
    log.compact(6);
    expect([log.compacted, log.at(log.first)?.revision]).toEqual([6, 7]);
    log.compact(2);
    expect(log.compacted).toBe(6);
  });
});

describe('an event', () => {
  it('encodes its line once for each form, and again when the lines were released', () => {
    const event = change(5);
    let made = 0;
    const line = (form: string) => String(event.line(form, () => `${form}${++made}`));
    expect([line('json'), line('json'), line('table')]).toEqual(['json1', 'json1', 'table2']);
    event.forgetLines();
    expect(line('json')).toBe('json3');
  });

  it('keeps the lines of the latest 512 changes only', () => {
    const log = new EventLog({ capacity: 1000 });
    const first = change(1);
    first.line('json', () => 'first');
    log.push(first);
    for (let revision = 2; revision <= 512; revision++) log.push(change(revision));
    expect(String(first.line('json', () => 'again'))).toBe('first');
    log.push(change(513));
    expect(String(first.line('json', () => 'again'))).toBe('again');
  });

  it('shows an object that left a selector in its state before, with the new revision', () => {
    const { left } = new StoreEvent('MODIFIED', state(5, 'after'), state(4, 'before'));
    expect([left.object.value, left.object.metadata.resourceVersion, left.revision]).toEqual(['before', '5', 5]);
  });
});
