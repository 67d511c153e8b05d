import { describe, expect, it } from 'vitest';
import { StoredObject } from '../../../src/sandbox/store/stored-object.ts';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { fromStorage, presented, toStorage } from '../../../src/sandbox/types/conversion.ts';

const events = (group: string) =>
  builtinTypes().find(({ gvr }) => gvr.resource === 'events' && gvr.group === group) as ApiType;
const stored = { metadata: { name: 'e' }, involvedObject: { name: 'p' }, message: 'm', count: 2, reason: 'r' };
const shown = { metadata: { name: 'e' }, regarding: { name: 'p' }, note: 'm', deprecatedCount: 2, reason: 'r' };

describe('an event', () => {
  it('has other field names in events.k8s.io, and keeps the rest', () => {
    expect(fromStorage(events('events.k8s.io'), stored)).toEqual(shown);
    expect(toStorage(events('events.k8s.io'), shown)).toEqual(stored);
  });

  it('is the same object in the core group', () => {
    expect(fromStorage(events(''), stored)).toBe(stored);
    expect(toStorage(events(''), stored)).toBe(stored);
  });

  it('is converted once for all readers', () => {
    const state = new StoredObject('e', stored, 7);
    const one = presented(events('events.k8s.io'), state);
    expect([one.object.note, one.key, one.revision]).toEqual(['m', 'e', 7]);
    expect(presented(events('events.k8s.io'), state)).toBe(one);
    expect(presented(events(''), state)).toBe(state);
  });
});
