import { copyOf } from '../../kit/copy-of.ts';
import type { UnknownObject } from '../../model/object.ts';
import { bootstrapPolicy } from '../auth/bootstrap-policy.ts';
import type { Backend } from '../write/backend.ts';

/** The objects that every cluster has. Source: kube-apiserver's bootstrap controllers. */
const OBJECTS: readonly UnknownObject[] = [
  ...['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  })),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      clusterIP: '10.0.0.1',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
      type: 'ClusterIP',
    },
  },
];

/**
 * Creates the objects of a new cluster: the system namespaces, the service `kubernetes`, the default roles and
 * bindings.
 */
export function bootstrap({ cluster: { types, features }, writer }: Backend, createdAt: string): void {
  for (const object of [...OBJECTS, ...bootstrapPolicy(features)]) {
    const type = types.findKind(object.apiVersion ?? '', object.kind ?? '');
    const metadata = { ...object.metadata, creationTimestamp: createdAt };
    if (type) writer.create(type, copyOf({ ...object, metadata }), { manager: 'kube-apiserver', fixture: true });
  }
}
