import type { KubeObject } from '../../src/model/object.ts';

export interface Pod extends KubeObject {
  spec?: { nodeName?: string; [field: string]: unknown };
}

/** A pod `ns/name` (or cluster-scoped without a slash) at a version. */
export function pod(
  key: string,
  resourceVersion: string | number | undefined,
  extra: Partial<Pod['metadata']> & { node?: string } = {},
): Pod {
  const slash = key.indexOf('/');
  const { node, ...metadata } = extra;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: key.slice(slash + 1),
      ...(slash < 0 ? {} : { namespace: key.slice(0, slash) }),
      ...(resourceVersion === undefined ? {} : { resourceVersion: String(resourceVersion) }),
      ...metadata,
    },
    ...(node ? { spec: { nodeName: node } } : {}),
  };
}
