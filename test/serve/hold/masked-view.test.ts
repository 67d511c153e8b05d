import { expect, it } from 'vitest';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { maskedCondition } from '../../../src/serve/hold/masked-view.ts';
import type { CompiledCondition } from '../../../src/stream/conditions/condition.ts';
import { Redactor } from '../../../src/stream/redact.ts';

const SECRETS = {
  gvr: { group: '', version: 'v1', resource: 'secrets' },
  kind: 'Secret',
  namespaced: true,
} as unknown as ResourceType;
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, data: { password: 'UEFTUw==' } };

it('a condition of a watch reads marks in both states of a Secret, and other objects as they are', () => {
  const seen: unknown[] = [];
  const condition: CompiledCondition = {
    source: 'x',
    readsEvent: true,
    test: ({ object, oldObject }) => seen.push(object, oldObject) > 0,
  };
  const masked = maskedCondition(condition, [SECRETS], new Redactor());
  expect(masked.test({ object: secret, oldObject: secret, event: 'MODIFIED' })).toBe(true);
  const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'db' }, data: { password: 'UEFTUw==' } };
  masked.test({ object: other, oldObject: null });
  expect(seen).toEqual([
    expect.objectContaining({ data: { password: expect.stringMatching(/^hmac:/) } }),
    expect.objectContaining({ data: { password: expect.stringMatching(/^hmac:/) } }),
    other,
    null,
  ]);
});

it('a mark is not marked again, and neither is that of a copy', () => {
  const redactor = new Redactor();
  const masked = redactor.masked(secret, SECRETS.gvr);
  expect(masked.data).toEqual(redactor.redact(secret).data);
  expect(redactor.redact({ ...masked }).data).toEqual(masked.data);
});
