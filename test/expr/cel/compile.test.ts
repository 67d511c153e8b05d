import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { type CelType, compileCel } from '../../../src/expr/cel/cel.ts';
import { answerOf, compile, valueFrom } from '../../support/cel.ts';

describe('a missing key', () => {
  it.each([
    ['object.status.availableReplicas == object.spec.replicas'],
    ['object.status.availableReplicas != object.spec.replicas'],
    ['object.metadata.labels.tier != "db"'],
    ['object.metadata.deletionTimestamp > timestamp("2026-01-01T00:00:00Z")'],
    ['object.a.b.c.d < 3'],
    ['object.status.conditions[7].type == "Ready"'],
    ['object.status.conditions[9007199254740993].type == "Ready"'],
    ['object.a + 1 > 0'],
    ['object.a.startsWith("x")'],
    ['"x" in object.a'],
    ['object.a in ["x"]'],
    ['object.a.exists(x, true)'],
    ['object.a.all(x, true)'],
    ['object.a.filter(x, true).size() == 0'],
    ['quantity(object.a).isLessThan(quantity("1"))'],
    ['object.spec.paused'],
    ['oldObject.spec.replicas < object.spec.replicas'],
    ['object.status.nothing.deeper == 1'],
    ['object.a ? true : false'],
    ['has(object.a.b)'],
  ])('is false in a condition: %s', (source) => {
    expect(answerOf(source)).toBe(false);
  });

  it.each([
    ['!(object.metadata.labels.tier == "db")'],
    ['!object.spec.paused'],
    ['object.a == 1 || true'],
    ['object.spec.template.spec.containers.filter(c, c.ports[0].containerPort == 8080).size() == 1'],
  ])('leaves the rest of the condition as it is: %s', (source) => {
    expect(answerOf(source)).toBe(true);
  });

  it('is left out of lists and maps, and evaluates to undefined', () => {
    expect(valueFrom('object.spec.template.spec.containers.map(c, c.ports[0].containerPort)')).toEqual([8080]);
    expect(valueFrom('[object.a, 1]')).toEqual([1]);
    expect(valueFrom('{"a": object.a, "b": 1}')).toEqual({ b: 1 });
    expect(valueFrom('object.a.b')).toBeUndefined();
  });

  it('is not a key of Object.prototype', () => {
    expect(valueFrom('object.constructor')).toBeUndefined();
    expect(valueFrom('object["toString"]')).toBeUndefined();
    expect(compile('object.constructor').evaluate({ object: { constructor: 'me' } })).toBe('me');
  });
});

it('a literal is a bigint only beyond 2^53', () => {
  const found = valueFrom('{"a": [1, 2u, size("x")], "b": {"c": 0x10}}');
  expect(found).toEqual({ a: [1, 2, 1], b: { c: 16 } });
});

it('a program lists the variables that it reads, without those that macros bind', () => {
  expect([...compile('object.spec.xs.exists(x, x == event) && now > now').variables]).toEqual([
    'object',
    'event',
    'now',
  ]);
});

/** The library has an evaluator too. Where both languages agree, both must give the same values. */
describe('the value is the same as with the evaluator of the library', () => {
  const variables: Record<string, CelType> = { x: 'dyn' };
  const context = {
    x: { s: 'hello', n: 4, f: 1.5, t: true, l: [1, 2, 3], m: { a: 'b' }, z: null, o: [{ k: 'a' }, { k: 'b' }] },
  };
  it.each([
    'x.s == "hello" && x.t',
    'x.s + " world"',
    'x.n > 3.5 || x.f > 2.0',
    'x.l.map(i, i)',
    'x.l.filter(i, i > 1.0)',
    'x.l.exists(i, i == 2.0) && x.l.all(i, i > 0.0)',
    'x.o.exists_one(i, i.k == "a")',
    'x.m == {"a": "b"}',
    'x.z == null',
    'x.s.split("l")',
    'x.s.substring(1, 3) + x.s.substring(4)',
    'x.s.contains("ell") ? x.s.indexOf("l") : -1',
    '"a" in x.m && !("b" in x.m)',
    '[1, 2] + [3]',
    '7 % 3 + 10 / 3 - 2 * 2',
    '-7 / 2',
    '-7 % 3',
    'size(x.l) + size(x.m) + size(x.s)',
    'string(12) + string(true)',
    'has(x.s) && !has(x.nope)',
    'duration("90s") + duration("1m") > duration("2m")',
    'timestamp("2026-01-01T00:00:00Z") + duration("24h") == timestamp("2026-01-02T00:00:00Z")',
    'timestamp("2026-02-03T04:05:06Z").getDayOfYear()',
    'x.?m.?a.orValue("none") + x.?m.?q.orValue("none")',
    'x.l[0] < x.l[1]',
    'type(x.s) == string',
    'x.m.map(k, k)',
    'x.s.matches("^h.*o$")',
    'int(x.f) + int("3")',
    'double("2.5") * 2.0',
    '"x".lowerAscii() == "X".lowerAscii()',
    'x.o.map(i, i.k == "b", i.k)',
  ])('%s', (source) => {
    const theirs = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: true }).evaluate(
      source,
      context,
    );
    expect(compileCel(source, { flag: 'x', variables }).evaluate(context)).toEqual(withoutBigints(theirs));
  });
});

function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return Array.isArray(value) ? value.map(withoutBigints) : value;
}
