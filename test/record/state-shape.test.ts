import { describe, expect, it } from 'vitest';
import { jsonText } from '../../src/kit/exact-json.ts';
import type { StateShape } from '../../src/record/state-shape.ts';
import { shapedText } from '../../src/record/state-shape.ts';
import { type RecordedState, stateOf, stateText } from '../../src/record/state-text.ts';

type Fields = Record<string, unknown>;

const managed = (...managers: string[]) =>
  managers.map((manager) => ({ manager, time: manager, fieldsV1: { 'f:spec': { 'f:a"]}': {} } } }));

/** States of one object, as they follow each other. */
const states = (rest: Fields): Fields[] => [
  { ...rest, metadata: { name: 'ä"}', managedFields: managed('x'), labels: { a: '1' } }, spec: { a: [1, { b: 2 }] } },
  {
    ...rest,
    metadata: { name: 'ä"}', managedFields: managed('x', 'y'), labels: { a: '2' } },
    spec: { a: [1, { b: 3 }] },
  },
  { ...rest, metadata: { name: 'ä"}', managedFields: managed('z', 'y') }, spec: { a: [1] }, status: { metadata: 1 } },
  { ...rest, metadata: { name: 'ä"}', uid: '1' }, spec: { a: [2] } },
  { ...rest, metadata: { uid: '1', managedFields: managed('x') } },
  { ...rest, metadata: { managedFields: managed('x', 'z'), name: 'n' } },
  { ...rest, metadata: { managedFields: managed('x') } },
  { ...rest, metadata: {} },
];

/** The last state, out of the texts of all of them. */
function read(all: readonly Fields[], shape: StateShape): RecordedState | undefined {
  let [before, state]: (RecordedState | undefined)[] = [];
  for (const [depth, object] of all.entries()) {
    const { text } = stateText({ object, cells: [depth] }, before && { ...before, depth: depth - 1 });
    const bytes = Buffer.from(text);
    state = stateOf(depth === 0 ? shapedText(bytes, shape) : text, state, shape);
    before = { object, cells: [depth] };
  }
  return state;
}

describe('the shape of a recorded state', () => {
  it.each<[string, Fields]>([
    ['kind first', { kind: 'Pod', apiVersion: 'v1' }],
    ['another member before the metadata', { apiVersion: 'v1', data: { metadata: { managedFields: [1] } }, kind: 'X' }],
  ])('has what is asked for and the cells, without managedFields, after any number of differences: %s', (_, rest) => {
    const all = states(rest);
    for (let from = 0; from < all.length; from++)
      for (let to = from + 1; to <= all.length; to++) {
        const chain = all.slice(from, to);
        const last = chain.at(-1) as Fields & { metadata: Fields };
        const { managedFields: _managed, ...metadata } = last.metadata;
        expect(read(chain, 'whole')).toEqual({ object: last, cells: [chain.length - 1] });
        expect(read(chain, 'bare')).toEqual({ object: { ...last, metadata }, cells: [chain.length - 1] });
        const { object, cells } = read(chain, 'metadata') ?? {};
        expect([object?.metadata, cells]).toEqual([metadata, [chain.length - 1]]);
      }
  });

  it('does not read what comes after the metadata', () => {
    const [first] = states({ kind: 'Pod' });
    const text = Buffer.from(`null\n${jsonText(first)}`);
    expect(shapedText(text, 'metadata')).toBe('null\n{"kind":"Pod","metadata":{"name":"ä\\"}","labels":{"a":"1"}}}');
  });
});
