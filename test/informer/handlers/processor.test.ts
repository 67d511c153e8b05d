import { describe, expect, it } from 'vitest';
import { Listener, type ListenerOptions } from '../../../src/informer/handlers/listener.ts';
import type { InformerNotification } from '../../../src/informer/handlers/notification.ts';
import { Processor } from '../../../src/informer/handlers/processor.ts';
import type { OrderedContinuity } from '../../../src/informer/watch/continuity-ledger.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../../support/objects.ts';

const added = (name: string): InformerNotification<Pod> => ({
  kind: 'added',
  key: name,
  object: pod(name, 1),
  cause: 'watch',
  isInInitialList: false,
});
const updated = (name: string, from: number, to: number): InformerNotification<Pod> => ({
  kind: 'updated',
  key: name,
  oldObject: pod(name, from),
  object: pod(name, to),
  cause: 'relist',
  uidChanged: false,
});
const event = (kind: 'gap' | 'disconnected' | 'relisted' | 'connected', scope?: string) =>
  ({ kind, scope, at: 0 }) as unknown as OrderedContinuity;

/** A processor, and listeners that record each callback as a line. */
function start() {
  const clock = new FakeClock();
  const processor = new Processor<Pod>(clock);
  const listen = (options: Partial<ListenerOptions> = {}, notify: () => unknown = () => undefined) => {
    const lines: string[] = [];
    const listener = new Listener<Pod>(
      {
        notify(notification) {
          lines.push(`${notification.kind} ${notification.key} ${notification.sequence}`);
          return notify();
        },
        synced: () => void lines.push('synced'),
        continuity: ({ kind, scope = '' }) => void lines.push(`${kind} ${scope}`.trim()),
      },
      {
        policy: 'buffer',
        blockAt: 2,
        resyncMs: 0,
        pipelines: 2,
        clock,
        logger: silentLogger,
        onError() {},
        warnAt: 1e9,
        ...options,
      },
    );
    return { listener, lines };
  };
  return { clock, processor, listen };
}

describe('a processor', () => {
  it('counts notifications from 1, and gives all listeners the same numbers', async () => {
    const { processor, listen } = start();
    const [a, b] = [listen(), listen()];
    for (const { listener } of [a, b]) processor.add(listener, []);
    processor.distribute([added('x'), added('y')], 0);
    processor.distribute([added('z')], 0);
    await settled();
    expect(a.lines).toEqual(['added x 1', 'added y 2', 'added z 3']);
    expect(b.lines).toEqual(a.lines);
  });

  it('replays to a late listener with the number of the last notification, then the sync and what is open', async () => {
    const { processor, listen } = start();
    processor.distribute([added('x'), added('y')], 0);
    processor.markSynced();
    processor.continuity(event('gap'));
    const late = listen();
    processor.add(late.listener, [added('x'), added('y')]);
    processor.distribute([added('z')], 0);
    await settled();
    expect(late.lines).toEqual(['added x 2', 'added y 2', 'synced', 'gap', 'added z 3']);
  });

  it.each<[OrderedContinuity[], string[]]>([
    [[event('gap'), event('relisted')], []],
    [[event('disconnected'), event('connected')], []],
    [[event('disconnected'), event('gap'), event('connected')], ['gap']],
    [[event('disconnected'), event('gap'), event('relisted')], ['disconnected']],
    [[event('gap', 'a'), event('gap', 'b'), event('relisted', 'a')], ['gap b']],
  ])('keeps for late listeners what no event of its scope has closed: %j', async (events, open) => {
    const { processor, listen } = start();
    for (const each of events) processor.continuity(each);
    const late = listen();
    processor.add(late.listener, []);
    await settled();
    expect(late.lines).toEqual(open);
  });

  it('gives updates that changed nothing to the listeners that are due at the last check of that lane', async () => {
    const { clock, processor, listen } = start();
    const [due, notDue] = [listen({ resyncMs: 10 }), listen({ resyncMs: 1000 })];
    for (const { listener } of [due, notDue]) processor.add(listener, []);
    await clock.advance(10);
    expect(processor.shouldResync(0)).toBe(true);
    processor.distribute([updated('same', 1, 1), updated('new', 1, 2)], 0);
    await settled();
    expect([due.lines, notDue.lines]).toEqual([['updated same 1', 'updated new 2'], ['updated new 2']]);
    processor.distribute([updated('same', 1, 1)], 1); // no check of this lane yet
    await settled();
    expect(notDue.lines.slice(1)).toEqual(['updated same 3']);
    expect(processor.shouldResync(0)).toBe(false);
  });

  it('has no room while a blocking listener is behind', async () => {
    const { processor, listen } = start();
    let release = () => {};
    const blocking = listen({ policy: 'block' }, () => new Promise<void>((resolve) => (release = resolve)));
    processor.add(blocking.listener, []);
    expect(processor.room()).toBeUndefined();
    processor.distribute([added('x'), added('y'), added('z')], 0);
    await settled();
    let hasRoom = false;
    void processor.room()?.then(() => (hasRoom = true));
    await settled();
    expect(hasRoom).toBe(false);
    for (let i = 0; i < 2; i++) {
      release();
      await settled();
    }
    expect([hasRoom, processor.room()]).toEqual([true, undefined]);
  });

  it('gives an update between objects without a version to listeners that are not due, and one of the very same object not', async () => {
    const { clock, processor, listen } = start();
    const { listener, lines } = listen({ resyncMs: 1000 });
    processor.add(listener, []);
    await clock.advance(10);
    processor.shouldResync(0);
    const change = (oldObject: unknown, object: unknown) => ({ ...updated('x', 1, 1), oldObject, object }) as never;
    const same = { n: 1 };
    processor.distribute([change({ n: 1 }, { n: 1 }), change(same, same), change(pod('x', 1), { n: 1 })], 0);
    await settled();
    expect(lines).toEqual(['updated x 1', 'updated x 3']);
  });

  it('gives the end of the initial list and every continuity event to all its listeners', async () => {
    const { processor, listen } = start();
    const [a, b] = [listen(), listen()];
    for (const { listener } of [a, b]) processor.add(listener, []);
    processor.markSynced();
    processor.continuity(event('gap', 'shop'));
    await settled();
    for (const { lines } of [a, b]) expect(lines).toEqual(['synced', 'gap shop']);
    expect([processor.size, [...processor.listeners]]).toEqual([2, [a.listener, b.listener]]);
  });

  it('that closes removes all its listeners, and is idle when the last of their callbacks has ended', async () => {
    const { processor, listen } = start();
    const releases: (() => void)[] = [];
    const slow = () => new Promise<void>((resolve) => releases.push(resolve));
    const all = [listen({}, slow), listen({}, slow)];
    for (const { listener } of all) processor.add(listener, []);
    processor.distribute([added('x'), added('y')], 0);
    await settled();
    processor.close();
    expect([processor.size, ...all.map(({ listener }) => processor.has(listener))]).toEqual([0, false, false]);
    let isIdle = false;
    void processor.idle().then(() => (isIdle = true));
    releases[1]?.();
    await settled();
    expect(isIdle).toBe(false);
    releases[0]?.();
    await settled();
    expect([isIdle, ...all.map(({ lines }) => lines)]).toEqual([true, ['added x 1'], ['added x 1']]);
  });

  it('removes a listener once, and is idle when its running callback has ended', async () => {
    const { processor, listen } = start();
    let release = () => {};
    const slow = listen({}, () => new Promise<void>((resolve) => (release = resolve)));
    processor.add(slow.listener, []);
    processor.distribute([added('x'), added('y')], 0);
    await settled();
    expect([processor.remove(slow.listener), processor.remove(slow.listener), processor.size]).toEqual([
      true,
      false,
      0,
    ]);
    let isIdle = false;
    void processor.idle().then(() => (isIdle = true));
    await settled();
    expect(isIdle).toBe(false);
    release();
    await settled();
    expect([isIdle, slow.lines]).toEqual([true, ['added x 1']]);
  });
});

it('a listener that is not due gets additions and deletions all the same, and no update to the same version', async () => {
  const { processor, listen } = start();
  const { listener, lines } = listen({ resyncMs: 60_000 });
  processor.add(listener, []);
  expect(processor.shouldResync(0)).toBe(false);
  const deleted: InformerNotification<Pod> = {
    kind: 'deleted',
    key: 'x',
    object: pod('x', 1),
    cause: 'relist',
    finalStateUnknown: true,
  };
  processor.distribute([added('x'), updated('x', 1, 1), updated('x', 1, 2), deleted], 0);
  await settled();
  expect(lines).toEqual(['added x 1', 'updated x 3', 'deleted x 4']);
});
