import { afterAll, beforeAll, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { ask } from '../../support/sandbox-requests.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start({ socket: false, seed: 1 });
});
afterAll(() => sandbox.stop());

const IN_DEFAULT = 'namespaces/default';
const container = { name: 'c', image: 'i' };
const labels = { a: 'b' };
const template = { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [container] } };
const RBAC = 'rbac.authorization.k8s.io';

/** What kube-apiserver 1.36 adds to an object, as a part of the answer to its creation. */
it.each<[string, string, object, object]>([
  [
    'a volume of each sort',
    `/api/v1/${IN_DEFAULT}/pods`,
    {
      spec: {
        containers: [{ ...container, env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }],
        volumes: [
          { name: 'h', hostPath: { path: '/x' } },
          { name: 'e' },
          { name: 'p', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
          { name: 'i', iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2001-04.com.example:x', lun: 0 } },
        ],
      },
    },
    {
      spec: {
        containers: [{ env: [{ valueFrom: { fieldRef: { apiVersion: 'v1' } } }] }],
        volumes: [
          { hostPath: { type: '' } },
          { emptyDir: {} },
          { projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3600 } }] } },
          { iscsi: { iscsiInterface: 'default' } },
        ],
      },
    },
  ],
  [
    'the requests of a container with limits, and its ports on the network of the host',
    `/api/v1/${IN_DEFAULT}/pods`,
    {
      spec: {
        hostNetwork: true,
        containers: [
          {
            ...container,
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: '0.5', memory: '1Gi' }, requests: { cpu: '0.25' } },
          },
        ],
      },
    },
    {
      spec: {
        containers: [
          {
            ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }],
            resources: { limits: { cpu: '500m', memory: '1Gi' }, requests: { cpu: '250m', memory: '1Gi' } },
          },
        ],
      },
    },
  ],
  [
    'the groups of a binding',
    `/apis/${RBAC}/v1/${IN_DEFAULT}/rolebindings`,
    {
      roleRef: { kind: 'ClusterRole', name: 'view' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'default' },
      ],
    },
    {
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: RBAC }, { apiGroup: RBAC }, { kind: 'ServiceAccount', name: 's', namespace: 'default' }],
    },
  ],
  [
    'the target of an autoscaler',
    `/apis/autoscaling/v2/${IN_DEFAULT}/horizontalpodautoscalers`,
    {
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        behavior: { scaleDown: { stabilizationWindowSeconds: 7 } },
      },
    },
    {
      spec: {
        minReplicas: 1,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
        behavior: {
          scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: 'Max' },
          scaleDown: {
            stabilizationWindowSeconds: 7,
            selectPolicy: 'Max',
            policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
          },
        },
      },
    },
  ],
  [
    'the policies and labels of a job',
    `/apis/batch/v1/${IN_DEFAULT}/jobs`,
    { spec: { template } },
    {
      metadata: { labels: { a: 'b', 'job-name': 'made' } },
      spec: { manualSelector: false, podReplacementPolicy: 'TerminatingOrFailed', completions: 1, parallelism: 1 },
    },
  ],
  [
    'the retention and the claims of a stateful set',
    `/apis/apps/v1/${IN_DEFAULT}/statefulsets`,
    {
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
          },
        ],
      },
    },
    {
      spec: {
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        volumeClaimTemplates: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            spec: { volumeMode: 'Filesystem', resources: { requests: { storage: '1Gi' } } },
            status: { phase: 'Pending' },
          },
        ],
      },
    },
  ],
  [
    'a service of the outside',
    `/api/v1/${IN_DEFAULT}/services`,
    { spec: { type: 'LoadBalancer', sessionAffinity: 'ClientIP', ports: [{ port: 80, targetPort: 0 }] } },
    {
      spec: {
        allocateLoadBalancerNodePorts: true,
        externalTrafficPolicy: 'Cluster',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
        ports: [{ targetPort: 80 }],
      },
    },
  ],
  [
    'the limits of containers',
    `/api/v1/${IN_DEFAULT}/limitranges`,
    { spec: { limits: [{ type: 'Container', max: { cpu: '2000m' }, min: { memory: '0.5Mi' } }] } },
    {
      spec: {
        limits: [{ max: { cpu: '2' }, default: { cpu: '2' }, defaultRequest: { cpu: '2', memory: '512Ki' } }],
      },
    },
  ],
  [
    'the selector and labels of a replication controller',
    `/api/v1/${IN_DEFAULT}/replicationcontrollers`,
    { spec: { template: { metadata: { labels }, spec: { containers: [container] } } } },
    { metadata: { labels }, spec: { replicas: 1, selector: labels } },
  ],
  [
    'the sort of a network policy',
    `/apis/networking.k8s.io/v1/${IN_DEFAULT}/networkpolicies`,
    { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }], egress: [{}] } },
    { spec: { policyTypes: ['Ingress', 'Egress'], ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }] } },
  ],
  [
    'a volume',
    '/api/v1/persistentvolumes',
    { spec: { capacity: { storage: '1024Mi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } },
    {
      spec: {
        capacity: { storage: '1Gi' },
        hostPath: { type: '' },
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
      },
    },
  ],
  [
    'a storage class',
    '/apis/storage.k8s.io/v1/storageclasses',
    { provisioner: 'a.b' },
    { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  ],
  [
    'a priority class',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    { value: 5 },
    { preemptionPolicy: 'PreemptLowerPriority' },
  ],
  [
    'a webhook',
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    {
      webhooks: [
        {
          name: 'a.b.c',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { service: { name: 'x', namespace: 'y' } },
          rules: [{ apiGroups: ['z'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['z'] }],
        },
      ],
    },
    {
      webhooks: [
        {
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          timeoutSeconds: 10,
          clientConfig: { service: { port: 443 } },
          rules: [{ scope: '*' }],
        },
      ],
    },
  ],
  [
    'a node that does not say it is ready',
    '/api/v1/nodes',
    { status: { capacity: { cpu: '4000m' } } },
    {
      spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
      status: { capacity: { cpu: '4' }, allocatable: { cpu: '4' } },
    },
  ],
])('sets the defaults of %s', async (_what, path, fields, expected) => {
  const { status, body } = await ask(sandbox, 'POST', `${path}?dryRun=All`, { metadata: { name: 'made' }, ...fields });
  expect(body).toMatchObject(expected);
  expect(status).toBe(201);
});

it('a node that says it is ready has no taint', async () => {
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  const { body } = await ask(sandbox, 'POST', '/api/v1/nodes?dryRun=All', { metadata: { name: 'n' }, status });
  expect(body.spec.taints).toBeUndefined();
});
