import { expect, it } from 'vitest';
import { framedTable } from '../../../src/output/tables/framed-table.ts';

it('frames rows under a head, one line each, with nothing a terminal would obey', async () => {
  const text = await framedTable(['KEY', 'WHY'], [['shop/web', 'it said \u001b[2J\nand more']]);
  expect(text.split('\n')).toEqual([
    '┌──────────┬──────────────────┐',
    '│ KEY      │ WHY              │',
    '├──────────┼──────────────────┤',
    expect.stringMatching(/^│ shop\/web │ it said .*│$/),
    '└──────────┴──────────────────┘',
    '',
  ]);
  expect(text).not.toContain('\u001b');
});
