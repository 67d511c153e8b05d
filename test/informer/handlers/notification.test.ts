import { expect, it, vi } from 'vitest';
import {
  changed,
  deleted as deletionOf,
  type InformerNotification,
  sinkOf,
  uidChanged,
  updated as updateOf,
} from '../../../src/informer/handlers/notification.ts';
import { Tombstone } from '../../../src/model/object.ts';
import { type Pod, pod } from '../../support/objects.ts';

const object = pod('a', 2);
const oldObject = pod('a', 1);
const added: InformerNotification<Pod> = { kind: 'added', key: 'a', object, cause: 'watch', isInInitialList: false };
const updated: InformerNotification<Pod> = {
  kind: 'updated',
  key: 'a',
  object,
  oldObject,
  cause: 'watch',
  uidChanged: false,
};
const deleted: InformerNotification<Pod> = {
  kind: 'deleted',
  key: 'a',
  object,
  cause: 'relist',
  finalStateUnknown: true,
};
const gap = { kind: 'gap', from: '1', why: 'gone', at: 0 } as const;

it('a sink calls the callback of each kind with the objects and the details, and returns its result', () => {
  const handler = {
    added: vi.fn(() => 'added'),
    updated: vi.fn(() => 'updated'),
    deleted: vi.fn(() => 'deleted'),
    synced: vi.fn(() => 'synced'),
    continuity: vi.fn(() => 'continuity'),
  };
  const sink = sinkOf<Pod>(handler);
  const results = [
    sink.notify(added),
    sink.notify(updated),
    sink.notify(deleted),
    sink.synced(),
    sink.continuity?.(gap),
  ];
  expect(results).toEqual(['added', 'updated', 'deleted', 'synced', 'continuity']);
  expect(handler.added.mock.calls).toEqual([[object, added]]);
  expect(handler.updated.mock.calls).toEqual([[oldObject, object, updated]]);
  expect(handler.deleted.mock.calls).toEqual([[object, deleted]]);
  expect(handler.continuity.mock.calls).toEqual([[gap]]);
});

it('a sink skips the callbacks that the handler does not have', () => {
  const sink = sinkOf<Pod>({});
  const results = [
    sink.notify(added),
    sink.notify(updated),
    sink.notify(deleted),
    sink.synced(),
    sink.continuity?.(gap),
  ];
  expect(results).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

it('a stored object was added where nothing was stored, and updated where something was', () => {
  expect(changed('a', undefined, object, 'watch', true)).toEqual({ ...added, isInInitialList: true });
  expect(changed('a', oldObject, object, 'watch', true)).toEqual(updated);
  expect(changed('a', undefined, object, 'relist', false)).toEqual({ ...added, cause: 'relist' });
  expect(updateOf('a', oldObject, object, 'resync')).toEqual({ ...updated, cause: 'resync' });
});

it('a deletion has the state that its event had, or else the last stored one', () => {
  const seen = { ...deleted, cause: 'watch', finalStateUnknown: false };
  expect(deletionOf('a', object, oldObject)).toEqual(seen);
  const inferred = { ...deleted, cause: 'relist', finalStateUnknown: true };
  expect(deletionOf('a', new Tombstone('a', object), oldObject)).toEqual(inferred);
  expect(deletionOf('a', new Tombstone('a', undefined as never), oldObject)).toEqual({
    ...inferred,
    object: oldObject,
  });
});

it.each([
  ['u1', 'u2', true],
  ['u1', 'u1', false],
  [undefined, 'u2', false],
  ['u1', undefined, false],
  [undefined, undefined, false],
])('an object with the uid %s and one with the uid %s are two objects: %s', (one, other, expected) => {
  const of = (uid: string | undefined) => ({ metadata: { name: 'a', ...(uid !== undefined && { uid }) } });
  expect(uidChanged(of(one), of(other))).toBe(expected);
  expect([uidChanged({}, of('u2')), uidChanged(of('u1'), undefined), uidChanged({}, {})]).toEqual([
    false,
    false,
    false,
  ]);
});
