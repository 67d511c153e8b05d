import { describe, expect, it } from 'vitest';
import type { Given } from '../../../src/cli/args/argv.ts';
import { shardOf } from '../../../src/cli/session/shard-choice.ts';

const read = (shard?: string, by?: 'uid' | 'namespace') => {
  const given = new Map<string, Given>();
  if (shard !== undefined) given.set('shard', { values: [shard], origin: 'flag' });
  if (by !== undefined) given.set('shard-by', { values: [by], origin: 'flag' });
  return shardOf({ shard, 'shard-by': by }, given);
};

describe('--shard', () => {
  it('is a part of N, counted from 0, by uid unless another way is said', () => {
    expect(read('0/4')).toEqual({ index: 0, of: 4, by: 'uid' });
    expect(read('65535/65536', 'namespace')).toEqual({ index: 65_535, of: 65_536, by: 'namespace' });
    expect(read('0/1')).toEqual({ index: 0, of: 1, by: 'uid' });
    expect(read()).toBeUndefined();
  });

  it.each([
    ['4/4', 'expected 0/4 to 3/4'],
    ['1/1', 'expected 0/1'],
    ['0/0', 'expected I/N with N from 1 to 65536'],
    ['1/0', 'expected I/N with N from 1 to 65536'],
    ['0/65537', 'expected I/N with N from 1 to 65536'],
    ['1', 'expected I/N, such as 0/4 for the first of four parts'],
    ['a/b', 'expected I/N, such as 0/4 for the first of four parts'],
    ['-1/4', 'expected I/N, such as 0/4 for the first of four parts'],
    ['1/4/2', 'expected I/N, such as 0/4 for the first of four parts'],
    [' 1/4', 'expected I/N, such as 0/4 for the first of four parts'],
    ['1.5/4', 'expected I/N, such as 0/4 for the first of four parts'],
    ['', 'expected I/N, such as 0/4 for the first of four parts'],
  ])('%j is refused with what is right', (asked, expected) => {
    expect(() => read(asked)).toThrow(`invalid argument "${asked}" for "--shard": ${expected}`);
  });

  it('--shard-by alone is refused', () => {
    expect(() => read(undefined, 'uid')).toThrow('--shard-by does nothing without --shard');
  });
});
