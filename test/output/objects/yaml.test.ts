import fc from 'fast-check';
import { CORE_SCHEMA, intYaml11Tag, load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { toYaml } from '../../../src/output/objects/yaml.ts';

describe("a text is written as kubectl's, seen in kubectl 1.35", () => {
  test.each([
    ['abc', 'abc'],
    ['', '""'],
    ['1', '"1"'],
    ['1.5', '"1.5"'],
    ['1e3', '"1e3"'],
    ['1_000', '"1_000"'],
    ['0x1F', '"0x1F"'],
    ['089', '"089"'],
    ['1:30', '"1:30"'],
    ['80:80', '80:80'],
    ['12:99', '12:99'],
    ['1.2.3', '1.2.3'],
    ['true', '"true"'],
    ['y', '"y"'],
    ['Off', '"Off"'],
    ['nULL', 'nULL'],
    ['~', '"~"'],
    ['~/x', '~/x'],
    ['.inf', '".inf"'],
    ['inf', 'inf'],
    ['2026-01-01', '"2026-01-01"'],
    ['2026-01-01T00:00:00Z', '"2026-01-01T00:00:00Z"'],
    ['2026-01-01 foo', '2026-01-01 foo'],
    ['a: b', "'a: b'"],
    ['a:', "'a:'"],
    [':x', ':x'],
    ['http://x:80/y', 'http://x:80/y'],
    ['a #b', "'a #b'"],
    ['a#b', 'a#b'],
    [' x', "' x'"],
    ['x ', "'x '"],
    ['*', "'*'"],
    ['&x', "'&x'"],
    ['{"a":1}', `'{"a":1}'`],
    ['[1]', "'[1]'"],
    ['-x', '-x'],
    ['- x', "'- x'"],
    ['-', "'-'"],
    ['--flag', '--flag'],
    ['?x', '?x'],
    ['? x', "'? x'"],
    ['---', "'---'"],
    ['...', "'...'"],
    ['@x', "'@x'"],
    ['%x', "'%x'"],
    [',x', "',x'"],
    ['a, b', 'a, b'],
    ["it's", "it's"],
    ["'a' b", "'''a'' b'"],
    ['say "hi"', 'say "hi"'],
    ['a\tb', '"a\\tb"'],
    ['a\x1bb', '"a\\eb"'],
    ['a\r\nb', '"a\\r\\nb"'],
    ['a\nb', '|-\n  a\n  b'],
    ['a\nb\n', '|\n  a\n  b'],
    ['a\n\nb\n\n', '|+\n  a\n\n  b\n'],
    ['\na', '|2-\n\n  a'],
    ['  a\nb\n', '|2\n    a\n  b'],
    ['\n', '|2+\n'],
    ['a \nb\n', '"a \\nb\\n"'],
  ])('%j', (text, yaml) => {
    expect(toYaml({ k: text })).toBe(`k: ${yaml}\n`);
  });

  test('and not folded, however long it is', () => {
    expect(toYaml({ a: 'word '.repeat(60).trim() }).split('\n')).toHaveLength(2);
  });
});

test("keys are sorted as kubectl's: numbers by size, letters last", () => {
  const keys = [
    'ab',
    'a',
    'A',
    'a1',
    'a-1',
    'a.1',
    'file10',
    'file2',
    'file02',
    '10',
    '9',
    'x100',
    'x00',
    'x0',
    'v1.10',
    'v1.9',
  ];
  const sorted = toYaml(Object.fromEntries(keys.map((key) => [key, 0])), { sorted: true });
  expect(sorted.split('\n').map((line) => line.split(':')[0]?.replaceAll('"', ''))).toEqual([
    '9',
    '10',
    'A',
    'a',
    'a-1',
    'a.1',
    'a1',
    'ab',
    'file2',
    'file02',
    'file10',
    'v1.9',
    'v1.10',
    'x0',
    'x00',
    'x100',
    '',
  ]);
});

test('maps and lists are in block style, with lists at the indent of their key', () => {
  const value = { a: { b: [], c: {}, d: null }, list: [1, { x: true, y: [['z']] }, ['q', { r: 1.5 }]], no: undefined };
  expect(toYaml(value)).toBe(
    [
      'a:',
      '  b: []',
      '  c: {}',
      '  d: null',
      'list:',
      '- 1',
      '- x: true',
      '  "y":',
      '  - - z',
      '- - q',
      '  - r: 1.5',
      '',
    ].join('\n'),
  );
  expect(toYaml([])).toBe('[]\n');
  expect(toYaml({})).toBe('{}\n');
});

describe('what was written is read back the same', () => {
  const hard = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom(
        ' ',
        '\n',
        '#',
        ':',
        '-',
        "'",
        '"',
        'a',
        '0',
        '1',
        '.',
        '_',
        '\t',
        '\\',
        '{',
        '&',
        'e',
        'x',
        '~',
        'y',
        '\r',
      ),
    }),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      hard,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any')),
      fc.dictionary(hard, tie('any')),
    ),
  })).any;

  test.each([
    ['YAML 1.2', CORE_SCHEMA],
    ['the integers of YAML 1.1', CORE_SCHEMA.withTags(intYaml11Tag)],
  ])('by a reader of %s', (_, schema) => {
    fc.assert(
      fc.property(value, fc.boolean(), (written, sorted) => {
        const plain = JSON.parse(JSON.stringify(written));
        expect(load(toYaml(plain, { sorted }), { schema })).toEqual(plain);
      }),
      { numRuns: 500 },
    );
  });
});

test('no control character is written but line ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(toYaml({ a: [text], [text]: 1 }).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }),
  );
});
