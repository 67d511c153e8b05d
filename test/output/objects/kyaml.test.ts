import { describe, expect, it } from 'vitest';
import { toKyaml } from '../../../src/output/objects/kyaml.ts';
import { KyamlPrinter } from '../../../src/output/objects/kyaml-printer.ts';

// What kubectl 1.35 printed for these values (`kubectl annotate --local -f FILE -o kyaml`).

describe('a value as KYAML', () => {
  it('has maps of one member a line, with a comma behind each, and sorted keys', () => {
    expect(toKyaml({ b: { z: 1, a: null }, a: true, e: {}, l: [], f: 1.5, x: undefined })).toBe(
      '{\n  a: true,\n  b: {\n    a: null,\n    z: 1,\n  },\n  e: {},\n  "f": 1.5,\n  l: [],\n}',
    );
  });

  it('begins the items of a list of maps or lists on the line of the bracket', () => {
    expect(toKyaml({ m: [{ a: 1 }, {}], l: [[1], [2, 3]], x: ['a', {}, [1]] })).toBe(
      '{\n  l: [[\n    1,\n  ], [\n    2,\n    3,\n  ]],\n  m: [{\n    a: 1,\n  }, {}],\n  x: [\n    "a",\n    {},\n    [\n      1,\n    ],\n  ],\n}',
    );
  });

  it.each([
    ['plain', '"plain"'],
    ['', '""'],
    ['a "b" \\ c\td', '"a \\"b\\" \\\\ c\td"'],
    [
      '\u00a0\u0085\u2028\u2029\u200b😀\u3000\ufeff\u0001\u0000\u001b\r\u007f',
      '"\\_\\N\\L\\P\\u200b😀\\u3000\\ufeff\\x01\\0\\e\\r\\x7f"',
    ],
    ['<a&b> é日', '"<a&b> é日"'],
    ['\ud800', '"\\ufffd"'],
    ['a\nb', '"\\\n   a\\n\\\n   b\\\n  "'],
    ['a\n  b\n', '"\\\n   a\\n\\\n  \\  b\\n\\\n  "'],
    ['\n', '"\\\n   \\n\\\n  "'],
    ['\n\n x', '"\\\n   \\n\\\n   \\n\\\n  \\ x\\\n  "'],
    ['\tx\n\u3000y', '"\\\n  \\\tx\\n\\\n  \\\\u3000y\\\n  "'],
  ])('writes the text %j', (text, expected) => {
    expect(toKyaml(text)).toBe(expected);
  });

  it.each([
    ...[
      'a.b',
      'a_b',
      'a/b',
      'k-d',
      '_x',
      '1a',
      't1',
      'é',
      '½',
      '1e400',
      '2026-13-2',
      '2026-02-30',
      'app.kubernetes.io/name',
    ],
  ])('leaves the key %j without quotes', (key) => {
    expect(toKyaml({ [key]: 1 })).toBe(`{\n  ${key}: 1,\n}`);
  });

  it.each([
    ...['', '-x', 'x-', 'x.', '/a', 'a b', 'a:b', '~', '+5', '12:30', '08', '012', '1.', '1.5', '1e5', '1_0', '0x1f'],
    ...['0x1p-2', '0b11', '0o7', '99999999999999999999', 'Infinity', 'inf', 'nan', 'null', 'Null', 'true', 'TRUE'],
    ...['T', 't', 'f', 'y', 'N', 'yes', 'On', 'off', '2026-1-2', '2020-01-01'],
  ])('puts the key %j in quotes', (key) => {
    expect(toKyaml({ [key]: 1 })).toBe(`{\n  "${key}": 1,\n}`);
  });

  it('writes a key on one line', () => {
    expect(toKyaml({ 'a\tb\nc"': 1 })).toBe('{\n  "a\\tb\\nc\\"": 1,\n}');
  });

  it('writes numbers exactly', () => {
    expect(toKyaml([2n ** 63n - 1n, 1e21, 1e-7, 0.5])).toBe('[\n  9223372036854775807,\n  1e+21,\n  1e-7,\n  0.5,\n]');
  });

  it('ends a value that is nested without end', () => {
    const ring: Record<string, unknown> = {};
    ring.list = [[ring]];
    expect(toKyaml(ring)).toContain('"<it is nested deeper than 1,000 levels>"');
  });
});

describe('-o kyaml', () => {
  const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true };
  const pod = (name: string) => ({ object: { metadata: { name } }, type });
  const printed = (single: boolean, ...names: string[]) =>
    [...new KyamlPrinter({ single }).objects(names.map(pod))].join('');

  it('prints a List, also an empty one, and one object that was asked for alone', () => {
    const tail = '],\n  kind: "List",\n  metadata: {\n    resourceVersion: "",\n  },\n}\n';
    const item = (name: string) => `{\n    metadata: {\n      name: "${name}",\n    },\n  }`;
    expect(printed(false)).toBe(`---\n{\n  apiVersion: "v1",\n  items: [${tail}`);
    expect(printed(false, 'a', 'b')).toBe(`---\n{\n  apiVersion: "v1",\n  items: [${item('a')}, ${item('b')}${tail}`);
    expect(printed(true, 'a')).toBe('---\n{\n  metadata: {\n    name: "a",\n  },\n}\n');
  });
});
