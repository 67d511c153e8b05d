import { describe, expect, test } from 'vitest';
import { compileJsonPath } from '../../../src/expr/jsonpath/jsonpath.ts';
import { loadJsonPath } from '../../../src/expr/jsonpath/load-jsonpath.ts';

/** What kubectl 1.33 printed for these templates (`kubectl annotate --local -f FILE -o jsonpath=…`). */
const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'cm', labels: { 'app.kubernetes.io/name': 'web', x: '1' } },
  spec: {
    nul: null,
    empty: [],
    n: 3,
    f: 1.5,
    big: 1000000,
    t: true,
    html: '<a>&',
    list: [
      { k: 'a', n: 1, v: { z: 1, a: '<&>' } },
      { k: 'b', n: 2 },
      { k: 'c', n: 3, x: null },
    ],
    nums: [1, 2, 3, 4, 5],
    m: { a: 2, b: 1 },
    holes: [{ l: [1] }, { l: [] }, { l: [2, 3] }],
  },
};

const nodes = {
  kind: 'List',
  items: [
    { metadata: { name: '127.0.0.1' }, status: { capacity: { cpu: '4' }, addresses: [{ type: 'LegacyHostIP', address: '127.0.0.1' }] } },
    { metadata: { name: '127.0.0.2' }, status: { capacity: { cpu: '8' }, addresses: [{ type: 'LegacyHostIP', address: '127.0.0.2' }] } },
  ],
  users: [
    { name: 'myself', user: {} },
    { name: 'e2e', user: { username: 'admin', password: 'secret' } },
  ],
};

const print = (template: string, on: unknown = object) => compileJsonPath(template).print(on);

describe('a template prints what kubectl prints', () => {
  test.each([
    ['{.spec.m}', '{"a":2,"b":1}'],
    ['{.spec.list[0].v}', '{"a":"\\u003c\\u0026\\u003e","z":1}'],
    ['{.spec.nul}', 'null'],
    ['{.spec.list[].k}', 'a'],
    ['{.spec.nums[0:2]}', '1 2'],
    ['{.spec.nums[::2]}', '1 3 5'],
    ['{.spec.nums[-2:]}', '4 5'],
    ['{.spec.nums[-1]}', '5'],
    ['{.spec.nums[1,3]}', '2 4'],
    ['{.spec.nums[2:2]}', ''],
    ['{.spec.empty[*]}', ''],
    ['{.spec.empty}', '[]'],
    ["{.metadata['name','labels.x']}", 'cm 1'],
    ["{.spec.list[*]['k','n']}", 'a b c 1 2 3'],
    ["{.spec.list[*]['k', 'n']}", 'a b c 1 2 3'],
    ['{.spec.list[?(@.n>1)].k}', 'b c'],
    ['{.spec.list[?(@.k!="a")].k}', 'b c'],
    ["{.spec.list[?(@.k=='a')].n}", '1'],
    ['{.spec.list[?(@.x)].k}', 'c'],
    ['{.spec.list[?(@.n<=2)].k} {.spec.list[?(@.k>="b")].k}', 'a b b c'],
    ['{..k}', 'a b c'],
    ['{.spec..n}', '3 1 2 3'],
    ['{.spec.f} {.spec.big} {.spec.t} {.spec.html}', '1.5 1000000 true <a>&'],
    ['{range .spec.list[*]}[{.k}]{end}', '[a][b][c]'],
    ['{range .spec.nope[*]}[{.k}]{end}X', 'X'],
    ['{range .spec.list[*]}{.k}', 'abc'],
    ['{.metadata.labels.app\\.kubernetes\\.io/name}', 'web'],
    ["{.metadata.labels['app\\.kubernetes\\.io/name']}", 'web'],
    ['{.spec.m.*}', '2 1'],
    ['{.spec.list[*].k}{"\\n"}{.kind}', 'a b c\nConfigMap'],
    ["{'a\\tb'}", 'a\tb'],
    ['{.kind}{","}{.metadata.name}', 'ConfigMap,cm'],
    ['{.spec.list[?(@.k=="a")].v.a}', '<&>'],
    ["{.spec.list[?(@['k']=='a')].n}", '1'],
    ['{range .spec.holes[*]}{range .l[*]}{@},{end};{end}', '1,;;2,3,;'],
    ['{.spec.nums[?(@>2)]}', '3 4 5'],
    ['{.spec.nums[?(@ > 2)]}', '3 4 5'],
    ['{true} {1} {-1.5}', 'true 1 -1.5'],
    ['{.spec.list[*].nope}|', '|'],
    ['{.kind .metadata.name}', ''],
    ['{ .kind }', 'ConfigMap'],
    ['{range .spec.list[*]}{range .nope[*]}x{end}{.k}{end}', 'abc'],
    ['{.spec.list[?(@.k == "a")].n}', '1'],
    ['{.spec.list[?(@.k=="a)")].n}', ''],
    ['{.kind}}x', 'ConfigMap}x'],
    ['{"{"}', '{'],
    ['{.spec.list.k}', ''],
    ['{"\\u00e9\\x41\\"q"}', 'éA"q'],
    ['x{.metadata.name}y', 'xcmy'],
    ['{$.kind}', 'ConfigMap'],
  ])('%s', (template, expected) => {
    expect(print(template)).toBe(expected);
  });
});

describe("the examples of kubectl's documentation print as documented", () => {
  test.each([
    ['{.kind}', 'List'],
    ["{['kind']}", 'List'],
    ['{..name}', '127.0.0.1 127.0.0.2 myself e2e'],
    ['{.items[*].metadata.name}', '127.0.0.1 127.0.0.2'],
    ['{.users[0].name}', 'myself'],
    ["{.items[*]['metadata.name', 'status.capacity']}", '127.0.0.1 127.0.0.2 {"cpu":"4"} {"cpu":"8"}'],
    ['{.users[?(@.name=="e2e")].user.password}', 'secret'],
    ['{range .items[*]}[{.metadata.name}, {.status.capacity}] {end}', '[127.0.0.1, {"cpu":"4"}] [127.0.0.2, {"cpu":"8"}] '],
    ['{range .items[*]}{.metadata.name}{"\\t"}{.status.capacity.cpu}{"\\n"}{end}', '127.0.0.1\t4\n127.0.0.2\t8\n'],
    ['{.items[*].status.addresses[?(@.type=="LegacyHostIP")].address}', '127.0.0.1 127.0.0.2'],
  ])('%s', (template, expected) => {
    expect(print(template, nodes)).toBe(expected);
  });
});

describe('what kubectl refuses while parsing is refused when compiled, with the position', () => {
  test.each([
    ['{.spec.list[0].k', 'unclosed action at position 16'],
    ['{.spec.list[0}', 'unterminated array at position 11'],
    ['{.spec.list[a]}', 'invalid array index a at position 12'],
    ['{.spec.nums[+1]}', 'invalid array index +1 at position 12'],
    ['{.spec.nums[-]}', 'invalid array index - at position 12'],
    ['{.spec.nums[1:2:0]}', 'step must be > 0 at position 12'],
    ['{.spec.list[?(@.n==1 % 2)]}', "unrecognized character in action: U+0025 '%' at position 21"],
    ['{.spec.list[?(@.k=~"a")]}', 'unrecognized filter operator =~ at position 17'],
    ['{.spec.list[?(@.k=="a"]}', "unrecognized character in action: U+005D ']' at position 22"],
    ['{.spec.list[?(@.k=="a")', 'unclosed array expect ] at position 23'],
    ['{.spec.list[?(@.k', 'unterminated filter at position 11'],
    ['{.spec.list[?(@.k==)]}', 'empty operand in filter at position 19'],
    ['a{end}', 'not in range, nothing to end at position 2'],
    ['a{foo}', 'unrecognized identifier foo at position 2'],
    ['{.a}{"b}', 'unterminated quoted string at position 5'],
    ['{.a\n}', 'unclosed action at position 3'],
    ['{.a....b}', 'invalid multiple recursive descent at position 5'],
    ['{.a #}', "unrecognized character in action: U+0023 '#' at position 4"],
  ])('%s', (template, problem) => {
    expect(() => compileJsonPath(template)).toThrow(`error parsing jsonpath ${template}, ${problem}`);
  });

  test('an empty expression is refused', () => {
    expect(() => compileJsonPath(' ')).toThrow('the JSONPath is empty');
  });
});

describe('what kubectl refuses while printing throws from print and is nothing to values', () => {
  test.each([
    ['{.spec.nums[9]}', 'array index out of bounds: index 9, length 5'],
    ['{.spec.nums[-7]}', 'array index out of bounds: index -2, length 5'],
    ['{.spec.empty[0]}', 'array index out of bounds: index 0, length 0'],
    ['{.spec.nums[3:1]}', 'starting index 3 is greater than ending index 1'],
    ['{.spec.n[0]}', 'number is not array or slice'],
    ['{[0]}', 'map is not array or slice'],
    ['{.spec.m[?(@.x)]}', 'map is not array or slice and cannot be filtered'],
    ['{.spec.list[?(@.x==1)].k}', 'invalid type for comparison'],
    ['{.spec.list[?(@.k==1)].k}', 'incompatible types for comparison'],
    ['{.spec.holes[?(@.l[*]==2)]}', 'can only compare one element at a time'],
  ])('%s', (template, problem) => {
    const path = compileJsonPath(template);
    expect(() => path.print(object)).toThrow(problem);
    expect(path.values(object)).toEqual([]);
  });

  test('a slice that reaches past the end throws from print and is cut by values', () => {
    const path = compileJsonPath('{.spec.nums[3:9]}');
    expect(() => path.print(object)).toThrow('array index out of bounds: index 8, length 5');
    expect(path.values(object)).toEqual([4, 5]);
  });
});

describe('an expression without braces is read as one action', () => {
  test.each([
    '.metadata.name',
    'metadata.name',
    '{metadata.name}',
    '{.metadata.name}',
    "['metadata'].name",
    '@.metadata.name',
    ' .metadata.name',
  ])('%s', (text) => {
    expect(compileJsonPath(text).values(object)).toEqual(['cm']);
    expect(print(text)).toBe('cm');
  });
});

describe('beyond kubectl', () => {
  test.each([
    ['{.}', object],
    ["{.metadata.labels['app.kubernetes.io/name']}", 'web'],
    ['{.metadata.labels["x"]}', '1'],
    ['{.spec.list[?(@.n==3 && @.k=="c")].k}', 'c'],
    ['{.spec.list[?(@.n==7 || @.k=="b")].k}', 'b'],
    ['{.spec.holes[?(@.l[?(@==3)])].l[0]}', 2],
    ["{.metadata.labels['nope.x','x']}", '1'],
  ])('%s', (template, expected) => {
    expect(compileJsonPath(template).values(object)).toEqual([expected]);
  });

  test('an empty list in the middle does not end the walk over the rest', () => {
    expect(print('{.spec.holes[*].l[*]}')).toBe('1 2 3');
  });
});

describe('values', () => {
  test('leave the text of a template out', () => {
    expect(compileJsonPath('a{range .spec.list[*]}{.k}:{.n}{"\\n"}{end}').values(object)).toEqual(['a', 1, 'b', 2, 'c', 3]);
  });

  test('never come from a prototype', () => {
    expect(compileJsonPath('{.constructor}').values(object)).toEqual([]);
    expect(compileJsonPath('{.spec.list.length}').values(object)).toEqual([]);
    expect(compileJsonPath('{.toString}').values({ toString: 'own' })).toEqual(['own']);
  });

  test.each([[undefined], [null], [3], ['text'], [[]]])('of %j are none', (nothing) => {
    expect(compileJsonPath('.metadata.name').values(nothing)).toEqual([]);
  });
});

test('a map prints as JSON with sorted keys at every depth', () => {
  expect(compileJsonPath('{@}').print({ b: [{ d: 1, c: null }], a: '\u2028' })).toBe('{"a":"\\u2028","b":[{"c":null,"d":1}]}');
});

test('print cleans values and not the text of the template', () => {
  expect(compileJsonPath('{"<"}{.k}>{.l[*]}').print({ k: 'v', l: ['a', 'b'] }, (text) => text.toUpperCase())).toBe('<V>A B');
});

test('a template that begins at .items says that it wants a List', () => {
  expect(compileJsonPath('{range .items[*]}{.kind}{end}').wantsList).toBe(true);
  expect(compileJsonPath('{.metadata.items}').wantsList).toBe(false);
});

describe('an expression that begins with $ is of the other dialect', () => {
  test('the synchronous compiler says how to write it instead', () => {
    expect(() => compileJsonPath('$.metadata.name')).toThrow('"$.metadata.name" is an expression of another JSONPath dialect');
  });

  test.each([
    ['$.metadata.name', ['cm']],
    ['$.spec.list[?(@.n > 1 && @.k)].k', ['b', 'c']],
    ['$.spec.list[?(@.v.a.b.c)].k', []],
    ['$.spec.nums[-1:]', [5]],
    ["$.metadata.labels['app.kubernetes.io/name']", ['web']],
    ['$.nope', []],
  ])('%s', async (text, expected) => {
    const path = await loadJsonPath(text);
    expect(path.values(object)).toEqual(expected);
    expect(path.print(object)).toBe(expected.join(' '));
  });

  test('a script that cannot be read is refused when compiled', async () => {
    await expect(loadJsonPath('$.a[?(@.b ==)]')).rejects.toThrow('error parsing jsonpath $.a[?(@.b ==)]');
  });

  test('scripts reach nothing but the object', async () => {
    const path = await loadJsonPath('$.spec.list[?(@.constructor.constructor("return process")().exit(7))]');
    expect(path.values(object)).toEqual([]);
  });

  test('the loader takes the kubectl dialect too', async () => {
    expect((await loadJsonPath('{.metadata.name}')).values(object)).toEqual(['cm']);
  });
});
