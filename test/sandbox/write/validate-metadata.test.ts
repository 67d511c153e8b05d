import { expect, it } from 'vitest';
import type { ObjectMeta } from '../../../src/model/object.ts';
import { labelProblems, metadataProblems } from '../../../src/sandbox/write/validate-metadata.ts';

const text = ({ field, reason, detail = '' }: { field: string; reason: string; detail?: string | undefined }) =>
  `${field}: ${reason.replace('FieldValue', '')} ${detail}`.trim();

const OWNER = { apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u', controller: true };

it.each<[string, ObjectMeta, string]>([
  [
    'a label’s key',
    { labels: { 'a b': 'c' } },
    'metadata.labels: Invalid "a b": name part must consist of alphanumeric characters',
  ],
  ['a label’s prefix', { labels: { '/b': 'c' } }, 'metadata.labels: Invalid "/b": prefix part must be non-empty'],
  [
    'a label that is too long',
    { labels: { a: 'b'.repeat(64) } },
    `metadata.labels: Invalid "${'b'.repeat(64)}": must be no more than 63 characters`,
  ],
  [
    'an annotation’s key',
    { annotations: { 'a/b/c': '' } },
    'metadata.annotations: Invalid "a/b/c": a qualified name must consist of',
  ],
  [
    'annotations that are too long',
    { annotations: { a: 'x'.repeat(262_144) } },
    'metadata.annotations: TooLong may not be more than 262144 bytes',
  ],
  [
    'an owner without a name',
    { ownerReferences: [{ ...OWNER, name: '' }] },
    'metadata.ownerReferences.name: Invalid "": must not be empty',
  ],
  [
    'two controllers',
    { ownerReferences: [OWNER, { ...OWNER, name: 'b', uid: 'v' }] },
    'Found "true" in references for A/a and A/b',
  ],
  [
    'two policies at once',
    { finalizers: ['orphan', 'foregroundDeletion'] },
    'finalizer orphan and foregroundDeletion cannot be both set',
  ],
])('refuses %s', (_what, metadata, problem) => {
  const problems = metadataProblems(metadata).map(text);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

it('accepts ordinary metadata', () => {
  const labels = {
    'app.kubernetes.io/name': 'web',
    empty: '',
    [`${'a'.repeat(253)}/${'b'.repeat(63)}`]: 'c'.repeat(63),
  };
  expect(
    metadataProblems({
      labels,
      annotations: { 'a/b': 'any text' },
      finalizers: ['kubernetes', 'a.io/b'],
      ownerReferences: [OWNER],
    }),
  ).toEqual([]);
});

it('reports problems of labels under the given field', () => {
  expect(labelProblems({ a: ' ' }, 'spec.selector.matchLabels').map(({ field }) => field)).toEqual([
    'spec.selector.matchLabels',
  ]);
});
