import { describe, expect, it } from 'vitest';
import { causesOf, useThings } from '../../../support/custom-things.ts';

const things = useThings();

describe('a value that does not match its schema is refused in the words of the real server', () => {
  it.each<[string, object, unknown, string[]]>([
    [
      'pattern',
      { type: 'string', pattern: '^a+$' },
      'b',
      [`spec.x: Invalid value: "b": spec.x in body should match '^a+$'`],
    ],
    ['maxLength', { type: 'string', maxLength: 1 }, 'bb', ['spec.x: Too long: may not be more than 1 byte']],
    [
      'minLength',
      { type: 'string', minLength: 3 },
      'bb',
      ['spec.x: Invalid value: "bb": spec.x in body should be at least 3 chars long'],
    ],
    [
      'format',
      { type: 'string', format: 'date-time' },
      'now',
      ['spec.x: Invalid value: "now": spec.x in body must be of type date-time: "now"'],
    ],
    [
      'an integer beyond 64 bits',
      { type: 'integer' },
      1e20,
      [
        'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.x',
      ],
    ],
    ['the largest integer below 2^63 that is a number', { type: 'integer' }, 2 ** 63 - 1024, []],
    [
      'an integer beyond its format',
      { type: 'integer', format: 'int32' },
      3_000_000_000,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x'],
    ],
    [
      'a wrong type and an enum',
      { type: 'string', enum: ['a'] },
      5,
      [
        'spec.x: Invalid value: "integer": spec.x in body must be of type string: "integer"',
        'spec.x: Unsupported value: 5: supported values: "a"',
      ],
    ],
    ['an unknown format', { type: 'string', format: 'colour' }, 'red', []],
    [
      'exclusive maximum',
      { type: 'integer', maximum: 3, exclusiveMaximum: true },
      3,
      ['spec.x: Invalid value: 3: spec.x in body should be less than 3'],
    ],
    [
      'multipleOf',
      { type: 'integer', multipleOf: 2 },
      3,
      ['spec.x: Invalid value: 3: spec.x in body should be a multiple of 2'],
    ],
    [
      'type',
      { type: 'integer' },
      'a',
      ['spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'],
    ],
    [
      'enum of numbers',
      { type: 'integer', enum: [1, 2] },
      3,
      ['spec.x: Unsupported value: 3: supported values: "1", "2"'],
    ],
    [
      'minItems',
      { type: 'array', minItems: 1, items: { type: 'string' } },
      [],
      ['spec.x: Invalid value: 0: spec.x in body should have at least 1 items'],
    ],
    [
      'maxItems',
      { type: 'array', maxItems: 1, items: { type: 'string' } },
      ['a', 'b'],
      ['spec.x: Too many: 2: must have at most 1 item'],
    ],
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
    [
      'required below',
      { type: 'object', required: ['y'], properties: { y: { type: 'string' } } },
      {},
      ['spec.x.y: Required value'],
    ],
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
    ['anyOf that matches', { type: 'string', anyOf: [{ pattern: '^a' }, { pattern: '^c' }] }, 'c', []],
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
      [
        'spec.x: Too long: may not be more than 1 byte',
        '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf)',
      ],
    ],
    [
      'not',
      { type: 'string', not: { pattern: 'c' } },
      'c',
      ['<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'],
    ],
  ])('%s', async (_what, schema, value, causes) => {
    things.serve({ x: schema });
    const answer = await things.post({ x: value });
    expect([answer.status, causesOf(answer) ?? []]).toEqual([causes.length > 0 ? 422 : 201, causes]);
  });
});

it('matches a pattern as Go does, also one that JavaScript cannot read', async () => {
  things.serve({ x: { type: 'string', pattern: '^(?U)a+$' } });
  expect((await things.post({ x: 'b' })).body.message).toContain(`spec.x in body should match '^(?U)a+$'`);
  expect((await things.post({ x: 'aa' })).status).toBe(201);
});
