import { describe, expect, it } from 'vitest';
import { FieldSelector } from '../../src/model/field-selector.ts';

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

  it('refuses a text that is not a field selector', () => {
    expect(() => FieldSelector.parse('nonsense')).toThrow("invalid selector: 'nonsense'; can't understand 'nonsense'");
    expect(() => FieldSelector.parse('a=b=c')).toThrow('unescaped character in value');
    expect(() => FieldSelector.parse('a=b\\x')).toThrow('invalid escape sequence');
  });

  it.each<[string, boolean]>([
    ['', false],
    ['a!=b', false],
    ['a=', false],
    ['metadata.namespace=shop', false],
    ['metadata.namespace=shop,a=b', true],
  ])('%j needs a value of the object: %s', (text, expected) => {
    expect(FieldSelector.parse(text).restricts).toBe(expected);
  });

  it('requires no value of a field that it only excludes values of', () => {
    expect(FieldSelector.parse('a!=b').requires('a')).toBeUndefined();
  });
});
