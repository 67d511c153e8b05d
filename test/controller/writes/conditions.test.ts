import { describe, expect, it } from 'vitest';
import {
  type Condition,
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
} from '../../../src/controller/writes/conditions.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const THEN = '2025-12-31T00:00:00Z';
const NOW = '2026-01-01T00:00:01Z';

const ready: Condition = {
  type: 'Ready',
  status: 'True',
  reason: 'Up',
  message: 'all up',
  observedGeneration: 1,
  lastTransitionTime: THEN,
};
const synced: Condition = { type: 'Synced', status: 'False', reason: 'No', message: '', lastTransitionTime: THEN };

function now() {
  const clock = new FakeClock();
  clock.tick(1_999); // a part of a second is cut off
  return { clock };
}

describe('setting a condition', () => {
  it('adds one that is missing, also to no list, with the time of now or its own', () => {
    const { lastTransitionTime: _, message: __, ...bare } = ready;
    expect(setCondition(undefined, bare, now())).toEqual([{ ...bare, message: '', lastTransitionTime: NOW }]);
    expect(setCondition([synced], ready, now())).toEqual([synced, ready]);
  });

  it.each<[string, Partial<Condition>]>([
    ['reason', { reason: 'Other' }],
    ['message', { message: 'other' }],
    ['observedGeneration', { observedGeneration: 2 }],
  ])('keeps the time of the transition if only the %s changes', (_, change) => {
    const { lastTransitionTime: __, ...same } = ready;
    expect(setCondition([synced, ready], { ...same, ...change }, now())).toEqual([synced, { ...ready, ...change }]);
  });

  it('keeps the time of the transition also if the new one has another time', () => {
    const list = [ready];
    expect(setCondition(list, { ...ready, lastTransitionTime: NOW })).toBe(list);
  });

  it('sets the time if the status changes: to now, or to the one that is given', () => {
    const { lastTransitionTime: _, ...down } = { ...ready, status: 'False' as const };
    expect(setCondition([ready], down, now())).toEqual([{ ...down, lastTransitionTime: NOW }]);
    const given = { ...down, lastTransitionTime: '2026-05-05T00:00:00Z' };
    expect(setCondition([ready], given, now())).toEqual([given]);
  });

  it('changes nothing in place, and returns the same list if nothing changes', () => {
    const list = Object.freeze([Object.freeze({ ...ready }), Object.freeze({ ...synced })]);
    const { lastTransitionTime: _, ...same } = ready;
    expect(setCondition(list, same, now())).toBe(list);
    expect(setCondition(list, { ...same, status: 'Unknown' }, now())).not.toBe(list);
    expect(list).toEqual([ready, synced]);
  });

  it('removes an observedGeneration that the new one lacks, and keeps fields that a Condition does not have', () => {
    const probed = [{ ...ready, lastProbeTime: THEN }];
    const { observedGeneration: _, ...bare } = ready;
    expect(setCondition(probed, bare)).toEqual([{ ...bare, lastProbeTime: THEN }]);
  });

  it.each([
    ['a type', { ...ready, type: '' }, 'a condition needs a type'],
    ['a reason', { ...ready, reason: '' }, 'the condition Ready needs a reason'],
    [
      'a known status',
      { ...ready, status: true as never },
      'the status of the condition Ready must be one of True, False, Unknown, not boolean',
    ],
    [
      'a status',
      { ...ready, status: undefined as never },
      'the status of the condition Ready must be one of True, False, Unknown, not null',
    ],
  ])('refuses one without %s', (_, condition, message) => {
    expect(() => setCondition([], condition)).toThrow(expect.objectContaining({ code: 'argument', message }));
  });
});

describe('reading conditions', () => {
  it('finds one by its type, and says whether it is True', () => {
    expect(findCondition([synced, ready], 'Ready')).toBe(ready);
    expect([findCondition([synced], 'Ready'), findCondition(undefined, 'Ready')]).toEqual([undefined, undefined]);
    expect(['Ready', 'Synced', 'Other'].map((type) => isConditionTrue([synced, ready], type))).toEqual([
      true,
      false,
      false,
    ]);
    expect(isConditionTrue(undefined, 'Ready')).toBe(false);
  });

  it('removes one by its type, and returns the same list if it is missing', () => {
    const list = Object.freeze([synced, ready]);
    expect(removeCondition(list, 'Ready')).toEqual([synced]);
    expect(removeCondition(list, 'Other')).toBe(list);
    expect(removeCondition(undefined, 'Ready')).toEqual([]);
  });
});
