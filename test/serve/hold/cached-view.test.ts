import { describe, expect, it } from 'vitest';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import {
  isPlacedIn,
  keysIn,
  type RequestedPart,
  selectorOf,
  viewOf,
  whyNotCached,
} from '../../../src/serve/hold/cached-view.ts';
import type { ServedCache } from '../../../src/serve/hold/served-cache.ts';
import { names, PODS as OBJECTS, pod, storeOf } from '../../support/query.ts';

const PODS = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true } as ResourceType;
const NODES = { gvr: { group: '', version: 'v1', resource: 'nodes' }, kind: 'Node', namespaced: false } as ResourceType;
const ALL: RequestedPart = { names: [], namespaces: [''], selector: undefined, fieldSelector: undefined };
const NODE = new IndexCatalog().get('node');
const objects = [...OBJECTS, { ...pod('z', 'n1', 'Running', 0), metadata: { name: 'z', namespace: 'other' } }];

function cacheOf(type = PODS) {
  const lister = storeOf(objects, [NODE]);
  const calls: string[] = [];
  const noted = (name: string) => (signal: unknown) => calls.push(`${name} ${signal}`);
  const informer = {
    name: 'v1/pods',
    continuity: [{ ageMs: 5 }],
    memory: { objects: 6 },
    lister,
    confirm: noted('confirm'),
    whenProven: noted('proven'),
    whenApplied: noted('applied'),
  };
  return { calls, target: { type, namespaces: [''], forbidden: ['x'], informer } as unknown as ServedCache };
}
const listerOf = (part: Partial<RequestedPart>, type = PODS) =>
  viewOf(cacheOf(type).target, { ...ALL, ...part }).informer.lister;

describe('the part of a cache that a question is about', () => {
  it.each<[string, Partial<RequestedPart>, string[]]>([
    ['all', {}, ['a-1', 'a-2', 'b-1', 'c-1', 'c-2', 'z']],
    ['a namespace', { namespaces: ['bank'] }, ['c-1', 'c-2']],
    ['two namespaces', { namespaces: ['bank', 'other'] }, ['c-1', 'c-2', 'z']],
    ['labels', { selector: 'app=a' }, ['a-1', 'a-2']],
    ['fields', { fieldSelector: 'spec.nodeName=n1' }, ['a-1', 'a-2', 'c-2', 'z']],
    [
      'labels and fields in a namespace',
      { namespaces: ['shop'], selector: 'app', fieldSelector: 'spec.nodeName=n2' },
      ['b-1'],
    ],
    ['nothing', { namespaces: ['empty'] }, []],
  ])('is %s: as a list, as values, by size, and by an index', (_, part, expected) => {
    const lister = listerOf(part);
    expect([names(lister.list()), names([...lister.values()]), lister.size]).toEqual([
      expected,
      expected,
      expected.length,
    ]);
    expect(lister.isPart).toBe(expected.length < objects.length);
    const onNode = names(
      objects.filter(
        ({ metadata, spec }) =>
          expected.includes(metadata.name ?? '') && (spec as { nodeName?: string }).nodeName === 'n1',
      ),
    );
    expect([names(lister.byIndex(NODE.key, 'n1')), lister.indexCount(NODE.key, 'n1')]).toEqual([onNode, onNode.length]);
  });

  it('of a type without namespaces is all of it', () => {
    const lister = listerOf({ namespaces: ['bank'] }, NODES);
    expect([lister.size, lister.list().length, lister.indexCount(NODE.key, 'n1')]).toEqual([6, 6, 4]);
    expect(lister.isPart).toBe(false);
  });

  it('has the indexes of the cache', () => {
    const lister = listerOf({ namespaces: ['bank'] });
    expect([lister.hasIndex(NODE.key), lister.hasIndex('none')]).toEqual([true, false]);
    expect([lister.indexValues(NODE.key).toSorted(), lister.indexValues(NODE.key, { from: 'n2' })]).toEqual([
      ['n1', 'n2'],
      ['n2'],
    ]);
  });

  it.each<[string, Partial<RequestedPart>, boolean]>([
    ['all', {}, true],
    ['a namespace', { namespaces: ['bank'] }, false],
    ['labels', { selector: 'app=a' }, false],
    ['fields', { fieldSelector: 'spec.nodeName=n1' }, false],
    ['a name of a type without namespaces', { namespaces: ['bank'], names: ['a-1'] }, false],
  ])('gives the cache itself, which is read in its order, for all objects only: for %s %j %s', (_, part, is) => {
    const { target } = cacheOf(part.names ? NODES : PODS);
    const { whole } = viewOf(target, { ...ALL, ...part }).informer.lister;
    expect(whole).toBe(is ? target.informer.lister : undefined);
  });

  it.each(['follow', 'viewByKey', 'viewByKeys'])(
    'does not give a cache that cannot be read in its order: it has no %s',
    (missing) => {
      const { target } = cacheOf();
      const lister = Object.create(target.informer.lister, { [missing]: { value: undefined } });
      const other = { ...target, informer: { ...target.informer, lister } } as unknown as ServedCache;
      const { whole } = viewOf(other, ALL).informer.lister;
      expect(whole).toBeUndefined();
    },
  );

  it('has names if some are asked for, and what the cache knows of itself', () => {
    const { calls, target } = cacheOf();
    const view = viewOf(target, { ...ALL, names: ['a-1', 'a-1'] });
    expect([view.type, view.names, view.namespaces, view.forbidden]).toEqual([PODS, new Set(['a-1']), [''], ['x']]);
    const { informer } = view;
    expect([informer.name, informer.continuity, informer.memory, informer.isUnordered]).toEqual([
      ...['v1/pods', [{ ageMs: 5 }], { objects: 6 }, true],
    ]);
    for (const ask of ['confirm', 'whenProven', 'whenApplied'] as const) void informer[ask]('now' as never);
    expect(calls).toEqual(['confirm now', 'proven now', 'applied now']);
    expect(viewOf(target, ALL).names).toBeUndefined();
    expect(viewOf(cacheOf(NODES).target, ALL).namespaces).toBeUndefined();
  });
});

it.each<[string, readonly string[] | undefined, Partial<RequestedPart>, string | undefined]>([
  ['all', [''], { namespaces: ['shop'] }, undefined],
  ['all', [''], {}, undefined],
  ['one namespace', ['shop'], { namespaces: ['shop'] }, undefined],
  ['one namespace', ['shop'], {}, 'it does not hold pods of all namespaces'],
  ['one namespace', ['shop'], { namespaces: ['shop', 'a', 'b'] }, 'it does not hold pods of the namespace a, b'],
  ['no namespaces', undefined, { namespaces: ['shop'] }, undefined],
  ['all', [''], { fieldSelector: 'spec.nodeName=n1' }, undefined],
  ['all', [''], { fieldSelector: 'spec.nodeName=n1,spec.x=y' }, 'only the API server selects pods by spec.x'],
])('a cache of %s (%j) cannot answer for %j because: %s', (_, namespaces, part, why) => {
  expect(whyNotCached({ type: PODS, namespaces }, { ...ALL, ...part })).toBe(why);
});

it.each<[string, ResourceType, string[], string[], string[] | undefined]>([
  ['names in a namespace', PODS, ['b'], ['x', 'y'], ['b/x', 'b/y']],
  ['a name in two namespaces', PODS, ['a', 'b'], ['x'], ['a/x', 'b/x']],
  ['a name of a type without namespaces', NODES, ['b'], ['x'], ['x']],
  ['a name of a type without namespaces in all', NODES, [''], ['x'], ['x']],
  ['a name in all namespaces', PODS, [''], ['x'], undefined],
  ['a namespace without names', PODS, ['b'], [], undefined],
])('the keys of a part are known where each name has its place: %s', (_, type, namespaces, of, expected) => {
  expect(keysIn(type, { names: of, namespaces })).toEqual(expected);
});

it('selectors that select everything are none', () => {
  expect(selectorOf(PODS, { selector: undefined, fieldSelector: undefined })).toBeUndefined();
  expect(selectorOf(PODS, { selector: '', fieldSelector: '' })).toBeUndefined();
});

it.each<[string, string | undefined, string | undefined]>([
  ['labels', 'app=a', undefined],
  ['fields', undefined, 'spec.nodeName=n1'],
  ['labels and fields', 'app=a', 'spec.nodeName=n1'],
  ['labels, and fields that none of those has', 'app=a', 'spec.nodeName!=n1'],
])('a selector of %s matches the objects that have them', (_, selector, fieldSelector) => {
  const matches = selectorOf(PODS, { selector, fieldSelector });
  const expected = objects.filter(
    ({ metadata: { labels }, spec }) =>
      (!selector || labels?.app === 'a') &&
      (!fieldSelector || ((spec as { nodeName?: string }).nodeName === 'n1') === !fieldSelector.includes('!')),
  );
  expect(objects.map((object: ReadonlyObject) => matches?.(object))).toEqual(
    objects.map((object) => expected.includes(object)),
  );
});

it.each<[string, ResourceType, string[], string[], string[]]>([
  ['all namespaces', PODS, [''], [], ['a/x', 'b/x', 'b/y']],
  ['one namespace', PODS, ['b'], [], ['b/x', 'b/y']],
  ['a name in one namespace', PODS, ['b'], ['x'], ['b/x']],
  ['no object of a namespace that is not there', PODS, ['c'], [], []],
  ['names of a type without namespaces', NODES, ['c'], ['x'], ['a/x', 'b/x']],
])('a part of %s has just these objects', (_, type, namespaces, of, expected) => {
  const isIn = isPlacedIn(type, { names: of, namespaces, selector: undefined });
  const all = ['a/x', 'b/x', 'b/y'].map((key) => key.split('/') as [string, string]);
  const found = all.filter(([namespace, name]) => isIn({ metadata: { name, namespace } }));
  expect(found.map((parts) => parts.join('/'))).toEqual(expected);
});
