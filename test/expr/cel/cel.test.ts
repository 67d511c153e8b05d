import { describe, expect, it } from 'vitest';
import { compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { CEL_FUNCTIONS } from '../../../src/expr/cel/functions.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { answerOf, compile, NOW, refusalOf, valueFrom } from '../../support/cel.ts';

describe('what Kubernetes users write', () => {
  it.each([
    ['object.status.readyReplicas < object.spec.replicas', true],
    ['object.status.readyReplicas == object.spec.replicas', false],
    ['object.metadata.generation == object.status.observedGeneration', true],
    ['object.spec.replicas > 2 && object.spec.replicas <= 5', true],
    ['object.metadata.name.startsWith("web") || object.metadata.namespace in ["kube-system"]', true],
    ['object.metadata.labels["app.kubernetes.io/name"] == "shop-web"', true],
    ['"app" in object.metadata.labels', true],
    ['has(object.spec.paused) && object.spec.paused', false],
    ['!has(object.metadata.deletionTimestamp)', true],
    ['object.spec.template.spec.containers.all(c, has(c.resources.limits.memory))', true],
    ['object.spec.template.spec.containers.exists(c, !c.image.contains(":") || c.image.endsWith(":latest"))', true],
    ['object.spec.template.spec.containers.exists_one(c, c.name == "proxy")', true],
    ['object.spec.template.spec.containers.map(c, c.name) == ["app", "proxy"]', true],
    ['object.spec.template.spec.containers.filter(c, c.image.matches("^registry\\\\.local/")).size() == 1', true],
    ['object.status.conditions.exists(c, c.type == "Available" && c.status == "True")', true],
    ['object.status.conditions.filter(c, c.type == "Ready").size() == 0', true],
    ['now - timestamp(object.metadata.creationTimestamp) > duration("1h")', true],
    ['now - timestamp(object.metadata.creationTimestamp) > duration("2h")', false],
    ['timestamp(object.metadata.creationTimestamp).getHours() == 10', true],
    ['quantity(object.spec.template.spec.containers[0].resources.limits.cpu).isLessThan(quantity("1"))', true],
    [
      'object.spec.template.spec.containers.all(c, quantity(c.resources.limits.memory).compareTo(quantity("2Gi")) < 0)',
      true,
    ],
    ['object.?status.?missing.orValue(0) == 0', true],
    ['object.spec.replicas * 2 == 6 && object.spec.replicas % 2 == 1', true],
    ['int(object.spec.strategy.rollingUpdate.maxSurge.replace("%", "")) == 25', true],
    ['(object.spec.replicas > 1 ? "many" : "one") == "many"', true],
    ['event == "ADDED" && oldObject == null', true],
    ['event == "MODIFIED" && object.spec.replicas != oldObject.spec.replicas', false],
    ['type(object.spec.replicas) == int && type(object.metadata.name) == string', true],
    ['object.metadata.annotations.exists(k, k.startsWith("team/"))', true],
    ['object.metadata.name.size() == 3 && size(object.status.conditions) == 2', true],
    ['object.status.ratio >= 0.5 && object.status.ratio < 1', true],
    ['cel.bind(cs, object.spec.template.spec.containers, cs.size() == 2 && cs[1].name == "proxy")', true],
  ])('%s is %s', (source, expected) => {
    expect(answerOf(source)).toBe(expected);
  });
});

describe("the documentation's examples", () => {
  const UNTIL = 'object.status.readyReplicas == object.spec.replicas';

  it.each([
    [UNTIL, {}, false],
    [UNTIL, { spec: { replicas: 3 } }, false],
    [UNTIL, { spec: { replicas: 3 }, status: {} }, false],
    [UNTIL, { spec: { replicas: 3 }, status: { readyReplicas: 3 } }, true],
    ['object.?status.?x.orValue(0) == 0', {}, true],
  ])('%s for %j is %s, with or without the fields', (source, object, expected) => {
    expect(compile(source).test({ object, oldObject: null, event: 'ADDED', now: NOW })).toBe(expected);
  });
});

it('null is a value', () => {
  expect(valueFrom('object.status.nothing')).toBeNull();
});

describe('errors of one evaluation', () => {
  it.each([
    ['object.status.phase > 3', 'cannot compare string with int'],
    ['object.metadata.name + 1 == "web1"', 'cannot add string and int'],
    ['object.spec.replicas / 0 == 1', 'division by zero'],
    ['object.metadata.name.foo == 1', 'string has no fields'],
    ['object.status.conditions.type == "Ready"', 'a list has no fields, only items'],
    ['int(object.metadata.name) == 1', 'int() cannot read this text'],
    ['timestamp(object.metadata.name) < now', 'timestamp() cannot read this text'],
    ['object.metadata.name', 'expected true or false, got string'],
    ['object.metadata.name && true', 'expected true or false, got string'],
    ['object.spec.replicas.matches("3")', 'expected a string, got int'],
    ['object.spec.orValue(1) == 1', 'expected an optional'],
    ['object.metadata.name.exists(x, true)', 'string has no items'],
    ['9223372036854775807 + object.spec.replicas > 0', 'integer overflow'],
    ['-9223372036854775807 - object.spec.replicas < 0', 'integer overflow'],
    ['4611686018427387904 * 2 > 0', 'integer overflow'],
    ['-9223372036854775808 / -1 > 0', 'integer overflow'],
  ])('name the flag and the problem: %s', (source, expected) => {
    const answer = answerOf(source);
    expect(answer).toBeInstanceOf(InformerError);
    expect((answer as InformerError).message).toContain('--filter: ');
    expect((answer as InformerError).message).toContain(expected);
    expect((answer as InformerError).code).toBe('argument');
  });

  it('do not count if another operand decides', () => {
    expect(answerOf('object.status.phase > 3 || true')).toBe(true);
    expect(answerOf('object.status.phase > 3 && false')).toBe(false);
    expect(answerOf('["a", 2].exists(x, x > 1)')).toBe(true);
    expect(answerOf('["a", 2].all(x, x > 3)')).toBe(false);
  });

  it('name the column of the operation that failed first', () => {
    expect(
      (answerOf('true && object.status.phase > 3 && object.spec.replicas / 0 == 1') as InformerError).message,
    ).toContain('at column 9');
  });

  it('are the same error object for the same problem', () => {
    const program = compile('object.x > 3 || object.y > 3');
    const first = program.test({ object: { x: 'a', y: 1 } });
    expect(program.test({ object: { x: 'b', y: 1 } })).toBe(first);
    expect(program.test({ object: { x: 1, y: 'c' } })).not.toBe(first);
  });

  it('are thrown by evaluate', () => {
    expect(() => valueFrom('object.status.phase > 3')).toThrow('cannot compare string with int');
  });

  it('never show a value, because an object may be a Secret', () => {
    const object = {
      secret: 'MARKER-7',
      encoded: 'TUFSS0VSLTc=',
      list: ['MARKER-7'],
      map: { 'MARKER-7': 'MARKER-7' },
      pattern: '(MARKER-7',
      clause: '%MARKER-7',
    };
    const calls = CEL_FUNCTIONS.flatMap(({ name }) => {
      if (name.startsWith('sets')) return [];
      const args = [
        'object.secret',
        'object.pattern',
        'object.list',
        'object.map',
        'bytes(object.secret)',
        'object.clause',
        '3',
      ];
      return name.startsWith('.')
        ? args.flatMap((arg) => [`(${arg})${name}()`, ...args.map((other) => `dyn(${arg})${name}(${other})`)])
        : args.flatMap((arg) => [`${name}(${arg})`, `${name}(${arg}, object.pattern)`]);
    });
    const others = [
      'object.secret.x',
      'object.secret[object.secret]',
      'object.list[object.secret]',
      'object.secret + 1',
      'object.secret > 1',
      '-object.secret',
      '1 in object.secret',
      'now.getHours(object.secret)',
      '[1].exists(x, object.secret)',
      'object.secret ? 1 : 2',
      'object.secret.all(x, true)',
    ];
    let failed = 0;
    for (const source of [...calls, ...others]) {
      try {
        compile(source).evaluate({ object, now: NOW });
      } catch (error) {
        if (!(error instanceof InformerError)) throw error;
        failed++;
        expect(error.message).not.toContain('MARKER-7');
      }
    }
    expect(failed).toBeGreaterThan(100);
  });

  it('leave the program usable for the next object', () => {
    const program = compile('object.x > 3');
    expect(program.test({ object: { x: 'a' } })).toBeInstanceOf(InformerError);
    expect(program.test({ object: { x: 4 } })).toBe(true);
  });
});

describe('an expression is refused', () => {
  it('when it must be true or false and its type is another one', () => {
    expect(refusalOf('size(object.spec)', { wants: 'bool' }).message).toContain(
      'must be true or false, but its type is int',
    );
    expect(() =>
      compileCel('object.spec.paused', { flag: '--filter', variables: OBJECT_VARIABLES, wants: 'bool' }),
    ).not.toThrow();
  });

  it.each([
    ['parentheses', `${'('.repeat(5000)}1${')'.repeat(5000)}`],
    ['negations', `${'!'.repeat(50_000)}true`],
    ['a sum', `1${' + 1'.repeat(4000)} == 1`],
    ['fields', `object${'.a'.repeat(5000)}`],
    ['too many nodes', `[${'1,'.repeat(12_000)}1]`],
  ])('when it is nested too deep or is too large: %s', (_, source) => {
    expect(refusalOf(source).message).toMatch(/too deep|too large/);
  });
});

it('a long chain of conditions is not nested deep', () => {
  const source = Array.from({ length: 500 }, (_, i) => `object.metadata.name == "n${i}"`).join(' || ');
  expect(answerOf(source)).toBe(false);
});

it('with unlisted, every other name is a variable', () => {
  const program = compileCel('STATUS == "Running" && RESTARTS > 3', { flag: '--where', variables: {}, unlisted: true });
  expect([...program.variables]).toEqual(['STATUS', 'RESTARTS']);
  expect(program.test({ STATUS: 'Running', RESTARTS: 4 })).toBe(true);
  expect(refusalOf('STATUS == foo(1)', { unlisted: true }).message).toContain('unknown function "foo"');
});
