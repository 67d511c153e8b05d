import { describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { decodeProtobuf } from '../../../src/sandbox/write/protobuf.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const varint = (value: bigint): number[] => {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, value); ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
};
const int = (number: number, value: number) => Buffer.from([...varint(BigInt(number << 3)), ...varint(BigInt(value))]);
const bytes = (number: number, content: Buffer) =>
  Buffer.concat([Buffer.from([...varint(BigInt((number << 3) | 2)), ...varint(BigInt(content.length))]), content]);
const text = (number: number, value: string) => bytes(number, Buffer.from(value));
const message = (number: number, ...fields: Buffer[]) => bytes(number, Buffer.concat(fields));
const entry = (number: number, key: string, value: Buffer) => message(number, text(1, key), value);

function body(apiVersion: string, kind: string, ...fields: Buffer[]): Buffer {
  const envelope = [
    message(1, text(1, apiVersion), text(2, kind)),
    bytes(2, Buffer.concat(fields)),
    text(3, ''),
    text(4, ''),
  ];
  return Buffer.concat([Buffer.from('k8s\0'), ...envelope]);
}

const decode = (kind: string, content: Buffer) => decodeProtobuf(content, { group: '', version: 'v1', kind });

describe('protobuf bodies', () => {
  it('are read as the same JSON: zeros of plain fields are absent, zeros of pointers are present', () => {
    const metadata = message(
      1,
      text(1, 'web'),
      text(2, ''),
      text(3, 'shop'),
      int(7, 0),
      message(8),
      entry(11, 'app', text(2, 'web')),
      text(14, 'a'),
      text(14, 'b'),
    );
    const spec = message(
      2,
      int(1, 0),
      int(5, 0),
      message(
        4,
        text(1, 'RollingUpdate'),
        message(2, message(1, int(1, 1), int(2, 0), text(3, '25%')), message(2, int(1, 0), int(2, 3), text(3, ''))),
      ),
    );
    expect(decode('Deployment', body('apps/v1', 'Deployment', metadata, spec))).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' }, finalizers: ['a', 'b'] },
      spec: { replicas: 0, strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: 3 } } },
    });
  });

  it('give bytes as base64, times as text, quantities and negative numbers', () => {
    const secret = body('v1', 'Secret', entry(2, 'k', bytes(2, Buffer.from([0, 255]))), text(3, 'Opaque'));
    expect(decode('Secret', secret)).toMatchObject({ data: { k: 'AP8=' }, type: 'Opaque' });
    const lease = body(
      'coordination.k8s.io/v1',
      'Lease',
      message(2, text(1, 'me'), message(4, int(1, 1_767_225_600), int(2, 5_000_000))),
    );
    expect(decode('Lease', lease).spec).toEqual({ holderIdentity: 'me', renewTime: '2026-01-01T00:00:00.005000Z' });
    expect(decode('PriorityClass', body('scheduling.k8s.io/v1', 'PriorityClass', int(2, -7)))).toMatchObject({
      value: -7,
    });
    const quota = body('v1', 'ResourceQuota', message(2, entry(1, 'cpu', message(2, text(1, '500m')))));
    expect(decode('ResourceQuota', quota).spec).toEqual({ hard: { cpu: '500m' } });
  });

  it('put the fields of inline messages where JSON has them', () => {
    const volume = message(1, text(1, 'v'), message(2, message(19, message(1, text(1, 'settings')))));
    const pod = body('v1', 'Pod', message(2, volume));
    expect(decode('Pod', pod).spec).toEqual({ volumes: [{ name: 'v', configMap: { name: 'settings' } }] });
  });

  it.each([
    ['a field that is not listed', body('v1', 'ConfigMap', text(99, 'x')), 'field 99 of ConfigMap'],
    [
      'a type whose numbers are not',
      body('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      'protobuf bodies of CustomResourceDefinition',
    ],
  ])('answer 501 for %s, so that nothing is lost', (_what, content, why) => {
    expect(() => decode('ConfigMap', content)).toThrow(why);
  });

  it.each([
    ['no magic', Buffer.from('{}')],
    ['a broken end', body('v1', 'ConfigMap', text(1, 'abc')).subarray(0, -6)],
  ])('answer 400 for %s', (_what, content) => {
    expect(() => decode('ConfigMap', content)).toThrow('protobuf');
  });

  it('are read without the fields that only older versions had', () => {
    const spec = message(2, message(42, text(1, 'a workload')), text(10, 'node-1'));
    expect(decode('Pod', body('v1', 'Pod', message(1, text(1, 'web')), spec))).toMatchObject({
      spec: { nodeName: 'node-1' },
    });
  });

  it('create objects and are refused for custom resources', async () => {
    await using sandbox = await Sandbox.start({ socket: false, clock: new FakeClock(), seed: 1 });
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    const created = await sandbox.handle({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      headers,
      body: body('v1', 'ConfigMap', message(1, text(1, 'a')), entry(2, 'k', text(2, 'v'))),
    });
    expect(created.status).toBe(201);
    expect(sandbox.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/a')?.data).toEqual({ k: 'v' });
    const spec = {
      replicas: 1,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    };
    sandbox.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
    const scaled = await sandbox.handle({
      method: 'PUT',
      path: '/apis/apps/v1/namespaces/default/deployments/d/scale',
      headers,
      body: body('autoscaling/v1', 'Scale', message(1, text(1, 'd')), message(2, int(1, 4))),
    });
    expect([scaled.status, sandbox.get({ apiVersion: 'apps/v1', kind: 'Deployment' }, 'default/d')?.spec]).toEqual([
      200,
      expect.objectContaining({ replicas: 4 }),
    ]);
    const removed = await sandbox.handle({
      method: 'DELETE',
      path: '/api/v1/namespaces/default/configmaps/a',
      headers,
      body: body('v1', 'DeleteOptions', message(2, text(1, 'another-uid'))),
    });
    expect(removed.status).toBe(409);
  });
});
