import { expect, it } from 'vitest';
import limits from '../../../bench/real/limits.json' with { type: 'json' };
import { type RealResults, realTargets, runTable, withRealSection } from '../../../bench/real/real-section.ts';
import type { RunResult } from '../../../bench/results.ts';

const run = (id: string, cpuMs: number, wallMs = 1000, peakRssMb = 100): RunResult => {
  return { id, group: 'ours', name: `row ${id}`, objects: 10, rounds: 3, cpuMs, wallMs, peakRssMb, firstByteMs: 1 };
};
const results = (...runs: RunResult[]): RealResults => ({
  date: '2026-01-02T03:04:05.000Z',
  machine: '2 × some processor',
  load: 0.25,
  server: 'v1.36.2',
  pods: 50_000,
  commit: 'abcdef0123456789',
  runs,
  omitted: [],
});

it('each program has its ratio to client-go typed over protobuf', () => {
  const { title, head, rows } = runTable(results(run('once', 1500, 1000, 50), run('go-typed', 6000, 2000, 500)));
  expect(title).toBe('The initial list of 50,000 pods');
  expect(head.slice(2)).toEqual(['CPU s', 'wall s', 'peak RSS MB', 'CPU × client-go', 'RSS × client-go', 'runs']);
  expect(rows.map((row) => row.slice(2))).toEqual([
    ['1.50', '1.00', '50.0', '0.25', '0.10', '3'],
    ['6.00', '2.00', '500', '1.00', '1.00', '3'],
  ]);
});

it('a target is met at its limit, missed above it, and not judged without its figures', () => {
  const judged = (...runs: RunResult[]) =>
    realTargets(results(...runs), { 'real-once-cpu': 'because' })
      .rows.filter(([work]) => work?.startsWith('row once, ') || work?.startsWith('once, '))
      .map(([, ...cells]) => cells);
  expect(judged(run('once', 2100, 1, 131), run('go-typed', 6000))).toEqual([
    ['≤ 0.35 × row go-typed', '0.35 ×', 'yes', 'because'],
    ['≤ 130 MB', '131 MB', '**no**', ''],
  ]);
  expect(judged(run('once', 2160, 1, 130), run('go-typed', 6000))[0]).toEqual([
    '≤ 0.35 × row go-typed',
    '0.36 ×',
    '**no**',
    'because',
  ]);
  expect(judged(run('go-typed', 6000))[0]).toEqual(['≤ 0.35 × row go-typed', 'not measured', '', 'because']);
});

it('the page gets the section with its date, its server and its figures', () => {
  const page = withRealSection('# Performance\n\n## How it was measured\n\ntext\n', results(run('once', 1234)), {});
  expect(page).toMatch(/^# Performance\n\n## Beside client-go on a real API server\n/);
  expect(page).toContain(
    'Measured 2026-01-02 at abcdef01 on 2 × some processor; kube-apiserver v1.36.2; load before the first run 0.3.',
  );
  expect(page).toContain('| ours | row once | 1.23 | 1.00 |');
  expect(page).toContain('\n\n## How it was measured\n\ntext\n');
});

it('each target has a place for what limits it', () => {
  const found = realTargets(results(), Object.fromEntries(Object.keys(limits).map((id) => [id, id])));
  expect(found.rows.map((row) => row.at(-1))).toEqual(Object.keys(limits));
});
