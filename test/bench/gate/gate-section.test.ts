import { expect, it } from 'vitest';
import { gateSection } from '../../../bench/gate/gate-section.ts';
import type { GateRecord } from '../../../bench/gate/record.ts';

const record = (ratio: number, isSlower: boolean): GateRecord => ({
  commit: 'aaaaaaaaaaaa',
  changed: false,
  base: 'bbbbbbbbbbbb',
  date: '2026-01-02T03:04:05.000Z',
  load: 0.25,
  server: 'own',
  pods: 10_000,
  rows: [
    {
      id: 'once',
      name: 'watch --once',
      base: 1000,
      now: 1000 * ratio,
      ratio,
      low: ratio - 0.01,
      high: ratio + 0.01,
      verdict: isSlower ? 'slower' : 'within',
      pairs: 6,
      isSlower,
    },
  ],
  incomparable: [{ id: 'new', name: 'a new row', reason: 'unknown flag' }],
});

it('the page says that nothing became slower, with every figure', () => {
  const section = gateSection(record(0.5, false)).join('\n');
  expect(section).toContain('No row takes more than 1.05 times the CPU time that it took at bbbbbbbb.');
  expect(section).toContain('| watch --once | 1000 | 500 | 0.500 | 0.490 and 0.510 | 6 |  |');
  expect(section).toContain('Not compared: `a new row`. The base says: unknown flag.');
  expect(section).toContain("CPU time of aaaaaaaa beside bbbbbbbb; lists of 10,000 pods from the bench's own server");
});

it('the page names what became slower', () => {
  const section = gateSection(record(1.1, true)).join('\n');
  expect(section).toContain('**Slower** than at bbbbbbbb: `watch --once`.');
  expect(section).toContain('| 1.100 | 1.090 and 1.110 | 6 | slower |');
  expect(section).not.toContain('No row takes more');
});
