import { describe, expect, it } from 'vitest';
import { type BindingContext, contextsText } from '../../src/shell-operator/binding-context.ts';
import type { Entry } from '../../src/shell-operator/monitor.ts';

const entry = (name: string, more: Partial<Entry> = {}): Entry => ({
  namespace: 'shop',
  name,
  kind: 'Pod',
  object: { metadata: { name } } as never,
  filtered: undefined,
  resourceVersion: '1',
  ...more,
});
const BASE: BindingContext = { sort: 'kubernetes', binding: 'pods', group: '', snapshots: [] };
const [A, B] = [entry('a', { filtered: '{"n":12345678901234567890}' }), entry('b')];

const textOf = (contexts: BindingContext[], version: 'v0' | 'v1' = 'v1', objects: Record<string, Entry[]> = {}) =>
  [...contextsText(version, contexts, (name) => objects[name] ?? [])].join('');
const read = (...args: Parameters<typeof textOf>) => JSON.parse(textOf(...args)) as unknown[];

describe('the contexts of a run', () => {
  it.each<[string, BindingContext, object]>([
    ['the start', { ...BASE, sort: 'onStartup', binding: 'onStartup' }, { binding: 'onStartup' }],
    ['a schedule', { ...BASE, sort: 'schedule', binding: 's' }, { binding: 's', type: 'Schedule' }],
    [
      'the whole state',
      { ...BASE, objects: () => [B] },
      { binding: 'pods', type: 'Synchronization', objects: [{ object: { metadata: { name: 'b' } } }] },
    ],
    [
      'the whole state of nothing',
      { ...BASE, objects: () => [] },
      { binding: 'pods', type: 'Synchronization', objects: [] },
    ],
    [
      'an event',
      { ...BASE, event: { watchEvent: 'Added', entry: B } },
      { binding: 'pods', type: 'Event', watchEvent: 'Added', object: { metadata: { name: 'b' } } },
    ],
    [
      'an event without its object',
      { ...BASE, event: { watchEvent: 'Deleted', entry: entry('c', { object: undefined, filtered: 'null' }) } },
      { binding: 'pods', type: 'Event', watchEvent: 'Deleted', filterResult: null },
    ],
    [
      'a webhook',
      { ...BASE, sort: 'Validating', binding: 'v', group: 'g', review: { request: { uid: 'u' } } },
      { binding: 'v', type: 'Validating', review: { request: { uid: 'u' } } },
    ],
    [
      'a conversion',
      { ...BASE, sort: 'Conversion', binding: 'c', review: {}, versions: { fromVersion: 'v1', toVersion: 'v2' } },
      { binding: 'c', type: 'Conversion', fromVersion: 'v1', toVersion: 'v2', review: {} },
    ],
  ])('have %s', (_, context, expected) => {
    expect(read([context])).toEqual([expected]);
  });

  it('have the groups and the snapshots, and numbers with every digit', () => {
    const grouped = { ...BASE, group: 'g', snapshots: ['pods', 'none'] };
    const text = textOf([grouped], 'v1', { pods: [A, B] });
    expect(JSON.parse(text)).toMatchObject([
      {
        binding: 'pods',
        type: 'Group',
        groupName: 'g',
        snapshots: { pods: [{ filterResult: {} }, { object: {} }], none: [] },
      },
    ]);
    expect(text).toContain('"filterResult":{"n":12345678901234567890}');
  });

  it('take a snapshot once for all of them', () => {
    let taken = 0;
    const objectsOf = () => {
      taken++;
      return [A];
    };
    const context = { ...BASE, snapshots: ['pods'], event: { watchEvent: 'Added', entry: A } } as const;
    expect(JSON.parse([...contextsText('v1', [context, context], objectsOf)].join(''))).toHaveLength(2);
    expect(taken).toBe(1);
  });

  it('have their old form for hooks of version v0', () => {
    const event = { ...BASE, event: { watchEvent: 'Modified', entry: A } } as const;
    expect(read([event, { ...BASE, sort: 'schedule', binding: 's' }], 'v0')).toEqual([
      { binding: 'pods', resourceEvent: 'update', resourceNamespace: 'shop', resourceKind: 'Pod', resourceName: 'a' },
      { binding: 's' },
    ]);
  });
});
