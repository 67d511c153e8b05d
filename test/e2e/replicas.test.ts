import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { strikeReplicas } from '../../bench/replicas/chaos.ts';

const CLI = path.resolve(import.meta.dirname, '../../bin/run.js');
const WORDS = [
  '--leader-elect',
  '--leader-elect-lease-duration=2s',
  '--leader-elect-renew-deadline=1400ms',
  '--leader-elect-retry-period=300ms',
];

describe('two replicas that are killed and frozen in turn', () => {
  it('never have a program of the hook at work for one key at once, by the record of the server', async () => {
    const report = await strikeReplicas({
      cli: CLI,
      words: WORDS,
      replicas: 2,
      faults: 2,
      kinds: ['freeze', 'kill'],
      seed: 1,
      hook: 'program',
      keys: 4,
      changesPerSecond: 2,
      leaseDurationMs: 2_000,
    });
    expect(report.failure).toBeUndefined();
    expect(report.faults).toEqual({ freeze: 1, kill: 1 });
    expect(report.completed).toBeGreaterThan(4);
    expect(report.doubled).toEqual([]);
    expect(report.lost).toEqual([]);
  }, 120_000);
});
