import { describe, expect, it } from 'vitest';
import { fieldChanges } from '../../../src/model/field-changes.ts';
import { changeLines } from '../../../src/output/changes/change-lines.ts';

const SIGNS = { added: '+', removed: '-', changed: '~', '': ' ' } as const;

const linesOf = (before: object, after: object, isFull = false) =>
  changeLines(fieldChanges(before, after), isFull).map(
    ({ mark, text, parts }) => `${SIGNS[mark]}${text}${parts ? `${parts.before} → ${parts.after}` : ''}`,
  );

describe('changeLines', () => {
  it('prints a changed value on one line, without the dot in front of the path', () => {
    expect(linesOf({ spec: { replicas: 2 } }, { spec: { replicas: 3 } })).toEqual(['~spec.replicas: 2 → 3']);
  });

  it('prints an added and a removed value with its mark', () => {
    expect(linesOf({ a: 1 }, { b: 'x' })).toEqual(expect.arrayContaining(['-a: 1', '+b: x']));
  });

  it('groups several changes below one list item under its path', () => {
    const list = (image: string, tty: boolean) => ({ spec: { containers: [{ name: 'web', image, tty }] } });
    expect(linesOf(list('a:1', false), list('a:2', true))).toEqual([
      ' spec.containers[name=web]:',
      '~  image: a:1 → a:2',
      '~  tty: false → true',
    ]);
  });

  it('compares a text of several lines line by line', () => {
    const lines = linesOf({ data: { conf: 'a\nb\nc\n' } }, { data: { conf: 'a\nX\nc\n' } });
    expect(lines.map((line) => line.replace(/ +/, ' '))).toEqual(expect.arrayContaining(['- b', '+ X']));
  });

  it('cuts a long value, unless all of it is requested', () => {
    const [before, after] = [{ a: 'x'.repeat(400) }, { a: 'y'.repeat(400) }];
    expect(linesOf(before, after).join('')).toContain('…');
    expect(linesOf(before, after, true).join('')).toContain('y'.repeat(400));
  });

  it('has no line without a change', () => {
    expect(linesOf({ a: 1 }, { a: 1 })).toEqual([]);
  });
});
