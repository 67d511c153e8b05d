import { describe, expect, it } from 'vitest';
import { checkName, pathSegment } from '../../src/model/path-segment.ts';

describe('a part of a path', () => {
  it.each([
    ['web', 'web'],
    ['system:node', 'system%3Anode'],
    ['a b?c#d', 'a%20b%3Fc%23d'],
    ['é', '%C3%A9'],
    ['...', '...'],
  ])('%j is escaped as %s', (value, expected) => {
    expect(pathSegment(value, 'the name')).toBe(expected);
  });

  it.each<[unknown, string]>([
    ['', 'the name may not be empty'],
    ['.', "the name may not be '.'"],
    ['..', "the name may not be '..'"],
    ['a/b', `the name may not contain '/': "a/b"`],
    ['a%2Fb', `the name may not contain '%': "a%2Fb"`],
    ['\ud800', 'the name is not well-formed: "\\ud800"'],
    [undefined, 'the name must be a text, not undefined'],
    [null, 'the name must be a text, not null'],
    [7, 'the name must be a text, not number'],
  ])('%j is refused', (value, message) => {
    expect(() => pathSegment(value, 'the name')).toThrow(expect.objectContaining({ code: 'argument', message }));
  });
});

it('the refusal of a name says of which resource type the object is', () => {
  expect(() => checkName('', 'pods')).toThrow('the name of the object (pods) may not be empty');
  expect(() => checkName('web', 'pods')).not.toThrow();
});
