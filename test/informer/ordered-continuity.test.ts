import { expect, it } from 'vitest';
import { CoalescingQueue, SYNCED } from '../../src/informer/handler-queue.ts';
import type { OrderedContinuity } from '../../src/informer/ledger.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { createRecordingHandler } from '../../src/testing/recording-handler.ts';
import { type Pod, pod } from '../support/objects.ts';
import {
  added,
  errorEvent,
  expired,
  initialEnd,
  modified,
  ScriptedListerWatcher,
  ScriptedStream,
} from '../support/scripted-lister-watcher.ts';

const stream = () => new ScriptedStream<Pod>();

/** An informer whose first stream has `web` at version 1 and whose second one, after a gap, has it at 20. */
function bench() {
  const clock = new FakeClock();
  const first = stream().send(added(pod('web', 1)), initialEnd(10));
  const second = stream().send(added(pod('web', 20)), initialEnd(21));
  const source = new ScriptedListerWatcher<Pod>().onWatch(first, second);
  const informer = new SharedInformer<Pod>(source, { name: 'v1/pods', clock, random: () => 0 });
  const ending = new AbortController();
  const running = informer.run(ending.signal);
  const stop = () => {
    ending.abort();
    return running;
  };
  return { informer, clock, first, stop };
}

const told = (event: OrderedContinuity) => (event.kind === 'gap' ? `gap from ${event.from}` : `relisted ${event.objects}`);

it('a handler hears of a gap behind what was seen before it, and of the relist behind what it brought', async () => {
  const { informer, clock, first, stop } = bench();
  const handler = createRecordingHandler<Pod>();
  informer.addHandler({ ...handler, continuity: (event) => void handler.lines.push(told(event)) });
  await settled();
  first.send(modified(pod('web', 11)), errorEvent(expired()));
  await clock.advance(60_000);
  expect(handler.lines).toEqual(['added web@1', 'synced', 'updated web@1->11', 'gap from 11', 'updated web@11->20', 'relisted 1']);
  await stop();
});

it('a handler that is behind hears of a gap in its place all the same', async () => {
  const { informer, clock, first, stop } = bench();
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const handler = createRecordingHandler<Pod>({ pause: () => gate });
  informer.addHandler({ ...handler, continuity: (event) => void handler.lines.push(told(event)) }, { policy: 'block', blockAt: 1 });
  await settled();
  first.send(modified(pod('web', 11)), modified(pod('web', 12)), errorEvent(expired()));
  await clock.advance(60_000);
  expect(handler.lines).toEqual(['added web@1']);
  release();
  await clock.advance(60_000);
  expect(handler.lines.slice(1)).toEqual([
    'synced',
    'updated web@1->11',
    'updated web@11->12',
    'gap from 12',
    'updated web@12->20',
    'relisted 1',
  ]);
  await stop();
});

it('a handler that filters hears of it too, and a coalescing queue keeps it', async () => {
  const { informer, clock, first, stop } = bench();
  const heard: string[] = [];
  informer.addHandler({ continuity: (event) => void heard.push(told(event)) }, { filter: () => false, policy: 'coalesce' });
  await settled();
  first.send(errorEvent(expired()));
  await clock.advance(60_000);
  expect(heard).toEqual(['gap from 10', 'relisted 1']);
  await stop();
});

it('a coalescing queue merges nothing with it', () => {
  const queue = new CoalescingQueue<Pod>(() => {});
  const event = { kind: 'gap', from: '1', why: 'gone', at: 0 } as const;
  queue.push({ kind: 'continuity', event });
  queue.push({ kind: 'continuity', event });
  queue.push(SYNCED);
  expect([queue.size, queue.shift(), queue.shift(), queue.shift()]).toEqual([
    3,
    { kind: 'continuity', event },
    { kind: 'continuity', event },
    SYNCED,
  ]);
});
