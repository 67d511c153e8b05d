import { expect, it } from 'vitest';
import { TerminalError } from '../../src/controller/reconciler.ts';
import { changeKeys } from '../../src/ops/key-changes.ts';
import { added, start } from '../support/controller.ts';

/** A controller with one key in each state: bad is parked, flaky delayed, slow runs, waits is in line. */
async function inEachState() {
  const blocked = Promise.withResolvers<undefined>();
  const runs: string[] = [];
  const started = await start({
    async reconcile({ key }) {
      runs.push(key);
      if (key === 'shop/bad') throw new TerminalError(new Error('never'));
      if (key === 'shop/flaky') throw new Error('once more');
      return key === 'shop/slow' ? blocked.promise : undefined;
    },
  });
  for (const name of ['bad', 'flaky', 'slow', 'waits']) started.events.emit(added(name));
  await started.clock.advance(0);
  const objects = new Map([['shop/quiet', {}]]);
  const { controller } = started;
  const change = (kind: 'retry' | 'drop', ...keys: string[]) =>
    changeKeys(JSON.stringify({ keys }), { controllers: [controller], objects: [objects] }, kind);
  return { ...started, runs, change, blocked };
}

it('retry releases a parked key, and runs a delayed, a quiet and an active one again; one in line stays there', async () => {
  const { change, controller, clock, runs, blocked, abort, run } = await inEachState();
  const results = change('retry', 'shop/bad', 'shop/flaky', 'shop/waits', 'shop/slow', 'shop/quiet');
  expect(results.map(({ key, ok, text }) => `${key} ${ok} ${text}`)).toEqual([
    'shop/bad true released: its failures are forgotten, and it is in line',
    'shop/flaky true is in line now, before it was due',
    'shop/waits true is in line already',
    'shop/slow true is being run, and runs once more after that',
    'shop/quiet true queued',
  ]);
  expect(controller.parked).toEqual([]);
  runs.length = 0;
  blocked.resolve(undefined);
  await clock.advance(0);
  expect(runs.toSorted()).toEqual(['shop/bad', 'shop/flaky', 'shop/quiet', 'shop/slow', 'shop/waits']);
  abort.abort();
  await run;
});

it('drop takes parked, delayed and waiting keys out; a run goes on; a key that does not wait is an error', async () => {
  const { change, controller, clock, runs, blocked, abort, run } = await inEachState();
  const results = change('drop', 'shop/bad', 'shop/flaky', 'shop/waits', 'shop/slow', 'shop/quiet');
  expect(results.map(({ key, ok, text }) => `${key} ${ok} ${text}`)).toEqual([
    'shop/bad true dropped: nothing runs for it until its next event',
    'shop/flaky true dropped: nothing runs for it until its next event',
    'shop/waits true dropped: nothing runs for it until its next event',
    'shop/slow false is being run, which goes on; nothing waits after it',
    'shop/quiet false was not waiting',
  ]);
  runs.length = 0;
  blocked.resolve(undefined);
  await clock.advance(2_000_000);
  expect([runs, controller.snapshot().counts]).toMatchObject([[], { queued: 0, processing: 0, delayed: 0, parked: 0 }]);
  abort.abort();
  await run;
});

it('an unknown key is an error that names the controller and near keys, also of cached objects', async () => {
  const { change, blocked, abort, run } = await inEachState();
  expect(change('retry', 'shop/wiats')).toEqual([
    { key: 'shop/wiats', controller: 'pods', ok: false, text: 'there is no such key', nearest: ['shop/waits'] },
  ]);
  expect(change('drop', 'quiet')).toMatchObject([{ ok: false, nearest: ['shop/quiet'] }]);
  blocked.resolve(undefined);
  abort.abort();
  await run;
});

it('only a list of keys is accepted', async () => {
  const program = { controllers: [], objects: [] };
  for (const body of ['', 'null', '{}', '{"keys":"a"}', '{"keys":[1]}', '{"keys":[""]}', '[]'])
    expect(() => changeKeys(body, program, 'drop')).toThrow('the body must be {"keys": […]}');
});
