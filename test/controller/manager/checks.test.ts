import { expect, it } from 'vitest';
import { checkOf, checkResults } from '../../../src/controller/manager/checks.ts';

const check = (name: unknown, reason: unknown, known = [{ name: 'known', reason: () => undefined }]) =>
  checkOf('addCheck', name as string, reason as () => undefined, known);

it.each([
  ['', () => {}, 'addCheck needs a name'],
  [7, () => {}, 'addCheck needs a name'],
  ['a', 'x', 'addCheck: the check a must be a function'],
  ['known', () => {}, 'addCheck: there is a check known already'],
])('the check %j is refused: %s', (name, reason, message) => {
  expect(() => check(name, reason)).toThrow(message);
});

it('results have the reason of each check; an error is a reason, and an answer that is no text', () => {
  const checks = [
    check('met', () => undefined),
    check('unmet', () => 'still starting'),
    check('broken', () => {
      throw new Error('no access');
    }),
    check('late', async () => undefined),
    check('empty', () => ''),
  ];
  expect(checkResults(checks)).toEqual([
    { name: 'met', reason: undefined },
    { name: 'unmet', reason: 'still starting' },
    { name: 'broken', reason: 'no access' },
    { name: 'late', reason: 'the check late must return a text or undefined, not object' },
    { name: 'empty', reason: '' },
  ]);
});
