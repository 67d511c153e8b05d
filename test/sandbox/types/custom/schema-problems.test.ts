import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../../src/sandbox/index.ts';
import { FakeClock } from '../../../../src/testing/fake-clock.ts';
import { ask, type Loose } from '../../../support/sandbox-requests.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const THINGS = '/apis/example.com/v1/namespaces/default/things';
let clock: FakeClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = new FakeClock();
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterEach(() => sandbox.stop());

interface Version {
  readonly name?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly subresources?: object;
  readonly spec?: object;
  readonly additionalPrinterColumns?: object[];
  readonly selectableFields?: object[];
  readonly schema?: object;
}

const version = ({ spec = {}, ...more }: Version = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', ...spec }, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  },
  ...more,
});

const definition = (versions: object[], spec: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions, ...spec },
});

const thing = (spec: object, name = 'a') => ({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name }, spec });
const serve = (properties: object, more: object = {}) => sandbox.apply(definition([version({ spec: { properties, ...more } })]));
const post = (spec: object, name = 'a') => ask(sandbox, 'POST', THINGS, thing(spec, name));
const causesOf = ({ body }: { body: Loose }) => body.details?.causes.map((c) => `${c.field}: ${c.message}`);

describe('a value that breaks its schema is told as the real server tells it', () => {
  it.each<[string, object, unknown, string[]]>([
    ['pattern', { type: 'string', pattern: '^a+$' }, 'b', [`spec.x: Invalid value: "b": spec.x in body should match '^a+$'`]],
    ['maxLength', { type: 'string', maxLength: 1 }, 'bb', ['spec.x: Too long: may not be more than 1 byte']],
    ['minLength', { type: 'string', minLength: 3 }, 'bb', ['spec.x: Invalid value: "bb": spec.x in body should be at least 3 chars long']],
    [
      'format',
      { type: 'string', format: 'date-time' },
      'now',
      ['spec.x: Invalid value: "now": spec.x in body must be of type date-time: "now"'],
    ],
    ['a format nobody knows', { type: 'string', format: 'colour' }, 'red', []],
    [
      'exclusive maximum',
      { type: 'integer', maximum: 3, exclusiveMaximum: true },
      3,
      ['spec.x: Invalid value: 3: spec.x in body should be less than 3'],
    ],
    ['multipleOf', { type: 'integer', multipleOf: 2 }, 3, ['spec.x: Invalid value: 3: spec.x in body should be a multiple of 2']],
    ['type', { type: 'integer' }, 'a', ['spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"']],
    ['enum of numbers', { type: 'integer', enum: [1, 2] }, 3, ['spec.x: Unsupported value: 3: supported values: "1", "2"']],
    [
      'minItems',
      { type: 'array', minItems: 1, items: { type: 'string' } },
      [],
      ['spec.x: Invalid value: 0: spec.x in body should have at least 1 items'],
    ],
    ['maxItems', { type: 'array', maxItems: 1, items: { type: 'string' } }, ['a', 'b'], ['spec.x: Too many: 2: must have at most 1 item']],
    [
      'maxProperties',
      { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
      { a: 'b', c: 'd' },
      ['spec.x: Too many: 2: must have at most 1 item'],
    ],
    [
      'minProperties',
      { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } },
      {},
      ['spec.x: Invalid value: 0: spec.x in body should have at least 1 properties'],
    ],
    ['required below', { type: 'object', required: ['y'], properties: { y: { type: 'string' } } }, {}, ['spec.x.y: Required value']],
    [
      'a set',
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      ['a', 'b', 'a'],
      ['spec.x[2]: Duplicate value: "a"'],
    ],
    [
      'a list by keys',
      {
        type: 'array',
        items: { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['n'],
      },
      [{ n: 'a' }, { n: 'a' }],
      ['spec.x[1]: Duplicate value: {"n":"a"}'],
    ],
    [
      'int or string',
      { 'x-kubernetes-int-or-string': true },
      true,
      ['spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"'],
    ],
    [
      'an embedded resource',
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      { kind: 'A' },
      ['spec.x.apiVersion: Required value: must not be empty'],
    ],
    [
      'anyOf',
      { type: 'string', anyOf: [{ pattern: '^a' }, { pattern: '^b' }] },
      'c',
      [
        '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        `spec.x: Invalid value: "c": spec.x in body should match '^a'`,
      ],
    ],
    ['anyOf that holds', { type: 'string', anyOf: [{ pattern: '^a' }, { pattern: '^c' }] }, 'c', []],
    [
      'oneOf, twice',
      { type: 'string', oneOf: [{ pattern: 'c' }, { pattern: '^c' }] },
      'c',
      ['<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'allOf',
      { type: 'string', allOf: [{ pattern: 'c' }, { maxLength: 1 }] },
      'cc',
      ['spec.x: Too long: may not be more than 1 byte', '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf)'],
    ],
    ['not', { type: 'string', not: { pattern: 'c' } }, 'c', ['<nil>: Invalid value: "": "spec.x" must not validate the schema (not)']],
  ])('%s', async (_what, schema, value, causes) => {
    serve({ x: schema });
    const answer = await post({ x: value });
    expect([answer.status, causesOf(answer) ?? []]).toEqual([causes.length > 0 ? 422 : 201, causes]);
  });
});

it('reads a pattern as Go does, also one that JavaScript could not', async () => {
  serve({ x: { type: 'string', pattern: '^(?U)a+$' } });
  expect((await post({ x: 'b' })).body.message).toContain(`spec.x in body should match '^(?U)a+$'`);
  expect((await post({ x: 'aa' })).status).toBe(201);
});

describe('nulls and defaults', () => {
  it('a null goes where the schema does not allow it, for a default if there is one, and stays where it does', async () => {
    serve({ a: { type: 'string', default: 'x' }, b: { type: 'string', nullable: true, default: 'x' }, c: { type: 'string' } });
    expect((await post({ a: null, b: null, c: null })).body.spec).toEqual({ a: 'x', b: null });
  });

  it('a default that comes with a newer definition shows in what was stored before, under the same version', async () => {
    serve({ a: { type: 'string' } });
    const { body: before } = await post({});
    serve({ a: { type: 'string', default: 'new' } });
    const { body: after } = await ask(sandbox, 'GET', `${THINGS}/a`);
    expect([after.spec, after.metadata.resourceVersion]).toEqual([{ a: 'new' }, before.metadata.resourceVersion]);
    expect((await ask(sandbox, 'GET', THINGS)).body.items[0]?.spec).toEqual({ a: 'new' });
  });

  it('what was wrong before a definition became stricter may stay, as long as it does not change', async () => {
    serve({ a: { type: 'string' }, b: { type: 'string' } });
    await post({ a: 'long' });
    serve({ a: { type: 'string', maxLength: 2 }, b: { type: 'string' } });
    const patch = (spec: object) => ask(sandbox, 'PATCH', `${THINGS}/a`, { spec });
    expect((await patch({ b: 'x' })).status).toBe(200);
    expect((await patch({ a: 'longer still' })).status).toBe(422);
    expect((await post({ a: 'long' }, 'b')).status).toBe(422);
  });
});

describe('rules', () => {
  const RULES = [
    { rule: 'self.min <= self.max', message: 'min is more than max' },
    { rule: 'self.max == oldSelf.max || self.max > oldSelf.max', messageExpression: '"max went down from " + string(oldSelf.max)' },
  ];
  const properties = { min: { type: 'integer' }, max: { type: 'integer' }, name: { type: 'string' } };

  it('are evaluated, with their messages, and those about a change only for a change', async () => {
    serve(properties, { required: ['min', 'max'], 'x-kubernetes-validations': RULES });
    expect(causesOf(await post({ min: 2, max: 1 }))).toEqual(['spec: Invalid value: min is more than max']);
    expect((await post({ min: 1, max: 5 })).status).toBe(201);
    const down = await ask(sandbox, 'PATCH', `${THINGS}/a`, { spec: { max: 4 } });
    expect(causesOf(down)).toEqual(['spec: Invalid value: max went down from 5']);
  });

  it('are not looked at while the object is wrong in other ways, which is said', async () => {
    serve(properties, { required: ['min', 'max'], 'x-kubernetes-validations': RULES });
    expect(causesOf(await post({ min: 2 }))).toEqual([
      'spec.max: Required value',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });

  it('show the value of a scalar, take a reason and a path of their own, and fail when they cannot be evaluated', async () => {
    const validations = [{ rule: 'self.startsWith("a")', message: 'must begin with a' }];
    serve({ name: { type: 'string', 'x-kubernetes-validations': validations } });
    expect(causesOf(await post({ name: 'b' }))).toEqual(['spec.name: Invalid value: "b": must begin with a']);
    serve(properties, {
      'x-kubernetes-validations': [{ rule: 'has(self.name)', reason: 'FieldValueRequired', fieldPath: '.name', message: 'say it' }],
    });
    expect(causesOf(await post({}))).toEqual(['spec.name: Required value: say it']);
    serve(properties, { 'x-kubernetes-validations': [{ rule: 'self.min > 0' }] });
    expect(causesOf(await post({}))).toEqual([
      'spec: Invalid value: "object": no such key: min evaluating rule: failed rule: self.min > 0',
    ]);
  });

  it('that use what is not known here answer 501, which the definition is warned of, and nothing is stored', async () => {
    const properties = { name: { type: 'string', 'x-kubernetes-validations': [{ rule: 'isIP(self)' }] } };
    const { headers } = await ask(sandbox, 'POST', `${CRDS}?dryRun=All`, definition([version({ spec: { properties } })]));
    expect(headers.warning).toContain('cannot evaluate the rule');
    serve({ name: { type: 'string', 'x-kubernetes-validations': [{ rule: 'isIP(self)' }] } });
    const { status, body } = await post({ name: '10.0.0.1' });
    expect([status, body.reason]).toEqual([501, 'NotImplemented']);
    expect(body.message).toContain('"isIP(self)"');
    expect((await ask(sandbox, 'GET', THINGS)).body.items).toEqual([]);
  });
});

describe('a definition that is wrong', () => {
  const refusal = async (versions: object[], spec: object = {}) => causesOf(await ask(sandbox, 'POST', CRDS, definition(versions, spec)));
  const AT = 'spec.versions[0].schema.openAPIV3Schema';

  it.each<[string, object[], object, string[]]>([
    [
      'another name',
      [version()],
      { names: { plural: 'others', kind: 'Thing' } },
      ['metadata.name: Invalid value: "things.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    ['no scope', [version()], { scope: '' }, ['spec.scope: Unsupported value: "": supported values: "Cluster", "Namespaced"']],
    ['no schema', [{ name: 'v1', served: true, storage: true }], {}, [`${AT}: Required value: schemas are required`]],
    [
      'no type',
      [version({ spec: { properties: { x: {} } } })],
      {},
      [`${AT}.properties[spec].properties[x].type: Required value: must not be empty for specified object fields`],
    ],
    [
      'a list of nothing',
      [version({ spec: { properties: { x: { type: 'array' } } } })],
      {},
      [`${AT}.properties[spec].properties[x].items: Required value: must be specified`],
    ],
    [
      'a root that is no object',
      [version({ schema: { openAPIV3Schema: { type: 'string' } } })],
      {},
      [`${AT}.type: Invalid value: "string": must be object at the root`],
    ],
    [
      'a column of no type there is',
      [version({ additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.a' }] })],
      {},
      [
        'spec.versions[0].additionalPrinterColumns[0].type: Unsupported value: "text": supported values: "boolean", "date", "integer", "number", "string"',
      ],
    ],
    [
      'a field to select by that is none',
      [version({ selectableFields: [{ jsonPath: '.spec.x' }] })],
      {},
      ['spec.versions[0].selectableFields[0].jsonPath: Invalid value: ".spec.x": is an invalid path: does not refer to a valid field'],
    ],
    [
      'a scale without paths',
      [version({ subresources: { scale: {} } })],
      {},
      [
        'spec.versions[0].subresources.scale.specReplicasPath: Required value',
        'spec.versions[0].subresources.scale.statusReplicasPath: Required value',
      ],
    ],
    [
      'unknown fields that are kept everywhere',
      [version()],
      { preserveUnknownFields: true },
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
    [
      'a webhook nobody knows',
      [version()],
      { conversion: { strategy: 'Webhook' } },
      ['spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook'],
    ],
  ])('%s', async (_what, versions, spec, causes) => {
    expect(await refusal(versions, spec)).toEqual(causes);
  });

  it('two versions in storage', async () => {
    const [cause] = (await refusal([version(), version({ name: 'v2' })])) ?? [];
    expect(cause).toMatch(/^spec\.versions: Invalid value: \[.*\]: must have exactly one version marked as storage version$/);
  });
});

describe('the life of a definition', () => {
  const crd = async () => (await ask(sandbox, 'GET', `${CRDS}/things.example.com`)).body;
  const conditions = async () =>
    ((await crd()).status.conditions as { type: string; status: string; reason: string; message: string }[]) ?? [];

  it('waits for names that another one holds, and gets them when that goes', async () => {
    serve({});
    const rival = { ...definition([version()]), metadata: { name: 'rivals.example.com' } };
    rival.spec = { ...rival.spec, names: { plural: 'rivals', kind: 'Thing' } };
    await ask(sandbox, 'POST', CRDS, rival);
    await clock.advance(100);
    const refused = (await ask(sandbox, 'GET', `${CRDS}/rivals.example.com`)).body.status.conditions as Record<string, string>[];
    expect(refused.map((c) => [c.type, c.status, c.reason, c.message])).toEqual([
      ['NamesAccepted', 'False', 'ListKindConflict', '"ThingList" is already in use'],
      ['Established', 'False', 'NotAccepted', 'not all names are accepted'],
    ]);
    expect((await ask(sandbox, 'GET', '/apis/example.com/v1/rivals')).status).toBe(404);
    await ask(sandbox, 'DELETE', `${CRDS}/things.example.com`);
    await clock.advance(200);
    expect((await ask(sandbox, 'GET', '/apis/example.com/v1/rivals')).status).toBe(200);
  });

  it('ends with its objects, whose finalizers hold it; nothing new is made meanwhile', async () => {
    serve({});
    await ask(sandbox, 'POST', THINGS, { ...thing({}), metadata: { name: 'a', finalizers: ['example.com/x'] } });
    await post({}, 'b');
    await ask(sandbox, 'DELETE', `${CRDS}/things.example.com`);
    expect((await conditions()).at(-1)).toMatchObject({ type: 'Terminating', reason: 'InstanceDeletionPending' });
    await clock.advance(1_000);
    expect((await conditions()).at(-1)).toMatchObject({ type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress' });
    expect((await ask(sandbox, 'GET', THINGS)).body.items.map((o) => o.metadata.name)).toEqual(['a']);
    const refused = await post({}, 'c');
    expect([refused.status, refused.body.reason, refused.body.message]).toEqual([
      405,
      'MethodNotAllowed',
      'create not allowed while custom resource definition is terminating',
    ]);
    await ask(sandbox, 'PATCH', `${THINGS}/a`, { metadata: { finalizers: null } });
    await clock.advance(1_000);
    expect((await ask(sandbox, 'GET', `${CRDS}/things.example.com`)).status).toBe(404);
    expect((await ask(sandbox, 'GET', THINGS)).status).toBe(404);
  });

  it('remembers every version it stored objects in', async () => {
    serve({});
    sandbox.apply(definition([version({ storage: false }), version({ name: 'v2' })]));
    expect((await crd()).status.storedVersions).toEqual(['v1', 'v2']);
    const only = { spec: { versions: [version({ name: 'v2' })] } };
    expect(causesOf(await ask(sandbox, 'PATCH', `${CRDS}/things.example.com`, only))).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions',
    ]);
  });

  it('that needs a webhook serves the version it stores; the others answer 501', async () => {
    const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://x' } } };
    sandbox.apply(definition([version(), version({ name: 'v2', storage: false })], { conversion }));
    expect((await post({})).status).toBe(201);
    const other = await ask(sandbox, 'GET', '/apis/example.com/v2/namespaces/default/things/a');
    expect([other.status, other.body.message]).toEqual([
      501,
      'the sandbox does not implement conversion webhooks, which example.com/v2 Thing needs',
    ]);
  });
});

describe('scale', () => {
  const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size', labelSelectorPath: '.status.selector' };
  const scaled = () =>
    sandbox.apply(definition([version({ subresources: { status: {}, scale }, spec: { properties: { size: { type: 'integer' } } } })]));

  it('reads and writes where the definition says', async () => {
    scaled();
    await post({ size: 2 });
    await ask(sandbox, 'PATCH', `${THINGS}/a/status`, { status: { size: 1, selector: 'a=b' } });
    const { body } = await ask(sandbox, 'GET', `${THINGS}/a/scale`);
    expect([body.kind, body.spec, body.status]).toEqual(['Scale', { replicas: 2 }, { replicas: 1, selector: 'a=b' }]);
    const more = await ask(sandbox, 'PUT', `${THINGS}/a/scale`, { ...body, spec: { replicas: 5 } });
    expect([more.status, more.body.spec]).toEqual([200, { replicas: 5 }]);
    expect((await ask(sandbox, 'GET', `${THINGS}/a`)).body).toMatchObject({ spec: { size: 5 }, metadata: { generation: 2 } });
    expect((await ask(sandbox, 'PUT', `${THINGS}/a/scale`, { ...body, spec: { replicas: 6 } })).status).toBe(409);
  });

  it('takes no fewer than none, and is not there for an object that says nothing', async () => {
    scaled();
    await post({ size: 2 });
    const less = await ask(sandbox, 'PATCH', `${THINGS}/a/scale`, { spec: { replicas: -1 } });
    expect([less.status, less.body.message]).toEqual([
      422,
      'Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1: should be a non-negative integer',
    ]);
    await post({}, 'b');
    const none = await ask(sandbox, 'GET', `${THINGS}/b/scale`);
    expect([none.status, none.body.message]).toEqual([500, 'Internal error occurred: the spec replicas field ".spec.size" does not exist']);
  });
});

it('refuses an apply of what the schema does not know, or knows otherwise, with 500', async () => {
  serve({ size: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } });
  const apply = (spec: object) =>
    ask(sandbox, 'PATCH', `${THINGS}/a?fieldManager=me`, thing(spec), { 'content-type': 'application/apply-patch+yaml' });
  const { status, body } = await apply({ size: 'big', tags: ['a', 1], extra: 1 });
  expect([status, body.message?.split('\n').slice(1)]).toEqual([
    500,
    [
      '  .spec.extra: field not declared in schema',
      '  .spec.size: expected numeric (int or float), got string',
      '  .spec.tags[1]: expected string, got &value.valueUnstructured{Value:1}',
    ],
  ]);
  expect((await apply({ size: 1, tags: ['a'] })).status).toBe(201);
});

describe('a rule that would take too long, or too much memory', () => {
  const list = { type: 'array', items: { type: 'integer' } };
  const numbers = Array.from({ length: 300 }, (_, i) => i);

  it.each<[string, string, object, object]>([
    ['loops in loops', 'self.a.all(x, self.a.all(y, self.a.all(z, x + y + z >= 0)))', { a: list }, { a: numbers }],
    [
      'loops that would go on behind an error',
      'self.a.exists(x, self.a.exists(y, self.a.exists(z, x / 0 > z)))',
      { a: list },
      { a: numbers },
    ],
    [
      'a loop over many keys',
      'self.m.all(k, self.m.all(l, self.m.all(n, k != "")))',
      { m: { type: 'object', additionalProperties: { type: 'integer' } } },
      { m: Object.fromEntries(numbers.map((n) => [`k${n}`, n])) },
    ],
    ['lists made in loops', 'self.a.map(x, self.a.map(y, self.a.map(z, z))).size() > 0', { a: list }, { a: numbers }],
    [
      'texts joined',
      'self.a.map(x, self.s).join("").size() > 0',
      { a: list, s: { type: 'string' } },
      { a: numbers, s: 'x'.repeat(1_000_000) },
    ],
    [
      'a text doubled again and again',
      `${'cel.bind(v, v + v, '.repeat(40).replace('v + v', 'self.s + self.s')}v.size() > 0${')'.repeat(40)}`,
      { s: { type: 'string' } },
      { s: 'x' },
    ],
    [
      'a list doubled again and again',
      `${'cel.bind(v, v + v, '.repeat(40).replace('v + v', 'self.a + self.a')}v.size() > 0${')'.repeat(40)}`,
      { a: list },
      { a: [1] },
    ],
  ])('%s: is refused by its cost, as the real server does', async (_, rule, properties, spec) => {
    serve(properties, { 'x-kubernetes-validations': [{ rule }] });
    expect(causesOf(await post(spec))).toEqual([`spec: Invalid value: "object": call cost exceeds limit for rule: ${rule}`]);
  });

  it('says nothing of the next one: each evaluation has the whole limit', async () => {
    serve({ a: list }, { 'x-kubernetes-validations': [{ rule: 'self.a.all(x, self.a.all(y, x + y >= 0))' }] });
    for (let i = 0; i < 12; i++) expect((await post({ a: numbers }, `a${i}`)).status).toBe(201);
    expect(causesOf(await post({ a: [...numbers, -400] }, 'b'))).toHaveLength(1);
  });
});

it('a pattern with very many steps is not matched against a very long text, and says so; a shorter text it is', async () => {
  serve({ x: { type: 'string', pattern: '(a{1,1000})$' } });
  const { status, body } = await post({ x: 'a'.repeat(1_000_000) });
  expect([status, body.message]).toEqual([
    501,
    expect.stringMatching(/the pattern "\(a\{1,1000\}\)\$" \(\d+ instructions\) on 1000000 characters/),
  ]);
  expect((await post({ x: 'a'.repeat(5000) })).status).toBe(201);
  expect((await post({ x: 'b' })).status).toBe(422);
});
