import { expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { OBJECT_PARTS, type ObjectPart, partChanged } from '../../src/model/object-parts.ts';

const object: UnknownObject = {
  metadata: {
    uid: 'u',
    generation: 1,
    resourceVersion: '5',
    labels: { a: 'b' },
    annotations: { c: 'd' },
    finalizers: ['f'],
  },
  spec: { replicas: 1 },
  status: { replicas: 1 },
};
const PARTS = Object.keys(OBJECT_PARTS) as ObjectPart[];
const changedParts = (next: UnknownObject) => PARTS.filter((part) => partChanged(OBJECT_PARTS[part], object, next));
const withMetadata = (metadata: object): UnknownObject => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});

it.each<[string, UnknownObject, ObjectPart[]]>([
  ['nothing, as an equal copy', structuredClone(object), []],
  ['the spec', { ...object, spec: { replicas: 2 } }, ['spec']],
  ['the status', { ...object, status: {} }, ['status']],
  ['the generation', withMetadata({ generation: 2 }), ['generation']],
  ['a label', withMetadata({ labels: { a: 'x' } }), ['labels']],
  ['an annotation', withMetadata({ annotations: {} }), ['annotations']],
  ['the finalizers', withMetadata({ finalizers: [] }), ['finalizers']],
  ['the begin of a deletion', withMetadata({ deletionTimestamp: '2026-01-01T00:00:00Z' }), ['finalizers']],
  ['the version', withMetadata({ resourceVersion: '6' }), ['resourceVersion']],
  ['the uid, and so every part', withMetadata({ uid: 'v' }), PARTS],
])('a change of %s', (_, next, expected) => {
  expect(changedParts(next)).toEqual(expected);
});

it('absent labels and annotations equal empty ones', () => {
  const bare: UnknownObject = { metadata: {} };
  const empty: UnknownObject = { metadata: { labels: {}, annotations: {} } };
  expect(partChanged(OBJECT_PARTS.labels, bare, empty)).toBe(false);
  expect(partChanged(OBJECT_PARTS.annotations, bare, empty)).toBe(false);
});
