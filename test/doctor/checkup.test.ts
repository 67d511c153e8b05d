import { expect, it } from 'vitest';
import { Checkup } from '../../src/doctor/checkup.ts';
import { type HealthFinding, ok, problem, skipped } from '../../src/doctor/finding.ts';
import { InformerError } from '../../src/kit/error.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

function checkup(signal = new AbortController().signal) {
  const clock = new FakeClock();
  const reported: HealthFinding[] = [];
  const run = new Checkup({ clock, signal, limitMs: 10_000, onFinding: (finding) => reported.push(finding) });
  return { clock, reported, run };
}

it('reports each finding at once, with the time that it took', async () => {
  const { clock, reported, run } = checkup();
  const waiting = run.check('a.slow', { of: 'pods' }, async (signal) => {
    await clock.sleep(1_200, { signal });
    return ok('fine');
  });
  await clock.advance(1_200);
  await waiting;
  expect(reported).toEqual([{ id: 'a.slow', of: 'pods', status: 'ok', found: 'fine', ms: 1_200 }]);
  expect(run.findings).toEqual(reported);
});

it('ends a check that takes too long, says so with what to do, and goes on', async () => {
  const { clock, run } = checkup();
  let given: AbortSignal | undefined;
  const waiting = run.check('a.stuck', { whenSlow: 'unplug it' }, (signal) => {
    given = signal;
    return new Promise(() => {});
  });
  await clock.advance(10_000);
  expect(await waiting).toMatchObject({
    status: 'problem',
    found: 'timed out: no answer within 10s',
    fix: 'unplug it',
  });
  expect(given?.aborted).toBe(true);
  expect(await run.check('a.next', {}, () => ok('fine'))).toMatchObject({ status: 'ok' });
  expect(clock.pending).toBe(0);
});

it('makes an error a problem with its hint as the fix', async () => {
  const { run } = checkup();
  const error = new InformerError('config', 'it is broken', { hint: 'repair it' });
  expect(await run.check('a.bad', {}, () => Promise.reject(error))).toMatchObject({
    status: 'problem',
    found: 'it is broken',
    fix: 'repair it',
  });
});

it('skips what needs a failed check, and names the first check that failed', async () => {
  const { run } = checkup();
  await run.check('a.first', {}, () => problem('broken'));
  await run.check('a.second', { needs: ['a.first'] }, () => expect.unreachable());
  const third = await run.check('a.third', { of: 'pods', needs: ['a.second'] }, () => expect.unreachable());
  expect(third).toEqual({ id: 'a.third', of: 'pods', status: 'skipped', found: 'a.first failed', ms: 0 });
});

it('skips for the type whose check failed only, and not after a warning', async () => {
  const { run } = checkup();
  await run.check('a.list', { of: 'pods' }, () => skipped('it is not there'));
  await run.check('a.list', { of: 'nodes' }, () => ({ status: 'warning', found: 'well' }));
  const later = (of: string) => run.check('a.watch', { of, needs: ['a.list'] }, () => ok('fine'));
  expect([(await later('pods')).status, (await later('nodes')).status]).toEqual(['skipped', 'ok']);
});

it('ends with the reason of its signal, in a check and before one', async () => {
  const leave = new AbortController();
  const { run } = checkup(leave.signal);
  const waiting = run.check('a.stuck', {}, () => new Promise(() => {}));
  leave.abort(new Error('Ctrl-C'));
  await expect(waiting).rejects.toThrow('Ctrl-C');
  await expect(run.check('a.next', {}, () => expect.unreachable())).rejects.toThrow('Ctrl-C');
  expect(run.findings).toEqual([]);
});
