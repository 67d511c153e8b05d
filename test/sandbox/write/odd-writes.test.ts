import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bodyText, Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, type Loose } from '../../support/sandbox-requests.ts';

const CORE = '/api/v1/namespaces/default';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1 });
});
afterEach(() => sandbox.stop());

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  ask(sandbox, method, path, body as object, headers);
const configMap = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more });
const deployment = (name: string, containers: object[], more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
    ...more,
  },
});

/** A definition that is served at once. */
const define = (properties: object) =>
  sandbox.apply({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
        },
      ],
    },
  });
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const widget = (spec: string) => `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":${spec}}`;

describe('names that every JavaScript object knows', () => {
  it.each([
    ['strategic', STRATEGIC],
    ['merge', MERGE],
    ['apply', APPLY],
  ])('are fields like any other to a %s patch, and reach no other object', async (_kind, headers) => {
    await send('POST', `${CORE}/configmaps`, configMap('cm', { data: { a: '1' } }));
    const body = '{"apiVersion":"v1","kind":"ConfigMap","data":{"__proto__":"p","constructor":"c","toString":"t"}}';
    const { status, body: changed } = await send('PATCH', `${CORE}/configmaps/cm?fieldManager=m`, body, headers);
    expect(status).toBe(200);
    expect(Object.entries((changed as unknown as { data: object }).data).sort()).toEqual([
      ['__proto__', 'p'],
      ['a', '1'],
      ['constructor', 'c'],
      ['toString', 't'],
    ]);
  });

  it.each([
    ['strategic', STRATEGIC],
    ['merge', MERGE],
  ])('do not let a %s patch write to what all objects share', async (_kind, headers) => {
    await send('POST', `${CORE}/configmaps`, configMap('cm', { data: { a: '1' } }));
    await send('PATCH', `${CORE}/configmaps/cm`, '{"data":{"__proto__":{"polluted":"x"}},"__proto__":{"polluted":"x"}}', headers);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('are unknown to a schema that does not name them', async () => {
    define({ a: { type: 'string' } });
    const { body } = await send('POST', WIDGETS, widget('{"a":"x","constructor":{"b":1},"__proto__":{"c":1},"toString":"t"}'));
    expect(Object.keys(body.spec)).toEqual(['a']);
  });

  it('can be required by a schema, and defaulted', async () => {
    define({
      constructor: { type: 'object', default: {}, properties: { valueOf: { type: 'string', default: 'v' } } },
      inner: { type: 'object', required: ['toString'], properties: { toString: { type: 'string' } } },
    });
    expect((await send('POST', WIDGETS, widget('{}'))).body.spec).toEqual({ constructor: { valueOf: 'v' } });
    expect((await send('POST', WIDGETS, widget('{"inner":{}}').replace('"w"', '"v"'))).status).toBe(422);
  });
});

describe('server-side apply', () => {
  const names = ({ spec }: Loose) =>
    (spec as { template: { spec: { containers: { name: string }[] } } }).template.spec.containers.map((c) => c.name);
  const apply = (body: { metadata: { name: string } }, manager = 'one', query = '') =>
    send('PATCH', `${DEPLOYMENTS}/${body.metadata.name}?fieldManager=${manager}${query}`, body, APPLY);
  const a = { name: 'a', image: 'a:1' };
  const b = { name: 'b', image: 'b:1' };
  const c = { name: 'c', image: 'c:1' };

  it('puts list items in the order the configuration has them in, those of others between', async () => {
    await apply(deployment('web', [a, b]));
    expect(names((await apply(deployment('web', [b, a]))).body)).toEqual(['b', 'a']);
    expect(names((await apply(deployment('web', [c]), 'two')).body)).toEqual(['b', 'a', 'c']);
    expect(names((await apply(deployment('web', [a, b]))).body)).toEqual(['a', 'c', 'b']);
  });

  it('owns nothing but status when it comes through the status door, and no status otherwise', async () => {
    await apply(deployment('web', [a], { replicas: 2 }));
    const other = { ...deployment('web', [a], { replicas: 5 }), status: { replicas: 1 } };
    const { status, body } = await send('PATCH', `${DEPLOYMENTS}/web/status?fieldManager=two`, other, APPLY);
    expect(status).toBe(200);
    const entries = body.metadata.managedFields ?? [];
    expect(entries.find((e) => e.manager === 'two')?.fieldsV1).toEqual({ 'f:status': { 'f:replicas': {} } });
    expect(JSON.stringify(entries.find((e) => e.manager === 'one')?.fieldsV1)).toContain('f:replicas');
    const { body: third } = await apply(other, 'three', '&force=true');
    expect(JSON.stringify(third.metadata.managedFields?.find((e) => e.manager === 'three')?.fieldsV1)).not.toContain('f:status');
  });

  it('refuses a configuration of another version, or without a version or kind', async () => {
    const path = `${CORE}/configmaps/cm?fieldManager=one`;
    const other = await send('PATCH', path, { apiVersion: 'v2', kind: 'ConfigMap' }, APPLY);
    expect([other.status, other.body.message]).toEqual([
      400,
      'Incorrect version specified in apply patch. Specified patch version: v2, expected: v1',
    ]);
    const without = await send('PATCH', path, { kind: 'ConfigMap' }, APPLY);
    expect([without.status, without.body.message]).toEqual([
      400,
      'Incorrect version specified in apply patch. Specified patch version: , expected: v1',
    ]);
    expect((await send('PATCH', path, { apiVersion: 'v1', data: { a: 'b' } }, APPLY)).status).not.toBe(201);
    expect((await send('GET', `${CORE}/configmaps/cm`)).status).toBe(404);
  });
});

describe('values that are none of their field', () => {
  it('are refused in a scale', async () => {
    await send('POST', DEPLOYMENTS, deployment('web', [{ name: 'a', image: 'a' }]));
    const body = { metadata: { name: 'web' }, spec: { replicas: 'x' } };
    expect((await send('PUT', `${DEPLOYMENTS}/web/scale`, body)).status).toBe(400);
    expect((await send('PATCH', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 1.5 } }, MERGE)).status).toBe(422);
    expect((await send('GET', `${DEPLOYMENTS}/web`)).body.spec.replicas).toBe(1);
  });

  it('are refused in a secret that is not base64, at the byte that is none', async () => {
    const { status, body } = await send('POST', `${CORE}/secrets`, { metadata: { name: 's' }, data: { a: 'plain text' } });
    expect([status, body.message]).toEqual([
      400,
      'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 5',
    ]);
    expect((await send('POST', `${CORE}/secrets`, { metadata: { name: 's' }, data: { a: 'abc' } })).status).toBe(400);
    expect((await send('POST', `${CORE}/secrets`, { metadata: { name: 's' }, data: { a: 'YWJj', b: '', c: 'YQ==' } })).status).toBe(201);
  });

  it('are empty where they are null in a map or a list, as in Go', async () => {
    const cm = configMap('cm', { data: { a: null } });
    const { body } = await send('POST', `${CORE}/configmaps`, { ...cm, metadata: { name: 'cm', labels: { l: null } } });
    expect([body.data, body.metadata.labels]).toEqual([{ a: '' }, { l: '' }]);
    const owned = await send('POST', `${CORE}/configmaps`, { metadata: { name: 'x', ownerReferences: [null], finalizers: [null] } });
    expect(owned.status).toBe(422);
    const put = await send('PUT', `${CORE}/configmaps/cm`, { ...cm, metadata: { name: 'cm', managedFields: [null] } });
    expect(put.status).toBe(200);
  });

  describe('are not rounded: whole numbers beyond what a double can hold', () => {
    const N = '9007199254740993';
    const textOf = async (path = `${WIDGETS}/w`, headers: Record<string, string> = {}) =>
      bodyText(await sandbox.handle({ method: 'GET', path, headers }));
    const whole = { type: 'integer', format: 'int64' };
    beforeEach(() => define({ n: whole, m: whole, l: whole, set: { type: 'array', items: { type: 'integer' } } }));

    it.each([
      ['a create', 'POST', WIDGETS, widget(`{"n":${N}}`), {}, N],
      ['a merge patch', 'PATCH', `${WIDGETS}/w`, `{"spec":{"n":-${N}}}`, MERGE, `-${N}`],
      [
        'a JSON patch',
        'PATCH',
        `${WIDGETS}/w`,
        `[{"op":"test","path":"/spec/n","value":${N}},{"op":"replace","path":"/spec/n","value":${N}1}]`,
        JSON_PATCH,
        `${N}1`,
      ],
      [
        'a JSON patch that copies',
        'PATCH',
        `${WIDGETS}/w`,
        '[{"op":"copy","from":"/spec/n","path":"/spec/l"},{"op":"move","from":"/spec/n","path":"/spec/m"}]',
        JSON_PATCH,
        N,
      ],
      ['an apply of JSON', 'PATCH', `${WIDGETS}/w?fieldManager=m&force=1`, widget(`{"n":${N}2}`), APPLY, `${N}2`],
      [
        'an apply of YAML',
        'PATCH',
        `${WIDGETS}/w?fieldManager=m&force=1`,
        `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {n: -${N}}\n`,
        APPLY,
        `-${N}`,
      ],
    ])('by %s', async (_how, method, path, body, headers, kept) => {
      if (method !== 'POST') expect((await send('POST', WIDGETS, widget(`{"n":${N}}`))).status).toBe(201);
      const { status } = await send(method, path, body, headers);
      expect([200, 201]).toContain(status);
      expect(await textOf()).toContain(`:${kept}`);
      expect(await textOf(WIDGETS)).toContain(`:${kept}`);
      expect(await textOf(`${WIDGETS}/w`, { accept: 'application/yaml' })).toContain(`: ${kept}\n`);
    });

    it('by a strategic merge patch of a built-in type', async () => {
      await send('POST', DEPLOYMENTS, deployment('d', [{ name: 'c', image: 'i' }]));
      const body = `{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":${N}}}}}`;
      const { status } = await send('PATCH', `${DEPLOYMENTS}/d`, body, STRATEGIC);
      const patched = await textOf(`${DEPLOYMENTS}/d`);
      expect([status, patched.includes(`"terminationGracePeriodSeconds":${N}`)]).toEqual([200, true]);
    });

    it('when they are checked: limits, formats, equality of items in a set', async () => {
      define({
        n: { type: 'integer', format: 'int64', maximum: 9007199254740993n },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
      });
      expect((await send('POST', WIDGETS, widget(`{"n":${N},"set":[9007199254740992,${N}]}`))).status).toBe(201);
      const { status, body } = await send('PATCH', `${WIDGETS}/w`, '{"spec":{"n":9007199254740994}}', MERGE);
      expect([status, body.message]).toEqual([
        422,
        expect.stringContaining(`9007199254740994: spec.n in body should be less than or equal to ${N}`),
      ]);
      expect((await send('PATCH', `${WIDGETS}/w`, '{"spec":{"n":-9223372036854775809}}', MERGE)).status).toBe(422);
      expect((await send('PATCH', `${WIDGETS}/w`, `{"spec":{"set":[${N},${N}]}}`, MERGE)).status).toBe(422);
      const again = await send('PATCH', `${WIDGETS}/w`, '{"spec":{"n":9007199254740992}}', MERGE);
      const { resourceVersion } = again.body.metadata;
      expect((await send('PATCH', `${WIDGETS}/w`, '{"spec":{"n":9007199254740992}}', MERGE)).body.metadata.resourceVersion).toBe(
        resourceVersion,
      );
      expect((await send('PATCH', `${WIDGETS}/w`, '{"spec":{"n":9007199254740993}}', MERGE)).body.metadata.resourceVersion).not.toBe(
        resourceVersion,
      );
    });
  });
});

it('a pattern that takes other engines ages is matched at once', async () => {
  define({ a: { type: 'string', pattern: '^(a+)+$' } });
  const { status } = await send('POST', WIDGETS, widget(`{"a":"${'a'.repeat(40)}!"}`));
  expect(status).toBe(422);
});

it('a pattern in a rule is matched at once too, and read as in Go', async () => {
  define({
    a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.matches("^(a+)+$")', message: 'say ".matches(" as you like' }] },
    b: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.matches("(?i)^x$")' }] },
  });
  const { status, body } = await send('POST', WIDGETS, widget(`{"a":"${'a'.repeat(40)}!","b":"X"}`));
  expect([status, body.message]).toEqual([422, expect.stringContaining('spec.a: Invalid value:')]);
  expect((await send('POST', WIDGETS, widget('{"a":"aa","b":"y"}'))).body.message).toContain('failed rule: self.matches("(?i)^x$")');
  expect((await send('POST', WIDGETS, widget('{"a":"aa","b":"X"}'))).status).toBe(201);
});

it('a quantity of a hundred thousand digits is refused at once', async () => {
  const resources = { requests: { cpu: `${'1'.repeat(100_000)}!` } };
  const started = process.cpuUsage();
  const { status } = await send('POST', DEPLOYMENTS, deployment('web', [{ name: 'a', image: 'a', resources }]));
  expect(status).toBe(400);
  expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
});

it('a definition whose pattern is none is refused', async () => {
  const { kind, apiVersion, spec } = {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
        },
      ],
    },
  };
  const { status, body } = await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    kind,
    apiVersion,
    metadata: { name: 'gadgets.example.com' },
    spec,
  });
  expect(status).toBe(422);
  expect(body.message).toContain(
    'properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
  );
});

it('a definition with nulls and numbers for its parts is refused, not stumbled over', async () => {
  const version = (more: object) => ({ name: 'v1', served: true, storage: true, ...more });
  const schema = (properties: unknown) => ({ schema: { openAPIV3Schema: { type: 'object', properties } } });
  const specs = [
    null,
    { group: null },
    { versions: null },
    { versions: [null] },
    { versions: [version({ ...schema({}), selectableFields: [null], additionalPrinterColumns: null })] },
    { versions: [version(schema({ a: { type: 'array', items: 5 } }))] },
    { versions: [version(schema({ a: null }))] },
  ];
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
  const whole = { group: 'example.com', scope: 'Namespaced', names };
  for (const spec of specs) {
    const body = { metadata: { name: 'gadgets.example.com' }, spec: spec && { ...whole, ...spec } };
    expect((await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body)).status).toBe(422);
  }
});

it('YAML that grows out of all proportion by its aliases is refused', async () => {
  const lists = 'abcdefghi'.split('').map(
    (l, i) =>
      `${l}: &${l} [${Array(9)
        .fill(i === 0 ? 'x' : `*${'abcdefghi'[i - 1]}`)
        .join(', ')}]`,
  );
  const body = `metadata: {name: bomb}\n${lists.join('\n')}\n`;
  const { status, body: answer } = await send('POST', `${CORE}/configmaps`, body, { 'content-type': 'application/yaml' });
  expect([status, answer.message]).toEqual([400, expect.stringContaining('document contains excessive aliasing')]);
});

describe('JSON patch', () => {
  beforeEach(() => send('POST', `${CORE}/configmaps`, configMap('cm', { data: { a: '1' } })));
  const patch = (operations: object[]) => send('PATCH', `${CORE}/configmaps/cm`, operations, JSON_PATCH);

  it('finds null where there is nothing, so that a client can add what nobody else did', async () => {
    const add = [
      { op: 'test', path: '/metadata/annotations', value: null },
      { op: 'add', path: '/metadata/annotations', value: { a: 'b' } },
    ];
    expect((await patch(add)).status).toBe(200);
    expect((await patch(add)).status).toBe(422);
    expect((await patch([{ op: 'test', path: '/spec/no/such', value: null }])).status).toBe(422);
  });

  it('has at most 10,000 operations', async () => {
    const test = { op: 'test', path: '/data/a', value: '1' };
    expect((await patch(Array(10_000).fill(test))).status).toBe(200);
    const { status, body } = await patch(Array(10_001).fill(test));
    expect([status, body.reason, body.message]).toEqual([
      413,
      'RequestEntityTooLarge',
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    ]);
  });
});

it('a deployment that recreates its pods rolls nothing', async () => {
  await send('POST', DEPLOYMENTS, deployment('web', [{ name: 'a', image: 'a' }]));
  const { status, body } = await send('PATCH', `${DEPLOYMENTS}/web`, { spec: { strategy: { type: 'Recreate' } } }, STRATEGIC);
  expect([status, body.message]).toEqual([
    422,
    'Deployment.apps "web" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is \'Recreate\'',
  ]);
});

it('a delete with something else than options in its body deletes nothing', async () => {
  await send('POST', `${CORE}/configmaps`, configMap('cm'));
  expect((await send('DELETE', `${CORE}/configmaps/cm`, { apiVersion: 'v1', kind: 'ConfigMap' })).status).toBe(400);
  expect((await send('GET', `${CORE}/configmaps/cm`)).status).toBe(200);
  expect((await send('DELETE', `${CORE}/configmaps/cm`, { apiVersion: 'v1', kind: 'DeleteOptions' })).status).toBe(200);
});

describe('what ends an object', () => {
  const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };
  beforeEach(() => send('POST', `${CORE}/pods`, pod));
  const isThere = async () => (await send('GET', `${CORE}/pods/p`)).body.metadata.deletionTimestamp === undefined;

  it.each<[string, string, object?]>([
    ['strconv.ParseInt: parsing "abc": invalid syntax', '?gracePeriodSeconds=abc'],
    [
      'DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
      '',
      { gracePeriodSeconds: 'abc' },
    ],
    [
      'DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string',
      '',
      { dryRun: 'All' },
    ],
    [
      'DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal string into Go struct field DeleteOptions.preconditions of type v1.Preconditions',
      '',
      { preconditions: 'x' },
    ],
  ])('is refused when its options cannot be read: %s', async (message, query, body) => {
    const answer = await send('DELETE', `${CORE}/pods/p${query}`, body);
    expect([answer.status, answer.body.message]).toEqual([400, message]);
    expect(await isThere()).toBe(true);
  });

  it('is no eviction that names another pod', async () => {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'q' } };
    const answer = await send('POST', `${CORE}/pods/p/eviction`, body);
    expect([answer.status, answer.body.message]).toEqual([400, 'name in URL does not match name in Eviction object']);
    expect(await isThere()).toBe(true);
    expect((await send('POST', `${CORE}/pods/p/eviction`, { ...body, metadata: { name: 'p' } })).status).toBe(201);
    expect(await isThere()).toBe(false);
  });
});

it('version 0 is none, and a new object may name it', async () => {
  expect((await send('POST', `${CORE}/configmaps`, { metadata: { name: 'a', resourceVersion: '0' } })).status).toBe(201);
  expect((await send('POST', `${CORE}/configmaps`, { metadata: { name: 'b', resourceVersion: '7' } })).status).toBe(500);
});
