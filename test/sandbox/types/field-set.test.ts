import { expect, it, test } from 'vitest';
import { FieldSet } from '../../../src/sandbox/types/field-set.ts';

const leaf = {};
const cases: readonly [claim: string, fields: object, set: object][] = [
  ['a field beside others', { 'f:a': leaf, 'f:c': leaf }, { 'f:b': leaf }],
  ['a field below a leaf', { 'f:a': leaf }, { 'f:a': { 'f:b': leaf } }],
  ['a map that has owned fields', { 'f:a': { 'f:b': leaf } }, { 'f:a': { '.': {}, 'f:c': leaf } }],
  [
    'an item of a list',
    { 'f:a': { 'k:{"name":"y"}': { '.': {}, 'f:name': leaf } } },
    { 'f:a': { 'k:{"name":"x"}': { '.': {} } } },
  ],
  ['nothing new', { 'f:a': { '.': {}, 'f:b': leaf } }, { 'f:a': { 'f:b': leaf } }],
];

test.each(cases)('adding a set to FieldsV1 gives their union: %s', (_claim, fields, added) => {
  const [before, set] = [fields as Record<string, unknown>, FieldSet.fromFieldsV1(added as Record<string, unknown>)];
  const kept = structuredClone(before);
  const wanted = FieldSet.fromFieldsV1(before).union(set).toFieldsV1();
  expect(JSON.stringify(set.addedTo(before))).toBe(JSON.stringify(wanted));
  expect(before).toEqual(kept);
});

test.each(cases)('a set touches FieldsV1 when they have a path in common: %s', (_claim, fields, added) => {
  const [before, set] = [fields as Record<string, unknown>, FieldSet.fromFieldsV1(added as Record<string, unknown>)];
  expect(set.touches(before)).toBe(set.meets(FieldSet.fromFieldsV1(before)));
});

test('FieldsV1 that contain a set already are returned unchanged', () => {
  const fields = { 'f:a': { '.': {}, 'f:b': leaf } };
  expect(FieldSet.fromFieldsV1({ 'f:a': { 'f:b': leaf } }).addedTo(fields)).toBe(fields);
});

it('reads and writes the sets of fields in managedFields', () => {
  const fields = {
    'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
    'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {} } }, 'f:finalizers': { 'v:"x"': {} } },
  };
  const set = FieldSet.fromFieldsV1(fields);
  expect(set.toFieldsV1()).toEqual(fields);
  expect(set.paths()).toEqual([
    '.metadata.labels',
    '.metadata.labels.app',
    '.spec.containers[name="c"]',
    '.spec.containers[name="c"].image',
    '.spec.finalizers[="x"]',
  ]);
  expect(set.minus(set).isEmpty).toBe(true);
  expect(set.union(new FieldSet()).equals(set)).toBe(true);
});
