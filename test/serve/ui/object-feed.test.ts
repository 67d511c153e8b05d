import { beforeEach, expect, it } from 'vitest';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { ChangeHistory } from '../../../src/serve/ui/change-history.ts';
import { ObjectFeed } from '../../../src/serve/ui/object-feed.ts';
import type { UiCache, UiProgram } from '../../../src/serve/ui/ui-program.ts';
import { Redactor } from '../../../src/stream/redact.ts';

const PODS = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true } as ResourceType;
const EVENTS = {
  gvr: { group: '', version: 'v1', resource: 'events' },
  kind: 'Event',
  namespaced: true,
} as ResourceType;

const pod = (spec: object): ReadonlyObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'shop', uid: 'u' }, spec }) as never;
const event = (uid: string): ReadonlyObject =>
  ({
    metadata: { name: 'e', namespace: 'shop' },
    involvedObject: { kind: 'Pod', name: 'a', namespace: 'shop', uid },
  }) as never;

let pods: Map<string, ReadonlyObject>;
let events: Map<string, ReadonlyObject>;
let history: ChangeHistory;
beforeEach(() => {
  pods = new Map([['shop/a', pod({ n: 1 })]]);
  events = new Map();
  history = new ChangeHistory(5);
});

const cacheOf = (id: string, type: ResourceType, objects: Map<string, ReadonlyObject>): UiCache =>
  ({ id, type, informer: { lister: { get: (key: string) => objects.get(key), hasIndex: () => false } } }) as never;

function feed({ withEvents = true } = {}) {
  const cache = cacheOf('v1/pods', PODS, pods);
  const caches = [cache, ...(withEvents ? [cacheOf('v1/events', EVENTS, events)] : [])];
  const program = {
    caches: () => caches,
    texts: { yaml: (object: object) => JSON.stringify(object) },
  } as unknown as UiProgram;
  return new ObjectFeed(
    program,
    { cache, subject: { type: 'v1/pods', key: 'shop/a' }, number: 7 },
    history,
    new Redactor(),
  );
}
const dataOf = (message: ReturnType<ObjectFeed['next']>) => message?.data as Record<string, unknown> | undefined;

it('an object is sent at first, and again after each change of it, once', () => {
  const one = feed();
  expect(one.next()).toMatchObject({
    event: 'object',
    data: { view: 7, key: 'shop/a', cut: 0, owners: [], events: [], changes: [], since: 5 },
  });
  expect(one.next()).toBeUndefined();
  one.changed('v1/pods', 'shop/other');
  one.changed('v1/services', 'shop/a');
  expect(one.next()).toBeUndefined();
  pods.set('shop/a', pod({ n: 2 }));
  one.changed('v1/pods', 'shop/a');
  one.changed('v1/pods', 'shop/a');
  expect(JSON.parse(String(dataOf(one.next())?.yaml))).toMatchObject({ spec: { n: 2 } });
  expect(one.next()).toBeUndefined();
});

it('an object is sent with its owners', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r' };
  pods.set('shop/a', { metadata: { name: 'a', namespace: 'shop', uid: 'u', ownerReferences: [owner] } } as never);
  expect(dataOf(feed().next())?.owners).toEqual([{ kind: 'ReplicaSet', key: 'shop/web', isGone: false }]);
});

it('an object is sent again after an Event about it, and not after one about another', () => {
  const one = feed();
  one.next();
  events.set('shop/e', event('other'));
  one.changed('v1/events', 'shop/e');
  expect(one.next()).toBeUndefined();
  one.changed('v1/events', 'shop/absent');
  expect(one.next()).toBeUndefined();
  events.set('shop/e', event('u'));
  one.changed('v1/events', 'shop/e');
  expect(one.next()).toBeDefined();
  pods.delete('shop/a');
  one.changed('v1/events', 'shop/e');
  expect(one.next()).toBeUndefined();
});

it('an object that is gone has its changes and no YAML; without a cache of Events it has none of them', () => {
  pods.delete('shop/a');
  history.add('v1/pods', 'shop/a', { at: 9, what: 'DELETED', cause: 'watch', fields: [], more: 0 });
  const data = dataOf(feed().next());
  expect(data).toMatchObject({ cut: 0, owners: [], events: [], changes: [{ at: 9 }] });
  expect(data).not.toHaveProperty('yaml');
  expect(dataOf(feed({ withEvents: false }).next())).not.toHaveProperty('events');
});

it('a YAML of more than 400,000 characters is cut, with how many are missing', () => {
  const lengthOf = () => (JSON.stringify(pods.get('shop/a')) ?? '').length;
  pods.set('shop/a', pod({ text: '' }));
  const rest = 400_000 - lengthOf();
  for (const [more, cut] of [
    [0, 0],
    [3, 3],
  ] as const) {
    pods.set('shop/a', pod({ text: 'x'.repeat(rest + more) }));
    const data = dataOf(feed().next());
    expect([String(data?.yaml).length, data?.cut]).toEqual([400_000, cut]);
  }
});
