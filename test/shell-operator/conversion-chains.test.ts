import { describe, expect, it } from 'vitest';
import { conversionChain } from '../../src/shell-operator/conversion-chains.ts';

const rules = (...texts: string[]) =>
  texts.map((text) => {
    const [fromVersion = '', toVersion = ''] = text.split(' > ');
    return { fromVersion, toVersion };
  });
const way = (texts: string[], from: string, to: string) =>
  conversionChain(rules(...texts), from, to)?.map(({ fromVersion, toVersion }) => `${fromVersion} > ${toVersion}`);

describe('the way from one version to another', () => {
  it.each([
    ['is one step where there is one', ['a > b', 'b > c', 'a > c'], 'a', 'c', ['a > c']],
    ['is the shortest', ['a > b', 'b > c', 'c > d', 'b > d'], 'a', 'd', ['a > b', 'b > d']],
    ['goes up and down', ['a > b', 'b > c', 'c > b', 'b > a'], 'c', 'a', ['c > b', 'b > a']],
    ['is none for a version that no rule leads to', ['a > b', 'b > a'], 'a', 'c', undefined],
    ['is none where the steps do not meet, with rules in a circle', ['a > b', 'b > a', 'c > d'], 'a', 'd', undefined],
    ['is found by versions without a group', ['v1 > v2', 'v2 > v3'], 'g/v1', 'g/v3', ['v1 > v2', 'v2 > v3']],
    [
      'mixes versions with and without a group',
      ['g/v1 > g/v2', 'v2 > g/v3'],
      'g/v1',
      'g/v3',
      ['g/v1 > g/v2', 'v2 > g/v3'],
    ],
    ['prefers versions as they are asked for', ['v1 > v2', 'g/v1 > g/v2'], 'g/v1', 'g/v2', ['g/v1 > g/v2']],
    [
      'leads from one group to another',
      ['old/v1 > new/v1', 'new/v1 > v2'],
      'old/v1',
      'new/v2',
      ['old/v1 > new/v1', 'new/v1 > v2'],
    ],
    ['takes no version that only begins alike', ['g/v1 > g/v2', 'g/v2beta1 > g/v3'], 'g/v1', 'g/v3', undefined],
    ['takes no version of another group', ['a/v1 > a/v2', 'b/v2 > b/v3'], 'a/v1', 'a/v3', undefined],
  ])('%s', (_, texts, from, to, expected) => {
    expect(way(texts, from, to)).toEqual(expected);
  });
});
