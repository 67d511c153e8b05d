import { describe, expect, test } from 'vitest';
import { compileJsonPath } from '../../../src/expr/jsonpath/jsonpath.ts';
import { object } from '../../support/jsonpath.ts';

const nodes = {
  kind: 'List',
  items: [
    {
      metadata: { name: '127.0.0.1' },
      status: { capacity: { cpu: '4' }, addresses: [{ type: 'LegacyHostIP', address: '127.0.0.1' }] },
    },
    {
      metadata: { name: '127.0.0.2' },
      status: { capacity: { cpu: '8' }, addresses: [{ type: 'LegacyHostIP', address: '127.0.0.2' }] },
    },
  ],
  users: [
    { name: 'myself', user: {} },
    { name: 'e2e', user: { username: 'admin', password: 'secret' } },
  ],
};

const print = (template: string, on: unknown = object) => compileJsonPath(template).print(on);

/** What kubectl 1.33 printed for these templates (`kubectl annotate --local -f FILE -o jsonpath=…`). */
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
    [
      '{range .items[*]}[{.metadata.name}, {.status.capacity}] {end}',
      '[127.0.0.1, {"cpu":"4"}] [127.0.0.2, {"cpu":"8"}] ',
    ],
    ['{range .items[*]}{.metadata.name}{"\\t"}{.status.capacity.cpu}{"\\n"}{end}', '127.0.0.1\t4\n127.0.0.2\t8\n'],
    ['{.items[*].status.addresses[?(@.type=="LegacyHostIP")].address}', '127.0.0.1 127.0.0.2'],
  ])('%s', (template, expected) => {
    expect(print(template, nodes)).toBe(expected);
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

  test('an empty list in the middle does not end the search', () => {
    expect(print('{.spec.holes[*].l[*]}')).toBe('1 2 3');
  });
});

describe('values', () => {
  test('leave out the text of a template', () => {
    expect(compileJsonPath('a{range .spec.list[*]}{.k}:{.n}{"\\n"}{end}').values(object)).toEqual([
      'a',
      1,
      'b',
      2,
      'c',
      3,
    ]);
  });

  test('never come from a prototype', () => {
    expect(compileJsonPath('{.constructor}').values(object)).toEqual([]);
    expect(compileJsonPath('{.spec.list.length}').values(object)).toEqual([]);
    expect(compileJsonPath('{.toString}').values({ toString: 'own' })).toEqual(['own']);
  });

  test.each([[undefined], [null], [3], ['text'], [[]]])('there are none in %j', (nothing) => {
    expect(compileJsonPath('.metadata.name').values(nothing)).toEqual([]);
  });
});

test('a map prints as JSON with sorted keys at every depth', () => {
  expect(compileJsonPath('{@}').print({ b: [{ d: 1, c: null }], a: '\u2028' })).toBe(
    '{"a":"\\u2028","b":[{"c":null,"d":1}]}',
  );
});

test('print applies clean to values, not to the text of the template', () => {
  expect(compileJsonPath('{"<"}{.k}>{.l[*]}').print({ k: 'v', l: ['a', 'b'] }, (text) => text.toUpperCase())).toBe(
    '<V>A B',
  );
});

test('a template that begins at .items expects a List', () => {
  expect(compileJsonPath('{range .items[*]}{.kind}{end}').wantsList).toBe(true);
  expect(compileJsonPath('{.metadata.items}').wantsList).toBe(false);
});

describe('compileJsonPath refuses', () => {
  test('an empty expression is refused', () => {
    expect(() => compileJsonPath(' ')).toThrow('the JSONPath is empty');
  });

  test('the synchronous compiler says how to write it instead', () => {
    expect(() => compileJsonPath('$.metadata.name')).toThrow(`"$.metadata.name" is not in kubectl's JSONPath dialect`);
  });
});
