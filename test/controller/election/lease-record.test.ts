import { expect, it } from 'vitest';
import { leaseSpecOf, microTime, recordOf } from '../../../src/controller/election/lease-record.ts';

const metadata = { name: 'lock', namespace: 'shop' };
const EMPTY = {
  holder: '',
  durationSeconds: 0,
  acquireTime: '',
  renewTime: '',
  transitions: 0,
  strategy: '',
  preferredHolder: '',
};
const FULL = {
  holderIdentity: 'a',
  leaseDurationSeconds: 15,
  acquireTime: '2026-01-01T12:00:00.000000Z',
  renewTime: '2026-01-01T12:00:02.000000Z',
  leaseTransitions: 3,
  strategy: 'OldestEmulationVersion',
  preferredHolder: 'b',
};

it('a Lease without a spec, and one whose fields are missing or null, has the zero values', () => {
  const nulls = Object.fromEntries(Object.keys(FULL).map((name) => [name, null]));
  for (const lease of [{ metadata }, { metadata, spec: {} }, { metadata, spec: nulls }])
    expect(recordOf(lease as never)).toEqual(EMPTY);
});

it('a record has the fields of its Lease, and becomes the same spec again', () => {
  const record = recordOf({ metadata, spec: FULL } as never);
  expect(record).toEqual({
    holder: 'a',
    durationSeconds: 15,
    acquireTime: FULL.acquireTime,
    renewTime: FULL.renewTime,
    transitions: 3,
    strategy: 'OldestEmulationVersion',
    preferredHolder: 'b',
  });
  expect(leaseSpecOf(record)).toEqual(FULL);
});

it('a spec leaves out the empty fields that a server does not take', () => {
  expect(leaseSpecOf(EMPTY)).toEqual({ holderIdentity: '', leaseDurationSeconds: 0, leaseTransitions: 0 });
});

it('a time has six digits of a second', () => {
  expect(microTime(Date.UTC(2026, 0, 1, 12, 0, 0, 7))).toBe('2026-01-01T12:00:00.007000Z');
});
