import { describe, expect, test } from 'vitest';
import type { ManagedFieldsEntry, UnknownObject } from '../../../src/model/object.ts';
import type { PrintedEvent } from '../../../src/output/printer.ts';
import { compileScope } from '../../../src/stream/changes/path-scope.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { answer, event, pod } from '../fixtures.ts';
import { modified, printer, web } from './fixtures.ts';

describe.each(['diff', 'changes'])('%s', (format) => {
  test('shows digests of a Secret and no value', async () => {
    const redactor = new Redactor();
    const secret = (value: string) =>
      redactor.redact({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 's',
          namespace: 'shop',
          annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"a":"${value}"}` },
        },
        data: { password: Buffer.from(value).toString('base64') },
        stringData: { password: value },
      });
    const [a, b] = ['first-marker', 'second-marker'];
    const shown = await printer(format);
    const text = shown.events([event('ADDED', secret(a)), modified(secret(a), secret(b)), event('DELETED', secret(b))]);
    expect(text).toMatch(/data\.password: hmac:[0-9a-f]{8} → hmac:[0-9a-f]{8}\n/);
    for (const value of [a, b]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(Buffer.from(value).toString('base64'));
    }
  });

  test('refuses an answer, which has no changes', async () => {
    const shown = await printer(format);
    expect(() => shown.objects(answer(pod('a')))).toThrow(`-o ${format} shows changes, so it needs a stream of them`);
  });
});

describe('objects that left a filter, creators, and requested paths', () => {
  const left = (object: UnknownObject): PrintedEvent => {
    const printed = event('DELETED', object);
    return { ...printed, event: { ...printed.event, cause: 'filter' } };
  };
  const created = (object: UnknownObject): PrintedEvent => {
    const printed = event('ADDED', object);
    return { ...printed, event: { ...printed.event, cause: 'watch' } };
  };
  const entry = (manager: string, second: number, subresource?: string): ManagedFieldsEntry => ({
    manager,
    time: `2026-01-01T12:00:0${second}Z`,
    fieldsV1: { 'f:spec': {} },
    ...(subresource ? { subresource } : {}),
  });
  const made = web(
    {},
    {
      managedFields: [
        entry('kube-controller-manager', 2),
        entry('status-writer', 0, 'status'),
        entry('kubectl-create', 1),
      ],
    },
  );

  test('an object that only stopped matching is LEFT in changes, diff, names and tables; a deleted one is DELETED', async () => {
    for (const format of ['changes', 'diff', 'name', '']) {
      const text = (await printer(format)).events([left(web({}))]);
      expect(text).toContain('LEFT');
      expect(text).not.toContain('DELETED');
      expect((await printer(format)).events([event('DELETED', web({}))])).not.toContain('LEFT');
    }
    expect((await printer('name')).events([left(web({})), event('DELETED', web({}))])).toBe(
      'deployment.apps/web LEFT\ndeployment.apps/web\n',
    );
  });

  test('an object that was just created has its creator, one of the initial list does not', async () => {
    expect((await printer('changes')).events([created(made)])).toBe('ADDED      shop/web   (kubectl-create)\n');
    expect((await printer('diff')).events([created(made)])).toContain('created by kubectl-create');
    const initial = event('ADDED', made);
    const first = { ...initial, event: { ...initial.event, cause: 'initial' as const } };
    expect((await printer('changes')).events([first])).toBe('ADDED      shop/web\n');
  });

  test('only changes at, below and above the requested paths are shown', async () => {
    const before = web({
      replicas: 2,
      paused: true,
      containers: [
        { name: 'a', image: 'x' },
        { name: 'b', image: 'x' },
      ],
      strategy: { type: 'A' },
    });
    const after = web({
      replicas: 3,
      paused: false,
      containers: [
        { name: 'a', image: 'y' },
        { name: 'b', image: 'z' },
      ],
    });
    const shown = async (...paths: string[]) => {
      const text = (await printer('changes', { only: compileScope(paths) })).events([modified(before, after)]);
      return [...text.matchAll(/ (\.\S+): /g)].map(([, path]) => path);
    };
    expect(await shown('.spec.replicas')).toEqual(['.spec.replicas']);
    expect(await shown('.spec.containers[?(@.name=="b")].image')).toEqual(['.spec.containers[name=b].image']);
    expect(await shown('.spec.containers[*].image', '.spec.paused')).toEqual([
      '.spec.paused',
      '.spec.containers[name=a].image',
      '.spec.containers[name=b].image',
    ]);
    expect(await shown('.spec.strategy.type')).toEqual(['.spec.strategy']);
    expect(await shown('.spec')).toHaveLength(5);
    expect(await shown('$.spec.replicas')).toHaveLength(5);
    const diff = (await printer('diff', { only: compileScope(['.spec.replicas']) })).events([modified(before, after)]);
    expect(diff).toContain('spec.replicas: 2 → 3');
    expect(diff).not.toContain('paused');
  });

  test('long values are printed in full if requested', async () => {
    const long = (letter: string) => letter.repeat(300);
    const change = modified(web({ note: long('a') }), web({ note: long('b') }));
    for (const format of ['changes', 'diff']) {
      const [cut, full] = [
        (await printer(format)).events([change]),
        (await printer(format, { fullValues: true })).events([change]),
      ];
      expect([cut.includes(long('a')), full.includes(long('a')), full.includes(long('b')), full.includes('…')]).toEqual(
        [false, true, true, false],
      );
    }
  });
});
