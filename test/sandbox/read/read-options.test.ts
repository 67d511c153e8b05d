import { expect, it } from 'vitest';
import { StatusError } from '../../../src/model/status.ts';
import type { Call } from '../../../src/sandbox/api/call.ts';
import { featuresOf } from '../../../src/sandbox/feature-gates.ts';
import {
  isWatch,
  parseListOptions,
  parseWatchOptions,
  type ReadOptions,
} from '../../../src/sandbox/read/read-options.ts';

const call = (query: string) => ({ query: new URLSearchParams(query) }) as unknown as Call;
const parse = (query: string): ReadOptions =>
  (isWatch(new URLSearchParams(query)) ? parseWatchOptions : parseListOptions)(call(query), featuresOf());

/** The code and message of the error that a query gives. */
function refusal(query: string): string {
  try {
    parse(query);
    return 'none';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.status.code} ${error.status.message}`;
  }
}

it('has a default for every option', () => {
  const { labels, fields, ...rest } = parse('');
  expect([labels.matchesEverything, fields.matchesEverything]).toEqual([true, true]);
  expect(rest).toEqual({
    resourceVersion: '',
    match: '',
    limit: 0,
    continue: '',
    allowWatchBookmarks: false,
    sendInitialEvents: false,
    timeoutSeconds: 0,
  });
});

it.each<[query: string, options: Partial<ReadOptions>]>([
  ['limit=5&continue=abc', { limit: 5, continue: 'abc' }],
  ['limit=-3', { limit: 0 }],
  ['limit=', { limit: 0 }],
  ['limit=%2B7', { limit: 7 }],
  ['resourceVersion=12&resourceVersionMatch=Exact', { resourceVersion: '12', match: 'Exact' }],
  ['resourceVersion=0&resourceVersionMatch=NotOlderThan', { resourceVersion: '0', match: 'NotOlderThan' }],
  ['continue=abc&resourceVersion=0', { continue: 'abc', resourceVersion: '0' }],
  ['watch=1&timeoutSeconds=30&allowWatchBookmarks=true', { timeoutSeconds: 30, allowWatchBookmarks: true }],
  [
    'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    { sendInitialEvents: true, match: 'NotOlderThan' },
  ],
  ['watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', { sendInitialEvents: false }],
])('parses ?%s', (query, options) => {
  if (query === 'limit=+7')
    expect(refusal(query)).toContain('invalid syntax'); // `+` is a space in a query
  else expect(parse(query)).toMatchObject(options);
});

it('parses selectors', () => {
  const { labels, fields } = parse('labelSelector=app%3Dweb&fieldSelector=metadata.name%3Da');
  expect([labels.matches({ app: 'web' }), labels.matches({})]).toEqual([true, false]);
  expect(fields.requirements.map(({ field }) => field)).toEqual(['metadata.name']);
});

const FORBIDDEN = '422 ListOptions.meta.k8s.io "" is invalid: ';

it.each([
  [
    'resourceVersionMatch=Exact&resourceVersion=0',
    `${FORBIDDEN}resourceVersionMatch: Forbidden: resourceVersionMatch "Exact" is forbidden for resourceVersion "0"`,
  ],
  [
    'resourceVersionMatch=Odd&resourceVersion=5',
    `${FORBIDDEN}resourceVersionMatch: Unsupported value: "Odd": supported values: "Exact", "NotOlderThan", ""`,
  ],
  [
    'resourceVersionMatch=Exact',
    `${FORBIDDEN}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`,
  ],
  [
    'resourceVersionMatch=Exact&continue=abc&resourceVersion=5',
    `${FORBIDDEN}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided`,
  ],
  ['sendInitialEvents=true', `${FORBIDDEN}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`],
  ['sendInitialEvents=false', `${FORBIDDEN}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`],
  [
    'watch=1&resourceVersionMatch=NotOlderThan',
    `${FORBIDDEN}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
  ],
  [
    'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact',
    `${FORBIDDEN}resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
  ],
  ['continue=abc&resourceVersion=5', '400 specifying resource version is not allowed when using continue'],
  [
    'resourceVersion=x',
    '400 invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  ],
  [
    'watch=1&resourceVersion=x',
    '500 resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  ],
  ['limit=many', '400 strconv.ParseInt: parsing "many": invalid syntax'],
  ['timeoutSeconds=1.5', '400 strconv.ParseInt: parsing "1.5": invalid syntax'],
])('refuses ?%s', (query, expected) => {
  expect(refusal(query)).toBe(expected);
});

it.each(['labelSelector=a%20in', 'fieldSelector=a'])('refuses the invalid selector ?%s with 400', (query) => {
  expect(refusal(query)).toMatch(/^400 ./);
});
