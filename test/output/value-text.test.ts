import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { valueLines, valuePair, valueText } from '../../src/output/value-text.ts';

describe('a value', () => {
  test.each<[unknown, string]>([
    ['nginx:1.25', 'nginx:1.25'],
    ['two words', 'two words'],
    ['3', '"3"'],
    [3, '3'],
    ['true', '"true"'],
    [true, 'true'],
    ['null', '"null"'],
    [null, 'null'],
    ['', '""'],
    [' x', '" x"'],
    ['x ', '"x "'],
    ['a → b', '"a → b"'],
    ['a  b', '"a  b"'],
    ['a\nb', '"a\\nb"'],
    ['\x1b[31m', '"\\u001b[31m"'],
    ['\x9b31m', '"^[[31m"'],
    ['<none>', '"<none>"'],
    [undefined, '<none>'],
    [{ a: [1, 'x'] }, '{"a":[1,"x"]}'],
  ])('%j is distinguished from other values: %s', (value, text) => {
    expect(valueText(value, 80)).toBe(text);
  });

  test('that is long is cut, and never within a character', () => {
    expect(valueText('a'.repeat(30), 10)).toBe('aaaaaaaaaa…');
    expect(valueText(`${'a'.repeat(9)}😀${'b'.repeat(9)}`, 10)).toBe('aaaaaaaaa…');
  });

  test('is cut around its difference to another value', () => {
    const digest = (end: string) => `registry.example.com/shop/web@sha256:${'0'.repeat(40)}${end}`;
    const [a, b] = valuePair(digest('aaa'), digest('bbb'), 30);
    expect(a).toMatch(/^….*aaa$/);
    expect(b).toMatch(/^….*bbb$/);
    expect(a).not.toBe(b);
  });

  test('of any two long texts is cut so that they look different', () => {
    const unit = fc.constantFrom('a', 'b', '😀');
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 60 }),
        fc.string({ unit, minLength: 1, maxLength: 30 }),
        fc.string({ unit, maxLength: 60 }),
        (head, more, tail) => {
          const [x, y] = valuePair(head + more + tail, head + tail, 20);
          expect(x).not.toBe(y);
        },
      ),
    );
  });

  test('with parts has several lines if it does not fit into one', () => {
    expect(valueLines({ name: 'web', ports: [{ port: 80 }], env: [{ name: 'A', value: 'x'.repeat(20) }] }, 24)).toEqual(
      ['name: web', 'ports: [{"port":80}]', 'env:', '  - name: A', '    value: xxxxxxxxxxxxxxxxxxxx'],
    );
  });
});
