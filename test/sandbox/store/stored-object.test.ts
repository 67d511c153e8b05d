import { describe, expect, it } from 'vitest';
import { atRevision, StoredObject } from '../../../src/sandbox/store/stored-object.ts';

const metadata = { name: 'a', resourceVersion: '1' };

describe('a stored object', () => {
  it.each<[order: string, object: ConstructorParameters<typeof StoredObject>[1]]>([
    ['kind and apiVersion first', { kind: 'Pod', apiVersion: 'v1', metadata, spec: {} }],
    ['apiVersion first', { apiVersion: 'v1', kind: 'Pod', metadata, spec: {} }],
    ['kind last', { metadata, spec: {}, apiVersion: 'v1', kind: 'Pod' }],
  ])('has its JSON without kind and apiVersion, from an object with %s', (_order, object) => {
    expect(new StoredObject('a', object, 1).fields).toBe('"metadata":{"name":"a","resourceVersion":"1"},"spec":{}}');
  });

  it('makes the text once, and again when it was released', () => {
    const object = { kind: 'Pod', apiVersion: 'v1', metadata, value: 1 };
    const stored = new StoredObject('a', object, 1);
    const before = stored.fields;
    object.value = 2; // nothing does so; it shows when the text is made
    expect(stored.fields).toBe(before);
    stored.forgetText();
    expect(stored.fields).toContain('"value":2');
  });

  it('can be shown with another revision, and does not change itself', () => {
    const stored = new StoredObject('a', { kind: 'Pod', apiVersion: 'v1', metadata }, 1);
    const later = atRevision(stored, 7);
    expect([later.key, later.revision, later.object.metadata]).toEqual(['a', 7, { name: 'a', resourceVersion: '7' }]);
    expect(stored.object.metadata.resourceVersion).toBe('1');
  });
});
