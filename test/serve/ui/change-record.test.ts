import { describe, expect, it } from 'vitest';
import { uiTexts } from '../../../src/cli/serve/ui-texts.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { ChangeRecorder } from '../../../src/serve/ui/change-record.ts';
import type { ObjectChange } from '../../../src/stream/envelope.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const CONFIG_MAPS = {
  gvr: { group: '', version: 'v1', resource: 'configmaps' },
  kind: 'ConfigMap',
  namespaced: true,
} as ResourceType;

const map = (data: object, more: object = {}): UnknownObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '2', ...more },
    data,
  }) as UnknownObject;
const wrote = (manager: string, ...keys: string[]) => ({
  managedFields: [
    {
      manager,
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': Object.fromEntries(keys.map((key) => [`f:${key}`, {}])) },
    },
  ],
});

function recorded(change: ObjectChange) {
  const clock = new FakeClock(5000);
  return new ChangeRecorder({ values: uiTexts.values, clock }, new Redactor()).recordsOf(change, CONFIG_MAPS);
}
const updated = (before: UnknownObject, object: UnknownObject): ObjectChange => ({
  type: 'updated',
  oldObject: before,
  object,
  cause: 'watch',
});

describe('the record of a change', () => {
  it('names the fields with their values before and after, who wrote them, and when', () => {
    const before = map({ gone: '1', same: 's', x: 'old' });
    const [record, ...more] = recorded(
      updated(before, map({ same: 's', x: 'new', added: '2' }, wrote('kubectl', 'x', 'added'))),
    );
    expect(more).toEqual([]);
    expect(record).toMatchObject({ at: 5000, what: 'MODIFIED', cause: 'watch', more: 0 });
    expect(record).not.toHaveProperty('by');
    const fields = Object.fromEntries((record?.fields ?? []).map(({ path, ...rest }) => [path, rest]));
    expect(fields).toEqual({
      '.data.gone': { from: '"1"', by: 'kubectl' },
      '.data.x': { from: 'old', to: 'new', by: 'kubectl' },
      '.data.added': { to: '"2"', by: 'kubectl' },
    });
  });

  it('names who created an object, and no writer of another change', () => {
    const object = map({ a: '1' }, wrote('helm', 'a'));
    const [created] = recorded({ type: 'added', object, cause: 'watch' });
    expect(created).toMatchObject({ what: 'ADDED', by: 'helm' });
    const [deleted] = recorded({ type: 'deleted', object, cause: 'watch' } as ObjectChange);
    expect([deleted?.what, deleted?.by]).toEqual(['DELETED', undefined]);
  });

  it('is none of what was there already', () => {
    for (const cause of ['initial', 'resync'] as const)
      expect(recorded({ type: 'added', object: map({}), cause } as ObjectChange)).toEqual([]);
  });

  it('has sixty fields at most, and counts the others', () => {
    const data = (value: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
    for (const [count, kept, more] of [
      [60, 60, 0],
      [61, 60, 1],
    ] as const) {
      const [record] = recorded(updated(map(data('a', count)), map(data('b', count))));
      expect([record?.fields.length, record?.more]).toEqual([kept, more]);
    }
  });

  it('cuts long paths and values, and shows no control characters', () => {
    const key = 'k'.repeat(400);
    const [record] = recorded(updated(map({ [key]: 'a' }), map({ [key]: 'x'.repeat(1000), 'b\u001b': '1' })));
    const [long, odd] = record?.fields ?? [];
    expect([long?.path.length, long?.path.endsWith('…')]).toEqual([301, true]);
    expect(long?.to?.length).toBeLessThan(250);
    expect(JSON.stringify(odd)).not.toContain('\\u001b');
  });
});
