import { describe, expect, it } from 'vitest';
import { readArguments } from '../../bench/arguments.ts';
import limits from '../../bench/limits.json' with { type: 'json' };
import { performancePage } from '../../bench/page.ts';
import { plotSvg } from '../../bench/plot.ts';
import { median, quantile, type Results, type RunResult } from '../../bench/results.ts';
import { targetRows } from '../../bench/targets.ts';
import { markdownOf, textOf } from '../../bench/text-table.ts';

function run(
  id: string,
  objects: number,
  [wallMs, cpuMs, peakRssMb]: [number, number, number],
  more: Partial<RunResult> = {},
): RunResult {
  return {
    id,
    group: 'ours',
    name: `program ${id}`,
    objects,
    rounds: 3,
    wallMs,
    cpuMs,
    peakRssMb,
    firstByteMs: wallMs / 2,
    ...more,
  };
}

const work = (ms: number, blockMs?: number) => ({
  work: { ms, cpuMs: ms, baseRssMb: 50, ...(blockMs === undefined ? {} : { blockMs }) },
});

const RESULTS: Results = {
  date: '2026-01-02T03:04:05.000Z',
  machine: '2 × a processor',
  versions: 'Node 24.0.0',
  load: 0.25,
  bytes: 7000,
  stages: [
    {
      name: 'decode',
      unit: 'object',
      count: 1000,
      rows: [
        { name: 'baseline', cpuMs: 20, wallMs: 21, perUnitNs: 20_000, ratio: 1 },
        { name: 'ours | theirs', cpuMs: 15, wallMs: 16, perUnitNs: 15_000, ratio: 0.75 },
      ],
    },
  ],
  runs: [
    run('node', 10, [25, 20, 45]),
    run('version', 10, [28, 22, 50]),
    run('sync', 10_000, [500, 600, 150], work(400)),
    run('sync', 50_000, [2_000, 2_100, 500], work(1_900)),
    run('sync', 200_000, [9_000, 9_900, 1_850], work(8_800)),
    run('parse', 50_000, [2_500, 3_000, 2_000]),
    run('client-node', 50_000, [8_000, 10_000, 1_800]),
    run('block', 50_000, [2_000, 2_100, 500], work(1_900, 62.4)),
    run('null-watch', 500, [250, 300, 90], { events: 20_000, ...work(200) }),
    run('burst', 500, [900, 1_000, 160], { events: 20_000, ...work(800) }),
  ],
  omitted: [{ id: 'parse', name: 'JSON.parse', objects: 200_000, reason: 'too long' }],
  failed: [{ id: 'count', name: 'query', objects: 10, reason: 'said\n"9"' }],
  idle: [
    { id: 'idle-node', name: 'node', rssMb: 45 },
    { id: 'idle-watch', name: 'watch', rssMb: 81 },
  ],
  latency: [
    { id: 'latency-reader', name: 'reader', perSecond: 500, events: 100, p50Ms: 0.1, p99Ms: 0.4 },
    { id: 'latency-watch', name: 'watch', perSecond: 500, events: 100, p50Ms: 0.2, p99Ms: 1 },
  ],
  sandbox: ['first LIST: 10 MB at 300 MB/s'],
};

describe('the targets', () => {
  const found = new Map(targetRows(RESULTS).map((row) => [row.id, row]));

  it.each([
    ['sync-cpu-parse', '0.700 ×', true],
    ['sync-cpu-client-node', '0.210 ×', true],
    ['sync-rss-client-node', '0.278 ×', false],
    ['block', '62 ms', false],
    ['burst-rate', '25,000/s (25,000/s of CPU time)', true],
    ['burst-cpu', '3.33 ×', true],
    ['version', '1.12 × (CPU 1.10 ×)', true],
    ['idle', '1.80 ×', true],
    ['latency', '2.50 ×', false],
    ['growth-time', '1.10 ×', true],
    ['growth-memory', '0.900 ×', true],
    ['sync-cpu-client-go', undefined, undefined],
    ['help', undefined, undefined],
    ['once-wall', undefined, undefined],
  ])('%s is reported as %s, met: %s', (id, measured, isMet) => {
    expect(found.get(id)).toMatchObject({ id, measured, isMet });
  });

  it('speak of the largest size up to 50,000 that was measured', () => {
    const small = targetRows({ ...RESULTS, runs: RESULTS.runs.filter(({ objects }) => objects <= 10_000) });
    expect(small.find(({ id }) => id === 'sync-cpu-parse')).toMatchObject({
      work: 'sync, CPU, 10,000 pods',
      measured: undefined,
    });
    expect(small.find(({ id }) => id === 'growth-time')?.measured).toBeUndefined();
  });

  it('each have a place for what limits them', () => {
    expect(Object.keys(limits)).toEqual([...found.keys()]);
  });
});

describe('the page', () => {
  const page = performancePage(RESULTS, { 'sync-rss-client-node': 'the store holds parsed objects' });
  const lines = page.split('\n');

  it('says when and on what it was measured', () => {
    expect(page).toContain('Measured 2026-01-02 on 2 × a processor, Node 24.0.0; load before the first run 0.3.');
    expect(page).toContain('Pods of about 7,000 bytes as JSON');
  });

  it.each([
    '| work | target | measured | met | what limits it |',
    '| sync, CPU, 50,000 pods | ≤ 0.75 × JSON.parse of the whole text | 0.700 × | yes |  |',
    '| sync, peak RSS, 50,000 pods | ≤ 0.25 × client-node | 0.278 × | **no** | the store holds parsed objects |',
    '| sync, CPU, 50,000 pods | ≤ 0.2 × client-go dynamic | not measured |  |  |',
    '### An initial list of 50,000 pods',
    '| ours | program sync | 2,000 | 2,100 | 500 | 1,000 | – | 3 |',
    '| ours | program block | 2,000 | 2,100 | 500 | 1,000 | 62.4 | 3 |',
    '### A burst of 20,000 changes',
    '| ours | program burst | 900 | 1,000 | 160 | 450 | 25,000 | 3 |',
    '### Start, and the first row of 10 pods',
    '| ours | program version | 28.0 | 22.0 | 50.0 | 14.0 | 3 |',
    '| watch | 500 | 0.20 | 1.00 |',
    '| JSON.parse | 200,000 | too long |',
    '| query | 10 | said "9" |',
    '### Decode, 1,000 × object',
    '| row | CPU ms | wall ms | µs CPU per object | × baseline |',
    '|---|---:|---:|---:|---:|',
    '| ours \\| theirs | 15.0 | 16.0 | 15.00 | 0.75 |',
    '| first LIST | 10 MB at 300 MB/s |',
  ])('has the line %s', (line) => {
    expect(lines).toContain(line);
  });

  it('has each table once', () => {
    const headings = lines.filter((line) => line.startsWith('#'));
    expect(new Set(headings).size).toBe(headings.length);
  });
});

describe('the plot', () => {
  const svg = plotSvg(RESULTS);

  it('draws every program that was measured, in both panels, and names it', () => {
    expect(svg.match(/<polyline/g)).toHaveLength(2 * 3 + 3);
    for (const name of ['this library', 'client-node', 'floor: JSON.parse']) expect(svg).toContain(`>${name}</text>`);
    expect(svg).not.toContain('kubectl');
  });

  it('puts equal factors at equal distances', () => {
    const [line = ''] = /points="([^"]*)"/.exec(svg)?.slice(1) ?? [];
    const [first, , last] = line.split(' ').map((point) => point.split(',').map(Number));
    // From 10,000 to 200,000 objects over the width of the panel; from 0.5 s to 9 s on an axis of 0.1 to 10 s.
    expect([first?.[0], last?.[0]]).toEqual([74, 430]);
    expect(first?.[1]).toBeCloseTo(340 - (300 * Math.log(5)) / Math.log(100), 0);
    expect(last?.[1]).toBeCloseTo(340 - (300 * Math.log(90)) / Math.log(100), 0);
  });

  it('is an image by itself, of one root, for light and dark pages', () => {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" [\s\S]*<\/svg>\n$/);
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe('small parts', () => {
  it('a median is the middle one, whatever is missing', () => {
    expect([median([3, undefined, 1, 2]), median([undefined]), median([1, 9])]).toEqual([2, undefined, 9]);
  });

  it('a quantile is a value that was measured', () => {
    expect([quantile([4, 1, 3, 2], 0.5), quantile([4, 1, 3, 2], 0.99), quantile([], 0.5)]).toEqual([2, 4, Number.NaN]);
  });

  it('tables put numbers to the right', () => {
    const table = {
      title: 'T',
      head: ['name', 'n'],
      rows: [
        ['a', '1'],
        ['long name', '1,000'],
      ],
    };
    expect(textOf(table)).toBe('\nT\n  name           n\n  a              1\n  long name  1,000');
    expect(markdownOf(table)).toBe('| name | n |\n|---|---:|\n| a | 1 |\n| long name | 1,000 |');
  });

  it('arguments are read, and refused with the flag that is wrong', () => {
    expect(readArguments(['--quick', '--objects', '1_000,50000', '--only', 'sync'])).toMatchObject({
      quick: true,
      objects: [1000, 50_000],
      only: 'sync',
      peers: true,
    });
    expect(() => readArguments(['--bytes', 'many'])).toThrow('--bytes takes a whole number above 0, not "many"');
    expect(() => readArguments(['--fast'])).toThrow('--fast');
  });
});
