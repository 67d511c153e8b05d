import { beforeEach, describe, expect, it } from 'vitest';
import { mergePatch } from '../../../src/sandbox/write/patch.ts';
import { CONFIG_MAPS } from '../../support/sandbox-requests.ts';
import { JSON_PATCH, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();
const configMap = (more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, ...more });

describe('merge patch (RFC 7386)', () => {
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
