import { expect, it } from 'vitest';
import { findPrograms } from '../../bench/programs.ts';
import { partsOfWhole } from '../../bench/shard-parts.ts';
import { shardSection, shardTable, withShardSection } from '../../bench/shard-section.ts';

const results = (cell: string) => ({
  date: '2026-01-02T03:04:05.000Z',
  load: 1.25,
  table: { title: '10 pods in 4 parts', head: ['row', 'whole'], rows: [['bytes', cell]] },
});

it('a page gets the section once, before the one about the method, and then new figures in its place', () => {
  const page = '# Performance\n\n## On the wire of an API server\n\nwire\n\n## How it was measured\n\ntext\n';
  const once = withShardSection(page, results('1'));
  expect(once).toBe(page.replace('## How', `${shardSection(results('1')).join('\n\n')}\n\n## How`));
  expect(withShardSection(once, results('2'))).toBe(once.replace('| bytes | 1 |', '| bytes | 2 |'));
});

it('the parts of a server that does not divide get all bytes between them each, and every row has a ratio', async () => {
  const size = { pods: 60, of: 2, changes: 10 };
  const measured = await partsOfWhole(findPrograms({ peers: false }), { ...size, isSharding: false, arrivingMs: 300 });
  const { whole, part } = measured;
  expect(whole.objects).toBe(60);
  expect(part.bytes / whole.bytes).toBeGreaterThan(0.95);
  const options = { keys: 10, replicas: 4, shards: 12, workers: 8, hookMs: 20 };
  const work = { alone: 100, together: 300, takenFirst: 15.2, takenAll: 16.1, taken: 3 };
  const { head, rows } = shardTable(size, [measured], { work, options });
  expect(head).toEqual(['row', 'whole', 'a part', 'ratio']);
  expect(rows).toHaveLength(10);
  for (const cells of rows) expect(cells).toHaveLength(4);
  expect(rows.slice(0, 8).every((cells) => /^-?[\d.]+$/.test(cells[3] ?? ''))).toBe(true);
  expect(rows[7]).toEqual(['reconcile: keys a second, one replica and 4', '100', '300', '3.00']);
}, 60_000);
