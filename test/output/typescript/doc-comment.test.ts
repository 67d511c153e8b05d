import { describe, expect, it } from 'vitest';
import { docComment } from '../../../src/output/typescript/doc-comment.ts';

describe('a doc comment', () => {
  it('is one line for a short text, and none for an empty one', () => {
    expect(docComment('The size.', '  ')).toBe('  /** The size. */\n');
    expect(docComment('', '')).toBe('');
    expect(docComment(' \n\n', '')).toBe('');
  });

  it('keeps paragraphs, and cuts long lines between words', () => {
    const text = docComment(`First.\n\n${'word '.repeat(60)}`, '  ');
    expect(text.split('\n').slice(0, 3)).toEqual(['  /**', '   * First.', '   *']);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    expect(text.match(/word/g)).toHaveLength(60);
  });

  it('cannot be ended by its text', () => {
    for (const text of ['*/', '**/', '***/', '* /*/', 'a*/b*/']) {
      const made = docComment(text, '');
      expect(made.indexOf('*/')).toBe(made.length - 3);
    }
  });
});
