import { describe, expect, it } from 'vitest';
import { ContinuousGroups } from '../../../src/query/live/continuous-groups.ts';

const states = (groups: ContinuousGroups<string>) =>
  groups.take().map(({ value, count, items }) => `${value}=${count} ${[...items].join()}`);

describe('ContinuousGroups', () => {
  it('gives the groups that a change touches, and 0 for one that is empty', () => {
    const groups = new ContinuousGroups<string>((item) => item.split(' '));
    groups.put('1', 'red');
    groups.put('2', 'red blue');
    expect(states(groups)).toEqual(['red=2 red,red blue', 'blue=1 red blue']);
    groups.put('2', 'blue');
    expect(states(groups)).toEqual(['red=1 red', 'blue=1 blue']);
    groups.put('1', undefined);
    expect(states(groups)).toEqual(['red=0 ']);
    expect(states(groups)).toEqual([]);
  });

  it('counts an item once for a value that it has twice, and not at all without one', () => {
    const groups = new ContinuousGroups<string>((item) => (item === '' ? [] : item.split(' ')));
    groups.put('1', 'red red');
    groups.put('2', '');
    expect(states(groups)).toEqual(['red=1 red red']);
  });
});
