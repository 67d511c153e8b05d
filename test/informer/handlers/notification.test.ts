import { expect, it, vi } from 'vitest';
import { type InformerNotification, sinkOf } from '../../../src/informer/handlers/notification.ts';
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
