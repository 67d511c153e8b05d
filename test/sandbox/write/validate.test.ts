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
    { spec: { minReplicas: 3, maxReplicas: 2 } },
    ['spec.maxReplicas: Invalid 2: must be greater than or equal to `minReplicas`'],
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
