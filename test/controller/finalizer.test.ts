import { applyPatch } from 'fast-json-patch';
import { describe, expect, it } from 'vitest';
import type { JsonPatchOperation } from '../../src/controller/finalizer.ts';
import {
  addFinalizer,
  addFinalizerPatch,
  containsFinalizer,
  finalizerStep,
  removeFinalizer,
  removeFinalizerPatch,
} from '../../src/controller/finalizer.ts';
import type { KubeObject } from '../../src/model/object.ts';

const OURS = 'example.com/ours';

function object(finalizers?: string[], deletionTimestamp?: string): KubeObject {
  return {
    metadata: {
      name: 'web',
      uid: 'u1',
      resourceVersion: '7',
      ...(finalizers ? { finalizers } : {}),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
    },
  };
}

/** What a server makes of a patch; throws where a test fails. */
function patched(to: KubeObject, patch: readonly JsonPatchOperation[]): string[] | undefined {
  const { newDocument } = applyPatch(structuredClone(to), structuredClone(patch) as Parameters<typeof applyPatch>[1], true);
  return (newDocument as KubeObject).metadata.finalizers;
}

describe('in place', () => {
  it('adding twice adds once; removing takes every entry and says whether there was one [UTL-03]', () => {
    const o = object();
    expect([addFinalizer(o, OURS), addFinalizer(o, OURS)]).toEqual([true, false]);
    expect(containsFinalizer(o, OURS)).toBe(true);
    const twice = object([OURS, 'other', OURS]);
    expect([removeFinalizer(twice, OURS), removeFinalizer(twice, OURS)]).toEqual([true, false]);
    expect(twice.metadata.finalizers).toEqual(['other']);
  });
});

it.each([
  ['lives without it', object(), 'add'],
  ['lives with it', object([OURS]), 'apply'],
  ['is being deleted with it', object(['other', OURS], 'now'), 'cleanup'],
  ['is being deleted without it', object(['other'], 'now'), 'nothing'],
])('an object that %s calls for its step [KR-10]', (_, o, step) => {
  expect(finalizerStep(o, OURS)).toBe(step);
});

describe('as JSON patches', () => {
  it('adds to no list and to a list [KR-10]', () => {
    expect(patched(object(), addFinalizerPatch(object(), OURS))).toEqual([OURS]);
    expect(patched(object(['other']), addFinalizerPatch(object(['other']), OURS))).toEqual(['other', OURS]);
  });

  it('adds nothing when the object is another, nor writes a list over one that came meanwhile [KR-10]', () => {
    const recreated = { metadata: { ...object(['other']).metadata, uid: 'u2' } };
    expect(() => patched(recreated, addFinalizerPatch(object(['other']), OURS))).toThrow();
    const changed = { metadata: { ...object(['other']).metadata, resourceVersion: '8' } };
    expect(() => patched(changed, addFinalizerPatch(object(), OURS))).toThrow();
  });

  it('removes every entry, each tested to be ours [KR-10]', () => {
    const o = object([OURS, 'other', OURS], 'now');
    expect(patched(o, removeFinalizerPatch(o, OURS))).toEqual(['other']);
    expect(() => patched(object(['other', OURS]), removeFinalizerPatch(object([OURS]), OURS))).toThrow();
    expect(removeFinalizerPatch(object(['other']), OURS)).toEqual([]);
  });
});
