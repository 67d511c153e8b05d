import { describe, expect, it } from 'vitest';
import { jsonText } from '../../src/kit/exact-json.ts';
import { withManagedFieldsText, withParsedManagedFields } from '../../src/model/managed-fields-text.ts';
import type { ManagedFieldsEntry, ReadonlyObject } from '../../src/model/object.ts';
import { applyDelta } from '../../src/record/delta.ts';
import { managedFieldsChange } from '../../src/record/managed-fields-change.ts';
import { recordedChange } from '../../src/record/recorded-change.ts';

const entry = (manager: string, second: number, fields: object = { 'f:spec': { 'f:a"]},{"manager":': {} } }) =>
  ({ manager, operation: 'Update', apiVersion: 'v1', time: `2026-11-28T00:00:0${second}Z`, fieldsType: 'FieldsV1', fieldsV1: fields }) as ManagedFieldsEntry; // biome-ignore format: one entry

/** The entry as a custom resource has it. */
const sorted = (each: ManagedFieldsEntry) => Object.fromEntries(Object.entries(each).sort()) as ManagedFieldsEntry;

const stateOf = (managedFields: readonly ManagedFieldsEntry[], replicas: number): ReadonlyObject => ({
  metadata: { name: 'web', managedFields: [...managedFields] },
  spec: { replicas },
});

/** The same state, with the text beside it. */
function asText({ metadata: { managedFields, ...metadata }, ...rest }: ReadonlyObject): ReadonlyObject {
  return withManagedFieldsText({ ...rest, metadata }, jsonText(managedFields));
}

const CHANGES: [string, ManagedFieldsEntry[], ManagedFieldsEntry[]][] = [
  ['nothing', [entry('a', 1)], [entry('a', 1)]],
  ['a time', [entry('a', 1), entry('b', 1)], [entry('a', 1), entry('b', 2)]],
  ['the order', [entry('a', 1), entry('b', 1)], [entry('b', 2), entry('a', 1)]],
  ['fields within the same second', [entry('a', 1)], [entry('a', 1, { 'f:x': {} })]],
  ['fields and time', [entry('a"\\', 1), entry('b', 1)], [entry('a"\\', 2, { 'f:x': {} }), entry('b', 1)]],
  ['a time of a name with escapes', [entry('a"\\ä', 1)], [entry('a"\\ä', 2)]],
  ['a new manager', [entry('a', 1)], [entry('a', 1), entry('c', 3)]],
  ['a manager that is gone', [entry('a', 1), entry('b', 1)], [entry('b', 1)]],
  ['two managers of one second', [entry('a', 1), entry('b', 1)], [entry('a', 2), entry('b', 2)]],
  ['one of two entries of a manager', [entry('a', 1), { ...entry('a', 1), subresource: 'status' }], [entry('a', 1), { ...entry('a', 2), subresource: 'status' }]], // biome-ignore format: one case
];

describe('the change of managedFields that are kept as text', () => {
  it.each(
    CHANGES.flatMap(([name, before, after]) => [
      [name, before, after] as const,
      [`${name}, of a custom resource`, before.map(sorted), after.map(sorted)] as const,
    ]),
  )(
    // biome-ignore format: one table
    'is that of the parsed ones, and names the same writer: %s',
    (_, from, to) => {
      const [before, after] = [stateOf(from, 1), stateOf(to, 2)];
      const change = managedFieldsChange(asText(before), asText(after));
      expect(change).toBeDefined();
      const delta = change?.delta ? { '~': { managedFields: change.delta } } : {};
      expect(applyDelta({ managedFields: from }, delta)).toEqual({ managedFields: to });
      for (const isOneWrite of [true, false])
        expect(recordedChange(asText(before), asText(after), { isOneWrite, renewed: change?.renewed })).toEqual(
          recordedChange(before, after, { isOneWrite }),
        );
    },
  );

  it('is not found where a text has another form, or is missing', () => {
    const other = withManagedFieldsText({ metadata: {} }, '[ {"manager":"a"} ]');
    const mixed = withManagedFieldsText({ metadata: {} }, '[{"manager":"a"},{"time":"1"}]');
    const own = asText(stateOf([entry('a', 1)], 1));
    for (const [before, after] of [[own, other], [mixed, own], [{}, own], [own, {}]] as const) // biome-ignore format: one table
      expect(managedFieldsChange(before, after)).toBeUndefined();
  });

  it('leaves the text where it is, and parses it on request', () => {
    const state = stateOf([entry('a', 1)], 1);
    expect(withParsedManagedFields(asText(state))).toEqual(state);
    expect(withParsedManagedFields(state)).toBe(state);
    expect(jsonText(asText(state))).toBe('{"spec":{"replicas":1},"metadata":{"name":"web"}}');
  });
});
