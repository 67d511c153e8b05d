import { describe, expect, it } from 'vitest';
import type { CachedObject, ResourceEvent } from '../../../src/controller/resource-event.ts';
import type { Predicate } from '../../../src/controller/sources/predicate.ts';
import {
  andPredicate,
  annotationsChanged,
  changedPredicate,
  finalizersChanged,
  generationChanged,
  labelledPredicate,
  labelSelectorPredicate,
  labelsChanged,
  notPredicate,
  objectPredicate,
  orPredicate,
  predicateOf,
  rejectionOf,
  resourceVersionChanged,
  specChanged,
  statusChanged,
  updatePredicate,
} from '../../../src/controller/sources/predicate.ts';
import type { UnknownObject } from '../../../src/model/object.ts';

function object(metadata: object = {}, rest: object = {}): CachedObject {
  return { metadata: { name: 'web', namespace: 'shop', uid: 'u1', ...metadata }, ...rest } as UnknownObject;
}

function update(oldObject: CachedObject | undefined, next: CachedObject | undefined): ResourceEvent {
  return { type: 'updated', key: 'shop/web', object: next, oldObject, cause: 'watch' };
}

const others = (['added', 'deleted', 'generic'] as const).map(
  (type): ResourceEvent => ({ type, key: 'shop/web', object: object(), cause: 'watch' }),
);

const rows: [string, Predicate, object, object][] = [
  ['generation', generationChanged, { generation: 1 }, { generation: 2 }],
  ['resourceVersion', resourceVersionChanged, { resourceVersion: '1' }, { resourceVersion: '2' }],
  ['labels', labelsChanged, { labels: { a: '1' } }, { labels: { a: '2' } }],
  ['annotations', annotationsChanged, { annotations: { a: '1' } }, { annotations: { a: '1', b: '2' } }],
  ['finalizers', finalizersChanged, { finalizers: ['a'] }, { finalizers: [] }],
  [
    'finalizers, by deletion',
    finalizersChanged,
    { finalizers: ['a'] },
    { finalizers: ['a'], deletionTimestamp: 'now' },
  ],
];

describe.each(rows)('changed %s', (_, predicate, before, after) => {
  it('passes an update in which this part differs, and no other update [PRD-01]', () => {
    expect(predicate(update(object(before), object(after)))).toBe(true);
    expect(predicate(update(object(before), object(structuredClone(before))))).toBe(false);
    expect(predicate(update(object(before), object({ ...before, selfLink: 'x' })))).toBe(false);
  });

  it('does not pass an update without its old or its new state; passes every event that is no update [PRD-01]', () => {
    expect(predicate(update(undefined, object(after)))).toBe(false);
    expect(predicate(update(object(before), undefined))).toBe(false);
    expect(others.map(predicate)).toEqual([true, true, true]);
  });

  it('passes an update to another object with the same name', () => {
    expect(predicate(update(object(before), object({ ...before, uid: 'u2' })))).toBe(true);
  });
});

it('spec and status are compared as a whole, each for itself', () => {
  const before = object({}, { spec: { replicas: 1 }, status: { ready: 1 } });
  const scaled = update(before, object({}, { spec: { replicas: 2 }, status: { ready: 1 } }));
  expect([specChanged(scaled), statusChanged(scaled)]).toEqual([true, false]);
  const ready = update(before, object({}, { spec: { replicas: 1 }, status: { ready: 1, more: [{ a: 1 }] } }));
  expect([specChanged(ready), statusChanged(ready)]).toEqual([false, true]);
});

it('missing and empty labels are equal [PRD-01]', () => {
  expect(labelsChanged(update(object(), object({ labels: {} })))).toBe(false);
});

describe('a predicate on both states of an update', () => {
  const calls: unknown[][] = [];
  const grown = updatePredicate<UnknownObject>((...states) => {
    calls.push(states);
    return Number(states[1].spec) > Number(states[0].spec);
  });
  const [small, large] = [object({}, { spec: 1 }), object({}, { spec: 2 })];

  it('gets the old state, then the new one, and decides', () => {
    expect([grown(update(small, large)), grown(update(large, small))]).toEqual([true, false]);
    expect(calls).toEqual([
      [small, large],
      [large, small],
    ]);
  });

  it('passes every event that is not an update, and no update without its old or its new state', () => {
    expect(others.map((other) => grown(other))).toEqual([true, true, true]);
    expect([grown(update(undefined, large)), grown(update(small, undefined))]).toEqual([false, false]);
  });
});

const yes: Predicate = () => true;
const no: Predicate = () => false;
const event = others[0] as ResourceEvent;

it.each([
  [andPredicate(), true],
  [andPredicate(yes, yes), true],
  [andPredicate(yes, no), false],
  [andPredicate(no, no), false],
  [orPredicate(), false],
  [orPredicate(yes, no), true],
  [orPredicate(no, yes), true],
  [orPredicate(no, no), false],
  [notPredicate(yes), false],
  [notPredicate(no), true],
])('and, or, not: row %# [PRD-02]', (predicate, expected) => {
  expect(predicate(event)).toBe(expected);
});

it('and stops at the first predicate that does not pass, or at the first that does [PRD-02]', () => {
  const boom: Predicate = () => {
    throw new Error('asked');
  };
  expect(andPredicate(no, boom)(event)).toBe(false);
  expect(orPredicate(yes, boom)(event)).toBe(true);
});

it('each type of event has its own rule; a type without a rule passes', () => {
  const onlyDeletes = predicateOf({ added: no, updated: no });
  expect(others.map(onlyDeletes)).toEqual([false, true, true]);
});

it('an object predicate tests the new state', () => {
  const named = objectPredicate((o) => o.metadata.labels?.app === 'web');
  expect(named(update(object({ labels: { app: 'web' } }), object()))).toBe(false);
  expect(named(update(object(), object({ labels: { app: 'web' } })))).toBe(true);
  expect(named({ type: 'deleted', key: 'shop/web', object: undefined, cause: 'relist' })).toBe(false);
});

it('a label selector is tested for every type of event', () => {
  const selected = labelSelectorPredicate('app in (web)');
  const every = [...others, update(object({ labels: { app: 'web' } }), object())];
  expect(every.map(selected)).toEqual([false, false, false, false]);
  const matching = every.map((each) => selected({ ...each, object: object({ labels: { app: 'web' } }) }));
  expect(matching).toEqual([true, true, true, true]);
});

describe('the name of what did not pass', () => {
  const event = update(object({ generation: 1 }), object({ generation: 1 }));
  const yes = labelledPredicate('yes', () => true);

  it.each<[Predicate, string]>([
    [generationChanged, 'generation'],
    [labelSelectorPredicate('app=web'), 'selector app=web'],
    [labelledPredicate('sold here', () => false), 'sold here'],
    [andPredicate(yes, generationChanged, labelsChanged), 'generation'],
    [andPredicate(yes, andPredicate(yes, labelsChanged)), 'labels'],
    [orPredicate(generationChanged, labelsChanged), 'generation or labels'],
    [orPredicate(), 'none'],
    [notPredicate(yes), 'not yes'],
    [() => false, 'a predicate without a name'],
    [
      function isLarge() {
        return false;
      },
      'isLarge',
    ],
  ])('%#: %2$s', (predicate, expected) => {
    expect(predicate(event)).toBe(false);
    expect(rejectionOf(predicate)).toBe(expected);
  });
});

it.each([
  ['changedPredicate', () => changedPredicate('spec' as never)],
  ['objectPredicate', () => objectPredicate(undefined as never)],
])('%s refuses what is no function', (name, make) => {
  expect(make).toThrow(expect.objectContaining({ code: 'argument', message: expect.stringContaining(name) }));
});
