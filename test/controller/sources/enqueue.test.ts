import { describe, expect, it } from 'vitest';
import type { CachedObject, ResourceEvent } from '../../../src/controller/resource-event.ts';
import { enqueueMapped, enqueueOwner, enqueueSelf, priorityOf } from '../../../src/controller/sources/enqueue.ts';
import type { OwnerReference } from '../../../src/model/object.ts';
import { LOW_PRIORITY } from '../../../src/workqueue/work-queue.ts';
import { ODD_OWNER_REFERENCES } from '../../support/odd-owner-references.ts';

function owner(kind: string, name: string, apiVersion = 'apps/v1', controller?: boolean): OwnerReference {
  return { apiVersion, kind, name, uid: `uid-${name}`, ...(controller === undefined ? {} : { controller }) };
}

function pod(...ownerReferences: OwnerReference[]): CachedObject {
  return { metadata: { name: 'web-1', namespace: 'shop', resourceVersion: '1', ownerReferences } };
}

function oddPod(ownerReferences: unknown): CachedObject {
  return { metadata: { name: 'web-1', namespace: 'shop', resourceVersion: '1', ownerReferences } } as never;
}

function added(object: CachedObject): ResourceEvent {
  return { type: 'added', key: 'shop/web-1', object, cause: 'watch' };
}

function updated(oldObject: CachedObject, object: CachedObject): ResourceEvent {
  return { type: 'updated', key: 'shop/web-1', object, oldObject, cause: 'watch' };
}

const deployments = { group: 'apps', kind: 'Deployment' };

describe('the owner', () => {
  it('matches by group and kind, in any version, in the namespace of the object [HDL-01]', () => {
    const enqueue = enqueueOwner(deployments);
    expect([...enqueue(added(pod(owner('Deployment', 'web'), owner('Deployment', 'old', 'apps/v1beta1'))))]).toEqual([
      'shop/web',
      'shop/old',
    ]);
    expect([
      ...enqueue(
        added(
          pod(
            owner('ReplicaSet', 'web'),
            owner('Deployment', 'web', 'extensions/v1beta1'),
            owner('Deployment', 'core', 'v1'),
          ),
        ),
      ),
    ]).toEqual([]);
    expect([...enqueue(added(pod(owner('Deployment', 'odd', 'a/b/c'), owner('Deployment', 'web'))))]).toEqual([
      'shop/web',
    ]);
  });

  it.each(ODD_OWNER_REFERENCES)('is none where a server sends ownerReferences: %j', (odd) => {
    expect([...enqueueOwner(deployments)(updated(oddPod(odd), pod(owner('Deployment', 'web'))))]).toEqual(['shop/web']);
  });

  it('of a cluster-scoped type has a key without a namespace [HDL-01]', () => {
    const enqueue = enqueueOwner({ group: '', kind: 'Node', namespaced: false });
    expect([...enqueue(added(pod(owner('Node', 'n1', 'v1'))))]).toEqual(['n1']);
  });

  it('is queued for the old and for the new state, each key once [HDL-02]', () => {
    const enqueue = enqueueOwner(deployments);
    const before = pod(owner('Deployment', 'a'), owner('Deployment', 'b'));
    expect([...enqueue(updated(before, pod(owner('Deployment', 'b'), owner('Deployment', 'c'))))]).toEqual([
      'shop/a',
      'shop/b',
      'shop/c',
    ]);
  });

  it('counts only if it is the controller, with onlyController [HDL-02]', () => {
    const enqueue = enqueueOwner({ ...deployments, onlyController: true });
    expect([...enqueue(added(pod(owner('Deployment', 'a'), owner('Deployment', 'b', 'apps/v1', true))))]).toEqual([
      'shop/b',
    ]);
    expect([...enqueue(added(pod(owner('Deployment', 'a', 'apps/v1', false))))]).toEqual([]);
  });
});

it('a mapper is called with the old and the new state, and each key is queued once [HDL-03]', () => {
  const enqueue = enqueueMapped((object) => (object.metadata.ownerReferences ?? []).map((ref) => `map/${ref.name}`));
  expect([...enqueue(updated(pod(owner('X', 'a'), owner('X', 'b')), pod(owner('X', 'b'), owner('X', 'c'))))]).toEqual([
    'map/a',
    'map/b',
    'map/c',
  ]);
});

it('a deletion whose last state is not known is queued by its key [HDL-05]', () => {
  const lost: ResourceEvent = {
    type: 'deleted',
    key: 'shop/web-1',
    object: undefined,
    cause: 'relist',
    finalStateUnknown: true,
  };
  expect([...enqueueSelf()(lost)]).toEqual(['shop/web-1']);
  expect([...enqueueOwner(deployments)(lost)]).toEqual([]);
});

it.each([
  ['an initial object', { ...added(pod()), cause: 'initial' as const }, LOW_PRIORITY],
  ['a resync', { ...updated(pod(), pod()), cause: 'resync' as const }, LOW_PRIORITY],
  ['an update to the same version', updated(pod(), pod()), LOW_PRIORITY],
  ['a new object', added(pod()), 0],
  ['a deletion', { ...added(pod()), type: 'deleted' as const }, 0],
  ['a deletion found by a relist', { ...added(pod()), type: 'deleted' as const, cause: 'relist' as const }, 0],
])('the priority of %s', (_, event, priority) => {
  expect(priorityOf(event)).toBe(priority);
});
