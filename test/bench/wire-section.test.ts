import { expect, it } from 'vitest';
import { wireSection, withWireSection } from '../../bench/wire-section.ts';

const results = (cell: string) => ({
  date: '2026-01-02T03:04:05.000Z',
  load: 0.25,
  table: { title: 'An initial list', head: ['program', 'CPU s'], rows: [['ours', cell]] },
});
const section = (cell: string) => `${wireSection(results(cell)).join('\n\n')}\n\n`;

it('a page without the section gets it before the one about the method', () => {
  const page = '# Performance\n\n## Targets\n\ntable\n\n## How it was measured\n\ntext\n';
  expect(withWireSection(page, results('1.00'))).toBe(
    `# Performance\n\n## Targets\n\ntable\n\n${section('1.00')}## How it was measured\n\ntext\n`,
  );
});

it('a page with the section gets the new figures in its place, and keeps all else', () => {
  const page = (cell: string) => `# Performance\n\n${section(cell)}## How it was measured\n\ntext\n`;
  expect(withWireSection(page('1.00'), results('2.00'))).toBe(page('2.00'));
  expect(page('2.00')).toContain('| ours | 2.00 |');
  expect(page('2.00')).toContain('Measured 2026-01-02; load before the first run 0.3.');
});
