import { describe, expect, it } from 'vitest';
import { FieldSelector } from '../../src/model/field-selector.ts';
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

  it('of an object without labels still sees absent keys', () => {
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

  it('takes () for the set of the empty value, as the server does', () => {
    expect(LabelSelector.parse('app in ()').matches({ app: '' })).toBe(true);
    expect(LabelSelector.parse('app in ()').matches({ app: 'web' })).toBe(false);
  });

  it('prints itself in one form', () => {
    expect(LabelSelector.parse(' app in (web ,db) , !x,y , a==b').toString()).toBe('app in (db,web),!x,y,a=b');
    expect(LabelSelector.parse('').matchesEverything).toBe(true);
    expect(LabelSelector.nothing.matches({})).toBe(false);
  });
});

describe('a field selector', () => {
  const object: Record<string, string> = { 'metadata.name': 'a', 'status.phase': 'Running' };
  const matches = (text: string) => FieldSelector.parse(text).matches((field) => object[field] ?? '');

  it.each<[string, boolean]>([
    ['', true],
    ['metadata.name=a', true],
    ['metadata.name==a,status.phase!=Pending', true],
    ['status.phase!=Running', false],
    ['spec.nodeName=', true],
  ])('%j matches: %s', (text, expected) => expect(matches(text)).toBe(expected));

  it('escapes and unescapes values', () => {
    const selector = FieldSelector.parse('a=x\\,y\\=z');
    expect(selector.requirements).toEqual([{ field: 'a', operator: '=', value: 'x,y=z' }]);
    expect(selector.toString()).toBe('a=x\\,y\\=z');
    expect(selector.requires('a')).toBe('x,y=z');
  });

  it('refuses what it cannot read', () => {
    expect(() => FieldSelector.parse('nonsense')).toThrow("invalid selector: 'nonsense'; can't understand 'nonsense'");
    expect(() => FieldSelector.parse('a=b=c')).toThrow('unescaped character in value');
    expect(() => FieldSelector.parse('a=b\\x')).toThrow('invalid escape sequence');
  });
});
