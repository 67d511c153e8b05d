import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fitted } from '../../src/agents/budget.ts';
import { tokensOf } from '../../src/agents/token-count.ts';

interface CountedText {
  readonly name: string;
  readonly kind: string;
  readonly text: string;
  /** Counted by the tokenizers themselves: cl100k and o200k of gpt-tokenizer 4.0.0, claude of @anthropic-ai/tokenizer 0.0.4. */
  readonly tokens: Readonly<Record<'cl100k' | 'o200k' | 'claude', number>>;
}

const TEXTS = JSON.parse(readFileSync(new URL('token-counts.json', import.meta.url), 'utf8')) as CountedText[];

describe('the count of tokens', () => {
  it.each(TEXTS.map((each) => [each.name, each] as const))('of %s is not below that of a tokenizer', (_, each) => {
    expect(tokensOf(each.text)).toBeGreaterThanOrEqual(Math.max(...Object.values(each.tokens)));
  });

  it.each(TEXTS.filter(({ kind }) => kind === 'table').map((each) => [each.name, each] as const))(
    'of the table %s is at most a third above the most of them',
    (_, { text, tokens }) => {
      expect(tokensOf(text)).toBeLessThanOrEqual(1.35 * Math.max(...Object.values(tokens)));
    },
  );

  it('of a text is that of its lines', () => {
    const lines = TEXTS.flatMap(({ text }) => text.split('\n'));
    const sum = lines.reduce((all, line) => all + tokensOf(`${line}\n`), 0);
    expect(tokensOf(lines.join('\n'))).toBeLessThanOrEqual(sum);
  });

  it.each(['', ' ', '\n', 'a', '\ud800', '\u0000', 'é'.repeat(10)])('of %j is a number', (text) => {
    expect(tokensOf(text)).toBeGreaterThanOrEqual(text === '' ? 0 : 1);
  });
});

it.each([150, 300, 1000])('no answer with rows of a fixture has more than its %d tokens', (budget) => {
  for (const { text } of TEXTS) {
    const rows = Array.from({ length: 40 }, () => text.split('\n')).flat();
    const foot = [{ quoted: 'a remark '.repeat(40) }, 'current as of 12ms ago'];
    const answer = fitted({ head: ['500 found'], rows, narrow: (left) => [`${left} more`], foot }, budget);
    expect(tokensOf(answer)).toBeLessThanOrEqual(budget);
    expect(answer).toContain('current as of 12ms ago');
  }
});
