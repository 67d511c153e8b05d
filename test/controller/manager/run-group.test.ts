import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { RunGroup } from '../../../src/controller/manager/run-group.ts';
import { settled } from '../../../src/testing/fake-clock.ts';

/** A group, and runnables that write down what happens to them. */
function group() {
  const log: string[] = [];
  const made = new RunGroup((name, error, isEnding) =>
    log.push(`${name} failed: ${(error as Error).message} ${isEnding}`),
  );
  const untilAborted = (name: string, atEnd: () => void = () => {}) => ({
    run: async (signal: AbortSignal) => {
      log.push(`${name} started`);
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      log.push(`${name} ended`);
      atEnd();
    },
  });
  return { log, group: made, untilAborted };
}

it('runnables start together, one that is added later at once, and all end together', async () => {
  const { log, group: made, untilAborted } = group();
  for (const name of ['a', 'b']) made.add(name, untilAborted(name));
  await settled();
  expect([log, made.running, made.signal]).toEqual([[], [], undefined]);
  made.start();
  await settled();
  made.add('c', untilAborted('c'));
  await settled();
  expect([log, made.running, made.signal?.aborted]).toEqual([
    ['a started', 'b started', 'c started'],
    ['a', 'b', 'c'],
    false,
  ]);
  await made.stop(new Error('enough'));
  expect([log.slice(3), made.running, made.signal?.reason]).toEqual([
    ['a ended', 'b ended', 'c ended'],
    [],
    expect.objectContaining({ message: 'enough' }),
  ]);
});

it('they end when the signal that the group was started with aborts', async () => {
  const { log, group: made, untilAborted } = group();
  const parent = new AbortController();
  made.add('a', untilAborted('a'));
  made.start(parent.signal);
  await settled();
  parent.abort();
  await settled();
  expect([log, made.running]).toEqual([['a started', 'a ended'], []]);
});

it('a failure is reported with whether it came at the end; the reason of the end is no failure', async () => {
  const { log, group: made, untilAborted } = group();
  made.add('early', {
    run: () => {
      throw new Error('at once');
    },
  });
  made.add(
    'late',
    untilAborted('late', () => {
      throw new Error('at the end');
    }),
  );
  made.add('same', {
    run: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  made.start();
  await settled();
  expect([log, made.running]).toEqual([
    ['late started', 'early failed: at once false'],
    ['late', 'same'],
  ]);
  await made.stop(new Error('enough'));
  expect(log.slice(2)).toEqual(['late ended', 'late failed: at the end true']);
});

it('a group that is stopped before its start starts nothing', async () => {
  const { log, group: made, untilAborted } = group();
  made.add('a', untilAborted('a'));
  await made.stop();
  made.start();
  await settled();
  expect(log).toEqual([]);
});

it('a stop waits for what is added while it waits', async () => {
  const { log, group: made, untilAborted } = group();
  made.add(
    'a',
    untilAborted('a', () => made.add('b', untilAborted('b'))),
  );
  made.start();
  await settled();
  await made.stop();
  expect(log).toEqual(['a started', 'a ended', 'b started', 'b ended']);
});

it('a group that was stopped leaves no listener at the signal of its start', async () => {
  const { group: made, untilAborted } = group();
  made.add('a', untilAborted('a'));
  const parent = new AbortController();
  made.start(parent.signal);
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
  await made.stop();
  expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
});
