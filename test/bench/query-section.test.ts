import { expect, it } from 'vitest';
import { findPrograms } from '../../bench/programs.ts';
import { measureQueries } from '../../bench/query-rows.ts';
import { querySection, withQuerySection } from '../../bench/query-section.ts';

const results = (cell: string) => ({
  date: '2026-01-02T03:04:05.000Z',
  load: 1.25,
  table: { title: 'One of 10 pods', head: ['row', 'ms'], rows: [['library', cell]] },
});

it('a page gets the section once, before the one about the method, and then new figures in its place', () => {
  const page = '# Performance\n\n## On the wire of an API server\n\nwire\n\n## How it was measured\n\ntext\n';
  const once = withQuerySection(page, results('1'));
  expect(once).toBe(page.replace('## How', `${querySection(results('1')).join('\n\n')}\n\n## How`));
  expect(withQuerySection(once, results('2'))).toBe(once.replace('| library | 1 |', '| library | 2 |'));
});

it('every row finds its pod: in the library, over the socket, and as a process', async () => {
  const { rows, head } = await measureQueries({ pods: 60, rounds: 1, programs: findPrograms({ peers: false }) });
  expect(head).toEqual(['row', 'ms', 'a second', 'of the start']);
  expect(rows.map(([name]) => name)).toEqual([
    'library: byIndex',
    'library: a scan of all',
    'library: memory of one entry of an index, bytes',
    'socket: a stream of lookups, one connection',
    "the program's start: version",
    'query --eq through serve',
    'query --filter (a scan) through serve',
    'query --eq with caches of its own',
  ]);
  for (const cells of rows) for (const cell of cells.slice(1)) expect(cell).toMatch(/^-?[\d.,]+$|^–$/);
}, 120_000);
