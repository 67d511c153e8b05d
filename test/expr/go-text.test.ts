import { describe, expect, it } from 'vitest';
import { goJson, goSprint, goText } from '../../src/expr/go-text.ts';
import { parseJson } from '../../src/kit/exact-json.ts';

describe('numbers as Go prints them', () => {
  // made with fmt.Sprint and json.Marshal of Go 1.24 on the values that apimachinery decodes: int64, else float64
  it.each([
    ['0', '0', '0'],
    ['-0', '0', '0'],
    ['1.0', '1', '1'],
    ['1234567', '1234567', '1234567'],
    ['9007199254740993', '9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808', '-9223372036854775808'],
    ['9223372036854776000', '9.223372036854776e+18', '9223372036854776000'],
    ['123456789012345680000', '1.2345678901234568e+20', '123456789012345680000'],
    ['1e21', '1e+21', '1e+21'],
    ['1.5e300', '1.5e+300', '1.5e+300'],
    ['0.0001', '0.0001', '0.0001'],
    ['0.00001', '1e-05', '0.00001'],
    ['0.000001', '1e-06', '0.000001'],
    ['1e-7', '1e-07', '1e-7'],
    ['0.1', '0.1', '0.1'],
    ['100000.5', '100000.5', '100000.5'],
    ['1234567.5', '1.2345675e+06', '1234567.5'],
    ['-123456789.5', '-1.234567895e+08', '-123456789.5'],
  ])('%s is %s, and %s in JSON', (literal, sprinted, json) => {
    const value = parseJson(literal);
    expect([goSprint(value), goText(value), goJson(value)]).toEqual([sprinted, sprinted, json]);
  });

  it('keeps every digit of a number beyond int64, which kubectl rounds', () => {
    expect(goSprint(parseJson('18446744073709551615'))).toBe('18446744073709551615');
    expect(goSprint(parseJson('[1E400]'))).toBe('[1E400]');
  });
});

describe('maps as Go prints them', () => {
  it('sort keys by their bytes, also those that look like numbers', () => {
    const value = JSON.parse('{"b":1,"10":2,"9":3,"\\ue000":4,"😀":5,"":6,"__proto__":7}') as unknown;
    expect(goJson(value)).toBe('{"":6,"10":2,"9":3,"__proto__":7,"b":1,"\ue000":4,"😀":5}');
    expect(goSprint(value)).toBe('map[:6 10:2 9:3 __proto__:7 b:1 \ue000:4 😀:5]');
  });

  it.each([undefined, 2, 4])('indented by %s are the same as from JSON.stringify with sorted keys', (indent) => {
    const value = { a: [], b: {}, c: [1, 'x\n', null, [true], { d: undefined, e: 'é' }], f: { g: { h: [{}] } } };
    expect(goJson(value, indent)).toBe(JSON.stringify(value, undefined, indent));
  });

  it('are cut where they are nested too deep', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown;
    expect(goJson(deep)).toBe(`${'['.repeat(1000)}…${']'.repeat(1000)}`);
    expect(goSprint(deep)).toBe(`${'['.repeat(1000)}…${']'.repeat(1000)}`);
  });
});
