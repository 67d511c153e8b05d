import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiffLine, diffLines } from '../../../src/output/changes/line-diff.ts';

describe('a diff of lines', () => {
  const text = (lines: readonly DiffLine[]) =>
    lines.map((line) =>
      line.kind === 'skipped' ? `@${line.lines}` : `${{ removed: '-', added: '+', same: ' ' }[line.kind]}${line.text}`,
    );

  test('has the removed and added lines with one equal line around them', () => {
    expect(text(diffLines(['a', 'b', 'c', 'd', 'e', 'f'], ['a', 'b', 'c', 'X', 'e', 'f']))).toEqual([
      '@2',
      ' c',
      '-d',
      '+X',
      ' e',
      '@1',
    ]);
  });

  test('of equal texts has no line of them', () => {
    expect(text(diffLines(['a', 'b'], ['a', 'b']))).toEqual(['@2']);
  });

  test('leads from one list to the other', () => {
    const list = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const lines = diffLines(before, after, { context: Number.POSITIVE_INFINITY });
        const side = (other: DiffLine['kind']) =>
          lines.flatMap((line) => (line.kind === 'skipped' || line.kind === other ? [] : [line.text]));
        expect(lines.some(({ kind }) => kind === 'skipped') && lines.length > 1).toBe(false);
        if (lines[0]?.kind === 'skipped') expect(before).toEqual(after);
        else expect([side('added'), side('removed')]).toEqual([before, after]);
      }),
    );
  });

  test('of two very long texts with little in common is correct', () => {
    const many = (prefix: string) => Array.from({ length: 1000 }, (_, i) => `${prefix}${i}`);
    const lines = text(diffLines(['same', ...many('a')], ['same', ...many('b')]));
    expect(lines.filter((line) => line.startsWith('-'))).toEqual(many('-a'));
    expect(lines.filter((line) => line.startsWith('+'))).toEqual(many('+b'));
    expect(lines.filter((line) => !/^[-+]/.test(line))).toEqual([' same']);
  });
});
