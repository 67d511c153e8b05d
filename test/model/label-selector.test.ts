import { describe, expect, it } from 'vitest';
import { LabelSelector } from '../../src/model/label-selector.ts';

describe('a label selector', () => {
  const labels = { app: 'web', tier: 'front', n: '5' };

  it.each<[string, boolean]>([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app = db', false],
    ['app!=db', true],
    ['missing!=x', true],
    ['app', true],
    ['missing', false],
    ['!missing', true],
    ['!app', false],
    ['app in (db, web)', true],
    ['app in (db)', false],
    ['app notin (db)', true],
    ['missing notin (x)', true],
    ['app in (db,web),!legacy,tier', true],
    ['n>4', true],
    ['n<5', false],
    ['app>1', false],
    ['app=', false],
    ['in in (in)', false],
  ])('%j matches: %s', (text, expected) => {
    expect(LabelSelector.parse(text).matches(labels)).toBe(expected);
  });

  it('treats every key of an object without labels as absent', () => {
    expect(LabelSelector.parse('!a,b!=c').matches(undefined)).toBe(true);
    expect(LabelSelector.parse('a').matches(undefined)).toBe(false);
    expect(LabelSelector.parse('toString').matches({})).toBe(false);
  });

  it.each([
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['a=b,', "found '', expected: identifier after ','"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a>b', 'must be an integer'],
  ])('refuses %j in the server’s words', (text, message) => {
    expect(() => LabelSelector.parse(text)).toThrow(message);
  });

  it('reads () as the set of the empty value, as the server does', () => {
    expect(LabelSelector.parse('app in ()').matches({ app: '' })).toBe(true);
    expect(LabelSelector.parse('app in ()').matches({ app: 'web' })).toBe(false);
  });

  it('has one text for all spellings', () => {
    expect(LabelSelector.parse(' app in (web ,db) , !x,y , a==b').toString()).toBe('app in (db,web),!x,y,a=b');
    expect(LabelSelector.parse('').matchesEverything).toBe(true);
    expect(LabelSelector.nothing.matches({})).toBe(false);
  });

  it.each<[string, boolean]>([
    ['', false],
    ['!a', false],
    ['a!=b,c notin (d)', false],
    ['!a,b', true],
    ['a=b', true],
  ])('%j needs a label of the object: %s', (text, expected) => {
    expect(LabelSelector.parse(text).restricts).toBe(expected);
  });

  it('refuses a key and a value that no label can have', () => {
    expect(() => LabelSelector.parse('a/b/c=d')).toThrow('Invalid value: "a/b/c"');
    expect(() => LabelSelector.parse(`a=${'x'.repeat(64)}`)).toThrow(
      'a valid label must be an empty string or consist of',
    );
  });
});
