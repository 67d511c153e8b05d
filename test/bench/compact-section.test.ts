import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { measureCompact } from '../../bench/compact-rows.ts';
import { compactSection, withCompactSection } from '../../bench/compact-section.ts';
import { formulaTable, readTable, stormTable, syncTable } from '../../bench/compact-tables.ts';
import { compactTargets } from '../../bench/compact-targets.ts';
import { generate, type Kind } from '../../bench/generator.ts';
import { expectedRss, MEMORY_FORMULA } from '../../bench/memory-formula.ts';
import { findPrograms } from '../../bench/programs.ts';

const results = (cell: string) => ({
  date: '2026-01-02T03:04:05.000Z',
  load: 1.25,
  tables: [{ title: 'Reads', head: ['cache', 'ms'], rows: [['compact', cell]] }],
});

it('a page gets the section once, before the one about the method, and then new figures in its place', () => {
  const page = '# Performance\n\n## On the wire of an API server\n\nwire\n\n## How it was measured\n\ntext\n';
  const once = withCompactSection(page, results('1'));
  expect(once).toBe(page.replace('## How', `${compactSection(results('1')).join('\n\n')}\n\n## How`));
  expect(withCompactSection(once, results('2'))).toBe(once.replace('| compact | 1 |', '| compact | 2 |'));
});

it('every cache has all objects, and every target and table has its figures', async () => {
  const measured = await measureCompact(findPrograms({ peers: false }), {
    objects: 300,
    rounds: 1,
    sizes: [100, 200],
    storm: { objects: 200, perSecond: 400, seconds: 0.4, of: [50] },
    further: { secrets: 50 },
    clientGo: [300],
    pauseMs: 5,
  });
  expect(measured.compared.compact).toMatchObject({ objects: 300, memory: { packed: 300 } });
  expect(measured.compared.plain.memory.packed).toBe(0);
  expect(measured.grown.map(({ objects }) => objects)).toEqual([100, 200]);
  const [storm] = measured.storms;
  expect((storm?.warm.changes ?? 0) + (storm?.end.changes ?? 0)).toBe(160);
  expect(measured.clientGo).toEqual([{ objects: 300, missing: 'left out as asked' }]);
  const targets = compactTargets(measured);
  expect(targets.rows.map(([, target]) => target)).toEqual([
    '≤ 0.35 ×',
    '≤ 0.06 ×',
    '≤ 1.50 GB',
    '≤ 1.50 GB',
    '≤ 1.35 ×',
    '≤ 1.15 ×',
    '≤ 1.15 ×',
    '≤ 1.15 ×',
    '≤ 1.00 ms',
    '≤ 1.00 ms',
    '≤ 2.00 ×',
    '≤ 4.00 ×',
    '≤ 1.35 ×',
    '≤ 10.00 ×',
    '≤ 20 ms',
    '≤ 50 ms',
    '≤ 1.10 ×',
  ]);
  for (const [work, , value] of targets.rows) {
    expect(value, work).toMatch(work?.includes('client-go') ? /^not measured$/ : /^\d+\.?\d* (×|GB|ms)$/);
  }
  expect(syncTable(measured).rows).toHaveLength(7);
  expect(readTable(measured).rows).toHaveLength(5);
  expect(stormTable(measured).rows).toHaveLength(1);
  expect(formulaTable(measured).rows.map(([pods]) => pods)).toEqual(['100', '200']);
}, 120_000);

it.each([
  ['mixed', 10_500],
  ['widgets', 50_000],
  ['secrets', 7000],
] as const)('%s are as large as they should be, and no two have the same random parts', (kind: Kind, bytes) => {
  const texts = generate(80, { kind }).map((object) => JSON.stringify(object));
  const average = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  expect(average / bytes).toBeGreaterThan(0.8);
  expect(average / bytes).toBeLessThan(1.5);
  // digests of images and of settings are those of the app
  const random = texts.flatMap((text) => text.match(/(?<!sha256:|config":")[A-Za-z0-9+/]{64,}/g) ?? []);
  expect(random.length).toBeGreaterThanOrEqual(80);
  expect(new Set(random).size).toBe(random.length);
  expect(texts.some((text) => text.includes('~'))).toBe(false);
});

it('docs/memory.md has the figures of the formula', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/memory.md'), 'utf8');
  const { fixed, object, sharedEntry, ownEntry, blocks } = MEMORY_FORMULA;
  for (const figure of [`${fixed / 1e6} MB`, `${object} B`, `${sharedEntry} B`, `${ownEntry} B`, `${blocks} ×`])
    expect(page).toContain(figure);
  const one = expectedRss({ objects: 1, storedBytes: 400, sharedIndexes: 1, ownIndexes: 1 });
  expect(one - fixed).toBeCloseTo(object + 400 * blocks + sharedEntry + ownEntry);
});
