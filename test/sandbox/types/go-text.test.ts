import { expect, it } from 'vitest';
import { goPlusV, goSharpV, goTypeOf } from '../../../src/sandbox/types/go-text.ts';

const DEEP = { b: 1, a: 'x', c: [1, 'y', null, true, { q: 1.5 }] };

/** What Go prints of the same values, decoded from JSON. */
it.each<[value: unknown, plusV: string, sharpV: string, type: string]>([
  [null, '<nil>', 'interface {}(nil)', '<nil>'],
  ['big', 'big', '"big"', 'string'],
  ['a"b\n', 'a"b\n', '"a\\"b\\n"', 'string'],
  ['é\u0001\u0007', 'é\u0001\u0007', '"é\\x01\\a"', 'string'],
  ['\\u0001', '\\u0001', '"\\\\u0001"', 'string'],
  ['\u007f\u2028😀', '\u007f\u2028😀', '"\\x7f\\u2028😀"', 'string'],
  [1, '1', '1', 'int64'],
  [123_456_789_012, '123456789012', '123456789012', 'int64'],
  [9_007_199_254_740_993n, '9007199254740993', '9007199254740993', 'int64'],
  [1.5, '1.5', '1.5', 'float64'],
  [0.0001, '0.0001', '0.0001', 'float64'],
  [0.00001, '1e-05', '1e-05', 'float64'],
  [1_000_000.5, '1.0000005e+06', '1.0000005e+06', 'float64'],
  [-0.000_002_5, '-2.5e-06', '-2.5e-06', 'float64'],
  [true, 'true', 'true', 'bool'],
  [{}, 'map[]', 'map[string]interface {}{}', 'map[string]interface {}'],
  [[], '[]', '[]interface {}{}', '[]interface {}'],
  [
    DEEP,
    'map[a:x b:1 c:[1 y <nil> true map[q:1.5]]]',
    'map[string]interface {}{"a":"x", "b":1, "c":[]interface {}{1, "y", interface {}(nil), true, map[string]interface {}{"q":1.5}}}',
    'map[string]interface {}',
  ],
])('prints %s as Go does', (value, plusV, sharpV, type) => {
  expect([goPlusV(value), goSharpV(value), goTypeOf(value)]).toEqual([plusV, sharpV, type]);
});
