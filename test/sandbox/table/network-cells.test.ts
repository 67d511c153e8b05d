import { expect, it } from 'vitest';
import { NETWORK_CELLS } from '../../../src/sandbox/table/network-cells.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:50:00Z' };

/** The cells of an object that is ten minutes old. */
const cells = (storage: string, object: object) => NETWORK_CELLS[storage]?.({ metadata, ...object }, NOW);

it.each<[storage: string, object: object, cells: unknown[]]>([
  [
    'services',
    {
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.0.0.5',
        ports: [
          { port: 80, nodePort: 30001, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
        selector: { b: '2', a: '1' },
      },
    },
    ['x', 'LoadBalancer', '10.0.0.5', '<pending>', '80:30001/TCP,53/UDP', '10m', 'a=1,b=2'],
  ],
  [
    'persistentvolumes',
    { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] } },
    ['x', '1Gi', 'RWO,RWX', '', '', '', '', '<unset>', '', '10m', '<unset>'],
  ],
  [
    'ingresses.networking.k8s.io',
    { spec: { rules: [{ host: 'a' }, { host: 'b' }, { host: 'c' }, { host: 'd' }], tls: [{}] } },
    ['x', '<none>', 'a,b,c + 1 more...', '', '80, 443', '10m'],
  ],
  [
    'services',
    { spec: { type: 'ExternalName', externalName: 'a.example.com' } },
    ['x', 'ExternalName', '<none>', 'a.example.com', '<none>', '10m', '<none>'],
  ],
  [
    'services',
    {
      spec: { type: 'LoadBalancer', clusterIP: '10.0.0.5', externalIPs: ['9.9.9.9'] },
      status: { loadBalancer: { ingress: [{ hostname: 'a-long-name.example.com' }] } },
    },
    ['x', 'LoadBalancer', '10.0.0.5', 'a-long-name.e...,9.9.9.9', '<none>', '10m', '<none>'],
  ],
  ['networkpolicies.networking.k8s.io', { spec: { podSelector: { matchLabels: { a: '1' } } } }, ['x', 'a=1', '10m']],
  [
    'endpointslices.discovery.k8s.io',
    {
      addressType: 'IPv4',
      ports: [{ port: 80 }, {}],
      endpoints: [{ addresses: ['1.1.1.1'] }, { addresses: ['1.1.1.2'] }],
    },
    ['x', 'IPv4', '80,*', '1.1.1.1,1.1.1.2', '10m'],
  ],
  ['endpointslices.discovery.k8s.io', { addressType: 'IPv6' }, ['x', 'IPv6', '<unset>', '<unset>', '10m']],
  [
    'persistentvolumeclaims',
    {
      spec: { volumeName: 'v', storageClassName: 'fast', volumeMode: 'Block' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOncePod'] },
    },
    ['x', 'Bound', 'v', '1Gi', 'RWOP', 'fast', '<unset>', '10m', 'Block'],
  ],
  [
    'persistentvolumeclaims',
    { status: { phase: 'Pending', capacity: { storage: '1Gi' } } },
    ['x', 'Pending', '', '', '', '', '<unset>', '10m', '<unset>'],
  ],
  [
    'storageclasses.storage.k8s.io',
    {
      metadata: { ...metadata, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'p',
    },
    ['x (default)', 'p', 'Delete', 'Immediate', false, '10m'],
  ],
])('shows the cells of %s %j', (storage, object, expected) => {
  expect(cells(storage, object)).toEqual(expected);
});

const resource = (name: string, target: object) => ({ type: 'Resource', resource: { name, target } });

it.each<[what: string, spec: object[], status: object[], text: string]>([
  ['no metric', [], [], '<none>'],
  ['a resource that is not measured yet', [resource('cpu', { averageUtilization: 80 })], [], 'cpu: <unknown>/80%'],
  [
    'a resource in percent',
    [resource('cpu', { averageUtilization: 80 })],
    [{ resource: { current: { averageUtilization: 12 } } }],
    'cpu: 12%/80%',
  ],
  ['a resource without a target', [resource('cpu', {})], [], 'cpu: <unknown>/<auto>'],
  [
    'a resource by value',
    [resource('memory', { averageValue: '1Gi' })],
    [{ resource: { current: { averageValue: '2Gi' } } }],
    'memory: 2Gi/1Gi',
  ],
  [
    'a resource of one container',
    [
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'c', target: { averageUtilization: 50 } },
      },
    ],
    [],
    'cpu: <unknown>/50%',
  ],
  [
    'a metric of the pods',
    [{ type: 'Pods', pods: { target: { averageValue: '10' } } }],
    [{ pods: { current: { averageValue: '7' } } }],
    '7/10',
  ],
  [
    'a metric of an object',
    [{ type: 'Object', object: { target: { value: '10' } } }],
    [{ object: { current: { value: '7' } } }],
    '7/10',
  ],
  [
    'an external average',
    [{ type: 'External', external: { target: { averageValue: '10' } } }],
    [],
    '<unknown>/10 (avg)',
  ],
  ['a type that is not known', [{ type: 'Other' }], [], '<unknown type>'],
  [
    'more than two metrics',
    [
      resource('a', { averageUtilization: 1 }),
      resource('b', { averageUtilization: 2 }),
      resource('c', { averageUtilization: 3 }),
    ],
    [],
    'a: <unknown>/1%, b: <unknown>/2% + 1 more...',
  ],
])('shows the targets of an autoscaler with %s', (_what, metrics, currentMetrics, text) => {
  const autoscaler = {
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, metrics, maxReplicas: 5 },
    status: { currentMetrics },
  };
  expect(cells('horizontalpodautoscalers.autoscaling', autoscaler)).toEqual([
    'x',
    'Deployment/web',
    text,
    '<unset>',
    5,
    0,
    '10m',
  ]);
});

it.each(['persistentvolumes', 'persistentvolumeclaims'])('shows that one of %s is being deleted', (storage) => {
  expect(
    cells(storage, {
      metadata: { ...metadata, deletionTimestamp: metadata.creationTimestamp },
      status: { phase: 'Bound' },
    }),
  ).toContain('Terminating');
});
