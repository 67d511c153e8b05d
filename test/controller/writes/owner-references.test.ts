import { describe, expect, it } from 'vitest';
import {
  AlreadyOwnedError,
  controllerOf,
  ownerReference,
  removeControllerReference,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from '../../../src/controller/writes/owner-references.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { ODD_OWNER_REFERENCES } from '../../support/odd-owner-references.ts';

function web(over: Partial<KubeObject> = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
    ...over,
  };
}

function pod(namespace: string | undefined = 'shop'): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1', ...(namespace ? { namespace } : {}) } };
}

describe.each(ODD_OWNER_REFERENCES)('ownerReferences: %j', (odd) => {
  const oddPod = () => {
    const object = pod();
    return { ...object, metadata: { ...object.metadata, ownerReferences: odd } } as KubeObject;
  };

  it('has no controller, and nothing to remove', () => {
    expect(controllerOf(oddPod())).toBeUndefined();
    expect(() => removeOwnerReference(web(), oddPod())).toThrow('does not have an owner reference');
    expect(() => removeControllerReference(web(), oddPod())).toThrow('is not the controller');
  });

  it('gets a reference beside what it has', () => {
    const object = oddPod();
    setControllerReference(web(), object);
    const kept = Array.isArray(odd) ? odd : [];
    expect(object.metadata.ownerReferences).toEqual([...kept, ownerReference(web(), { controller: true })]);
    removeControllerReference(web(), object);
    expect(object.metadata.ownerReferences).toEqual(kept);
  });
});

describe('the controller reference', () => {
  it('is set once; the same owner in another version replaces it in place [UTL-02]', () => {
    const object = pod();
    setOwnerReference(web({ kind: 'Other' }), object);
    setControllerReference(web(), object);
    setControllerReference(web(), object);
    expect(object.metadata.ownerReferences).toEqual([
      { apiVersion: 'apps/v1', kind: 'Other', name: 'web', uid: 'u1' },
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u1', controller: true, blockOwnerDeletion: true },
    ]);
    setControllerReference(web({ apiVersion: 'apps/v2' }), object);
    expect(object.metadata.ownerReferences?.map((r) => r.apiVersion)).toEqual(['apps/v1', 'apps/v2']);
    expect(controllerOf(object)?.apiVersion).toBe('apps/v2');
  });

  it('is refused if another controller owns the object [UTL-02]', () => {
    const object = pod();
    setControllerReference(web(), object);
    const other = web({ metadata: { name: 'other', namespace: 'shop', uid: 'u2' } });
    expect(() => setControllerReference(other, object)).toThrow(AlreadyOwnedError);
    expect(() => setControllerReference(other, object)).toThrow(
      'Object shop/web-1 is already owned by another Deployment controller web',
    );
  });

  it('is refused across namespaces, and for a cluster-scoped object of a namespaced owner [UTL-02]', () => {
    for (const set of [setControllerReference, setOwnerReference]) {
      expect(() => set(web(), pod('other'))).toThrow(
        "cross-namespace owner references are disallowed, owner's namespace shop, obj's namespace other",
      );
      expect(() => set(web(), pod(''))).toThrow(
        "cluster-scoped resource must not have a namespace-scoped owner, owner's namespace shop",
      );
    }
    const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'u3' } };
    const object = pod();
    setControllerReference(node, object);
    expect(controllerOf(object)?.name).toBe('n1');
  });

  it('is removed only for its controller', () => {
    const object = pod();
    setOwnerReference(web(), object);
    expect(() => removeControllerReference(web(), object)).toThrow('web is not the controller of web-1');
    removeOwnerReference(web(), object);
    expect(object.metadata.ownerReferences).toEqual([]);
    expect(() => removeOwnerReference(web(), object)).toThrow(
      'web-1 does not have an owner reference for Deployment web',
    );
    setControllerReference(web(), object);
    removeControllerReference(web(), object);
    expect(controllerOf(object)).toBeUndefined();
  });
});

it('an owner without a uid is refused', () => {
  expect(() => ownerReference(web({ metadata: { name: 'web' } }))).toThrow(
    'an owner needs apiVersion, kind, metadata.name and metadata.uid',
  );
});
