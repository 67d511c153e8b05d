import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { buildClientGo } from '../../bench/programs.ts';
import { measureQueue } from '../../bench/queue-rows.ts';
import { queueSection, withQueueSection } from '../../bench/queue-section.ts';

const results = (cell: string) => ({
  date: '2026-01-02T03:04:05.000Z',
  load: 1.25,
  table: { title: '10 keys', head: ['row', 'keys'], rows: [['ours', cell]] },
});

it('a page gets the section once, before the one about the method, and then new figures in its place', () => {
  const page = '# Performance\n\n## On the wire of an API server\n\nwire\n\n## How it was measured\n\ntext\n';
  const once = withQueueSection(page, results('1'));
  expect(once).toBe(page.replace('## How', `${queueSection(results('1')).join('\n\n')}\n\n## How`));
  expect(withQueueSection(once, results('2'))).toBe(once.replace('| ours | 1 |', '| ours | 2 |'));
});

it('every row handles all its keys, client-go too where Go and its modules are', async () => {
  const built = buildClientGo('./queue');
  const peer = 'path' in built ? built.path : undefined;
  if (peer) expect(existsSync(peer)).toBe(true);
  const { rows, head } = await measureQueue({ keys: 400, rounds: 1, peer });
  expect(head).toHaveLength(6);
  const ours = rows.filter(([name]) => !name?.startsWith('client-go'));
  expect(ours.map(([, keys]) => keys)).toEqual(['400', '400', '400', '400', '400', '400', '40', '2']);
  expect(rows).toHaveLength(ours.length + (peer ? 5 : 0));
  for (const cells of rows) for (const cell of cells.slice(1)) expect(cell).toMatch(/^[\d.,]+$/);
}, 120_000);
