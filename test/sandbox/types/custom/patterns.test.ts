import { expect, it } from 'vitest';
import { goPattern, patternProblem } from '../../../../src/sandbox/types/custom/patterns.ts';
import { useThings } from '../../../support/custom-things.ts';
import { useSandbox, WIDGETS, widget, widgetDefinition } from '../../../support/write-requests.ts';

const server = useSandbox();
const define = (properties: object) => server.sandbox.apply(widgetDefinition(properties));

const things = useThings();

it.each<[string, string, boolean]>([
  ['^[a-z]+$', 'abc', true],
  ['(?i)^abc$', 'ABC', true],
  ['^a\\-b\\:c$', 'a-b:c', true],
  ['\\A[[:alpha:]]+[[:digit:]_]\\z', 'abc_', true],
  ['\\A[[:alpha:]]+\\z', 'abc1', false],
  ['^(?P<name>x)$', 'x', true],
  ['^\\p{Lu}$', 'É', true],
])('matches %s as Go does: %s', (pattern, text, matches) => {
  expect(goPattern(pattern)?.test(text)).toBe(matches);
});

it('returns no pattern for a text that Go cannot compile, and the error text of Go', () => {
  expect(goPattern('a**')).toBeUndefined();
  expect(patternProblem('a**')).toBe('error parsing regexp: invalid nested repetition operator: `**`');
  expect(patternProblem('(?=a)')).toBe('error parsing regexp: invalid or unsupported Perl syntax: `(?=`');
  expect(patternProblem('(?U)a+')).toBeUndefined();
});

it('answers 501 when a match would need too many steps, and matches a shorter text', async () => {
  things.serve({ x: { type: 'string', pattern: '(a{1,1000})$' } });
  const { status, body } = await things.post({ x: 'a'.repeat(1_000_000) });
  expect([status, body.message]).toEqual([
    501,
    expect.stringMatching(/the pattern "\(a\{1,1000\}\)\$" \(\d+ instructions\) on 1000000 characters/),
  ]);
  expect((await things.post({ x: 'a'.repeat(5000) })).status).toBe(201);
  expect((await things.post({ x: 'b' })).status).toBe(422);
});

it('answers 501 when the patterns of an object together would need too many steps', async () => {
  things.serve({ l: { type: 'array', items: { type: 'string', pattern: '(a{1,1000})$' } } });
  const texts = (length: number) => ({ l: Array(length).fill('a'.repeat(2000)) });
  const { status, body } = await things.post(texts(1000));
  expect([status, body.message]).toEqual([
    501,
    'the sandbox does not implement objects whose texts need more than 100000000 steps of patterns',
  ]);
  expect((await things.post(texts(3))).status).toBe(201);
});

it('matches a pattern fast that takes exponential time elsewhere', async () => {
  define({ a: { type: 'string', pattern: '^(a+)+$' } });
  const { status } = await server.ask('POST', WIDGETS, widget(`{"a":"${'a'.repeat(40)}!"}`));
  expect(status).toBe(422);
});
