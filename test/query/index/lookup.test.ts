import { describe, expect, test } from 'vitest';
import {
  formatLookup,
  type Lookup,
  type LookupFlag,
  lookupTest,
  mapLookup,
  parseLookup,
} from '../../../src/query/index/lookup.ts';

test.each<[LookupFlag, string, Lookup, string]>([
  ['eq', 'node=a,b', { kind: 'in', index: 'node', values: ['a,b'], flag: 'eq' }, 'node=a,b'],
  ['eq', 'label:app=a=b', { kind: 'in', index: 'label:app', values: ['a=b'], flag: 'eq' }, 'label:app=a=b'],
  ['in', 'phase=A,B,A', { kind: 'in', index: 'phase', values: ['A', 'B'], flag: 'in' }, 'phase=A,B'],
  ['prefix', 'image=reg/', { kind: 'prefix', index: 'image', prefix: 'reg/' }, 'image=reg/*'],
  ['range', 'n=3..10', { kind: 'range', index: 'n', from: '3', to: '10' }, 'n=3..10'],
  ['range', 'n=3..', { kind: 'range', index: 'n', from: '3' }, 'n=3..'],
  ['range', 'n=..10', { kind: 'range', index: 'n', to: '10' }, 'n=..10'],
])('--%s %s is parsed, and formatted for explanations', (flag, text, lookup, formatted) => {
  expect(parseLookup(flag, text)).toEqual(lookup);
  expect(formatLookup(lookup)).toBe(formatted);
});

describe('a lookup is satisfied by', () => {
  test.each<[LookupFlag, string, string[], string[]]>([
    ['in', 'n=a,b', ['a', 'b'], ['c', 'a,b', '']],
    ['prefix', 'n=web', ['web', 'web-1'], ['we', 'a-web']],
    ['range', 'n=3..10', ['3', '10', '9.5', '9500m'], ['2', '11', '10001m', 'a']],
    ['range', 'n=1Gi..', ['1024Mi', '2Gi', '1073741824'], ['1G', '5']],
    ['range', 'n=b..d', ['b', 'cc', 'd'], ['a', 'da', '3', '1Gi']],
    ['range', 'n=1Gi..', ['1Gi', '2e9'], ['some', '2026-01-01T00:00:00Z', '']],
    ['range', 'n=2026-01..2026-02', ['2026-01-31T23:59:59Z', '2026-01-01'], ['2026', '2026-03-01', 'some']],
    ['range', 'n=-5..-1.5', ['-5', '-2', '-1500m'], ['0', '-6', '5']],
    ['range', 'n=0..z', ['0', '10', 'web', '2Gi'], ['', '-1', '{']],
    ['range', 't=1h..', ['1h', '90m', '2d', '3600s'], ['2m', '90s', '250ms', '59m59s', 'some', '2', '']],
    ['range', 't=90s..1h', ['90s', '5m', '1h', '1m30s'], ['89s', '61m', '2', '90']],
    ['range', 't=5m..1h', ['300s', '5m', '60m'], ['299s', '4m', '5']],
    ['range', 't=0..1s', ['0', '1ms', '1s'], ['-1s', '1001ms', '1']],
    ['range', 't=5m..', ['5m', '1', '1k'], ['90s', '4m']],
    ['range', 'n=10.0.0.5..10.0.0.9', ['10.0.0.7', '10.0.0.75'], ['10.0.0.10', '10']],
  ])('--%s %s: %j, and not by %j', (flag, text, inside, outside) => {
    const lookup = parseLookup(flag, text);
    expect([...inside, ...outside].filter(lookupTest(lookup))).toEqual(inside);
  });
});

test('only the values of equality are converted', () => {
  const upper = (value: string) => [value.toUpperCase(), value.toLowerCase()];
  expect(mapLookup(parseLookup('in', 'n=a,b'), upper)).toMatchObject({ values: ['A', 'a', 'B', 'b'] });
  expect(mapLookup(parseLookup('prefix', 'n=a'), upper)).toMatchObject({ prefix: 'a' });
  expect(mapLookup(parseLookup('range', 'n=a..b'), upper)).toMatchObject({ from: 'a', to: 'b' });
});

describe('a lookup that cannot be parsed is refused with the expected form', () => {
  test.each([
    ['eq', 'node', 'invalid argument "node" for "--eq": expected NAME=VALUE'],
    ['in', '=a', 'invalid argument "=a" for "--in": expected NAME=VALUE'],
    ['range', 'n=3', 'invalid argument "n=3" for "--range": expected NAME=FROM..TO'],
    ['range', 'n=10..3', 'invalid argument "n=10..3" for "--range": 10 is after 3'],
    ['range', 'n=2Gi..1536Mi', '2Gi is after 1536Mi'],
    ['range', 't=1h..90s', 'invalid argument "t=1h..90s" for "--range": 1h is after 90s'],
    ['range', 'n=b..a', 'b is after a'],
    ['range', 'n=..', 'invalid argument "n=.." for "--range": expected NAME=FROM..TO'],
  ] as const)('--%s %s', (flag, text, message) => {
    expect(() => parseLookup(flag, text)).toThrow(message);
  });
});
