import { describe, expect, it } from 'vitest';
import { updateFields } from '../../../tools/kubernetes-data/fields.ts';
import type { Schema } from '../../../tools/kubernetes-data/recordings.ts';

const PACKAGE = 'io.k8s.api.core.v1';
const pod = { kind: 'Pod', namespaced: true, verbs: [] };
const types = { v1: { pods: pod } };
const refer = (name: string): Schema => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });

/** Updates the messages of one block by schemas of its package. */
function update(messages: Record<string, Record<string, string>>, schemas: Record<string, Schema>) {
  const warnings: string[] = [];
  const qualified = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`${PACKAGE}.${name}`, schema]));
  const data = { v1: { package: PACKAGE, messages } };
  const updated = updateFields(data, [{ components: { schemas: qualified } }], types, (line) => warnings.push(line));
  return { messages: updated.v1?.messages, warnings };
}

describe('a field', () => {
  it.each<[text: string, schema: Schema]>([
    ['string', { type: 'string' }],
    ['bytes', { type: 'string', format: 'byte' }],
    ['<A|B>', { type: 'string', enum: ['A', 'B'] }],
    ['int', { type: 'integer', format: 'int32' }],
    ['long', { type: 'integer', format: 'int64' }],
    ['number', { type: 'number' }],
    ['bool', { type: 'boolean' }],
    ['any', { type: 'object' }],
    ['any', {}],
    ['Quantity', refer('io.k8s.apimachinery.pkg.api.resource.Quantity')],
    ['{[string]}', { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } }],
    [
      '{string} atomic',
      { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
    ],
    [
      '[string] set merge',
      {
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-list-type': 'set',
        'x-kubernetes-patch-strategy': 'merge',
      },
    ],
    [
      '[any] keys=a,b merge=a retainKeys',
      {
        type: 'array',
        items: {},
        'x-kubernetes-list-map-keys': ['a', 'b'],
        'x-kubernetes-patch-strategy': 'merge,retainKeys',
        'x-kubernetes-patch-merge-key': 'a',
      },
    ],
    ['any replace', { 'x-kubernetes-patch-strategy': 'replace' }],
  ])('is written as %s', (text, schema) => {
    expect(update({ Pod: { f: 'old' } }, { Pod: { properties: { f: schema } } }).messages).toEqual({
      Pod: { f: text },
    });
  });

  it('keeps its place, its number and that it is a pointer, which OpenAPI does not have', () => {
    const before = { Pod: { b: '7 string pointer', a: '3 int' } };
    const { messages, warnings } = update(before, {
      Pod: { properties: { a: { type: 'string' }, b: { type: 'boolean' } }, required: ['a'] },
    });
    expect(JSON.stringify(messages)).toBe(JSON.stringify({ Pod: { b: '7 bool pointer', a: '3 string required' } }));
    expect(warnings).toEqual([]);
  });

  it('that is new is added with a warning', () => {
    const { messages, warnings } = update({ Pod: {} }, { Pod: { properties: { fresh: { type: 'string' } } } });
    expect(messages).toEqual({ Pod: { fresh: 'string' } });
    expect(warnings).toEqual([expect.stringContaining('v1 Pod.fresh: new')]);
  });

  it('that is gone leaves its number, if it had one', () => {
    const before = { Pod: { a: '1 [string] merge', b: 'string', c: '3 retired' } };
    expect(update(before, { Pod: {} }).messages).toEqual({ Pod: { a: '1 retired', c: '3 retired' } });
  });

  it('of an inline message stays there', () => {
    const before = { Pod: { Inner: '2 Inner inline' }, Inner: { x: '1 string' } };
    const inner = { properties: { x: { type: 'string' } } };
    expect(update(before, { Pod: inner, Inner: inner }).messages).toEqual(before);
    expect(update(before, { Pod: inner }).messages, 'the schema of an inline message can be absent').toEqual(before);
  });
});

describe('a message', () => {
  it('that a field needs is added, with all that it needs itself', () => {
    const { messages } = update(
      { Pod: {} },
      {
        Pod: { properties: { spec: refer(`${PACKAGE}.PodSpec`) } },
        PodSpec: { properties: { os: refer(`${PACKAGE}.PodOS`) } },
        PodOS: { properties: { name: { type: 'string' } } },
        Unrelated: { properties: { name: { type: 'string' } } },
      },
    );
    expect(messages).toEqual({ Pod: { spec: 'PodSpec' }, PodSpec: { os: 'PodOS' }, PodOS: { name: 'string' } });
  });

  it('of a served kind is added, without the fields that every kind has', () => {
    const kind: Schema = {
      properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, spec: {} },
      'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }],
    };
    expect(update({}, { Pod: kind }).messages).toEqual({ Pod: { spec: 'any' } });
  });

  it('is removed when nothing needs it any more, and stays when its group was not recorded', () => {
    const before = { Pod: { old: '1 Old' }, Old: { x: '1 string' } };
    const { messages, warnings } = update(before, { Pod: { properties: {} } });
    expect(messages).toEqual({ Pod: { old: '1 retired' } });
    expect(warnings).toEqual(['v1 Old: removed, because nothing refers to it any more']);
    expect(update(before, {}).messages).toEqual(before);
  });

  it('is atomic when its schema says so', () => {
    expect(
      update(
        { Pod: { x: '1 string' } },
        { Pod: { properties: { x: { type: 'string' } }, 'x-kubernetes-map-type': 'atomic' } },
      ).messages,
    ).toEqual({
      Pod: { '': 'atomic', x: '1 string' },
    });
  });
});
