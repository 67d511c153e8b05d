import { expect, it } from 'vitest';
import type { Cached } from '../../../src/informer/compact/packed-object.ts';
import type { InformerNotification } from '../../../src/informer/handlers/notification.ts';
import { applyDeltas, textOf } from '../../../src/informer/store/apply-deltas.ts';
import type { Delta } from '../../../src/informer/store/delta-fifo.ts';
import { keyOf } from '../../../src/model/key.ts';
import { Tombstone } from '../../../src/model/object.ts';
import { type Pod, pod } from '../../support/objects.ts';
import { Indexer } from '../../support/store-under-test.ts';

const live = { isInInitialList: false };
const change = (type: 'Added' | 'Updated' | 'Deleted', object: Pod | Tombstone<Pod>): Delta<Cached<Pod>> => ({
  type,
  object,
  key: keyOf(object),
});

function store(...pods: Pod[]): Indexer<Pod> {
  const indexer = new Indexer<Pod>();
  for (const each of pods) indexer.add(each);
  return indexer;
}

function line(n: InformerNotification<Cached<Pod>>): string {
  const old = n.kind === 'updated' ? `${n.oldObject.metadata.resourceVersion}->` : '';
  return `${n.kind} ${n.key}@${old}${n.object.metadata.resourceVersion} ${n.cause}`;
}

it('goes by presence: ADDED for a stored object is an update, MODIFIED for an unknown one an addition [APP-01]', () => {
  const { notifications } = applyDeltas(
    [change('Added', pod('a', 2)), change('Updated', pod('b', 3))],
    store(pod('a', 1)),
    live,
  );
  expect(notifications.map(line)).toEqual(['updated a@1->2 watch', 'added b@3 watch']);
});

it.each<Delta<Cached<Pod>>>([
  { type: 'SyncAll' },
  { type: 'Bookmark', resourceVersion: '5' },
  { type: 'Continuity', event: { kind: 'gap' } as never },
])('goes on with the next change after $type', (delta) => {
  const { notifications, error } = applyDeltas([delta, change('Added', pod('b', 6))], store(pod('a', 1)), live);
  expect([notifications.map(line).at(-1), error]).toEqual(['added b@6 watch', undefined]);
});

it('replaces the store by a list, and reports deletions first, then the rest in list order [APP-02]', () => {
  const indexer = store(pod('pod-1', 1), pod('pod-2', 2), pod('pod-3', 3));
  const objects = [pod('pod-1', 4), pod('pod-2', 5), pod('pod-4', 6)];
  const { notifications } = applyDeltas([{ type: 'ReplacedAll', objects, resourceVersion: '6' }], indexer, live);
  expect(notifications.map(line)).toEqual([
    'deleted pod-3@3 relist',
    'updated pod-1@1->4 relist',
    'updated pod-2@2->5 relist',
    'added pod-4@6 relist',
  ]);
  expect(notifications[0]).toMatchObject({ finalStateUnknown: true });
  expect([...indexer.keys()].sort()).toEqual(['pod-1', 'pod-2', 'pod-4']);
});

it('reports everything as deleted, with its final state unknown, when the list is empty [APP-04]', () => {
  const indexer = store(pod('pod-1', 1), pod('pod-3', 3));
  const { notifications } = applyDeltas([{ type: 'ReplacedAll', objects: [], resourceVersion: '9' }], indexer, live);
  const opened = notifications.map((n) => ({ ...n, object: indexer.store.open(n.object as Cached<Pod>) }));
  expect(opened).toMatchObject([
    { kind: 'deleted', key: 'pod-1', object: pod('pod-1', 1), finalStateUnknown: true },
    { kind: 'deleted', key: 'pod-3', object: pod('pod-3', 3), finalStateUnknown: true },
  ]);
  expect([indexer.size, indexer.resourceVersion]).toEqual([0, '9']);
});

it('leaves out the objects that the store refuses, and names them [APP-06]', () => {
  const indexer = new Indexer<Pod>({
    indexers: {
      node: (object) => {
        if (object.metadata.name === 'b') throw new Error('no node');
        return [];
      },
    },
  });
  const deltas = ['a', 'b', 'c'].map((name) => change('Added', pod(name, 1)));
  const { notifications, error } = applyDeltas(deltas, indexer, live);
  expect(notifications.map((n) => n.key)).toEqual(['a', 'c']);
  expect(error?.message).toContain('(1/3) transactions');
  expect(error?.message).toContain('key "b" on index "node"');
});

it.each([
  ['Added', pod('a', 5), '5'],
  ['Updated', pod('a', 6), '6'],
  ['Deleted', pod('a', 7), '7'],
] as const)(
  'has set the store to the version of the %s object before it is reported [APP-08]',
  (type, object, version) => {
    const indexer = store(pod('a', 1));
    applyDeltas([change(type, object)], indexer, live);
    expect(indexer.resourceVersion).toBe(version);
  },
);

it('reports an object that a list contains twice once, in its last state', () => {
  const indexer = store(pod('a', 1), pod('gone', 1));
  const objects = [pod('a', 2), pod('b', 3), pod('a', 4)];
  const { notifications } = applyDeltas([{ type: 'ReplacedAll', objects, resourceVersion: '9' }], indexer, live);
  expect(notifications.map(line)).toEqual(['deleted gone@1 relist', 'updated a@1->4 relist', 'added b@3 relist']);
});

it('quotes the first three messages, and counts the rest', () => {
  const errors = ['a', 'b', 'c', 'd', 'e'].map((text) => new Error(text));
  expect([3, 4, 5].map((n) => textOf(errors.slice(0, n)))).toEqual([
    'a; b; c',
    'a; b; c; and 1 more',
    'a; b; c; and 2 more',
  ]);
});

it('sets the store’s version by a bookmark, without a notification', () => {
  const indexer = store(pod('a', 1));
  expect(applyDeltas([{ type: 'Bookmark', resourceVersion: '8' }], indexer, live).notifications).toEqual([]);
  expect(indexer.resourceVersion).toBe('8');
});

it('reports every stored object once at a resync, as an update to the same object [APP-09]', () => {
  const indexer = store(pod('a', 1), pod('b', 2));
  const { notifications } = applyDeltas([{ type: 'SyncAll' }], indexer, live);
  expect(notifications.map(line)).toEqual(['updated a@1->1 resync', 'updated b@2->2 resync']);
  for (const n of notifications) if (n.kind === 'updated') expect(n.object).toBe(n.oldObject);
});

it('reports the final state of a deletion that was seen, and the last known state of a tombstone', () => {
  const indexer = store(pod('a', 1), pod('b', 2), pod('c', 3));
  const { notifications } = applyDeltas(
    [
      change('Deleted', pod('a', 9)),
      change('Deleted', new Tombstone('b', pod('b', 1))),
      change('Deleted', new Tombstone<Pod>('c', undefined)),
    ],
    indexer,
    live,
  );
  expect(
    notifications.map((n) => [n.object.metadata.resourceVersion, n.kind === 'deleted' && n.finalStateUnknown]),
  ).toEqual([
    ['9', false],
    ['1', true],
    ['3', true],
  ]);
});

it('has no notification for the deletion of an unknown object', () => {
  expect(applyDeltas([change('Deleted', pod('a', 9))], store(), live).notifications).toEqual([]);
});

it('marks the objects of the initial list', () => {
  const { notifications } = applyDeltas(
    [{ type: 'ReplacedAll', objects: [pod('a', 1)], resourceVersion: '1' }],
    store(),
    {
      isInInitialList: true,
    },
  );
  expect(notifications).toMatchObject([{ kind: 'added', cause: 'initial', isInInitialList: true }]);
});

it('reports one update, marked so, for an object that was deleted and created again', () => {
  const indexer = store(pod('a', 1, { uid: 'u1' }));
  const again = pod('a', 9, { uid: 'u2' });
  const { notifications } = applyDeltas(
    [{ type: 'ReplacedAll', objects: [again], resourceVersion: '9' }],
    indexer,
    live,
  );
  expect(notifications).toMatchObject([{ kind: 'updated', uidChanged: true }]);
  expect(applyDeltas([change('Updated', pod('a', 10, { uid: 'u2' }))], indexer, live).notifications).toMatchObject([
    { uidChanged: false },
  ]);
});

it('an object without metadata is the same one as long as it has its key', () => {
  type Plain = { id: string; n: number };
  const indexer = new Indexer<Plain>({ keyOf: (object) => (object as Plain).id });
  indexer.add({ id: 'a', n: 1 });
  const { notifications } = applyDeltas([{ type: 'Updated', key: 'a', object: { id: 'a', n: 2 } }], indexer, live);
  expect(notifications).toMatchObject([{ kind: 'updated', uidChanged: false }]);
});

it('replaces only the keys that a list covers', () => {
  const indexer = store(pod('a/x', 1), pod('b/x', 2));
  const within = (key: string) => key.startsWith('a/');
  const { notifications } = applyDeltas(
    [{ type: 'ReplacedAll', objects: [pod('a/y', 3)], resourceVersion: '3' }],
    indexer,
    {
      ...live,
      within,
    },
  );
  expect(notifications.map(line)).toEqual(['deleted a/x@1 relist', 'added a/y@3 relist']);
  expect([...indexer.keys()].sort()).toEqual(['a/y', 'b/x']);
});

it('a change without a key is an error, and contradicts nothing', () => {
  const indexer = store();
  const odd = {} as Pod;
  const contradictions: string[] = [];
  const context = { ...live, onContradiction: (what: string) => contradictions.push(what) > 0 };
  for (const type of ['Updated', 'Deleted'] as const) {
    const deltas: Delta<Cached<Pod>>[] = [{ type, object: odd, key: undefined }];
    const { notifications, refused } = applyDeltas(deltas, indexer, context);
    expect([notifications, refused, indexer.size]).toEqual([[], 1, 0]);
  }
  expect(contradictions).toEqual([]);
});

it('merges a list of new parts: what is not kept leaves first, and what is listed is added or updated, as of a relist', () => {
  const indexer = store(pod('stays', 1), pod('leaves', 2), pod('known', 3), pod('other', 4));
  const delta = {
    type: 'Merged',
    objects: [pod('known', 7), {} as Pod, pod('new', 8)],
    keeps: (each: Pod) => each.metadata.name !== 'leaves' && each.metadata.name !== 'other',
    resourceVersion: '9',
  } as unknown as Delta<Cached<Pod>>;
  const within = (key: string) => key !== 'other';
  const { notifications, refused } = applyDeltas([delta], indexer, { ...live, within });
  expect(notifications.map(line)).toEqual([
    'deleted leaves@2 relist',
    'updated known@3->7 relist',
    'added new@8 relist',
  ]);
  expect(refused).toBe(1);
  expect([...indexer.entries()].map(([key]) => key).sort()).toEqual(['known', 'new', 'other', 'stays']);
});

it.each<[string, Delta<Cached<Pod>>, string | undefined]>([
  ['a new object', change('Added', pod('b', 6)), undefined],
  ['an object that is stored', change('Added', pod('a', 6)), '"a" was added, although it was in the cache'],
  ['the stored version again', change('Added', pod('a', 5, { uid: 'u' })), undefined],
  ['a change', change('Updated', pod('a', 6, { uid: 'u' })), undefined],
  [
    'a change of what is not stored',
    change('Updated', pod('b', 6)),
    '"b" was updated, although it was not in the cache',
  ],
  [
    'another object of the name',
    change('Updated', pod('a', 6, { uid: 'other' })),
    '"a" became another object, without an event of its deletion',
  ],
  ['another object at the stored version', change('Updated', pod('a', 5, { uid: 'other' })), undefined],
  ['a deletion', change('Deleted', pod('a', 6, { uid: 'u' })), undefined],
  [
    'a deletion of what is not stored',
    change('Deleted', pod('b', 6)),
    '"b" was deleted, although it was not in the cache',
  ],
  ['a tombstone of what is not stored', change('Deleted', new Tombstone('b', pod('b', 6))), undefined],
])('%s contradicts the store only where its history would be another one', (_, delta, expected) => {
  for (const isOther of [true, false]) {
    const said: unknown[] = [];
    const indexer = store(pod('a', 5, { uid: 'u' }));
    const onContradiction = (what: string, version: string | undefined) => {
      said.push([what, version]);
      return isOther;
    };
    const next = change('Added', pod('next', 7));
    const { notifications, error } = applyDeltas([delta, next], indexer, { ...live, onContradiction });
    expect([said, error]).toEqual([expected === undefined ? [] : [[expected, '6']], undefined]);
    const isApplied = expected === undefined || !isOther;
    expect(notifications.some(({ key }) => key === 'next')).toBe(isApplied);
    expect(indexer.has('next')).toBe(isApplied);
  }
});

it('has the first refusal as the cause of its error', () => {
  const failures = [new Error('first'), new Error('second')];
  const indexer = new Indexer<Pod>({
    indexers: {
      picky: () => {
        throw failures.shift();
      },
    },
  });
  const { error, refused } = applyDeltas([change('Added', pod('a', 1)), change('Added', pod('b', 2))], indexer, live);
  expect(refused).toBe(2);
  expect(error?.cause).toMatchObject({ message: expect.stringContaining('first') });
});
