import { expect, it } from 'vitest';
import { InitialEvents, type PumpOptions, pump } from '../../../src/informer/watch/watch-pump.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
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
