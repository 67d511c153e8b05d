import { expect, it } from 'vitest';
import { queueTable, rowsOf } from '../../../src/cli/running/queue-table.ts';
import { TerminalError } from '../../../src/controller/reconciler.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { added, start } from '../../support/controller.ts';

it('says no time for a key that waits for its own write, which its caches decide', async () => {
  const { controller, clock, abort, run } = await start({ logger: silentLogger, async reconcile() {} });
  const delayed = (why: 'own write' | 'back-off') => ({ key: why, priority: 0, dueInMs: 4_000, failures: 0, why });
  const page = { ...controller.snapshot(), delayed: [delayed('own write'), delayed('back-off')], isCut: false };
  expect(rowsOf(page as never, clock.now()).map(({ reason, dueInMs }) => [reason, dueInMs])).toEqual([
    ['waits for its own write', undefined],
    ['back-off', 4_000],
  ]);
  abort.abort();
  await run;
});

it('has the keys in the order in which they run, parked ones last, with long reasons cut unless it is wide', async () => {
  const { controller, events, clock, abort, run } = await start({
    logger: silentLogger,
    async reconcile({ key }, { signal }) {
      if (key === 'shop/bad') throw new TerminalError(new Error(`never:\n${'x'.repeat(200)}`));
      if (key === 'shop/flaky') throw new Error('once more');
      await clock.sleep(60_000, { signal }).catch(() => {}); // to the end of the test
    },
  });
  for (const name of ['bad', 'flaky', 'slow']) events.emit(added(name));
  events.emit(added('waits', 'initial'));
  await clock.advance(2);
  const rows = rowsOf({ ...controller.snapshot(), isCut: false }, clock.now());
  const table = queueTable(rows, { wide: false });
  expect(table.split('\n').slice(0, 4)).toEqual([
    'KEY          STATE        PRIORITY   WAITED   DUE      FAILURES   REASON',
    'shop/slow    processing   0          2ms      -        0          -',
    'shop/waits   queued       -100       2ms      -        0          -',
    'shop/flaky   delayed      0          -        in 3ms   1          back-off',
  ]);
  expect(table).toMatch(/\nshop\/bad {5}parked {7}- {10}2ms {6}- {8}1 {10}terminal error: never: x{70,}…\n$/);
  const wide = queueTable(rows, { wide: true });
  expect(wide).toContain('x'.repeat(200));
  expect(wide).toMatch(/^KEY .* CONTROLLER +REASON\n/);
  abort.abort();
  await clock.advance(60_000);
  await run;
});
