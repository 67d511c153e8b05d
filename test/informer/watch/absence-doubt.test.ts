import { expect, it } from 'vitest';
import { doubtAbsence } from '../../../src/informer/watch/absence-doubt.ts';
import { isReplacedHistory } from '../../../src/informer/watch/history-check.ts';
import { movedCollection } from '../../../src/informer/watch/moved-collection.ts';
import type { ResourceVersion } from '../../../src/model/resource-version.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const OBJECT = { metadata: { name: 'newest', namespace: 'shop', resourceVersion: '10' } };

interface Scene {
  /** The version at which the server does not have the object, for each question. Default: 12. */
  readonly absentAt?: () => ResourceVersion | undefined;
  readonly isUntouched?: () => boolean;
  readonly isQuiet?: () => boolean;
  readonly reached?: () => ResourceVersion;
  readonly withGuard?: boolean;
}

/** A doubt about an object, and the seconds after which something was asked or the stream failed. */
function doubt(scene: Scene = {}) {
  const clock = new FakeClock();
  clock.tick(40_000);
  const calls: string[] = [];
  const note = (what: string) => calls.push(`${what} ${clock.monotonic() / 1000 - 40}`);
  const failures: unknown[] = [];
  const stream = {
    clock,
    history: {
      absentAt: async () => {
        note('absentAt');
        return (scene.absentAt ?? (() => '12'))();
      },
      isUntouched: () => (scene.isUntouched ?? (() => true))(),
    },
    connection: {
      fail: (error: unknown) => {
        note('fail');
        failures.push(error);
      },
    },
    guard:
      scene.withGuard === false
        ? undefined
        : {
            isQuiet: async () => {
              note('isQuiet');
              return (scene.isQuiet ?? (() => false))();
            },
          },
    reached: scene.reached ?? (() => '11'),
  };
  const ending = new AbortController();
  const doubting = doubtAbsence(OBJECT, stream as never, ending.signal);
  return { clock, calls, failures, ending, doubting };
}

it('a stream that has passed the version at which the server did not have the object is of another history', async () => {
  for (const reached of ['12', '13']) {
    const { clock, calls, failures } = doubt({ reached: () => reached });
    await clock.advance(60_000);
    expect(calls).toEqual(['absentAt 0', 'fail 5']);
    expect(isReplacedHistory(failures[0])).toBe(true);
    expect(String(failures[0])).toContain('"shop/newest" is not on the server');
  }
});

it('the doubt ends without a word when the object changes, or is there', async () => {
  const touched = doubt({ isUntouched: () => false, reached: () => '13' });
  const there = doubt({ absentAt: () => undefined, reached: () => '13' });
  for (const { clock, calls } of [touched, there]) {
    await clock.advance(60_000);
    expect(calls).toEqual(['absentAt 0']);
    expect(clock.pending).toBe(0);
  }
});

it('a second watch without a change proves it from 30 s on, when a server that lags has caught up', async () => {
  const { clock, calls } = doubt({ isQuiet: () => true });
  await clock.advance(60_000);
  expect(calls).toEqual([...[0, 5, 10, 15, 20, 25].map((at) => `absentAt ${at}`), 'isQuiet 30', 'fail 30']);
});

it.each([true, false])(
  'a stream that nothing proves to be of another history is doubted ten times (with a second watch: %j)',
  async (withGuard) => {
    const { clock, calls } = doubt({ withGuard });
    await clock.advance(120_000);
    expect(calls.filter((each) => each.startsWith('absentAt'))).toHaveLength(10);
    expect(calls.some((each) => each.startsWith('fail'))).toBe(false);
    expect(clock.pending).toBe(0);
  },
);

it('an object that changes while the second watch is asked is doubted no more', async () => {
  let isUntouched = true;
  const isQuiet = () => {
    isUntouched = false;
    return true;
  };
  const { clock, calls } = doubt({ isQuiet, isUntouched: () => isUntouched });
  await clock.advance(120_000);
  expect(calls.slice(-2)).toEqual(['isQuiet 30', 'absentAt 30']);
  expect(clock.pending).toBe(0);
});

it('versions that cannot be compared prove nothing by themselves', async () => {
  const { clock, calls } = doubt({ reached: () => 'opaque' });
  await clock.advance(29_999);
  expect(calls.some((each) => each.startsWith('fail'))).toBe(false);
});

it.each([
  ['a moved collection fails the stream', movedCollection('it moved'), 1],
  ['any other error proves nothing', new Error('no route'), 0],
])('%s', async (_, error, count) => {
  const { clock, failures } = doubt({
    absentAt: () => {
      throw error;
    },
  });
  await clock.advance(60_000);
  expect(failures).toEqual(Array(count).fill(error));
  expect(clock.pending).toBe(0);
});

it.each<[string, (scene: ReturnType<typeof doubt>) => void]>([
  ['its disposal', ({ doubting }) => doubting[Symbol.dispose]()],
  ['its signal', ({ ending }) => ending.abort()],
])('a doubt ends with %s', async (_, end) => {
  const scene = doubt({ reached: () => '13' });
  await scene.clock.advance(1000);
  end(scene);
  await scene.clock.advance(60_000);
  expect([scene.calls, scene.clock.pending]).toEqual([['absentAt 0'], 0]);
});
