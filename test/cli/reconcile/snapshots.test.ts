import { expect, it } from 'vitest';
import {
  isEmptySnapshot,
  MOST_IN_SNAPSHOT,
  parseSnapshots,
  type SnapshotPlan,
  Snapshots,
  type SnapshotTarget,
  snapshotSource,
  snapshotTargets,
} from '../../../src/cli/reconcile/snapshots.ts';
import type { WatchTarget } from '../../../src/cli/session/informers.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { storeOf } from '../../support/query.ts';

function targetOf(resource: string, objects: UnknownObject[], { namespaced = true, group = '' } = {}): WatchTarget {
  const type = { gvr: { group, version: 'v1', resource }, kind: 'Kind', namespaced };
  return { type, informer: { lister: storeOf(objects, []) } } as unknown as WatchTarget;
}
const object = (namespace: string, name: string, labels = {}, data?: object): UnknownObject => ({
  metadata: { name, ...(namespace ? { namespace } : {}), labels },
  ...(data ? { data } : {}),
});
const snapshot = (name: string, target: WatchTarget, selector?: string, names: string[] = []): SnapshotTarget => ({
  name,
  selector,
  selection: { type: target.type, names },
  target,
});

function snapshotsOf(...targets: SnapshotTarget[]) {
  const notices: string[] = [];
  const snapshots = new Snapshots(targets, new Redactor(), (text) => notices.push(text));
  const names = (key: string) =>
    Object.entries(snapshots.of(key).snapshots).map(([name, list]) => [
      name,
      ...list.map(({ metadata }) => metadata.name),
    ]);
  return { snapshots, names, notices };
}

it('holds the objects of the key’s namespace, in the order of their keys; all of a type or for a key without one', () => {
  const pods = targetOf('pods', [object('shop', 'b'), object('bank', 'c'), object('shop', 'a')]);
  const nodes = targetOf('nodes', [object('', 'n2'), object('', 'n1')], { namespaced: false });
  const { names, snapshots } = snapshotsOf(snapshot('pods', pods), snapshot('nodes', nodes));
  expect(names('shop/web')).toEqual([
    ['pods', 'a', 'b'],
    ['nodes', 'n1', 'n2'],
  ]);
  expect(names('n1')[0]).toEqual(['pods', 'c', 'a', 'b']);
  expect(snapshots.of('shop/web').snapshots.pods?.[0]).toMatchObject({ apiVersion: 'v1', kind: 'Kind' });
});

it('holds what its selector and its names choose, also from a cache of all', () => {
  const pods = targetOf('pods', [object('shop', 'a', { app: 'x' }), object('shop', 'b', { app: 'y' })]);
  const { names } = snapshotsOf(snapshot('x', pods, 'app=x'), snapshot('b', pods, undefined, ['b']));
  expect(names('shop/web')).toEqual([
    ['x', 'a'],
    ['b', 'b'],
  ]);
});

it('holds no value of a Secret', () => {
  const secrets = targetOf('secrets', [object('shop', 'login', {}, { password: 'c2VjcmV0' })]);
  const { snapshots } = snapshotsOf(snapshot('keys', secrets));
  expect(JSON.stringify(snapshots.of('shop/web'))).not.toContain('c2VjcmV0');
});

it('is cut at its limit, with the number of all in the request and one line', () => {
  const many = Array.from({ length: MOST_IN_SNAPSHOT + 1 }, (_, i) =>
    object('shop', `p-${String(i).padStart(4, '0')}`),
  );
  const { snapshots, notices } = snapshotsOf(snapshot('pods', targetOf('pods', many)));
  for (const key of ['shop/web', 'shop/api']) {
    const { snapshots: lists, snapshotsCut } = snapshots.of(key);
    expect([lists.pods?.length, lists.pods?.at(-1)?.metadata.name, snapshotsCut]).toEqual([
      500,
      'p-0499',
      { pods: 501 },
    ]);
  }
  expect(snapshots.of('bank/web')).toEqual({ snapshots: { pods: [] } });
  expect(notices).toEqual([
    '--with pods: there are 501 pods for shop/web, and the hook gets the first 500; a selector (--with pods=TYPE:SELECTOR) chooses which',
  ]);
});

it('shares a cache that has all objects of the type, and one of its own kind; each other has its own', () => {
  const [whole, other] = [targetOf('pods', []), targetOf('services', [])];
  const plan = (name: string, { type }: WatchTarget, selector?: string): SnapshotPlan => ({
    name,
    selector,
    selection: { type, names: [] },
  });
  const created: WatchTarget[] = [];
  const create = ({ selection: { type } }: SnapshotPlan) => {
    created.push(targetOf(type.gvr.resource, []));
    return created.at(-1) as WatchTarget;
  };
  const plans = [plan('a', whole, 'x=1'), plan('b', other, 'x=1'), plan('c', other, 'x=1'), plan('d', other)];
  const targets = snapshotTargets(plans, [whole], create).map(({ target }) => target);
  expect(targets).toEqual([whole, created[0], created[0], created[1]]);
  expect([targets[0] === whole, targets[1] === targets[2], created.length]).toEqual([true, true, 2]);
});

it('is empty without any object that it chooses', () => {
  const pods = targetOf('pods', [object('shop', 'a', { app: 'x' })]);
  const asked = [snapshot('x', pods, 'app=x'), snapshot('y', pods, 'app=y'), snapshot('z', pods, undefined, ['c'])];
  expect(asked.map(isEmptySnapshot)).toEqual([false, true, true]);
});

it('queues nothing, and holds back the first run until its cache is synced', async () => {
  let sync = () => {};
  const synced = new Promise<void>((resolve) => {
    sync = resolve;
  });
  const target = { informer: { name: 'pods', whenSynced: () => synced } } as unknown as WatchTarget;
  const emitted: string[] = [];
  let isStarted = false;
  const context = { signal: new AbortController().signal, clock: new FakeClock(), logger: silentLogger };
  const start = snapshotSource(target)
    .start((key) => void emitted.push(key), context as never)
    .then(() => {
      isStarted = true;
    });
  await Promise.resolve();
  expect(isStarted).toBe(false);
  sync();
  await start;
  expect([isStarted, emitted]).toEqual([true, []]);
});

it.each(['pods', '=pods', 'a=', 'a b=pods', '1=pods', 'a=pods:x in y'])('%j is refused', (text) => {
  expect(() => parseSnapshots([text])).toThrow(expect.objectContaining({ code: 'argument' }));
});

it('two snapshots cannot have one name', () => {
  expect(() => parseSnapshots(['a=pods', 'a=services'])).toThrow('--with a is given twice');
});
