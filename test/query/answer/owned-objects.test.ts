import { expect, test } from 'vitest';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { type OwnerCache, ownerUidsOf, relatedIn } from '../../../src/query/answer/owned-objects.ts';

const typeOf = (kind: string, group: string): ResourceType =>
  ({ kind, gvr: { group, version: 'v1', resource: `${kind.toLowerCase()}s` }, namespaced: true }) as never;

const object = (name: string, owner?: [kind: string, name: string]): ReadonlyObject => ({
  metadata: {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    ...(owner && { ownerReferences: [{ apiVersion: 'apps/v1', kind: owner[0], name: owner[1], uid: `uid-${owner[1]}` }] }), // biome-ignore format: one line
  },
});

function cache(type: ResourceType, objects: readonly ReadonlyObject[]): OwnerCache {
  return {
    type,
    get: (key) => objects.find(({ metadata }) => `shop/${metadata.name}` === key),
    ownedBy: (uid) => objects.filter((each) => ownerUidsOf(each).includes(uid)),
  };
}

const web1 = object('web-1', ['ReplicaSet', 'web-a']);
const pods = cache(typeOf('Pod', ''), [web1, object('web-2', ['ReplicaSet', 'web-a']), object('db-1')]);
const sets = cache(typeOf('ReplicaSet', 'apps'), [object('web-a', ['Deployment', 'web']), object('other')]);
const deployments = cache(typeOf('Deployment', 'apps'), [object('web'), object('idle')]);
const names = (caches: readonly OwnerCache[], asked: ReadonlyObject, of: OwnerCache) =>
  relatedIn(caches, [{ object: asked, type: of.type }]).map(({ object: { metadata } }) => metadata.name);

test('of an object come its owners up to the root, and all that it owns, each once', () => {
  const all = [pods, sets, deployments];
  expect(names(all, web1, pods)).toEqual(['web-a', 'web']);
  expect(names(all, object('web'), deployments)).toEqual(['web-a', 'web-1', 'web-2']);
  expect(names([pods, deployments], web1, pods)).toEqual([]);
});

test('an owner of that name with another uid is none, and a ring of owners ends', () => {
  const again = cache(sets.type, [{ metadata: { name: 'web-a', namespace: 'shop', uid: 'another' } }]);
  expect(names([again], web1, pods)).toEqual([]);
  const ring = cache(sets.type, [object('a', ['ReplicaSet', 'b']), object('b', ['ReplicaSet', 'a'])]);
  expect(names([ring], object('a', ['ReplicaSet', 'b']), ring)).toEqual(['b']);
});
