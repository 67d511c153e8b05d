import { expect, it } from 'vitest';
import { type Cached, NamedPackedObject, PackedObject } from '../../../src/informer/compact/packed-object.ts';
import type { InformerNotification } from '../../../src/informer/handlers/notification.ts';
import { openingSink } from '../../../src/informer/handlers/opened-notification.ts';
import { type Pod, pod } from '../../support/objects.ts';

const META = { uid: 'u', labels: { app: 'web' } };

/** A handle of a pod at a version. */
function handle(version: string, isDamaged = false): PackedObject<Pod> {
  const block = { isDamaged };
  return new PackedObject<Pod>('shop/a', { ...META, resourceVersion: version }, block as never, 0);
}

/** A sink, what it got, and which handles were decoded. `broken` are the versions whose memory is damaged. */
function scene(...broken: string[]) {
  const got: InformerNotification<Pod>[] = [];
  const opened: string[] = [];
  const others: unknown[] = [];
  const sink = openingSink<Pod>(
    {
      notify: (notification) => void got.push(notification),
      synced: () => others.push('synced'),
      continuity: (event) => others.push(event),
    },
    (cached) => {
      if (!(cached instanceof PackedObject)) return cached;
      const version = cached.resourceVersion ?? '';
      opened.push(version);
      if (broken.includes(version)) throw new Error('damaged');
      return pod('shop/a', version, META);
    },
  );
  const notify = (notification: object) => sink.notify({ key: 'shop/a', cause: 'watch', ...notification } as never);
  return { sink, got, opened, others, notify };
}

it('an object is decoded when it is read, the states before and after each by itself', () => {
  const { got, opened, notify } = scene();
  notify({ kind: 'added', object: handle('1'), isInInitialList: true, sequence: 3 });
  notify({ kind: 'updated', oldObject: handle('1'), object: handle('2'), uidChanged: false });
  notify({ kind: 'deleted', object: handle('2'), finalStateUnknown: false });
  expect([got.map(({ kind, key, sequence }) => [kind, key, sequence]), opened]).toEqual([
    [
      ['added', 'shop/a', 3],
      ['updated', 'shop/a', undefined],
      ['deleted', 'shop/a', undefined],
    ],
    [],
  ]);
  const [, update] = got as [never, InformerNotification<Pod> & { kind: 'updated' }];
  expect(update.oldObject).toEqual(pod('shop/a', '1', META));
  expect(opened).toEqual(['1']);
  expect(got.map(({ object }) => object.metadata.resourceVersion)).toEqual(['1', '2', '2']);
  expect(got[0]).toMatchObject({ isInInitialList: true });
});

it('an update whose old state is lost is an addition, and a deletion has what is left of the object', () => {
  const { got, notify } = scene('1');
  notify({ kind: 'updated', oldObject: handle('1', true), object: handle('2'), uidChanged: false, sequence: 7 });
  notify({ kind: 'updated', oldObject: handle('1', true), object: handle('2'), uidChanged: false });
  notify({ kind: 'deleted', object: handle('1', true), finalStateUnknown: false });
  expect(got[0]).toEqual({
    kind: 'added',
    key: 'shop/a',
    cause: 'watch',
    isInInitialList: false,
    sequence: 7,
    object: pod('shop/a', '2', META),
  });
  expect(got[1]).not.toHaveProperty('sequence');
  expect(got[2]).toMatchObject({
    kind: 'deleted',
    finalStateUnknown: true,
    object: { metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '1', labels: { app: 'web' } } },
  });
});

it('a block that is damaged elsewhere, and an object that is not packed, lose nothing', () => {
  const { got, notify } = scene();
  const plain = pod('shop/a', '1') as Cached<Pod>;
  notify({ kind: 'updated', oldObject: handle('1', true), object: handle('2'), uidChanged: false });
  notify({ kind: 'updated', oldObject: plain, object: handle('2'), uidChanged: false });
  notify({ kind: 'deleted', object: handle('1', true), finalStateUnknown: false });
  expect(got.map(({ kind }) => kind)).toEqual(['updated', 'updated', 'deleted']);
  expect(got[2]).toMatchObject({ finalStateUnknown: false });
});

it('the initial sync and continuity pass', () => {
  const { sink, others } = scene();
  sink.synced();
  sink.continuity?.({ kind: 'gap' } as never);
  expect(others).toEqual(['synced', { kind: 'gap' }]);
});

it('a handle has the name and namespace of its key, unless its store has keys of another kind', () => {
  expect([handle('1').name, handle('1').namespace, handle('1').metadata.uid]).toEqual(['a', 'shop', 'u']);
  const cluster = new PackedObject('n1', { ...META, resourceVersion: '1' }, {} as never, 0);
  expect([cluster.name, cluster.namespace]).toEqual(['n1', undefined]);
  const named = { ...META, resourceVersion: '1', name: 'a', namespace: 'shop' };
  const other = new NamedPackedObject('any key', named, {} as never, 0);
  expect([other.key, other.name, other.namespace, other.resourceVersion]).toEqual(['any key', 'a', 'shop', '1']);
});

it('a notification that is no update has no old object', () => {
  const seen: object[] = [];
  const sink = openingSink<Pod>(
    { notify: (notification) => void seen.push(notification), synced() {} },
    (cached) => cached as Pod,
  );
  sink.notify({ kind: 'added', key: 'a', object: pod('a', 1), cause: 'watch', isInInitialList: false });
  expect(seen.map((each) => 'oldObject' in each)).toEqual([false]);
});
