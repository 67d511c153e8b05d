import { describe, expect, it } from 'vitest';
import type { ManagedFieldsEntry, UnknownObject } from '../../../src/model/object.ts';
import {
  afterUpdate,
  claimedBy,
  type FieldManager,
  isOf,
  newEntry,
  owned,
  read,
  write,
} from '../../../src/sandbox/apply/managed-fields.ts';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { FieldSet } from '../../../src/sandbox/types/field-set.ts';

const CONFIG_MAP = builtinTypes().find(({ kind }) => kind === 'ConfigMap') as ApiType;
const LATER = '2026-01-02T00:00:00Z';

const manager = (
  name: string,
  operation: FieldManager['operation'] = 'Update',
  subresource?: string,
): FieldManager => ({
  name,
  operation,
  subresource,
});

const fieldsOf = (...names: string[]) => ({ 'f:data': Object.fromEntries(names.map((name) => [`f:${name}`, {}])) });

function entry(name: string, fieldsV1: object, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  const time = '2026-01-01T00:00:00Z';
  return {
    manager: name,
    operation: 'Update',
    apiVersion: 'v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...more,
  } as ManagedFieldsEntry;
}

function stored(data: Record<string, string>, ...managedFields: ManagedFieldsEntry[]): UnknownObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid: 'u', managedFields }, data };
}

/** `one: a b`, one line for each entry. */
function ownersAfter(before: UnknownObject, data: Record<string, string>, by: FieldManager): string[] {
  const entries = afterUpdate(CONFIG_MAP, before, { ...before, data }, by, LATER);
  return entries.map(({ manager, fieldsV1, time }) => {
    const fields = Object.keys((fieldsV1 as { 'f:data'?: object })['f:data'] ?? {}).map((f) => f.slice(2));
    return `${manager}: ${fields.filter((f) => f !== '').join(' ')}${time === LATER ? ' (now)' : ''}`;
  });
}

describe('after an update', () => {
  const before = stored({ a: '1', b: '1' }, entry('one', fieldsOf('a')), entry('two', fieldsOf('b')));

  it('the writer owns what it changed, and others no longer do', () => {
    expect(ownersAfter(before, { a: '2', b: '1' }, manager('two'))).toEqual(['two: a b (now)']);
  });

  it('the writer owns what it added', () => {
    expect(ownersAfter(before, { a: '1', b: '1', c: '1' }, manager('one'))).toEqual(['two: b', 'one: a c (now)']);
    expect(ownersAfter(before, { a: '1', b: '1', c: '1' }, manager('three'))).toEqual([
      'one: a',
      'two: b',
      'three: c (now)',
    ]);
  });

  it('a removed field has no owner', () => {
    expect(ownersAfter(before, { a: '1' }, manager('one'))).toEqual(['one: a']);
  });

  it('nothing changes when the object does not', () => {
    const same = afterUpdate(CONFIG_MAP, before, { ...before }, manager('three'), LATER);
    expect(same).toBe(before.metadata.managedFields);
  });

  it('another operation or subresource of the same name is another manager', () => {
    expect(ownersAfter(before, { a: '2', b: '1' }, manager('one', 'Apply'))).toEqual(['one: a (now)', 'two: b']);
    expect(ownersAfter(before, { a: '2', b: '1' }, manager('one', 'Update', 'status'))).toEqual([
      'two: b',
      'one: a (now)',
    ]);
  });

  it('a stored object without managed fields gets none, a new object gets those of its creator', () => {
    expect(ownersAfter(stored({ a: '1' }), { a: '2' }, manager('one'))).toEqual([]);
    const empty: UnknownObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const created: UnknownObject = { ...empty, metadata: { name: 'a', labels: { l: 'x' } }, data: { a: '1' } };
    const [only, ...others] = afterUpdate(CONFIG_MAP, empty, created, manager('one'), LATER);
    expect(others).toEqual([]);
    expect(only?.fieldsV1).toEqual({
      'f:data': { '.': {}, 'f:a': {} },
      'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } },
    });
  });
});

it('kind, version and the metadata of the server have no owner', () => {
  const object: UnknownObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'a',
      namespace: 'b',
      uid: 'u',
      resourceVersion: '1',
      generation: 2,
      creationTimestamp: LATER,
      labels: { l: 'x' },
    },
    data: { a: '1' },
  };
  expect(owned(object)).toEqual({ metadata: { labels: { l: 'x' } }, data: { a: '1' } });
  expect(claimedBy(CONFIG_MAP, object).paths()).toEqual(['.data.a', '.metadata.labels.l']);
});

it('reads managed fields, and writes them in order, without entries that own nothing', () => {
  const entries = [
    entry('z', fieldsOf('a')),
    entry('b', fieldsOf('b'), { time: LATER }),
    entry('a', fieldsOf('c'), { time: LATER }),
    entry('y', fieldsOf('d'), { operation: 'Apply', time: LATER }),
  ];
  expect(write([...read(entries), { entry: entry('none', {}), fields: new FieldSet() }]).map((e) => e.manager)).toEqual(
    ['y', 'z', 'a', 'b'],
  );
  expect(read(undefined)).toEqual([]);
});

it('an entry of the scale subresource has no time', () => {
  expect(newEntry(CONFIG_MAP, manager('one', 'Update', 'scale'), LATER)).not.toHaveProperty('time');
  expect(newEntry(CONFIG_MAP, manager('one', 'Update', 'status'), LATER)).toMatchObject({
    time: LATER,
    subresource: 'status',
  });
});

it.each<[entry: Partial<ManagedFieldsEntry>, by: FieldManager, expected: boolean]>([
  [{}, manager('one'), true],
  [{}, manager('two'), false],
  [{ operation: 'Apply' }, manager('one'), false],
  [{ apiVersion: 'v2' }, manager('one'), false],
  [{ apiVersion: 'v2', operation: 'Apply' }, manager('one', 'Apply'), true],
  [{ subresource: 'status' }, manager('one'), false],
  [{ subresource: 'status' }, manager('one', 'Update', 'status'), true],
])('the entry %j is of %j: %s', (more, by, expected) => {
  expect(isOf(entry('one', {}, more), by, CONFIG_MAP)).toBe(expected);
});
