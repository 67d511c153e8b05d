import { describe, expect, it } from 'vitest';
import { CRDS, causesOf, definition, useThings, version } from '../../../support/custom-things.ts';
import { ask, type Loose } from '../../../support/sandbox-requests.ts';

const things = useThings();

const item = { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer' } } };

/** One property of each kind of type. */
const properties = {
  a: { type: 'integer' },
  n: { type: 'number' },
  s: { type: 'string' },
  b: { type: 'boolean' },
  day: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'date-time' },
  length: { type: 'string', format: 'duration' },
  bytes: { type: 'string', format: 'byte' },
  either: { 'x-kubernetes-int-or-string': true },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { k: { type: 'integer' } } },
  any: { 'x-kubernetes-preserve-unknown-fields': true },
  none: { type: 'string', nullable: true },
  list: { type: 'array', maxItems: 5, items: { type: 'integer' } },
  items: { type: 'array', maxItems: 5, items: item },
  map: { type: 'object', maxProperties: 5, additionalProperties: { type: 'integer' } },
  texts: { type: 'object', maxProperties: 5, additionalProperties: { type: 'string', maxLength: 5 } },
  pod: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  o: {
    type: 'object',
    properties: { 'a-b': { type: 'integer' }, 'x.y': { type: 'string' }, namespace: { type: 'string' } },
  },
};

async function post(rule: object, more: object = {}) {
  const spec = { properties, 'x-kubernetes-validations': [rule], ...more };
  return ask<Loose>(things.sandbox, 'POST', `${CRDS}?dryRun=All`, definition([version({ spec })]));
}

const RULE = 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]';

/** The words of a refusal of a rule, without the rule's own dump: those of a recorded server. */
async function refusal(rule: string): Promise<string> {
  const answer = await post({ rule });
  const [cause] = causesOf(answer) ?? [String(answer.status)];
  return String(cause)
    .replace(`${RULE}.rule: `, '')
    .replace(/^Invalid value: \{"Rule".*?"OptionalOldSelf":null\}: /, '');
}

const GOOD = `
self.a > 1
self.a > 1.5 && self.n > 1 && self.n < self.a
double(self.a) + self.n > 2.0
-self.a % 2 == 0 && !self.b
self.s + "x" >= "a" && self.s.startsWith("a") && size(self.s) > 1
self.day > timestamp("2020-01-01T00:00:00Z") && self.time - self.day > duration("1h")
self.length > duration("1h") && self.length.getHours() > 1 && self.day.getHours() > 1
self.time + self.length > self.time && self.time != null
self.bytes == b"abc" && self.bytes.size() > 1
self.either == 1 || self.either == "10%" || self.either + 1 == 2
type(self.either) == int ? self.either > 1 : self.either.startsWith("a")
self.free.k > 1 && has(self.free.k)
self.none > "a" && self.none == dyn(null)
self.list.all(x, x > 1) && self.list[0] > 1 && self.list == [] && 1 in self.list
self.list.sum() > 1 && self.list.isSorted() && self.list.indexOf(1) > 0 && self.list.map(x, x * 2)[0] > 1
self.list.all(i, x, i < x) && self.map.all(k, v, v > 1 && k.startsWith("a"))
self.list.transformList(i, x, x > 1, x).size() > 0 && self.list.sortBy(x, -x) == [1]
self.items.all(x, x.name == "a" && x.size > 1) && self.items.exists_one(x, has(x.name)) && self.items[0] != null
self.items.map(x, x.size > 1, x.name).exists(n, n.startsWith("a")) && self.items.filter(x, true) == self.items
self.map["a"] > 1 && self.map.a > 1 && "a" in self.map && self.map.all(k, self.map[k] > 1) && self.map != {}
self.texts.a == "x" && self.texts.exists(k, k in self.map)
self.pod.kind == "Pod" && self.pod.metadata.name == "x"
self.o.a__dash__b > 1 && self.o.x__dot__y == "x" && self.o.__namespace__ == "x" && self.o.namespace == "x"
self == oldSelf && self.a >= oldSelf.a && oldSelf.list.size() > 1
self.?a.orValue(1) > 1 && self.list[?0].hasValue() && optional.of(self.a).optMap(x, x + 1).hasValue()
[?self.?a].size() > 0
{?"a": self.?a}.size() > 0
.self.a > 1
google.protobuf.Duration{seconds: 1} == self.length
type(self.time) == google.protobuf.Timestamp
br"a" == self.bytes
r"\\d" == self.s && """a""" == self.s
isIP(self.s) && ip(self.s).family() == 4 && cidr(self.s).containsIP("1.1.1.1") && type(ip("::1")) == net.IP
isQuantity(self.s) && quantity(self.s).isGreaterThan(quantity("1")) && isURL(self.s) && url(self.s).getHost() == "a"
format.dns1123Label().validate(self.s).hasValue() || semver(self.s).major() > 1
sets.contains(self.list, [1]) && lists.range(3).size() > 1 && strings.quote(self.s) == "x"
"%s".format([self.s]) == "x" && self.s.split(",")[0].find("[a]") == ""
self.a == 0x1F || self.n == 1e3 || self.n > .5
{"a": {"b": 1}}.a.b > 1 && [[1], [2]][0][0] > 1 && {1: "a"}[1] == "a"
(self.b ? [] : [1]).size() > 0 && (self.b ? self.time : null) == null && dyn(self).nope == 1
[].all(x, x > 1) && 'a' in [] && [] + [1] == [1] && null == null
true // a comment
`
  .trim()
  .split('\n');

describe('the rules of a definition', () => {
  it.each(GOOD)('that a real server takes are taken: %s', async (rule) => {
    expect(await refusal(rule)).toBe('201');
  });

  /** A rule, the column of the mistake, and what the server says of it. */
  const BAD: readonly (readonly [string, number, string])[] = [
    ['self.nope > 1', 5, "undefined field 'nope'"],
    ['has(self.nope)', 4, "undefined field 'nope'"],
    ['self.?nope.hasValue()', 5, "undefined field 'nope'"],
    ['self.any == 1', 5, "undefined field 'any'"],
    ['self.free.z > 1', 10, "undefined field 'z'"],
    ['self.pod.metadata.labels == 1', 18, "undefined field 'labels'"],
    ['self.items.all(x, x.nope == 1)', 20, "undefined field 'nope'"],
    ['self.metadata.name == "x"', 5, "undefined field 'metadata'"],
    ['self.a.b == 1', 7, "type 'int' does not support field selection"],
    ['self.a > "x"', 8, "found no matching overload for '_>_' applied to '(int, string)'"],
    ['self.n == 1', 8, "found no matching overload for '_==_' applied to '(double, int)'"],
    ['self.s == null', 8, "found no matching overload for '_==_' applied to '(string, null)'"],
    ['self.day == "2020-01-01"', 10, "found no matching overload for '_==_' applied to '(timestamp, string)'"],
    ['self.bytes == "abc"', 12, "found no matching overload for '_==_' applied to '(bytes, string)'"],
    ['self.list == ["a"]', 11, "found no matching overload for '_==_' applied to '(list(int), list(string))'"],
    ['1 in self.map', 3, "found no matching overload for '@in' applied to '(int, map(string, int))'"],
    ['self.list["a"] > 1', 10, "found no matching overload for '_[_]' applied to '(list(int), string)'"],
    ['self.map.all(k, k > 1)', 19, "found no matching overload for '_>_' applied to '(string, int)'"],
    ['self.list.exists(i, v, v > "a")', 26, "found no matching overload for '_>_' applied to '(int, string)'"],
    ['self.list.all(x, x)', 18, "expected type 'bool' but found 'int'"],
    ['self.b && self.a', 15, "expected type 'bool' but found 'int'"],
    ['[1, "a"].size() > 1', 5, "expected type 'int' but found 'string'"],
    ['!self.a', 1, "found no matching overload for '!_' applied to '(int)'"],
    ['(self.b ? self.a : self.s) == 1', 9, "found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
    ['self.s.startsWith(1)', 18, "found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ['size(self.a) > 1', 5, "found no matching overload for 'size' applied to '(int)'"],
    ['self.s.startWith("a")', 17, "undeclared reference to 'startWith' (in container '')"],
    ['self.s.constructor(self.a, true)', 19, "undeclared reference to 'constructor' (in container '')"],
    ['nope == 1', 1, "undeclared reference to 'nope' (in container '')"],
    ['self.list.all(x, y > 1)', 18, "undeclared reference to 'y' (in container '')"],
    ['authorizer.path("/").check("get").allowed()', 1, "undeclared reference to 'authorizer' (in container '')"],
    [
      'self.a >',
      9,
      "Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
    ['self.a and self.b', 8, "Syntax error: mismatched input 'and' expecting <EOF>"],
    ['if == 1', 1, 'reserved identifier: if'],
  ];

  it.each(BAD)('that a real server refuses are refused with its words: %s', async (rule, column, words) => {
    const text = `compilation failed: ERROR: <input>:1:${column}: ${words}\n | ${rule}\n | ${'.'.repeat(column - 1)}^`;
    expect(await refusal(rule)).toBe(text);
  });

  it('must be a bool, and must not be empty', async () => {
    const words = 'cel expression must evaluate to a bool';
    expect(await refusal('self.a')).toBe(words);
    expect(await refusal('self.s.size()')).toBe(words);
    expect(await refusal(' ')).toBe('Required value: rule is not specified');
    expect(causesOf(await post({ message: 'm' }))).toEqual([`${RULE}.rule: Required value: rule is not specified`]);
  });

  it('name the rule, the line, and every mistake in it', async () => {
    const rule = 'self.a >\n 1 && self.nope == self.none2';
    expect(causesOf(await post({ rule, message: 'm' }))).toEqual([
      `${RULE}.rule: Invalid value: {"Rule":"self.a \\u003e\\n 1 \\u0026\\u0026 self.nope == self.none2","Message":"m","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:2:11: undefined field 'nope'\n |  1 && self.nope == self.none2\n | ..........^\nERROR: <input>:2:24: undefined field 'none2'\n |  1 && self.nope == self.none2\n | .......................^`,
    ]);
  });

  it('have a message that is a string of the same fields', async () => {
    const shown = (rule: object) => post({ rule: 'self.a > 1', ...rule }).then(causesOf);
    const [nope] = (await shown({ messageExpression: 'self.nope' })) ?? [];
    expect(nope).toMatch(
      /\.messageExpression: Invalid value: .*: messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'nope'/s,
    );
    const [number] = (await shown({ messageExpression: '1' })) ?? [];
    expect(number).toMatch(/: messageExpression must evaluate to a string$/);
    expect(await shown({ messageExpression: '"now " + oldSelf.s' })).toBeUndefined();
  });

  it('are checked at every place of the schema, with the path of the version if the schemas differ', async () => {
    const rules = (rule: string) => ({ 'x-kubernetes-validations': [{ rule }] });
    const spec = { properties: { list: { type: 'array', items: { type: 'integer', ...rules('self > "x"') } } } };
    const versions = [version({ spec }), version({ name: 'v2', storage: false })];
    const path = 'schema.openAPIV3Schema.properties[spec].properties[list].items.x-kubernetes-validations[0].rule';
    const { body } = await ask<Loose>(things.sandbox, 'POST', CRDS, definition(versions));
    expect(body.details?.causes.map(({ field }) => field)).toEqual([`spec.versions[0].${path}`]);
  });
});
