import { expect, it } from 'vitest';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import type { CachedObjects } from '../../../src/query/answer/cached-objects.ts';
import { maskedCondition, maskedView } from '../../../src/serve/hold/masked-view.ts';
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
  const otherGroup = { ...secret, apiVersion: 'example.com/v1' };
  masked.test({ object: otherGroup, oldObject: undefined });
  expect(seen).toEqual([
    expect.objectContaining({ data: { password: expect.stringMatching(/^hmac:/) } }),
    expect.objectContaining({ data: { password: expect.stringMatching(/^hmac:/) } }),
    other,
    null,
    otherGroup,
    undefined,
  ]);
});

it('a mark is not marked again, and neither is that of a copy', () => {
  const redactor = new Redactor();
  const masked = redactor.masked(secret, SECRETS.gvr);
  expect(masked.data).toEqual(redactor.redact(secret).data);
  expect(redactor.redact({ ...masked }).data).toEqual(masked.data);
});

it('a view of Secrets has marks for every reader, and the index of namespaces alone', () => {
  const redactor = new Redactor();
  const mark = redactor.masked(secret, SECRETS.gvr);
  const lister = {
    size: 1,
    list: () => [secret],
    hasIndex: (name: string) => name !== 'absent',
    byIndex: () => [secret],
    indexValues: () => ['value'],
    indexCount: () => 1,
  };
  const informer = { name: 'v1/secrets', lister };
  const cached = { type: SECRETS, informer } as unknown as CachedObjects;
  const view = maskedView(cached, redactor).informer;
  const shown = [...view.lister.list(), ...view.lister.values(), ...view.lister.byIndex('namespace', 'shop')];
  expect(shown).toEqual([mark, mark, mark]);
  expect([view.name, view.lister.size]).toEqual(['v1/secrets', 1]);
  const indexOf = (name: string) => [
    view.lister.hasIndex(name),
    view.lister.indexValues(name),
    view.lister.indexCount(name, 'x'),
  ];
  expect([indexOf('namespace'), indexOf('k')]).toEqual([
    [true, ['value'], 1],
    [false, [], 0],
  ]);
  const pods = { ...cached, type: { ...SECRETS, gvr: { ...SECRETS.gvr, resource: 'pods' } } } as CachedObjects;
  expect(maskedView(pods, redactor)).toBe(pods);
});

it('a condition over other types than Secrets is itself, and its remarks are those of the condition', () => {
  const condition: CompiledCondition = { source: 'x', readsEvent: false, test: () => true };
  const pods = { ...SECRETS, gvr: { ...SECRETS.gvr, resource: 'pods' } } as ResourceType;
  expect(maskedCondition(condition, [pods], new Redactor())).toBe(condition);
  expect(maskedCondition(condition, [SECRETS], new Redactor())).not.toHaveProperty('remark');
  const remarking = { ...condition, remark: () => 'a remark' };
  expect(maskedCondition(remarking, [pods, SECRETS], new Redactor()).remark?.()).toBe('a remark');
});
