import type { UnknownObject } from '../../model/object.ts';
import type { Features } from '../feature-gates.ts';
import { copy } from '../types/copy.ts';
import data from '../types/data/bootstrap-policy.json' with { type: 'json' };

/** An object in the data file, without what all have in common. */
interface PolicyObject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * The roles and bindings that a server creates when it starts, without those for its own controllers.
 * Source: kubernetes plugin/pkg/auth/authorizer/rbac/bootstrappolicy.
 */
export function bootstrapPolicy({ clusterTrustBundle = false }: Partial<Features> = {}): UnknownObject[] {
  const objects: readonly PolicyObject[] = [...(clusterTrustBundle ? data.clusterTrustBundle : []), ...data.always];
  return objects.map(({ kind, name, namespace, labels, ...fields }) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
    ...copy(fields),
  }));
}
