import { describe, expect, it } from 'vitest';
import { copyOf } from '../../src/kit/copy-of.ts';
import { jsonText, parseJson } from '../../src/kit/exact-json.ts';

describe('copyOf', () => {
  it('copies maps and lists at every level', () => {
    const value = { a: [{ b: 1 }], c: { d: null } };
    const copy = copyOf(value);
    expect(copy).toEqual(value);
    expect([copy === value, copy.a === value.a, copy.a[0] === value.a[0], copy.c === value.c]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('does not copy a value that JSON does not have', () => {
    const date = new Date(0);
    expect(copyOf({ date }).date).toBe(date);
    expect([copyOf('text'), copyOf(undefined), copyOf(null)]).toEqual(['text', undefined, null]);
  });

  it('keeps the numbers of parseJson, for JSON.stringify too', () => {
    const text = '{"a":[9007199254740993],"b":1e400}';
    const copy = copyOf(parseJson(text));
    expect([jsonText(copy), JSON.stringify(copy)]).toEqual([text, text]);
  });

  it('keeps a key __proto__ as data', () => {
    const copy = copyOf(JSON.parse('{"__proto__":{"a":{}}}')) as object;
    expect([Object.keys(copy), Object.getPrototypeOf(copy) === Object.prototype]).toEqual([['__proto__'], true]);
  });

  it('copies 50,000 levels', () => {
    const text = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    let depth = 0;
    for (let at: unknown = copyOf(JSON.parse(text)); Array.isArray(at); at = at[0]) depth++;
    expect(depth).toBe(50_000);
  });
});
