import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/kit/nearest.ts';

describe('nearest', () => {
  it('finds typing errors, and nothing else', () => {
    const words = ['deployments', 'daemonsets', 'pods', 'nodes'];
    expect(nearest('deplyoments', words)).toEqual(['deployments']);
    expect(nearest('pdos', words)).toEqual(['pods']);
    expect(nearest('zebra', words)).toEqual([]);
  });

  it('gives the nearest first, each once, at most as many as asked for, in any case', () => {
    expect(nearest('NODE', ['notes', 'nodes', 'nodes', 'node', 'mode'])).toEqual(['node', 'mode', 'nodes']);
    expect(nearest('node', ['node', 'nodes', 'mode'], 1)).toEqual(['node']);
  });
});
