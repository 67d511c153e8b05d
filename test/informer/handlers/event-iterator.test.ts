import { describe, expect, it } from 'vitest';
import { eventsOf, type InformerEvent } from '../../../src/informer/handlers/event-iterator.ts';
import type { NotificationSink } from '../../../src/informer/handlers/notification.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../../support/objects.ts';

/** A feed that the test drives, and what the stream did with it. */
function start(limit = 10, signal?: AbortSignal) {
  let sink: NotificationSink<Pod> | undefined;
  let close = () => {};
  const calls: string[] = [];
  const source = {
    subscribe(given: NotificationSink<Pod>, closed: () => void) {
      calls.push('subscribe');
      sink = given;
      close = closed;
      return { remove: () => void calls.push('remove') };
    },
  };
  const stream = eventsOf(source, limit, signal);
  const push = (name: string) =>
    sink?.notify({ kind: 'added', key: name, object: pod(name, 1), cause: 'watch', isInInitialList: false }) as
      | Promise<void>
      | undefined;
  return { stream, calls, push, synced: () => sink?.synced(), end: () => close() };
}

const nameOf = (result: IteratorResult<InformerEvent<Pod>, void>) => {
  if (result.done) return 'done';
  return result.value.kind === 'synced' ? 'synced' : result.value.key;
};

describe('the events of an informer', () => {
  it('are subscribed to at the first pull, and come in order with the sync', async () => {
    const { stream, calls, push, synced } = start();
    expect(calls).toEqual([]);
    const first = stream.next();
    expect(calls).toEqual(['subscribe']);
    push('a');
    synced();
    push('b');
    expect([nameOf(await first), nameOf(await stream.next()), nameOf(await stream.next())]).toEqual([
      'a',
      'synced',
      'b',
    ]);
    await stream.return();
    expect(calls).toEqual(['subscribe', 'remove']);
  });

  it('make the handler wait from the limit on, until the consumer has taken them', async () => {
    const { stream, push } = start(2);
    const first = stream.next();
    expect(push('a')).toBeUndefined();
    let isReleased = false;
    void push('b')?.then(() => (isReleased = true));
    await first;
    await stream.next();
    expect(isReleased).toBe(false);
    void stream.next();
    await settled();
    expect(isReleased).toBe(true);
  });

  it('end after the last event when the informer has ended', async () => {
    const { stream, calls, push, end } = start();
    const first = stream.next();
    push('a');
    push('b');
    end();
    expect([nameOf(await first), nameOf(await stream.next()), nameOf(await stream.next())]).toEqual(['a', 'b', 'done']);
    expect(calls).toEqual(['subscribe', 'remove']);
  });

  it('end at once with the signal, while waiting and between two events', async () => {
    for (const isWaiting of [true, false]) {
      const controller = new AbortController();
      const { stream, calls, push } = start(10, controller.signal);
      const first = stream.next();
      if (!isWaiting) {
        push('a');
        push('b');
        await first;
      }
      controller.abort();
      expect(nameOf(isWaiting ? await first : await stream.next())).toBe('done');
      expect(calls).toEqual(['subscribe', 'remove']);
    }
  });

  it('release a handler that waits when the consumer leaves', async () => {
    const { stream, push } = start(1);
    const first = stream.next();
    const waiting = push('a');
    expect(waiting).toBeInstanceOf(Promise);
    await first;
    await stream.return();
    await waiting;
  });
});

it('yields one event that comes while the one before is handled, and one that is waited for', async () => {
  let sink: NotificationSink<Pod> | undefined;
  const subscribe = (given: NotificationSink<Pod>) => {
    sink = given;
    return { remove() {} };
  };
  const events = eventsOf<Pod>({ subscribe }, 10, undefined);
  const first = events.next();
  const notify = (key: string) => sink?.notify({ kind: 'added', key } as never);
  notify('a');
  expect((await first).value).toMatchObject({ key: 'a' });
  notify('b');
  expect((await events.next()).value).toMatchObject({ key: 'b' });
  const third = events.next();
  await settled();
  notify('c');
  expect((await third).value).toMatchObject({ key: 'c' });
  await events.return();
});
