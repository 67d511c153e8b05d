import type { GroupVersionResource } from '../model/gvr.ts';
import type { ResourceApi } from './resource-api.ts';

/** The type of reviews that say what this user may do. */
export const ACCESS_REVIEWS: GroupVersionResource = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'selfsubjectaccessreviews',
};

/** One action on objects. Source: authorization/v1 ResourceAttributes. */
export interface ResourceAttributes {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly verb: string;
  readonly name?: string;
  /** '' = all. */
  readonly namespace: string;
}

/** Asks the server whether this user may do something. It stores nothing. Rejects if the server gives no answer. */
export async function reviewAccess(
  reviews: ResourceApi,
  resourceAttributes: ResourceAttributes,
  signal: AbortSignal,
): Promise<{ allowed: boolean; reason: string }> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  const { status } = await reviews.create(review, { signal });
  const { allowed, reason = '' } = (status ?? {}) as { allowed?: boolean; reason?: string };
  return { allowed: allowed === true, reason };
}
