import { describe, expect, it } from 'vitest';
import { Listener } from '../../../src/informer/handlers/listener.ts';
import type { NotificationSink } from '../../../src/informer/handlers/notification.ts';
import { Processor } from '../../../src/informer/handlers/processor.ts';
import { checkHandler, checkHandlerOptions, HandlerRegistration } from '../../../src/informer/handlers/registration.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from '../../support/objects.ts';

it.each(['added', 'updated', 'deleted', 'synced', 'continuity'])(
  'a handler with the function %s alone is one',
  (name) => {
    expect(checkHandler({ [name]: () => {} })).toBeUndefined();
  },
);

it('a handler without any property does nothing, and one with a further property is fine', () => {
  expect(checkHandler({})).toBeUndefined();
  expect(checkHandler({ added() {}, name: 'mine' } as never)).toBeUndefined();
});

it.each([[null], [undefined], ['added'], [() => {}], [{ add() {} }], [{ added: true }]])(
  '%o is no handler',
  (handler) => {
    expect(() => checkHandler(handler as never)).toThrow(
      'a handler is an object with at least one of the functions added,',
    );
  },
);

it('an option that no handler has is refused', () => {
  expect(checkHandlerOptions({ resyncMs: 0, policy: 'block', blockAt: 1, filter: () => true })).toBeUndefined();
  expect(() => checkHandlerOptions({ polcy: 'block' } as never)).toThrow('"polcy"');
  expect(() => checkHandlerOptions({ policy: 'wait' } as never)).toThrow('policy');
});

describe('a registration', () => {
  const added = (key: string) =>
    ({ kind: 'added', key, object: pod(key, 1), cause: 'watch', isInInitialList: false }) as const;

  function registered(notify: NotificationSink<Pod>['notify'], policy: 'buffer' | 'coalesce' = 'buffer') {
    const clock = new FakeClock();
    const processor = new Processor<Pod>(clock);
    const options = { policy, blockAt: 1, resyncMs: 7, pipelines: 1, clock, logger: silentLogger, warnAt: 1e9 };
    const listener = new Listener<Pod>({ notify, synced() {} }, { ...options, onError() {} });
    processor.add(listener, []);
    return { processor, registration: new HandlerRegistration<Pod>(listener, processor) };
  }

  it('counts what waits, what failed and what was merged away, and knows when the handler has synced', async () => {
    const gate = Promise.withResolvers<void>();
    const { processor, registration } = registered(() => gate.promise.then(() => Promise.reject(new Error('no'))), 'coalesce'); // biome-ignore format: one call
    processor.distribute([added('a')], 0);
    await settled();
    processor.distribute([added('b'), { ...added('b'), kind: 'deleted', finalStateUnknown: false }, added('c')], 0);
    processor.markSynced();
    expect([registration.depth, registration.nextSequence, registration.resyncMs]).toEqual([2, 4, 7]);
    expect([registration.hasSynced, registration.errors, registration.lost]).toEqual([false, 0, 2]);
    const synced = registration.whenSynced();
    gate.resolve();
    await synced;
    expect([registration.hasSynced, registration.errors, registration.depth, registration.nextSequence]).toEqual([true, 2, 0, undefined]); // biome-ignore format: one list
    expect(registration.owner).toBe(processor);
  });

  it('waits for its handler until the reason of a signal', async () => {
    const { registration } = registered(() => {});
    await expect(registration.whenSynced(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });

  it.each([
    ['remove', (registration: HandlerRegistration<Pod>) => registration.remove()],
    ['asyncDispose', (registration: HandlerRegistration<Pod>) => registration[Symbol.asyncDispose]()],
  ])('ends delivery at once by %s, which resolves when the running callback has ended', async (_, end) => {
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    const { processor, registration } = registered(({ key }) => {
      seen.push(key);
      return gate.promise;
    });
    processor.distribute([added('a'), added('b')], 0);
    await settled();
    const ended = end(registration).then(() => seen.push('ended'));
    await settled();
    expect([seen, registration.depth, processor.size]).toEqual([['a'], 0, 0]);
    gate.resolve();
    await ended;
    expect(seen).toEqual(['a', 'ended']);
  });

  it('ends by dispose too, and resolves at once for a callback that removes its own handler', async () => {
    const { processor, registration } = registered(() => {});
    registration[Symbol.dispose]();
    expect(processor.size).toBe(0);
    const seen: string[] = [];
    const own = registered(() => own.registration.remove().then(() => void seen.push('removed')));
    own.processor.distribute([added('a')], 0);
    await settled();
    expect([seen, own.processor.size]).toEqual([['removed'], 0]);
  });

  it('that was removed before its handler synced rejects who waits', async () => {
    const { processor, registration } = registered(() => {});
    const synced = registration.whenSynced();
    await registration.remove();
    processor.markSynced();
    await expect(synced).rejects.toThrow('before it had synced');
  });
});
