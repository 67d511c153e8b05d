import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { type CelType, compileCel, OBJECT_VARIABLES } from '../../../src/expr/cel/cel.ts';
import { CEL_FUNCTIONS } from '../../../src/expr/cel/functions.ts';
import { loadCel } from '../../../src/expr/cel/load-cel.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { parseJson } from '../../../src/kit/exact-json.ts';

const NOW = new Date('2026-03-01T12:00:00Z');

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    labels: { app: 'web', 'app.kubernetes.io/name': 'shop-web' },
    annotations: { 'team/owner': 'blue' },
    creationTimestamp: '2026-03-01T10:30:00Z',
    generation: 4,
  },
  spec: {
    replicas: 3,
    strategy: { rollingUpdate: { maxSurge: '25%' } },
    template: {
      spec: {
        containers: [
          {
            name: 'app',
            image: 'registry.local/web:1.4.2',
            ports: [{ containerPort: 8080 }],
            resources: { limits: { cpu: '500m', memory: '1Gi' } },
          },
          { name: 'proxy', image: 'envoy', resources: { limits: { cpu: '2', memory: '64Mi' } } },
        ],
      },
    },
  },
  status: {
    observedGeneration: 4,
    readyReplicas: 2,
    phase: 'Running',
    conditions: [
      { type: 'Available', status: 'True', lastTransitionTime: '2026-03-01T10:31:00Z' },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
    ],
    ratio: 0.5,
    nothing: null,
  },
};

const VARS = { object: deployment, oldObject: null, event: 'ADDED', now: NOW };

const compile = (source: string) => compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES });
const valueFrom = (source: string) => compile(source).evaluate(VARS);
const answerOf = (source: string) => compile(source).test(VARS);

function refusalOf(source: string, options: { unlisted?: boolean; wants?: 'bool' } = {}): InformerError {
  try {
    compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES, ...options });
  } catch (error) {
    if (error instanceof InformerError) return error;
    throw error;
  }
  throw new Error(`${source} was not refused`);
}

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
    ['object.spec.template.spec.containers.all(c, quantity(c.resources.limits.memory).compareTo(quantity("2Gi")) < 0)', true],
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
  ])('%s of %j is %s, whatever is not there yet', (source, object, expected) => {
    expect(compile(source).test({ object, oldObject: null, event: 'ADDED', now: NOW })).toBe(expected);
  });
});

describe('a missing key', () => {
  it.each([
    ['object.status.availableReplicas == object.spec.replicas'],
    ['object.status.availableReplicas != object.spec.replicas'],
    ['object.metadata.labels.tier != "db"'],
    ['object.metadata.deletionTimestamp > timestamp("2026-01-01T00:00:00Z")'],
    ['object.a.b.c.d < 3'],
    ['object.status.conditions[7].type == "Ready"'],
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
  ])('answers no: %s', (source) => {
    expect(answerOf(source)).toBe(false);
  });

  it.each([
    ['!(object.metadata.labels.tier == "db")'],
    ['!object.spec.paused'],
    ['object.a == 1 || true'],
    ['object.spec.template.spec.containers.filter(c, c.ports[0].containerPort == 8080).size() == 1'],
  ])('does not spoil what is asked around it: %s', (source) => {
    expect(answerOf(source)).toBe(true);
  });

  it('is left out of lists and maps, and evaluates to undefined', () => {
    expect(valueFrom('object.spec.template.spec.containers.map(c, c.ports[0].containerPort)')).toEqual([8080]);
    expect(valueFrom('[object.a, 1]')).toEqual([1]);
    expect(valueFrom('{"a": object.a, "b": 1}')).toEqual({ b: 1 });
    expect(valueFrom('object.a.b')).toBeUndefined();
  });

  it('is told from a key of Object.prototype', () => {
    expect(valueFrom('object.constructor')).toBeUndefined();
    expect(valueFrom('object["toString"]')).toBeUndefined();
    expect(compile('object.constructor').evaluate({ object: { constructor: 'me' } })).toBe('me');
  });
});

describe('values', () => {
  it.each([
    ['object.spec.replicas + 1', 4],
    ['object.spec.replicas / 2', 1],
    ['-7 / 2', -3],
    ['object.spec.replicas / 2.0', 1.5],
    ['object.spec.replicas * 1.5', 4.5],
    ['object.status.ratio * 4', 2],
    ['double(object.spec.replicas) / 2', 1.5],
    ['int(3.9)', 3],
    ['int("12") + 1', 13],
    ['double("2.5")', 2.5],
    ['string(object.spec.replicas) + "x"', '3x'],
    ['size("héé")', 3],
    ['1 == 1.0', true],
    ['[1, 2.0].sum() == 3', true],
    ['[3, 1, 2].min()', 1],
    ['[3, 1, 2].max()', 3],
    ['[1, 2, 3].isSorted()', true],
    ['["a", "b", "a"].indexOf("a")', 0],
    ['["a", "b", "a"].lastIndexOf("a")', 2],
    ['[1, 1, 2].distinct()', [1, 2]],
    ['"hello".charAt(1)', 'e'],
    ['"hello".indexOf("l")', 2],
    ['"hello".lastIndexOf("l")', 3],
    ['"Hello".lowerAscii() + "x".upperAscii()', 'helloX'],
    ['"a-b-c".replace("-", ".", 1)', 'a.b-c'],
    ['"a,b,c".split(",", 2)', ['a', 'b,c']],
    ['["a", "b"].join("-")', 'a-b'],
    ['" x ".trim()', 'x'],
    ['"hello".substring(1, 3)', 'el'],
    ['"abc".reverse()', 'cba'],
    ['"%s has %d of %.1f%%".format(["web", 3, 99.55])', 'web has 3 of 99.5%'],
    ['"a1b22".find("[0-9]+")', '1'],
    ['"a1b22c".findAll("[0-9]+")', ['1', '22']],
    ['"a1b22c333".findAll("[0-9]+", 2)', ['1', '22']],
    ['"none".find("[0-9]+")', ''],
    ['sets.contains([1, 2], [2])', true],
    ['sets.intersects([1], [2])', false],
    ['sets.equivalent([1, 2, 2], [2, 1])', true],
    ['quantity("1.5Gi").add(quantity("512Mi"))', '2Gi'],
    ['quantity("500m").sub(quantity("1"))', '-500m'],
    ['quantity("2k").asInteger()', 2000],
    ['quantity("500m").isInteger()', false],
    ['quantity("500m").asApproximateFloat()', 0.5],
    ['quantity("-1").sign()', -1],
    ['cidr("10.0.0.0/8").containsIP("10.1.2.3")', true],
    ['cidr("10.0.0.0/8").containsIP(ip("11.1.2.3"))', false],
    ['cidr("10.0.0.0/8").containsCIDR("10.4.0.0/16") && !cidr("10.4.0.0/16").containsCIDR("10.0.0.0/8")', true],
    ['cidr("fd00::/64").containsIP("fd00::1:2") && !cidr("fd00::/64").containsIP("10.0.0.1")', true],
    ['cidr("0.0.0.0/0").containsIP("255.255.255.255")', true],
    ['cidr("192.168.0.0/24").prefixLength() + ip("::1").family()', 30],
    ['ip("fd00::1") == ip("fd00:0:0:0:0:0:0:1") && ip("127.0.0.1") != ip("::1")', true],
    ['ip("127.8.8.8").isLoopback() && ip("::1").isLoopback() && ip("::").isUnspecified()', true],
    [
      '[isIP("10.0.0.1"), isIP("10.0.0.256"), isIP("::ffff:1.2.3.4"), isIP("fe80::1%eth0"), isCIDR("10.0.0.0/33"), isCIDR("::/0")]',
      [true, false, false, false, false, true],
    ],
    ['cidr("10.0.0.0/8").ip()', '10.0.0.0'],
    ['string(cidr("10.0.0.0/8"))', '10.0.0.0/8'],
    ['isQuantity("1.3Gb")', false],
    ['isQuantity("1.3G")', true],
    ['quantity("1Gi") > quantity("1G") && quantity("1000m") == quantity("1") && quantity("1") != quantity("2")', true],
    ['duration("1h30m")', '5400s'],
    ['duration("90m").getHours()', 1],
    ['now', '2026-03-01T12:00:00.000Z'],
    ['now + duration("1d")', '2026-03-02T12:00:00.000Z'],
    ['now.getDayOfWeek()', 0],
    ['now.getHours("Asia/Tokyo")', 21],
    ['now.getHours("-05:30")', 6],
    ['timestamp("2026-03-01T12:00:00Z") == now', true],
    ['optional.of(3).orValue(4)', 3],
    ['optional.none().orValue(4)', 4],
    ['object.?spec.?x.or(object.?spec.?replicas).value()', 3],
    ['object.?spec.?replicas.hasValue()', true],
    ['object.status.conditions[?0].type.orValue("none")', 'Available'],
    ['type(1.5) == double && type([]) == list && type(null) == null_type', true],
    ['b"abc".base64()', 'YWJj'],
    ['object.status.nothing', null],
    ['9007199254740993 > 9007199254740000', true],
  ])('%s is %j', (source, expected) => {
    expect(valueFrom(source)).toEqual(expected);
  });

  it('hold no bigint, whatever the expression makes', () => {
    const found = valueFrom('{"a": [1, 2u, size("x")], "b": {"c": 0x10}}');
    expect(found).toEqual({ a: [1, 2, 1], b: { c: 16 } });
  });

  it('compare times and durations with the text that names one', () => {
    expect(answerOf('object.metadata.creationTimestamp < now')).toBe(true);
    expect(answerOf('now - object.metadata.creationTimestamp > "1h"')).toBe(true);
    expect(answerOf('now - object.metadata.creationTimestamp > "2d"')).toBe(false);
  });
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
  ])('are told, with the flag: %s', (source, expected) => {
    const answer = answerOf(source);
    expect(answer).toBeInstanceOf(InformerError);
    expect((answer as InformerError).message).toContain('--filter: ');
    expect((answer as InformerError).message).toContain(expected);
    expect((answer as InformerError).code).toBe('argument');
  });

  it('do not matter where another operand decides', () => {
    expect(answerOf('object.status.phase > 3 || true')).toBe(true);
    expect(answerOf('object.status.phase > 3 && false')).toBe(false);
    expect(answerOf('["a", 2].exists(x, x > 1)')).toBe(true);
    expect(answerOf('["a", 2].all(x, x > 3)')).toBe(false);
  });

  it('tell the column of the operation that failed first', () => {
    expect((answerOf('true && object.status.phase > 3 && object.spec.replicas / 0 == 1') as InformerError).message).toContain(
      'at column 9',
    );
  });

  it('are the same error for the same problem, so that each can be told once', () => {
    const program = compile('object.x > 3 || object.y > 3');
    const first = program.test({ object: { x: 'a', y: 1 } });
    expect(program.test({ object: { x: 'b', y: 1 } })).toBe(first);
    expect(program.test({ object: { x: 1, y: 'c' } })).not.toBe(first);
  });

  it('are thrown by evaluate', () => {
    expect(() => valueFrom('object.status.phase > 3')).toThrow('cannot compare string with int');
  });

  it('never show a value, for an object may be a Secret', () => {
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
      const args = ['object.secret', 'object.pattern', 'object.list', 'object.map', 'bytes(object.secret)', 'object.clause', '3'];
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

  it('leave the program fit for the next object', () => {
    const program = compile('object.x > 3');
    expect(program.test({ object: { x: 'a' } })).toBeInstanceOf(InformerError);
    expect(program.test({ object: { x: 4 } })).toBe(true);
  });
});

describe('an expression that cannot work is refused', () => {
  it.each([
    ['objct.spec == 1', 'unknown variable "objct" at column 1', 'did you mean object?'],
    ['object.status.phase == Running', 'unknown variable "Running" at column 24', 'text stands in quotes: "Running"'],
    ['object.metadata.name.startWith("a")', 'unknown function "startWith" at column 22', 'did you mean startsWith()?'],
    ['foo(1)', 'unknown function "foo"', undefined],
    ['size(1, 2)', 'size(int, int) does not fit', 'size(string): int'],
    ['"a".matches()', 'matches() of string does not fit', 'string.matches(string): bool'],
    ['"a" > 1', 'there is no string > int', 'convert'],
    ['object.a = 1', 'unexpected "=" at column 10', 'equality is written =='],
    ['object.a and object.b', 'unexpected "and" at column 10', 'it is written &&'],
    ['(object.a', 'expected ")", but it ends here', undefined],
    ['object.a ==', 'the expression ends here', undefined],
    ['"abc', 'unterminated string', undefined],
    ['object.metadata.name.matches("(a")', 'invalid RE2 pattern: missing closing ) at column 30', undefined],
    ['cidr("10.0.0.0").prefixLength() == 1', 'cidr() cannot read this text', undefined],
    ['"x".find("(?=a)")', 'invalid RE2 pattern: invalid or unsupported Perl syntax', undefined],
    ['now - duration("5x") > now', 'duration() cannot read this text', undefined],
    ['quantity("1x").isInteger()', 'quantity() cannot read this text', undefined],
    ['has(object)', 'has() invalid argument', undefined],
    ['', 'the expression is empty', undefined],
  ])('%s', (source, message, hint) => {
    const refusal = refusalOf(source);
    expect(refusal.code).toBe('argument');
    expect(refusal.message).toContain(`--filter: ${message}`);
    if (hint === undefined) return;
    expect(refusal.hint).toContain(hint);
  });

  it('with a mark under the place, in the right line of several', () => {
    expect(refusalOf('object.a == 1 &&\n  objct.b == 2').message).toBe(
      '--filter: unknown variable "objct" at line 2, column 3\n    objct.b == 2\n    ^',
    );
  });

  it('when it must be true or false and can be seen to be neither', () => {
    expect(refusalOf('size(object.spec)', { wants: 'bool' }).message).toContain('must be true or false, and this gives int');
    expect(() => compileCel('object.spec.paused', { flag: '--filter', variables: OBJECT_VARIABLES, wants: 'bool' })).not.toThrow();
  });

  it.each([
    ['parentheses', `${'('.repeat(5000)}1${')'.repeat(5000)}`],
    ['negations', `${'!'.repeat(50_000)}true`],
    ['a sum', `1${' + 1'.repeat(4000)} == 1`],
    ['fields', `object${'.a'.repeat(5000)}`],
    ['too many nodes', `[${'1,'.repeat(12_000)}1]`],
  ])('when it nests too deep or is too large: %s', (_, source) => {
    expect(refusalOf(source).message).toMatch(/too deep|too large/);
  });
});

it('a long chain of conditions is not deep', () => {
  const source = Array.from({ length: 500 }, (_, i) => `object.metadata.name == "n${i}"`).join(' || ');
  expect(answerOf(source)).toBe(false);
});

it('a pattern that is catastrophic elsewhere takes no time', () => {
  const program = compile('object.text.matches("(a+)+$")');
  const before = performance.now();
  expect(program.test({ object: { text: `${'a'.repeat(20_000)}!` } })).toBe(false);
  expect(compile('object.text.find("(a*)*b") == ""').test({ object: { text: 'a'.repeat(2000) } })).toBe(true);
  expect(performance.now() - before).toBeLessThan(2000);
});

it('the work of one evaluation is bounded', () => {
  const xs = Array.from({ length: 2000 }, (_, i) => i);
  const answer = compile('object.xs.all(a, object.xs.all(b, a + b >= 0))').test({ object: { xs } });
  expect((answer as InformerError).message).toContain('more than 1000000 items');
});

it('a program tells which variables it reads, and not those that macros bind', () => {
  expect([...compile('object.spec.xs.exists(x, x == event) && now > now').variables]).toEqual(['object', 'event', 'now']);
});

it('unlisted names are variables when they are let be', () => {
  const program = compileCel('STATUS == "Running" && RESTARTS > 3', { flag: '--where', variables: {}, unlisted: true });
  expect([...program.variables]).toEqual(['STATUS', 'RESTARTS']);
  expect(program.test({ STATUS: 'Running', RESTARTS: 4 })).toBe(true);
  expect(refusalOf('STATUS == foo(1)', { unlisted: true }).message).toContain('unknown function "foo"');
});

it('the loader gives the compiler', async () => {
  const { compileCel: loaded } = await loadCel();
  expect(loaded).toBe(compileCel);
});

it('every function the checker lets through can be run', () => {
  const names = new Set(CEL_FUNCTIONS.map(({ name }) => name));
  const macros = ['has', '.all', '.exists', '.exists_one', '.map', '.filter', '.bind', '.of', '.none', '.or', '.orValue'];
  const known = new Environment({ enableOptionalTypes: true }).getDefinitions().functions;
  const missing = known.map(({ name, receiverType }) => (receiverType ? `.${name}` : name)).filter((name) => !names.has(name));
  expect(new Set(missing)).toEqual(new Set(macros));
});

/** The library has an evaluator of its own: where both languages agree, so must the answers. */
describe('answers as the library does', () => {
  const variables: Record<string, CelType> = { x: 'dyn' };
  const context = { x: { s: 'hello', n: 4, f: 1.5, t: true, l: [1, 2, 3], m: { a: 'b' }, z: null, o: [{ k: 'a' }, { k: 'b' }] } };
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
    const theirs = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: true }).evaluate(source, context);
    expect(compileCel(source, { flag: 'x', variables }).evaluate(context)).toEqual(withoutBigints(theirs));
  });
});

function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return Array.isArray(value) ? value.map(withoutBigints) : value;
}

describe('whole numbers are exact to 64 bits, and compared exactly beyond', () => {
  const object = parseJson(
    '{"big":9007199254740993,"most":9223372036854775807,"least":-9223372036854775808,"uint":18446744073709551615,"huge":1E400,"list":[{"n":9007199254740992},{"n":9007199254740993}]}',
  );
  it.each([
    ['object.big == 9007199254740993', true],
    ['object.big == 9007199254740992', false],
    ['object.big > 9007199254740992', true],
    ['object.big != object.list[0].n && object.big == object.list[1].n', true],
    ['object.big + 1 == 9007199254740994', true],
    ['object.list[0].n + 1 == object.big', true],
    ['9007199254740991 + 2 == object.big', true],
    ['object.most - object.big == 9214364837600034814', true],
    ['object.big * 1000 == 9007199254740993000', true],
    ['object.big / 2 == 4503599627370496', true],
    ['object.big % 10 == 3', true],
    ['-object.big == -9007199254740993', true],
    ['object.least == -9223372036854775808', true],
    ['object.uint > object.most', true],
    ['object.huge > object.uint', true],
    ['object.big in [9007199254740993]', true],
    ['object.list.exists(x, x.n == 9007199254740993)', true],
    ['object.list.map(x, x.n).max() == 9007199254740993', true],
    ['object.list.map(x, x.n).sum() == 18014398509481985', true],
    ['int("9223372036854775807") == object.most', true],
    ['uint("18446744073709551615") == object.uint', true],
    ['string(object.big) == "9007199254740993"', true],
    ['double(object.big) == 9007199254740992.0', true],
    ['type(object.big) == int', true],
    ['"%d".format([object.big]) == "9007199254740993"', true],
    ['quantity(object.big).asInteger() == object.big', true],
    ['{"a": object.big} == {"a": 9007199254740993}', true],
    ['object.big == 9007199254740993.0', false],
  ])('%s is %s', (source, answer) => {
    expect(compile(source).test({ ...VARS, object })).toBe(answer);
  });

  it('leave an evaluation as they are in an object', () => {
    expect(compile('object.big').evaluate({ ...VARS, object })).toBe(9007199254740993n);
    expect(compile('[object.big - 2]').evaluate({ ...VARS, object })).toEqual([9007199254740991]);
  });
});
