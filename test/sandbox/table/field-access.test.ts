import { describe, expect, it } from 'vitest';
import { abridged, ageOf, fieldsAt, listAt, numberAt, since, textAt } from '../../../src/sandbox/table/field-access.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const object = { a: { b: { c: 1 } }, list: [{ n: 1 }], empty: '', zero: 0, nothing: null, text: 'x' };

describe('a field that can be missing', () => {
  it('is an object at a path, or an empty one', () => {
    expect(fieldsAt(object, 'a', 'b')).toEqual({ c: 1 });
    for (const path of [['x', 'y'], ['nothing', 'y'], ['text'], ['list']])
      expect(fieldsAt(object, ...path), path.join('.')).toEqual({});
  });

  it('is a list, or an empty one', () => {
    expect(listAt(object, 'list')).toEqual([{ n: 1 }]);
    expect([listAt(object, 'a'), listAt(undefined, 'a'), listAt(null, 'a')]).toEqual([[], [], []]);
  });

  it('is a text, or the fallback', () => {
    expect([textAt(object, 'text'), textAt(object, 'zero'), textAt(object, 'x')]).toEqual(['x', '0', '']);
    expect(['empty', 'nothing', 'x'].map((name) => textAt(object, name, '-'))).toEqual(['-', '-', '-']);
  });

  it('is a number, or the fallback', () => {
    expect([numberAt(object, 'zero', 7), numberAt(object, 'text', 7), numberAt(object, 'x')]).toEqual([0, 7, 0]);
  });
});

it('counts an age to the given time', () => {
  expect(since('2026-01-01T00:50:00Z', NOW)).toBe('10m');
  expect([since('', NOW), since(undefined, NOW), ageOf({}, NOW)]).toEqual(['<unknown>', '<unknown>', '<unknown>']);
  expect(ageOf({ metadata: { creationTimestamp: '2025-12-30T01:00:00Z' } }, NOW)).toBe('2d');
});

it.each([
  [[], 'none'],
  [['a', 'b'], 'a,b'],
  [['a', 'b', 'c', 'd'], 'a,b + 2 more...'],
])('shortens %j to %s', (words, text) => {
  expect(abridged(words, 2, 'none')).toBe(text);
});
