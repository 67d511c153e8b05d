import { describe, expect, it } from 'vitest';
import { controllerUid, isActive, isReady } from '../../../../src/sandbox/scenarios/workloads/workload-types.ts';
import { podView } from '../../../support/world.ts';

describe('a pod', () => {
  it('is ready when its condition says so', () => {
    const ready = (status: 'True' | 'False') =>
      isReady({ ...podView('a'), status: { conditions: [{ type: 'Ready', status }] } });
    expect([ready('True'), ready('False'), isReady(podView('a'))]).toEqual([true, false, false]);
  });

  it('counts for its replica set unless it is finished or being deleted', () => {
    const phases = ['Pending', 'Running', 'Succeeded', 'Failed'].map((phase) =>
      isActive({ ...podView('a'), status: { phase } }),
    );
    expect(phases).toEqual([true, true, false, false]);
    expect(isActive(podView('a', { deletionTimestamp: '2026-01-01T00:00:00Z' }))).toBe(false);
  });
});

it('the controlling owner is the one with the mark', () => {
  const owner = { apiVersion: 'v1', kind: 'A', name: 'a' };
  expect(
    controllerUid({
      ownerReferences: [
        { ...owner, uid: '1' },
        { ...owner, uid: '2', controller: true },
      ],
    }),
  ).toBe('2');
  expect(controllerUid({})).toBeUndefined();
});
