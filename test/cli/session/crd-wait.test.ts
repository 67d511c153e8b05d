import { expect, it } from 'vitest';
import { resolveWhenThere } from '../../../src/cli/session/crd-wait.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { StreamEnd } from '../../../src/cli/terminal/stream-ending.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { StatusError } from '../../../src/model/status.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const unknown = (what = 'plums') => new InformerError('discovery', `the server doesn't have a resource type "${what}"`);

/** A session that knows the types after that many tries; each failure is thrown in turn. */
function session(failures: readonly Error[]) {
  const clock = new FakeClock();
  const ending = new AbortController();
  const notices: string[] = [];
  const left = [...failures];
  let invalidated = 0;
  const faked = {
    clock,
    signal: ending.signal,
    notice: (text: string) => notices.push(text),
    client: { discovery: { invalidate: async () => void invalidated++ } },
    resolve: async () => {
      const failure = left.shift();
      if (failure) throw failure;
      return [];
    },
  };
  return { session: faked as unknown as Session, clock, ending, notices, invalidated: () => invalidated };
}

it('asks the server again until the type is there, less and less often, and says once what it waits for', async () => {
  const { session: faked, clock, notices, invalidated } = session([unknown(), unknown(), unknown()]);
  let found = false;
  const resolving = resolveWhenThere(['plums'], faked).then(() => (found = true));
  const asked: number[] = [];
  for (const ms of [499, 1, 749, 1, 1124]) {
    await clock.advance(ms);
    asked.push(invalidated());
  }
  expect([found, asked]).toEqual([false, [0, 1, 1, 2, 2]]);
  await clock.advance(1);
  await resolving;
  expect(invalidated()).toBe(3);
  expect(notices).toEqual(['the server doesn\'t have a resource type "plums"; waiting for it (--wait-for-crd)']);
});

it('says what it waits for next when that changes', async () => {
  const { session: faked, clock, notices } = session([unknown(), unknown('pears')]);
  const resolving = resolveWhenThere(['plums,pears'], faked);
  await clock.advance(5000);
  await resolving;
  expect(notices).toEqual(
    ['plums', 'pears'].map(
      (what) => `the server doesn't have a resource type "${what}"; waiting for it (--wait-for-crd)`,
    ),
  );
});

it.each([
  ['a word that cannot be', new InformerError('argument', 'no such grammar')],
  [
    'a server that refuses',
    new InformerError('discovery', 'no', { cause: new StatusError({ code: 403, reason: 'Forbidden', message: 'no' }) }),
  ],
])('does not wait for %s', async (_, failure) => {
  const { session: faked } = session([failure]);
  await expect(resolveWhenThere(['plums'], faked)).rejects.toBe(failure);
});

it('ends with what did not come when time runs out, and with the signal otherwise', async () => {
  for (const [reason, expected] of [
    [new StreamEnd('timeout'), { code: 'sync', message: expect.stringContaining('"plums"') }],
    [new Error('SIGINT'), { message: 'SIGINT' }],
  ] as const) {
    const { session: faked, ending } = session([unknown(), unknown()]);
    const resolving = resolveWhenThere(['plums'], faked);
    await Promise.resolve();
    ending.abort(reason);
    await expect(resolving).rejects.toMatchObject(expected);
  }
});
