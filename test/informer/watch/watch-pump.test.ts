import { expect, it } from 'vitest';
import { InitialEvents, isTableResponse, type PumpOptions, pump } from '../../../src/informer/watch/watch-pump.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { failure, StatusError } from '../../../src/model/status.ts';
import { UnreadableObject } from '../../../src/model/unreadable.ts';
import type { WatchEvent } from '../../../src/model/watch-event.ts';

const tooLarge = new InformerError('decode', 'a line of the watch is longer than the limit', { hint: 'look at it' });
const pod = (name: string, resourceVersion: string) => ({ metadata: { name, namespace: 'shop', resourceVersion } });
const unreadable = (metadata: object) => ({ type: 'MODIFIED', object: new UnreadableObject(metadata, tooLarge) });

function pumped(events: readonly object[], options: Partial<PumpOptions> = {}) {
  const target = new InitialEvents<object>();
  const refused: InformerError[] = [];
  const result = pump(events as WatchEvent<object>[], target, {
    logger: silentLogger,
    onRefused: (error) => refused.push(error),
    ...options,
  });
  return { result, target, refused };
}

it('an object that could not be read is reported with its name and the reason, moves the position, and later events are stored', () => {
  const { result, target, refused } = pumped([
    unreadable({ name: 'large', namespace: 'shop', resourceVersion: '7' }),
    unreadable({}),
    { type: 'ADDED', object: pod('next', '8') },
  ]);
  expect(refused).toMatchObject([
    {
      code: 'store',
      message: 'MODIFIED of "shop/large" was not stored: a line of the watch is longer than the limit',
      hint: 'look at it',
    },
    { code: 'store', message: 'MODIFIED of an object was not stored: a line of the watch is longer than the limit' },
  ]);
  expect(target.objects).toEqual([pod('next', '8')]);
  expect([result.events, target.resourceVersion]).toEqual([3, '8']);
  expect(pumped([unreadable({ resourceVersion: '7' })]).target.resourceVersion).toBe('7');
});

it('an object that could not be read ends the initial events with the error, because it would seem deleted', () => {
  const { result, refused } = pumped([unreadable({ name: 'large' }), { type: 'ADDED', object: pod('next', '8') }], {
    untilInitialEventsEnd: true,
  });
  expect(result).toEqual({ events: 0, bookmarks: 0, error: tooLarge });
  expect(refused).toEqual([]);
});

it('an event that the store refuses is reported with its type, name, version and the reason, and later events are stored', () => {
  const stored: object[] = [];
  const failing = (object: object) => {
    if (object === broken) throw new Error('an index function threw');
    stored.push(object);
  };
  const broken = pod('broken', '7');
  const refused: InformerError[] = [];
  const target = { add: failing, update: failing, delete: failing, reached: () => {} };
  const next = pod('next', '8');
  const events = ['ADDED', 'MODIFIED', 'DELETED'].flatMap((type) => [
    { type, object: broken },
    { type, object: next },
  ]);
  const onRefused = (error: InformerError) => refused.push(error);
  const { events: count } = pump(events as WatchEvent<object>[], target as never, { logger: silentLogger, onRefused });
  expect(refused.map(({ message }) => message)).toEqual(
    ['ADDED', 'MODIFIED', 'DELETED'].map(
      (type) => `${type} of "shop/broken" at 7 was not stored: an index function threw`,
    ),
  );
  expect([stored, count]).toEqual([[next, next, next], 6]);
});

it('an event without metadata is reported as a change that was not stored', () => {
  const { result, refused } = pumped([{ type: 'ADDED', object: { kind: 'Pod', data: 'hunter2' } }]);
  expect(refused).toMatchObject([
    { code: 'store', message: 'a watch event without metadata was not stored: its object is Pod' },
  ]);
  expect(result.events).toBe(0);
});

it('an event whose version the target does not expect ends the batch with its error, and is not delivered', () => {
  const error = new Error('the versions go back');
  const delivered: object[] = [];
  const add = (object: object) => delivered.push(object);
  const target = {
    add,
    update: add,
    delete: add,
    reached: () => {},
    expects: (version: string) => {
      if (version === '7') throw error;
    },
  };
  const events = [pod('a', '8'), { metadata: { name: 'without' } }, pod('b', '7'), pod('c', '9')];
  const result = pump(events.map((object) => ({ type: 'ADDED', object })) as WatchEvent<object>[], target as never, {
    logger: silentLogger,
  });
  expect(result).toEqual({ events: 2, bookmarks: 0, error });
  expect(delivered).toEqual(events.slice(0, 2));
});

it('stops behind the bookmark that ends the initial events where it is asked to', () => {
  const end = { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } };
  const events = [
    { type: 'ADDED', object: pod('a', '7') },
    { type: 'BOOKMARK', object: { metadata: { resourceVersion: '8' } } },
    { type: 'BOOKMARK', object: { metadata: end } },
    { type: 'ADDED', object: pod('b', '10') },
  ];
  const { result, target } = pumped(events, { untilInitialEventsEnd: true });
  expect(result).toEqual({ events: 1, bookmarks: 2, stoppedAt: 3 });
  expect([target.objects, target.resourceVersion]).toEqual([[pod('a', '7')], '9']);
  expect(pumped(events).result).toEqual({ events: 2, bookmarks: 2 });
});

it('the last state of each object of the initial events counts, and one that was deleted is none', () => {
  const { target } = pumped([
    { type: 'ADDED', object: pod('a', '1') },
    { type: 'ADDED', object: pod('b', '2') },
    { type: 'MODIFIED', object: pod('a', '3') },
    { type: 'DELETED', object: pod('b', '4') },
  ]);
  expect(target.objects).toEqual([pod('a', '3')]);
});

it('gives the version of each bookmark to the target, or an empty one', () => {
  const versions: string[] = [];
  const ignore = () => {};
  const bookmark = (version: string) => versions.push(version);
  const target = { add: ignore, update: ignore, delete: ignore, reached: ignore, bookmark };
  const events = [{ resourceVersion: '8' }, { name: 'x' }].map((metadata) => ({
    type: 'BOOKMARK',
    object: { metadata },
  }));
  pump(events as unknown as WatchEvent<object>[], target, { logger: silentLogger });
  expect(versions).toEqual(['8', '']);
});

it.each<[unknown, Error]>([
  [failure(410, 'Expired', 'too old'), new StatusError(failure(410, 'Expired', 'too old'))],
  [{ kind: 'Pod' }, new Error('the server sent an ERROR event with Pod in place of a Status')],
  [null, new Error('the server sent an ERROR event with object in place of a Status')],
  ['text', new Error('the server sent an ERROR event with string in place of a Status')],
])('an ERROR event ends the batch, after what came before it: %j', (object, error) => {
  const { result, target } = pumped([{ type: 'ADDED', object: pod('a', '7') }, { type: 'ERROR', object }, { type: 'ADDED', object: pod('b', '8') }]); // biome-ignore format: one line
  expect(result).toMatchObject({ events: 1, bookmarks: 0, error: { message: error.message } });
  expect(result.error instanceof StatusError).toBe(error instanceof StatusError);
  expect(target.objects).toHaveLength(1);
});

it('objects of another kind or version, and Tables, are neither stored nor counted', () => {
  const events = [
    { kind: 'Pod', apiVersion: 'v1' },
    { kind: 'Node', apiVersion: 'v1' },
    { kind: 'Pod', apiVersion: 'example.com/v1' },
    { kind: 'Table', apiVersion: 'meta.k8s.io/v1' },
  ].map((type, i) => ({ type: 'ADDED', object: { ...type, ...pod(`p${i}`, '7') } }));
  const names = (options: Partial<PumpOptions>) => {
    const { result, target } = pumped(events, options);
    return [result.events, target.objects.map((object) => (object as ReturnType<typeof pod>).metadata.name)];
  };
  expect(names({ expect: { group: '', version: 'v1', kind: 'Pod' } })).toEqual([1, ['p0']]);
  expect(names({})).toEqual([3, ['p0', 'p1', 'p2']]);
});

it.each([
  ['Table', 'meta.k8s.io/v1', true],
  ['Table', 'meta.k8s.io/v1beta1', true],
  ['Table', 'furniture.example.com/v1', false],
  ['Status', 'meta.k8s.io/v1', false],
])('a %s of %s is a Table of the server: %s', (kind, apiVersion, expected) => {
  expect(isTableResponse({ kind, apiVersion })).toBe(expected);
});
