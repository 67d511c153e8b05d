import { expect, it } from 'vitest';
import { isDamaged, objectsIn, textOr, textsIn } from '../../../src/client/decode/lenient-lists.ts';

const of = (value: unknown) => value as never;

it.each<[unknown, object[], string[], boolean]>([
  [[{ a: 1 }, { b: 2 }], [{ a: 1 }, { b: 2 }], [], false],
  [[{ a: 1 }, null, 7], [{ a: 1 }], [], true],
  [['a', 7, 'b', null], [], ['a', 'b'], true],
  [[], [], [], false],
  [undefined, [], [], false],
  [null, [], [], false],
  [{ a: 1 }, [], [], true],
  ['text', [], [], true],
])('%j has the objects %j and the texts %j; damaged: %s', (list, objects, texts, damaged) => {
  expect(objectsIn(of(list))).toEqual(objects);
  expect(textsIn(of(list))).toEqual(texts);
  expect(isDamaged(of(list))).toBe(damaged);
});

it.each([
  ['a', 'a'],
  ['', ''],
  [undefined, 'else'],
  [null, 'else'],
  [7, 'else'],
])('the text of %j is %j', (value, text) => {
  expect(textOr(value, 'else')).toBe(text);
});
