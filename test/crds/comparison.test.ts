import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  celRules,
  compareDefinitions,
  defineResource,
  listMap,
  type ResourceOptions,
  type VersionOptions,
} from '../../src/crds.ts';

type Versions = Record<string, VersionOptions>;

const definition = (
  spec: z.ZodType,
  more: Partial<VersionOptions> = {},
  versions: Versions = {},
  rest: Partial<ResourceOptions<Versions>> = {},
) =>
  defineResource({
    group: 'example.com',
    kind: 'Shop',
    versions: { v1: { schema: z.object({ spec }), storage: true, ...more }, ...versions },
    ...rest,
  }).definition;

const compared = (before: z.ZodType, after: z.ZodType) =>
  compareDefinitions(definition(before), definition(after)).map(
    ({ at, change, breaks = '' }) => `${breaks} ${at}: ${change}`,
  );

const { string: text, object } = z;

it.each<[string, z.ZodType, z.ZodType, string[]]>([
  [
    'a removed field',
    object({ a: text().optional(), b: text() }),
    object({ b: text() }),
    ['stored v1 .spec.a: it is removed, and dropped from what is stored'],
  ],
  [
    'a field that is removed, and kept as unknown',
    object({ a: text().optional() }),
    z.looseObject({}),
    [' v1 .spec.a: it is in the schema no more'],
  ],
  ['a new field', object({}), object({ a: text().optional() }), [' v1 .spec.a: a new field']],
  [
    'a new required field',
    object({}),
    object({ a: text() }),
    ['stored v1 .spec.a: it is required, and has no default'],
  ],
  ['a new field with a default', object({}), object({ a: text().default('x') }), [' v1 .spec.a: a new field']],
  ['another type', object({ a: text() }), object({ a: z.int() }), ['stored v1 .spec.a: string becomes integer']],
  [
    'a wider type',
    object({ a: z.int() }),
    object({ a: z.union([z.int(), text()]) }),
    [' v1 .spec.a: integer becomes number or text'],
  ],
  [
    'a value that is gone',
    object({ a: z.enum(['x', 'y']) }),
    object({ a: z.enum(['x', 'z']) }),
    ['stored v1 .spec.a: "y" is a value no more'],
  ],
  [
    'a narrower range',
    object({ a: z.int32().max(9) }),
    object({ a: z.int32().max(5) }),
    ['stored v1 .spec.a: maximum 9 becomes 5'],
  ],
  [
    'a wider range',
    object({ a: z.int32().max(5) }),
    object({ a: z.int32().max(9) }),
    [' v1 .spec.a: maximum 5 becomes 9'],
  ],
  [
    'a new pattern, in the items of a list',
    object({ a: z.array(text()) }),
    object({ a: z.array(text().regex(/^x/)) }),
    ['stored v1 .spec.a[]: pattern becomes ^x'],
  ],
  [
    'a new rule',
    object({ a: z.int() }),
    object({ a: z.int().meta(celRules({ rule: 'self > 2' })) }),
    ['stored v1 .spec.a: a new rule: self > 2'],
  ],
  [
    'null no more',
    object({ a: text().nullable() }),
    object({ a: text() }),
    ['stored v1 .spec.a: it takes no null any more'],
  ],
  [
    'a list with keys',
    object({ a: z.array(object({ name: text() })) }),
    object({ a: z.array(object({ name: text() })).meta(listMap('name')) }),
    ['stored v1 .spec.a: a list of the type atomic becomes map by name'],
  ],
  [
    'other values of a map',
    object({ a: z.record(text(), text()) }),
    object({ a: z.record(text(), z.int()) }),
    ['stored v1 .spec.a.*: string becomes integer'],
  ],
  [
    'another default',
    object({ a: text().default('x') }),
    object({ a: text().default('y') }),
    [' v1 .spec.a: the default is "y"'],
  ],
  ['nothing', object({ a: text() }), object({ a: text().describe('more words') }), []],
])('says of %s whether it breaks stored objects', (_what, before, after, expected) => {
  expect(compared(before, after)).toEqual(expected);
});

const old = { schema: z.object({ spec: object({ a: text() }) }) };

it('says which versions may go: none that is stored, and of the others that clients lose them', () => {
  const before = definition(object({ b: text() }), {}, { v1alpha1: old, v1beta1: old });
  const status = { storedVersions: ['v1alpha1', 'v1'] };
  expect(compareDefinitions({ ...before, status }, definition(object({ b: text() })))).toEqual([
    {
      at: 'v1alpha1',
      change: 'it is removed, and objects are stored in it: the server refuses that',
      breaks: 'stored',
    },
    { at: 'v1beta1', change: 'it is removed', breaks: 'clients' },
  ]);
});

it('says of a change in a version that is not stored that it breaks clients', () => {
  const before = definition(object({}), {}, { v1alpha1: old });
  const next = { schema: z.object({ spec: object({}) }), served: false };
  const after = definition(object({}), {}, { v1alpha1: next });
  expect(compareDefinitions(before, after).map(({ at, breaks }) => [at, breaks])).toEqual([
    ['v1alpha1', 'clients'],
    ['v1alpha1 .spec.a', 'clients'],
  ]);
});

it('says of another stored version whether a webhook is lacking', () => {
  const renamed = { v2: { schema: z.object({ spec: object({ b: text() }) }) } };
  const before = definition(object({ a: text() }), {}, renamed);
  const after = (conversion?: { url: string }) =>
    definition(
      object({ a: text() }),
      { storage: false },
      { v2: { ...renamed.v2, storage: true } },
      conversion && { conversion },
    );
  expect(compareDefinitions(before, after())[0]).toEqual({
    at: '',
    change: 'v2 is stored in place of v1, without a webhook that converts .spec.a',
    breaks: 'stored',
  });
  expect(compareDefinitions(before, after({ url: 'https://x' }))).toEqual([
    { at: '', change: 'v2 is stored in place of v1', breaks: undefined },
  ]);
});
