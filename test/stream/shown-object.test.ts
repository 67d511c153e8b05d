import { expect, test } from 'vitest';
import { cellsOf, withCells } from '../../src/model/cells.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { shownObject, whyUnprintable, withKind } from '../../src/stream/shown-object.ts';

const options = { redactor: new Redactor() };
const PODS = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod' };

test('an object that has nothing to hide or to add is shown as it is, without a copy', () => {
  const pod: UnknownObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
  expect(shownObject(pod, PODS, options)).toBe(pod);
});

test('a copy keeps the row of its table', () => {
  const row = { columns: [], cells: ['a'] };
  const pod = withCells({ metadata: { name: 'a', managedFields: [{}] } } as UnknownObject, row);
  const shown = shownObject(pod, PODS, options);
  expect(shown).toMatchObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
  expect(shown.metadata).not.toHaveProperty('managedFields');
  expect(cellsOf(shown)).toBe(row);
});

test('an object that lacks its apiVersion or its kind gets both from its type, and keeps the one that it has', () => {
  const type = { ...PODS, kind: 'Pod' };
  const metadata = { name: 'a' };
  expect(withKind({ metadata }, type)).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata });
  expect(withKind({ kind: 'Other', metadata }, type)).toEqual({ apiVersion: 'v1', kind: 'Other', metadata });
  expect(withKind({ apiVersion: 'v2', metadata }, type)).toEqual({ apiVersion: 'v2', kind: 'Pod', metadata });
  const whole = { apiVersion: 'v1', kind: 'Pod', metadata };
  expect(withKind(whole, type)).toBe(whole);
});

test('a type whose kind is not known adds nothing', () => {
  const object = { metadata: { name: 'a' } };
  expect(withKind(object, { gvr: PODS.gvr })).toBe(object);
});

test('managedFields are kept where they are asked for', () => {
  const pod = { metadata: { name: 'a', managedFields: [{ manager: 'me' }] } } as UnknownObject;
  expect(shownObject(pod, PODS, { ...options, showManagedFields: true }).metadata).toEqual(pod.metadata);
});

test('an object that is nested too deep is shown by what identifies it, with the reason, and keeps its row', () => {
  let spec: object = {};
  for (let i = 0; i < 20_000; i++) spec = { spec };
  const metadata = { name: 'a', namespace: 'shop', uid: 'u1', resourceVersion: '7', labels: { app: 'web' } };
  const row = { columns: [], cells: ['a'] };
  const shown = shownObject(withCells({ metadata, spec } as UnknownObject, row), PODS, options);
  const reason = whyUnprintable(shown);
  expect(reason).toMatch(/nested/);
  expect(JSON.parse(JSON.stringify(shown))).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
    error: `this object cannot be printed: ${reason}`,
  });
  expect(cellsOf(shown)).toBe(row);
  const bare = shownObject({ metadata: { name: 'a' }, spec } as UnknownObject, { ...PODS }, options);
  expect([bare.metadata, whyUnprintable(bare), whyUnprintable({ metadata: {} })]).toEqual([
    { name: 'a' },
    reason,
    undefined,
  ]);
});
