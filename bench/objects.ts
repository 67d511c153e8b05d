import { seededRandom } from '../src/kit/random.ts';

/** Pods of some 5 kB as a cluster has them, managedFields included; the same for the same seed. */
export function pods(count: number, seed = 1): object[] {
  const random = seededRandom(seed);
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  return Array.from({ length: count }, (_, i) => {
    const app = `app-${Math.floor(random() * 40)}`;
    return {
      metadata: {
        name: `${app}-${hex(9)}-${hex(5)}`,
        namespace: `ns-${i % 20}`,
        uid: `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`,
        resourceVersion: String(1000 + i),
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { app, 'pod-template-hash': hex(9), 'topology.kubernetes.io/zone': `zone-${i % 3}` },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${app}-${hex(9)}`, uid: hex(32), controller: true }],
        managedFields: Array.from({ length: 3 }, (_, m) => ({
          manager: `manager-${m}`,
          operation: 'Update',
          apiVersion: 'v1',
          fieldsV1: Object.fromEntries(Array.from({ length: 12 }, (_, f) => [`f:field-${f}`, { '.': {}, [`k:{"name":"c${f}"}`]: {} }])),
        })),
      },
      spec: {
        nodeName: `worker-${i % 50}`,
        containers: Array.from({ length: 2 }, (_, c) => ({
          name: `c${c}`,
          image: `registry.example.com/${app}:${hex(7)}`,
          env: Array.from({ length: 12 }, (_, e) => ({ name: `VARIABLE_${e}`, value: hex(24) })),
          resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
        })),
      },
      status: {
        phase: 'Running',
        podIP: `10.0.${i % 256}.${i % 250}`,
        conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
          type,
          status: 'True',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        })),
      },
    };
  });
}
