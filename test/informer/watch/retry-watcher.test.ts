import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { retryWatch } from '../../../src/informer/watch/retry-watcher.ts';
import { withSurroundings } from '../../../src/kit/surroundings.ts';
import { failure } from '../../../src/model/status.ts';
import type { WatchEvent } from '../../../src/model/watch-event.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../../support/objects.ts';
import {
  added,
  bookmark,
  deleted,
  errorEvent,
  expired,
  internal,
  modified,
  networkError,
  refuse,
  ScriptedListerWatcher,
  ScriptedStream,
  throttled,
  unreachable,
} from '../../support/scripted-events.ts';

function watching(source: ScriptedListerWatcher<Pod>, resourceVersion = '5') {
  const clock = new FakeClock();
  const controller = new AbortController();
  const lines: string[] = [];
  let isOver = false;
  const run = async () => {
    for await (const event of retryWatch(source, { resourceVersion, signal: controller.signal, clock }))
      lines.push(lineOf(event));
    isOver = true;
  };
  const running = run();
  return { clock, controller, lines, running, isOver: () => isOver };
}

function lineOf({ type, object }: WatchEvent<Pod>): string {
  return type === 'ERROR'
    ? `ERROR ${object.code} ${object.reason}`
    : `${type} ${object.metadata.name}@${object.metadata.resourceVersion}`;
}

const lw = () => new ScriptedListerWatcher<Pod>();
const stream = () => new ScriptedStream<Pod>();

it.each(['', '0'])('cannot start at "%s" [RW-01]', (resourceVersion) => {
  expect(() => retryWatch(lw(), { resourceVersion, signal: new AbortController().signal })).toThrow(
    `initial RV "${resourceVersion}" is not supported due to issues with underlying WATCH`,
  );
});

it('passes on the events after its version, and ends with a 410, which it passes on too [RW-01]', async () => {
  const source = lw().onWatch(stream().send(added(pod('a/p', 6)), errorEvent(expired())));
  const { lines, running, clock } = watching(source);
  await running;
  expect(lines).toEqual(['ADDED p@6', 'ERROR 410 Expired']);
  expect(source.requests).toEqual([{ verb: 'watch', resourceVersion: '5', allowWatchBookmarks: true }]);
  expect(clock.pending).toBe(0);
});

it.each([
  ['a refused connection', unreachable()],
  ['a source that returns nothing', () => undefined as never],
  ['410', refuse(expired())],
  ['500', refuse(internal())],
])('tries again at the same version when a watch cannot be started: %s [RW-02]', async (_, failed) => {
  const source = lw().onWatch(failed, failed, stream().send(modified(pod('a/p', 7))));
  const { clock, controller, lines, running } = watching(source);
  await clock.advance(1999);
  expect([source.trace, lines]).toEqual([['watch 5', 'watch 5'], []]);
  await clock.advance(1);
  expect([source.trace, lines]).toEqual([['watch 5', 'watch 5', 'watch 5'], ['MODIFIED p@7']]);
  controller.abort();
  await running;
});

it.each([
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
])('ends with an ERROR event when the server answers %i at the start [RW-03]', async (code, reason) => {
  const source = lw().onWatch(refuse(failure(code, reason, 'no')));
  const { lines, running } = watching(source);
  await running;
  expect([lines, source.requests.length]).toEqual([[`ERROR ${code} ${reason}`], 1]);
});

it('resumes at the last version it saw, also of a bookmark, and passes no bookmark on [RW-05]', async () => {
  const second = stream();
  const source = lw().onWatch(
    stream()
      .send(added(pod('a/p', 6)), bookmark(9))
      .close(),
    second,
    stream(),
  );
  const { clock, controller, lines, running } = watching(source);
  await clock.advance(1000);
  expect([source.trace, lines]).toEqual([['watch 5', 'watch 9'], ['ADDED p@6']]);
  second.send(deleted(pod('a/p', 12))).break(networkError('ECONNRESET'));
  await clock.advance(1000);
  expect([source.trace.at(-1), lines.at(-1)]).toEqual(['watch 12', 'DELETED p@12']);
  controller.abort();
  await running;
});

it.each<[string, WatchEvent<Pod>]>([
  ['without a version', added(pod('a/p', undefined))],
  ['of an unknown type', { ...added(pod('a/p', 6)), type: 'FOO' } as never],
])('ends with an ERROR event on one %s [RW-05]', async (_, event) => {
  const { lines, running } = watching(lw().onWatch(stream().send(event)));
  await running;
  expect(lines).toEqual(['ERROR 500 InternalError']);
});

it('waits as long as the server asks, and at least a second between starts', async () => {
  const source = lw().onWatch(stream().send(errorEvent(throttled(7))), refuse(throttled(3)), stream());
  const { clock, controller, running } = watching(source);
  await clock.advance(6999);
  expect(source.trace).toHaveLength(1);
  await clock.advance(1);
  expect(source.trace).toHaveLength(2);
  await clock.advance(2999);
  expect(source.trace).toHaveLength(2);
  await clock.advance(1);
  expect(source.trace).toHaveLength(3);
  controller.abort();
  await running;
});

it('resumes after a silent stream', async () => {
  const source = lw().onWatch(stream(), stream());
  const { clock, controller, running } = watching(source);
  await clock.advance(150_000);
  expect(source.trace).toEqual(['watch 5', 'watch 5']);
  controller.abort();
  await running;
});

it.each(['while it reads', 'while it pauses'])('ends with its signal %s, and leaves nothing behind', async (when) => {
  const open = stream();
  const source = when === 'while it reads' ? lw().onWatch(open) : lw().onWatch(unreachable());
  const { clock, controller, running, isOver } = watching(source);
  await clock.advance(100);
  controller.abort();
  await running;
  expect([isOver(), clock.pending, getEventListeners(controller.signal, 'abort')]).toEqual([true, 0, []]);
});

it('has the clock of its source unless it was given one, and refuses options that it does not have', async () => {
  const [ofSource, own] = [new FakeClock(), new FakeClock()];
  for (const clock of [undefined, own]) {
    const source = withSurroundings(lw().onWatch(unreachable()), { clock: ofSource });
    const ending = new AbortController();
    const events = retryWatch(source, { resourceVersion: '5', signal: ending.signal, clock });
    const next = events.next();
    await settled();
    expect([ofSource.pending, own.pending]).toEqual(clock ? [0, 1] : [1, 0]);
    ending.abort();
    await next.catch(() => {});
  }
  const signal = AbortSignal.abort();
  expect(() => retryWatch(lw(), { resourceVersion: '5', signal, nope: 1 } as never)).toThrow('nope');
});
