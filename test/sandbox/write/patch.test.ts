import { beforeEach, describe, expect, it } from 'vitest';
import { mergePatch } from '../../../src/sandbox/write/patch.ts';
import { CONFIG_MAPS } from '../../support/sandbox-requests.ts';
import { JSON_PATCH, MERGE, STRATEGIC, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();
const configMap = (more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, ...more });

describe('merge patch (RFC 7386; a null in an object of a list removes the field, as on a real server)', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: [1, null, { b: null, c: [{ d: null }] }] }, { a: [1, null, { c: [{}] }] }],
  ])('makes of %j with %j: %j', (target, patch, result) => {
    const before = structuredClone(target);
    expect(mergePatch(target, patch)).toEqual(result);
    expect(target).toEqual(before);
  });
});

describe('JSON patch', () => {
  beforeEach(() => server.ask('POST', CONFIG_MAPS, configMap({ data: { a: '1' } })));
  const patchOf = (operations: object[]) => server.ask('PATCH', `${CONFIG_MAPS}/cm`, operations, JSON_PATCH);

  it('is refused when its copies would make a small object very large, as on the real server', async () => {
    const doubling = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/x${i}` }));
    const { status, body } = await patchOf(doubling);
    expect([status, body.reason]).toEqual([422, 'Invalid']);
    expect((await patchOf([{ op: 'copy', from: '/data/a', path: '/data/b' }])).status).toBe(200);
  });

  it('finds null in an absent field, so that a client can add a field only if it is absent', async () => {
    const add = [
      { op: 'test', path: '/metadata/annotations', value: null },
      { op: 'add', path: '/metadata/annotations', value: { a: 'b' } },
    ];
    expect((await patchOf(add)).status).toBe(200);
    expect((await patchOf(add)).status).toBe(422);
    expect((await patchOf([{ op: 'test', path: '/spec/no/such', value: null }])).status).toBe(422);
  });

  it('has at most 10,000 operations', async () => {
    const test = { op: 'test', path: '/data/a', value: '1' };
    expect((await patchOf(Array(10_000).fill(test))).status).toBe(200);
    const { status, body } = await patchOf(Array(10_001).fill(test));
    expect([status, body.reason, body.message]).toEqual([
      413,
      'RequestEntityTooLarge',
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    ]);
  });
});

describe('a patch that is not JSON is refused in the words of the real server', () => {
  beforeEach(() => void server.sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));

  it.each([
    ['{bad', "invalid character 'b' looking for beginning of object key string"],
    ['', 'unexpected end of JSON input'],
    ['[', 'unexpected end of JSON input'],
    ['[}', "invalid character '}' looking for beginning of value"],
    ['{"a":}', "invalid character '}' looking for beginning of value"],
    ['{}x', "invalid character 'x' after top-level value"],
    ['{"data":{"a":1}', 'unexpected end of JSON input'],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 2}', "invalid character '2' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
  ])('%j', async (body, problem) => {
    const answers = [];
    for (const headers of [MERGE, JSON_PATCH, STRATEGIC])
      answers.push(await server.ask('PATCH', `${CONFIG_MAPS}/a`, body, headers));
    expect(answers.map(({ status, body: answer }) => [status, answer.reason, answer.message])).toEqual([
      [400, 'BadRequest', `error decoding patch: ${problem}`],
      [400, 'BadRequest', `error decoding patch: ${problem}`],
      [400, 'BadRequest', problem],
    ]);
  });
});

describe('a patch that changes the kind', () => {
  beforeEach(() => void server.sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));

  it('of a built-in object is refused, and ignored in a strategic merge patch', async () => {
    const patch = (fields: object, headers: Record<string, string>) =>
      server.ask('PATCH', `${CONFIG_MAPS}/a`, fields, headers);
    const version = await patch({ apiVersion: 'v2' }, MERGE);
    expect([version.status, version.body.reason]).toEqual([422, 'Invalid']);
    expect(version.body.message).toContain('no kind "ConfigMap" is registered for version "v2"');
    expect((await patch({ kind: 'Secret' }, MERGE)).status).toBe(422);
    expect((await patch([{ op: 'replace', path: '/kind', value: 'Nope' }], JSON_PATCH)).status).toBe(422);
    expect((await patch({ kind: null }, MERGE)).status).toBe(200);
    const { status, body } = await patch({ kind: 'Secret' }, STRATEGIC);
    expect([status, body.kind]).toEqual([200, 'ConfigMap']);
  });

  it('of a custom object is refused', async () => {
    const schema = { openAPIV3Schema: { type: 'object' } };
    server.sandbox.apply([
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'apples.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'apples', kind: 'Apple' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      },
      { apiVersion: 'example.com/v1', kind: 'Apple', metadata: { name: 'a' } },
    ]);
    const patch = async (fields: object) => {
      const { status, body } = await server.ask('PATCH', '/apis/example.com/v1/namespaces/default/apples/a', fields);
      return [status, body.message];
    };
    expect(await patch({ kind: 'Secret' })).toEqual([
      422,
      'Secret.example.com "a" is invalid: kind: Invalid value: "Secret": must be Apple',
    ]);
    expect(await patch({ apiVersion: 'v2' })).toEqual([
      422,
      'Apple "a" is invalid: apiVersion: Invalid value: "v2": must be example.com/v1',
    ]);
    expect((await patch({ kind: null }))[0]).toBe(422);
  });
});
