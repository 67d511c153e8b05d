import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineResource, embeddedResource, objectOf, type ResourceObject } from '../../src/crds.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { ask } from '../support/sandbox-requests.ts';
import { CLUSTERS } from './postgres-cluster.ts';

const define = (spec: z.ZodType, more: object = {}) =>
  defineResource({ group: 'example.com', kind: 'Shop', versions: { v1: { schema: z.object({ spec }), ...more } } });

interface Defined {
  readonly spec: {
    readonly versions: {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: Record<string, unknown> } };
    }[];
  };
}

const specOf = (schema: z.ZodType) =>
  (define(schema).definition as unknown as Defined).spec.versions[0]?.schema.openAPIV3Schema.properties.spec;

describe('a definition from a schema', () => {
  it('is what controller-gen writes for the same type in Go', () => {
    const file = path.join(import.meta.dirname, 'fixtures/postgres-cluster.yaml');
    const written = load(readFileSync(file, 'utf8')) as UnknownObject;
    const { annotations: _version, ...metadata } = written.metadata;
    expect(CLUSTERS.definition).toEqual({ ...written, metadata });
  });

  it('is accepted by a server, which then fills in its defaults and keeps its rules', async () => {
    await using sandbox = await Sandbox.start({ socket: false });
    const made = await ask(
      sandbox,
      'POST',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      CLUSTERS.definition,
    );
    expect([made.status, made.headers.warning]).toEqual([201, undefined]);
    sandbox.apply({ ...CLUSTERS.definition });
    const at = '/apis/db.example.com/v1/namespaces/default/postgresclusters';
    const post = (spec: object) => ask(sandbox, 'POST', at, { metadata: { generateName: 'a-' }, spec });
    const { status, body } = await post({ version: '17', port: 'pg', backup: { schedule: '0 3 * * *' } });
    expect([status, body.spec]).toMatchObject([201, { replicas: 1, replication: 'async', backup: { keep: 7 } }]);
    expect((await post({ version: '15', port: 1 })).body.message).toMatch(/spec.version: Unsupported value: "15"/);
    const few = { version: '17', port: 1, backup: { schedule: '* * * * *', keep: 1, minimum: 2 } };
    expect((await post(few)).body.message).toMatch(/keep is less than minimum/);
  });

  it('gives the type of the objects, with the defaults filled in', () => {
    type Cluster = ResourceObject<typeof CLUSTERS.versions.v1>;
    expectTypeOf<Cluster['spec']['replicas']>().toEqualTypeOf<number>();
    expectTypeOf<Cluster['spec']['version']>().toEqualTypeOf<'16' | '17' | '18'>();
    expectTypeOf<Cluster['metadata']['name']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<Cluster['status']>['primary']>().toEqualTypeOf<string | undefined>();
    expect(CLUSTERS.versions.v1).toEqual({
      group: 'db.example.com',
      version: 'v1',
      resource: 'postgresclusters',
    });
    const backup = defineResource({
      group: 'example.com',
      kind: 'Backup',
      versions: { v1: { schema: z.object({ spec: z.object({ of: z.string() }) }) } },
    });
    const object = objectOf(backup, backup.versions.v1, { metadata: { name: 'a' }, spec: { of: 'b' } });
    expect(object).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Backup',
      metadata: { name: 'a' },
      spec: { of: 'b' },
    });
  });

  it.each<[string, z.ZodType, object]>([
    ['a whole number, with the format of its range', z.int().min(1), { type: 'integer', format: 'int64', minimum: 1 }],
    [
      'a number or text',
      z.union([z.string().regex(/^\d+%$/), z.int()]),
      { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true, pattern: '^\\d+%$' },
    ],
    ['one of several values', z.union([z.literal('a'), z.literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    ['a time, whose form servers know', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    ['bytes', z.base64(), { type: 'string', format: 'byte' }],
    [
      'text with a form that servers do not know, by its pattern',
      z.string().startsWith('x'),
      { type: 'string', pattern: '^x.*' },
    ],
    ['any value', z.unknown(), { 'x-kubernetes-preserve-unknown-fields': true }],
    [
      'further fields',
      z.looseObject({}),
      { type: 'object', properties: {}, 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'no further fields, as servers drop them anyway',
      z.strictObject({ a: z.boolean() }),
      { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] },
    ],
    [
      'a default of a whole object',
      z.object({ a: z.int32().default(1) }).prefault({}),
      { type: 'object', default: {}, properties: { a: { type: 'integer', format: 'int32', default: 1 } } },
    ],
    [
      'an object of any kind',
      z.looseObject({}).meta(embeddedResource),
      { type: 'object', properties: {}, ...embeddedResource },
    ],
    [
      'what two schemas say',
      z.intersection(z.object({ a: z.boolean() }), z.object({ b: z.boolean() })),
      { type: 'object', properties: { a: { type: 'boolean' }, b: { type: 'boolean' } }, required: ['a', 'b'] },
    ],
  ])('has %s', (_what, schema, expected) => {
    expect(specOf(schema)).toEqual(expected);
  });

  it.each<[string, z.ZodType, RegExp]>([
    [
      'a choice of types',
      z.object({ a: z.union([z.object({ b: z.string() }), z.string()]) }),
      /Shop v1\.spec\.a: a choice of types/,
    ],
    ['a tuple', z.object({ a: z.tuple([z.string()]) }), /Shop v1\.spec\.a: a tuple/],
    ['a pattern that looks ahead', z.string().regex(/^(?!x)/), /Shop v1\.spec: the pattern .* looks around/],
    ['a value that JSON does not have', z.date(), /Shop v1 has no JSON schema: Date cannot be represented/],
    ['a schema within itself', recursive(), /Shop v1.*refers to itself/],
    ['keys with a schema', z.record(z.string().regex(/^a/), z.string()), /Shop v1\.spec: keys of a map have a schema/],
    [
      'a type for further fields',
      z.object({ a: z.string() }).catchall(z.string()),
      /Shop v1\.spec: a type for the fields/,
    ],
  ])('refuses %s, with its path', (_what, schema, message) => {
    expect(() => define(schema)).toThrow(message);
  });

  it('refuses a column, a scale and a selectable field of which the schema has nothing', () => {
    const spec = z.object({ size: z.int() });
    expect(() => define(spec, { columns: [{ name: 'A', path: '.spec.a' }] })).toThrow(
      /column A: the schema has no .spec.a/,
    );
    expect(() => define(spec, { scale: { spec: '.spec.replicas', status: '.spec.size' } })).toThrow(
      /no .spec.replicas/,
    );
    expect(() => define(spec, { selectableFields: ['.spec.b'] })).toThrow(/no .spec.b/);
  });

  it('has several versions, one of which is stored, and the webhook that converts', () => {
    const of = (field: string) => ({ schema: z.object({ spec: z.object({ [field]: z.string() }) }) });
    const versions = {
      v1: { ...of('host'), storage: true },
      v1alpha1: { ...of('address'), deprecated: 'use v1', served: false },
    };
    const service = { namespace: 'infra', name: 'hooks' };
    const { definition } = defineResource({ group: 'example.com', kind: 'Proxy', versions, conversion: { service } });
    expect(definition).toMatchObject({
      metadata: { name: 'proxies.example.com' },
      spec: {
        versions: [
          { name: 'v1', served: true, storage: true },
          { name: 'v1alpha1', served: false, storage: false, deprecated: true, deprecationWarning: 'use v1' },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { service: { ...service, path: '/convert', port: 443 } },
          },
        },
      },
    });
    expect(() =>
      defineResource({ group: 'example.com', kind: 'Proxy', versions: { v1: of('a'), v2: of('b') } }),
    ).toThrow(/exactly one version has storage: true, not 0/);
  });
});

function recursive(): z.ZodType {
  const node: z.ZodType = z.object({ children: z.array(z.lazy(() => node)) });
  return node;
}
