import { expect, it } from 'vitest';
import { queueTable, rowsOf } from '../../../src/cli/running/queue-table.ts';
import { TerminalError } from '../../../src/controller/reconciler.ts';
import { silentLogger } from '../../../src/kit/logger.ts';
import { added, start } from '../../support/controller.ts';

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
