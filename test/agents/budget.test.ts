import { expect, it } from 'vitest';
import { fitted, quotedText, tokenBudgetOf } from '../../src/agents/budget.ts';
import { tokensOf } from '../../src/agents/token-count.ts';

const rows = (n: number) => Array.from({ length: n }, (_, i) => `shop\tweb-${i}\tRunning`);

it('an answer has at most its budget, and counts what has no room', () => {
  const text = fitted({ head: ['500 found'], rows: rows(500), foot: ['current as of 1s ago'] }, 200);
  expect(tokensOf(text)).toBeLessThanOrEqual(200);
  const shown = text.split('\n').filter((line) => line.startsWith('| ')).length;
  expect(shown).toBeGreaterThan(10);
  expect(text).toContain(`\n${500 - shown} more\ncurrent as of 1s ago`);
});

it('rows that were not made are counted too', () => {
  expect(fitted({ rows: rows(2), count: 114, foot: [] }, 1000)).toMatch(/\n112 more$/);
});

it('a budget has limits, whatever is asked for', () => {
  expect([undefined, 1, 500.5, 1e9, Number.NaN, '500'].map(tokenBudgetOf)).toEqual([
    1000, 150, 500, 20_000, 1000, 1000,
  ]);
});

it.each(['a\nb', 'a\r\n\u2028b', '\u001b[2Ka', 'a\n| b'])(
  'no text of the cluster begins a line of its own: %j',
  (text) => {
    const line = fitted({ rows: [quotedText(text)], foot: [] }, 1000);
    expect(line.split(/[\r\n\u2028]/)).toHaveLength(1);
    expect(line).toMatch(/^\| /);
  },
);

it('a long text is cut', () => {
  expect(quotedText('x'.repeat(100_000), 80)).toBe(`${'x'.repeat(79)}…`);
});

it('how many rows have room does not depend on the marks of Secrets', () => {
  const shown = (mark: string) => {
    const answer = fitted({ rows: Array.from({ length: 500 }, () => `login\t${mark}`), foot: [] }, 500);
    return answer.split('\n').length;
  };
  expect(shown('hmac:00000000')).toBe(shown('hmac:a1b2c3d4'));
});

it('says how current it is, also where notices and types have no room', () => {
  const foot = [{ quoted: 'one notice '.repeat(50) }, { quoted: 'short' }, 'NOT CURRENT: pods'];
  const answer = fitted({ head: Array(40).fill('pods: every change is known'), rows: rows(9), foot }, 150);
  expect(answer).toMatch(/\nNOT CURRENT: pods$/);
  expect(answer).not.toContain('one notice');
  expect(tokensOf(answer)).toBeLessThanOrEqual(150);
});
