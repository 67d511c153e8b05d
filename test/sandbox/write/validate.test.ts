import { expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { problemsOf } from '../../../src/sandbox/write/validate.ts';
import { deployment, PATHS, STRATEGIC, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();

const types = builtinTypes();

/** What is wrong with an object of a kind, `field: reason detail` each. */
function wrong(kind: string, fields: object, metadata: object = {}): string[] {
  const type = types.find((t) => t.kind === kind && t.verbs.includes('get'));
  if (!type) throw new Error(`no ${kind}`);
  const object = { kind, metadata: { name: 'a', namespace: 'default', ...metadata }, ...fields } as UnknownObject;
  return problemsOf(type, object).map(({ field, reason, detail = '' }) =>
    `${field}: ${reason.replace('FieldValue', '')} ${detail}`.trim(),
  );
}

const container = (more: object = {}) => ({ name: 'c', image: 'i', ...more });
const pod = (more: object, spec: object = {}) => ({ spec: { containers: [container(more)], ...spec } });
const job = (policy: string) => ({
  spec: { template: { spec: { restartPolicy: policy, containers: [container()] } } },
});

it.each<[string, string, object, string[]]>([
  ['a pod without a container', 'Pod', { spec: {} }, ['spec.containers: Required']],
  [
    'an unknown pull policy',
    'Pod',
    pod({ imagePullPolicy: 'Maybe' }),
    ['spec.containers[0].imagePullPolicy: NotSupported "Maybe": supported values: "Always", "IfNotPresent", "Never"'],
  ],
  [
    'an empty selector',
    'Deployment',
    { spec: { selector: {}, template: { spec: { containers: [container()] } } } },
    ['spec.selector: Invalid {}: empty selector is invalid for deployment'],
  ],
  [
    'a negative number of replicas',
    'Deployment',
    {
      spec: {
        replicas: -1,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container()] } },
      },
    },
    ['spec.replicas: Invalid -1: must be greater than or equal to 0'],
  ],
  [
    'a job that never ends',
    'Job',
    job('Always'),
    ['spec.template.spec.restartPolicy: Required valid values: "OnFailure", "Never"'],
  ],
  ['no schedule', 'CronJob', { spec: { jobTemplate: job('Never') } }, ['spec.schedule: Required']],
  [
    'an invalid key',
    'ConfigMap',
    { data: { 'a b': '' } },
    [
      `data[a b]: Invalid "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
    ],
  ],
  [
    'too much data',
    'ConfigMap',
    { data: { a: 'x'.repeat(1_048_577) } },
    ['[]: TooLong may not be more than 1048576 bytes'],
  ],
  [
    'a certificate without its key',
    'Secret',
    { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } },
    ['data[tls.key]: Required'],
  ],
  ['no port', 'Service', { spec: { type: 'ClusterIP' } }, ['spec.ports: Required']],
  [
    'ports without names',
    'Service',
    { spec: { type: 'ClusterIP', ports: [{ port: 1 }, { port: 2, name: 'b', nodePort: 30001 }] } },
    ['spec.ports[0].name: Required', "spec.ports[1].nodePort: Forbidden may not be used when `type` is 'ClusterIP'"],
  ],
  [
    'a node port out of range',
    'Service',
    { spec: { type: 'NodePort', ports: [{ port: 1, nodePort: 80 }] } },
    [
      'spec.ports[0].nodePort: Invalid 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ],
  ],
  [
    'an empty claim',
    'PersistentVolumeClaim',
    { spec: {} },
    ['spec.accessModes: Required at least 1 access mode is required', 'spec.resources[storage]: Required'],
  ],
  [
    'a role of another kind',
    'RoleBinding',
    { roleRef: { kind: 'User', name: 'x' } },
    ['roleRef.kind: NotSupported "User": supported values: "Role", "ClusterRole"'],
  ],
  [
    'a rule without verbs',
    'Role',
    { rules: [{ apiGroups: [''], resources: ['pods'] }] },
    ['rules[0].verbs: Required verbs must contain at least one value'],
  ],
  [
    'a maximum below the minimum',
    'HorizontalPodAutoscaler',
    { spec: { minReplicas: 3, maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd' } } },
    ['spec.maxReplicas: Invalid 2: must be greater than or equal to `minReplicas`'],
  ],
  [
    'an autoscaler that may go to zero, of nothing',
    'HorizontalPodAutoscaler',
    { spec: { minReplicas: 0, maxReplicas: 2 } },
    [
      'spec.minReplicas: Invalid 0: must be greater than or equal to 1',
      'spec.scaleTargetRef.kind: Required',
      'spec.scaleTargetRef.name: Required',
      'spec.metrics: Forbidden must specify at least one Object or External metric to support scaling to zero replicas',
    ],
  ],
  [
    'a basic-auth secret without a login',
    'Secret',
    { type: 'kubernetes.io/basic-auth', data: {} },
    ['data[username]: Required', 'data[password]: Required'],
  ],
  [
    'a token secret without an account',
    'Secret',
    { type: 'kubernetes.io/service-account-token' },
    ['metadata.annotations[kubernetes.io/service-account.name]: Required'],
  ],
  [
    'a disruption budget with a minimum and a maximum',
    'PodDisruptionBudget',
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    [
      'spec: Invalid {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
  ],
  [
    'a disruption budget of more than all',
    'PodDisruptionBudget',
    { spec: { minAvailable: '150%' } },
    ['spec.minAvailable: Invalid "150%": must not be greater than 100%'],
  ],
  [
    'a disruption budget below zero',
    'PodDisruptionBudget',
    { spec: { maxUnavailable: -1 } },
    ['spec.maxUnavailable: Invalid -1: must be greater than or equal to 0'],
  ],
  [
    'blocks of addresses that are none, or not inside the other',
    'NetworkPolicy',
    {
      spec: {
        ingress: [{ from: [{ ipBlock: { cidr: 'bad' } }, {}] }],
        egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/8', '10.1.0.0/16', '10.0.0.0/8'] } }] }],
      },
    },
    [
      'spec.ingress[0].from[0].ipBlock.cidr: Invalid "bad": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      'spec.ingress[0].from[1]: Required must specify a peer',
      'spec.egress[0].to[0].ipBlock.except[0]: Invalid "11.0.0.0/8": must be a strict subset of `cidr`',
      'spec.egress[0].to[0].ipBlock.except[2]: Invalid "10.0.0.0/8": must be a strict subset of `cidr`',
    ],
  ],
  [
    'a route to a relative path',
    'Ingress',
    { spec: { rules: [{ http: { paths: [{ path: 'x', pathType: 'Prefix' }] } }] } },
    ['spec.rules[0].http.paths[0].path: Invalid "x": must be an absolute path'],
  ],
  [
    'an ingress without a rule',
    'Ingress',
    { spec: {} },
    ['spec: Invalid null: either `defaultBackend` or `rules` must be specified'],
  ],
  [
    'an endpoint that is no address',
    'EndpointSlice',
    { addressType: 'IPv4', endpoints: [{ addresses: ['x', '1.2.3.4'] }] },
    ['endpoints[0].addresses[0]: Invalid "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
  [
    'a priority of the system',
    'PriorityClass',
    { value: 2_000_000_000 },
    ['value: Forbidden maximum allowed value of a user defined priority is 1000000000'],
  ],
  ['a storage class without a provisioner', 'StorageClass', {}, ['provisioner: Required']],
  [
    'a quota below zero',
    'ResourceQuota',
    { spec: { hard: { cpu: '-1', memory: '1Gi' } } },
    ['spec.hard[cpu]: Invalid "-1": must be greater than or equal to 0'],
  ],
  [
    'a volume of no sort',
    'PersistentVolume',
    { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] } },
    ['spec: Required must specify a volume type'],
  ],
  [
    'a claim of nothing',
    'PersistentVolumeClaim',
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '0' } } } },
    ['spec.resources[storage]: Invalid "0": must be greater than zero'],
  ],
  [
    'a subject of an unknown kind',
    'RoleBinding',
    { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'Userr', name: 'a' }] },
    ['subjects[0].kind: NotSupported "Userr": supported values: "ServiceAccount", "User", "Group"'],
  ],
  [
    'a rollout that cannot move',
    'Deployment',
    {
      spec: {
        selector: { matchLabels: { a: 'b' } },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container()] } },
      },
    },
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid "0%": may not be 0 when `maxSurge` is 0'],
  ],
  [
    'an event of another namespace',
    'Event',
    { involvedObject: { namespace: 'other' } },
    ['involvedObject.namespace: Invalid "other": does not match event.namespace'],
  ],
  [
    'a lease without a duration',
    'Lease',
    { spec: { leaseDurationSeconds: 0 } },
    ['spec.leaseDurationSeconds: Invalid 0: must be greater than 0'],
  ],
])('refuses %s (%s)', (_what, kind, fields, problems) => {
  expect(wrong(kind, fields)).toEqual(problems);
});

const OWNER = { apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u', controller: true };

it('accepts ordinary objects', () => {
  const labels = { 'app.kubernetes.io/name': 'web', empty: '' };
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  expect(
    wrong(
      'ConfigMap',
      { data: { 'a.b_c-D': '' } },
      { labels, annotations, finalizers: ['kubernetes', 'a.io/b'], ownerReferences: [OWNER] },
    ),
  ).toEqual([]);
  expect(wrong('Service', { spec: { type: 'ExternalName', externalName: 'a.b' } })).toEqual([]);
  expect(wrong('Service', { spec: { type: 'ClusterIP', clusterIP: 'None' } })).toEqual([]);
  const mounted = container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] });
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [mounted] } };
  const claims = [{ metadata: { name: 'data' } }];
  expect(
    wrong('StatefulSet', { spec: { selector: { matchLabels: { a: 'b' } }, template, volumeClaimTemplates: claims } }),
  ).toEqual([]);
});

it('refuses a finalizer without a domain that is not a standard one, in built-in types', async () => {
  expect(wrong('ConfigMap', {}, { finalizers: ['orphan', 'a.io/b', 'foo'] })).toEqual([
    'metadata.finalizers[2]: Invalid "foo": name is neither a standard finalizer name nor is it fully qualified',
  ]);
});

it('refuses the parameters of a rolling update in a deployment that recreates its pods', async () => {
  await server.ask('POST', PATHS.deployments, deployment('web', [{ name: 'a', image: 'a' }]));
  const { status, body } = await server.ask(
    'PATCH',
    `${PATHS.deployments}/web`,
    { spec: { strategy: { type: 'Recreate' } } },
    STRATEGIC,
  );
  expect([status, body.message]).toEqual([
    422,
    'Deployment.apps "web" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is \'Recreate\'',
  ]);
});
