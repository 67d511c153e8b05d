import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { loadPainter } from '../../src/output/painter.ts';
import { TablePrinter } from '../../src/output/table-printer.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

const TYPE = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod' };
const EVENT = {
  type: 'ADDED',
  object: { metadata: { name: 'web', creationTimestamp: '2026-01-01T00:00:00Z' } },
  key: 'web',
  gvr: 'v1/pods',
  cause: 'initial',
  changed: [],
  seq: 1,
  time: '2026-01-01T00:00:00.000Z',
} as const;

it('colours a table without changing a character of it', async () => {
  const print = async (level: 0 | 1) => {
    const printer = new TablePrinter({ clock: new FakeClock(), painter: await loadPainter(level) });
    return printer.events([{ event: EVENT, type: TYPE }]);
  };
  const colored = await print(1);
  expect(colored).toContain('\u001b[32mADDED');
  expect(colored).toContain('\u001b[1mEVENT');
  expect(stripVTControlCharacters(colored)).toBe(await print(0));
});
