import { describe, expect, test } from 'vitest';
import { fieldChanges } from '../../../src/model/field-changes.ts';
import type { ManagedFieldsEntry } from '../../../src/model/object.ts';
import { creatorOf, fieldManagers, fieldOwners } from '../../../src/stream/changes/field-managers.ts';

const entry = (
  manager: string,
  second: number,
  fieldsV1: Record<string, unknown>,
  more: ManagedFieldsEntry = {},
): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  time: `2026-01-01T12:00:${String(second).padStart(2, '0')}Z`,
  fieldsV1,
  ...more,
});

const object = (managedFields: ManagedFieldsEntry[], parts: { metadata?: object; [field: string]: unknown }) => ({
  ...parts,
  metadata: { name: 'web', ...parts.metadata, managedFields },
});

/** path → manager of every change. */
function managers(before: object, after: object): Record<string, string | undefined> {
  const managerOf = fieldManagers(before, after);
  return Object.fromEntries(fieldChanges(before, after).map((change) => [change.path, managerOf(change)]));
}

const SPEC = { 'f:spec': { 'f:replicas': {} } };

describe('a field that was added or changed', () => {
  test('was written by its owner', () => {
    const before = object([entry('kubectl', 1, SPEC)], { spec: { replicas: 1 } });
    const after = object([entry('kubectl', 1, {}), entry('hpa', 2, SPEC, { subresource: 'scale' })], {
      spec: { replicas: 2 },
    });
    expect(managers(before, after)).toEqual({ '.spec.replicas': 'hpa' });
  });

  test('was written by the last of several owners', () => {
    const entries = [entry('a', 3, SPEC), entry('b', 5, SPEC), entry('c', 4, SPEC)];
    expect(managers(object([], { spec: {} }), object(entries, { spec: { replicas: 2 } }))).toEqual({
      '.spec.replicas': 'b',
    });
  });

  test('was written, of owners of one second, by the one whose entry is new', () => {
    const before = object([entry('a', 3, SPEC)], { spec: { replicas: 1 } });
    const after = object([entry('a', 3, SPEC), entry('b', 3, SPEC)], { spec: { replicas: 2 } });
    expect(managers(before, after)).toEqual({ '.spec.replicas': 'b' });
  });

  test('names every owner that wrote in the same second, each once', () => {
    const entries = [entry('a', 3, SPEC), entry('b', 3, SPEC), entry('a', 3, SPEC, { operation: 'Apply' })];
    expect(managers(object([], { spec: {} }), object(entries, { spec: { replicas: 2 } }))).toEqual({
      '.spec.replicas': 'a,b',
    });
  });

  test('in a list item is found by the keys the server names it by, which may be more than ours', () => {
    const port = (hostPort: number) => ({
      spec: { containers: [{ name: 'web', ports: [{ containerPort: 80, protocol: 'TCP', hostPort }] }] },
    });
    const ports = { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:hostPort': {} } };
    const mine = entry('me', 2, { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': { 'f:ports': ports } } } });
    const other = entry('other', 3, { 'f:spec': { 'f:containers': { 'k:{"name":"side"}': { 'f:ports': ports } } } });
    expect(managers(object([mine], port(1)), object([mine, other], port(2)))).toEqual({
      '.spec.containers[name=web].ports[containerPort=80].hostPort': 'me',
    });
  });

  test('within a part that is owned whole has the owner of that part', () => {
    const selector = (app: string) => ({ spec: { selector: { matchLabels: { app } } } });
    const whole = entry('me', 2, { 'f:spec': { 'f:selector': {} } });
    expect(managers(object([], selector('a')), object([whole], selector('b')))).toEqual({
      '.spec.selector.matchLabels.app': 'me',
    });
  });

  test('has its own owner and not one of a map around it that has lost its parts', () => {
    const owner = entry('kubectl', 1, { 'f:data': { 'f:a': {} } });
    const creator = entry('creator', 5, { 'f:data': {} });
    expect(managers(object([], { data: { a: '1' } }), object([creator, owner], { data: { a: '2' } }))).toEqual({
      '.data.a': 'kubectl',
    });
  });

  test('that is a map has the owner of its contents', () => {
    const labels = entry('me', 2, { 'f:metadata': { 'f:labels': { '.': {}, 'f:a.b/c': {} } } });
    expect(managers(object([], {}), object([labels], { metadata: { labels: { 'a.b/c': 'x' } } }))).toEqual({
      '.metadata.labels': 'me',
    });
  });

  test('whose key has dots and slashes is found', () => {
    const at = (value: string) => ({ metadata: { labels: { 'a.b/c': value } } });
    const labels = entry('me', 2, { 'f:metadata': { 'f:labels': { 'f:a.b/c': {} } } });
    expect(managers(object([], at('1')), object([labels], at('2')))).toEqual({ ".metadata.labels['a.b/c']": 'me' });
  });

  test('that is a set of values has the owner of the added value', () => {
    const finalizers = (...values: string[]) => ({ metadata: { finalizers: values } });
    const before = object([], finalizers('a'));
    const after = object(
      [
        entry('first', 1, { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"a"': {} } } }),
        entry('second', 1, { 'f:metadata': { 'f:finalizers': { 'v:"b"': {} } } }),
      ],
      finalizers('a', 'b'),
    );
    expect(managers(before, after)).toEqual({ '.metadata.finalizers': 'second' });
  });

  test('that was a list of values and became a map, or the other way round, has its own owner', () => {
    const [was, is] = [{ spec: { replicas: ['a', 'b'] } }, { spec: { replicas: { a: 1 } } }];
    const last = [entry('owner', 1, SPEC), entry('last', 3, { 'f:status': {} })];
    expect(managers(object([], was), object(last, is))['.spec.replicas']).toBe('owner');
    expect(managers(object([], is), object(last, was))['.spec.replicas']).toBe('owner');
  });

  test('in a list item is not found by a key that cannot be read, nor by that of another item', () => {
    const list = (x: number) => ({ spec: { list: [{ name: 'a', x }] } });
    const key = (text: string) => entry(`by ${text}`, 2, { 'f:spec': { 'f:list': { [`k:${text}`]: { 'f:x': {} } } } });
    const keys = ['{', '[]', 'null', '{"name":"b"}', '{"name":"a"}'].map(key);
    expect(managers(object([], list(1)), object(keys, list(2)))).toEqual({
      '.spec.list[name=a].x': 'by {"name":"a"}',
    });
  });

  test('by place is found by place', () => {
    const list = (x: number) => ({ spec: { list: [{ x: 1 }, { x }] } });
    const mine = entry('me', 2, { 'f:spec': { 'f:list': { 'i:1': { 'f:x': {} } } } });
    expect(managers(object([], list(2)), object([mine], list(3)))).toEqual({ '.spec.list[1].x': 'me' });
  });

  test('without an owner has no manager', () => {
    const deleted = object([entry('me', 2, SPEC)], { metadata: { deletionTimestamp: '2026-01-01T12:00:02Z' } });
    expect(managers(object([], {}), deleted)).toEqual({ '.metadata.deletionTimestamp': undefined });
  });
});

describe('a field that was removed', () => {
  test('was removed by the manager whose entry has a new time', () => {
    const before = object([entry('a', 1, { 'f:spec': { 'f:paused': {}, 'f:x': {} } }), entry('b', 3, SPEC)], {
      spec: { paused: true },
    });
    const after = object([entry('a', 2, { 'f:spec': { 'f:x': {} } }), entry('b', 3, SPEC)], { spec: {} });
    expect(managers(before, after)).toEqual({ '.spec.paused': 'a' });
  });

  test('was removed by the manager whose entry has grown, where the time is the same', () => {
    const before = object([entry('a', 1, { 'f:data': { 'f:a': {} } }), entry('b', 1, { 'f:data': {} })], {
      data: { a: '1' },
    });
    const after = object([entry('a', 1, { 'f:data': { 'f:b': {} } }), entry('b', 1, { 'f:data': {} })], {
      data: { b: '1' },
    });
    expect(managers(before, after)).toEqual({ '.data.a': 'a', '.data.b': 'a' });
  });

  test('is unknown when entries only lost fields: a manager that removes the field of another one leaves no trace', () => {
    const before = object([entry('a', 1, { 'f:spec': { 'f:paused': {} } }), entry('b', 3, SPEC)], {
      spec: { paused: true },
    });
    const after = object([entry('b', 3, SPEC)], { spec: {} });
    expect(managers(before, after)).toEqual({ '.spec.paused': undefined });
  });

  test('is known for a value that was removed from a set', () => {
    const set = (...values: string[]) => ({
      'f:metadata': { 'f:finalizers': Object.fromEntries(values.map((v) => [`v:"${v}"`, {}])) },
    });
    const before = object([entry('a', 1, set('x', 'y')), entry('b', 1, set('y'))], {
      metadata: { finalizers: ['x', 'y'] },
    });
    const after = object([entry('a', 4, set('y')), entry('b', 1, set('y'))], { metadata: { finalizers: ['y'] } });
    expect(managers(before, after)).toEqual({ '.metadata.finalizers': 'a' });
  });
});

describe('a list of values that became shorter', () => {
  const set = (...values: string[]) => ({
    'f:metadata': { 'f:finalizers': Object.fromEntries(values.map((v) => [`v:"${v}"`, {}])) },
  });
  const finalizers = (...values: string[]) => ({ metadata: { finalizers: values } });

  test('and has a new value was written by the owner of the new value', () => {
    const before = object([entry('a', 1, set('x', 'y', 'z')), entry('b', 1, {})], finalizers('x', 'y', 'z'));
    const after = object([entry('a', 1, set('x')), entry('b', 2, set('n')), entry('c', 3, SPEC)], finalizers('x', 'n'));
    expect(managers(before, after)).toEqual({ '.metadata.finalizers': 'b' });
  });

  test('and has only values of before was written by the manager whose entry is new, not by their owner', () => {
    const before = object([entry('a', 1, set('x')), entry('b', 1, set('y'))], finalizers('x', 'y'));
    const after = object([entry('a', 4, SPEC), entry('b', 1, set('y'))], finalizers('y'));
    expect(managers(before, after)).toEqual({ '.metadata.finalizers': 'a' });
  });

  test('and has only new values was written by their owner', () => {
    const before = object([entry('a', 1, set('x', 'y', 'z'))], finalizers('x', 'y', 'z'));
    const after = object([entry('a', 4, SPEC), entry('b', 2, set('n'))], finalizers('n'));
    expect(managers(before, after)).toEqual({ '.metadata.finalizers': 'b' });
  });

  test('or only its order changed was written by its owner, and not by the last of those that wrote elsewhere', () => {
    const before = object([entry('a', 1, set('x', 'y'))], finalizers('x', 'y'));
    const after = object([entry('a', 2, set('x', 'y')), entry('c', 3, SPEC)], finalizers('y', 'x'));
    expect(managers(before, after)).toEqual({ '.metadata.finalizers': 'a' });
  });
});

describe('the creator of an object', () => {
  test('has the earliest entry, wherever that is; of several in one second each is named once', () => {
    expect(creatorOf(object([entry('late', 5, SPEC), entry('early', 2, SPEC)], {}))).toBe('early');
    const entries = [entry('a', 3, SPEC), entry('b', 3, SPEC), entry('a', 3, SPEC, { operation: 'Apply' })];
    expect(creatorOf(object(entries, {}))).toBe('a,b');
  });

  test('is not a manager that wrote a subresource', () => {
    const entries = [entry('kubelet', 1, { 'f:status': {} }, { subresource: 'status' }), entry('kubectl', 2, SPEC)];
    expect(creatorOf(object(entries, {}))).toBe('kubectl');
  });

  test('is the one without a time, which is earlier than any, and unknown where the entry has no name', () => {
    const untimed = { operation: 'Update', fieldsV1: SPEC };
    expect(creatorOf(object([entry('a', 1, SPEC), { ...untimed, manager: 'b' }], {}))).toBe('b');
    expect(creatorOf(object([entry('a', 1, SPEC), untimed], {}))).toBe('unknown');
  });

  test('is not known without managedFields', () => {
    expect([creatorOf(object([], {})), creatorOf({ metadata: { name: 'web' } })]).toEqual([undefined, undefined]);
  });
});

describe('no manager is named', () => {
  test('without managedFields', () => {
    expect(managers({ spec: { replicas: 1 } }, { spec: { replicas: 2 } })).toEqual({ '.spec.replicas': undefined });
  });

  test('by entries that cannot be read', () => {
    const odd = [
      { manager: 'a' },
      null,
      entry('b', 1, { 'f:spec': { 'k:{': {}, 'f:replicas': 3 } }),
    ] as ManagedFieldsEntry[];
    expect(managers(object(odd, { spec: { replicas: 1 } }), object(odd, { spec: { replicas: 2 } }))).toEqual({
      '.spec.replicas': undefined,
    });
  });

  test('for names that every object has', () => {
    const before = object([entry('a', 1, SPEC)], { spec: {} });
    const after = object([entry('a', 1, SPEC)], { spec: { constructor: 1 } });
    expect(managers(before, after)).toEqual({ '.spec.constructor': undefined });
  });
});

describe('the owners of what a change replaces', () => {
  const owners = (before: object, after: object) => {
    const ownersOf = fieldOwners(before);
    return Object.fromEntries(fieldChanges(before, after).map((change) => [change.path, ownersOf(change)]));
  };
  const LABELS = { 'f:metadata': { 'f:labels': { 'f:a': {} } } };

  test('are all managers of the field, with their subresources, for a changed and a removed one', () => {
    const before = object(
      [entry('hpa', 2, SPEC, { subresource: 'scale' }), entry('kubectl', 1, { ...SPEC, ...LABELS })],
      {
        metadata: { labels: { a: '1' } },
        spec: { replicas: 1 },
      },
    );
    expect(owners(before, object([], { metadata: { labels: {} }, spec: { replicas: 2 } }))).toEqual({
      '.metadata.labels.a': [{ manager: 'kubectl' }],
      '.spec.replicas': [{ manager: 'hpa', subresource: 'scale' }, { manager: 'kubectl' }],
    });
  });

  test('are none for a field that is added, also where a manager has lost its parts of the map to another one', () => {
    const before = object([entry('kubectl', 1, { 'f:metadata': { 'f:labels': {} } }), entry('other', 2, LABELS)], {
      metadata: { labels: { a: '1' } },
    });
    expect(owners(before, object([], { metadata: { labels: { a: '1', b: '2' } } }))).toEqual({
      '.metadata.labels.b': [],
    });
  });

  test('are those of the whole map for a field that is added to a map owned as a whole', () => {
    const before = object([entry('kubectl', 1, { 'f:spec': { 'f:selector': {} } })], {
      spec: { selector: { a: '1' } },
    });
    const after = object([], { spec: { selector: { a: '1', b: '2' } } });
    expect(owners(before, after)).toEqual({ '.spec.selector.b': [{ manager: 'kubectl' }] });
  });

  test('are those of the values of a list that is a set', () => {
    const finalizers = (...names: string[]) => ({
      'f:metadata': { 'f:finalizers': Object.fromEntries(names.map((name) => [`v:"${name}"`, {}])) },
    });
    const lost = entry('c', 1, finalizers('z'));
    const before = object([entry('a', 1, finalizers('x')), entry('b', 1, finalizers('y')), lost], {
      metadata: { finalizers: ['x', 'y'] },
    });
    expect(owners(before, object([], { metadata: {} }))).toEqual({
      '.metadata.finalizers': [{ manager: 'a' }, { manager: 'b' }],
    });
  });
});
