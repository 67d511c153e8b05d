import { describe, expect, it } from 'vitest';
import { loadPainter, plainPainter } from '../../../src/output/painter.ts';
import { displayWidth } from '../../../src/output/tables/display-width.ts';
import { timelineText } from '../../../src/output/timeline/timeline-text.ts';
import type { Timeline } from '../../../src/timeline/timeline.ts';
import { nightOf } from '../../support/night.ts';

const checkout = nightOf('deployments', { name: 'checkout' }) as Timeline;
const web = nightOf('deployments', { name: 'web' }) as Timeline;
const plain = { painter: plainPainter, columns: 80, ascii: false };

describe('a timeline on a terminal', () => {
  it.each([40, 80, 200])('fits %i columns, and looks so', async (columns) => {
    const text = timelineText(checkout, { ...plain, columns });
    await expect(text).toMatchFileSnapshot(`pictures/checkout-${columns}.txt`);
    const widest = Math.max(...text.split('\n').map(displayWidth));
    expect(widest).toBeLessThanOrEqual(columns);
    expect(widest).toBeGreaterThan(columns - 8);
  });

  it('has characters of ASCII alone where the terminal has no others', async () => {
    const text = timelineText(web, { ...plain, ascii: true });
    await expect(text).toMatchFileSnapshot('pictures/web-ascii.txt');
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it('has one line as its legend, of the signs that are in it', () => {
    expect(timelineText(web, plain)).toContain('\n\n+ added  ◆ changed  ━ ready  ░ not seen\n\n');
  });

  it('hatches what was not seen, also in the numbers, and draws nothing there', () => {
    const [, , ...rows] = timelineText(web, plain).split('\n\n')[0]?.split('\n') ?? [];
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) expect(row).toMatch(/[^░]░{5,7}([^░]|$)/);
  });

  it('has the same width with colours, which only add to it', async () => {
    const coloured = timelineText(checkout, { ...plain, painter: await loadPainter(1) });
    expect(coloured).toContain('\u001b[35m░');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of colours
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(timelineText(checkout, plain));
  });

  it('shows hostile texts as text', () => {
    const lane = {
      ...(web.lanes[0] as Timeline['lanes'][number]),
      name: 'deployment/\u001b[2Jx\u202e',
      changes: [
        { at: web.from, kind: 'changed', by: '\u001b]0;a\u0007', isInferred: false, more: 0, fields: [{ path: '.a\u001b', to: '\r\n\u001b[31m' }] }, // biome-ignore format: one line
      ],
    } as const;
    const text = timelineText({ ...web, title: 'a\u001b[1m', lanes: [lane] }, plain);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('lists the last 20 changes, and says how many are marks alone', () => {
    const [lane] = web.lanes as [Timeline['lanes'][number]];
    const change = {
      kind: 'changed',
      by: 'me',
      isInferred: false,
      fields: [{ path: '.x', to: '1' }],
      more: 0,
    } as const;
    const changes = Array.from({ length: 25 }, (_, i) => ({ ...change, at: web.from + i * 1_000 }));
    const text = timelineText({ ...web, lanes: [{ ...lane, changes }] }, plain);
    expect(text).toContain('\n5 changes before these are marks alone\n');
    expect(text.match(/\.x: 1 \(new\) {2}\(me\)/g)).toHaveLength(20);
  });
});
