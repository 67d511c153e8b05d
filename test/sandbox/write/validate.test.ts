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
  return problemsOf(type, object).map(({ field, reason, detail = '' }) => `${field}: ${reason.replace('FieldValue', '')} ${detail}`.trim());
}

const container = (more: object = {}) => ({ name: 'c', image: 'i', ...more });
const pod = (more: object, spec: object = {}) => ({ spec: { containers: [container(more)], ...spec } });
const job = (policy: string) => ({ spec: { template: { spec: { restartPolicy: policy, containers: [container()] } } } });

it.each<[string, string, object, string[]]>([
  ['no container', 'Pod', { spec: {} }, ['spec.containers: Required']],
  [
    'no name and no image',
    'Pod',
    { spec: { containers: [{}] } },
    ['spec.containers[0].name: Required', 'spec.containers[0].image: Required'],
  ],
  ['two of one name', 'Pod', pod({}, { initContainers: [container()] }), ['spec.initContainers[0].name: Duplicate "c"']],
  [
    'a port there is not',
    'Pod',
    pod({ ports: [{ containerPort: 70000 }] }),
    ['spec.containers[0].ports[0].containerPort: Invalid 70000: must be between 1 and 65535, inclusive'],
  ],
  [
    'a mount of nothing',
    'Pod',
    pod({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
    ['spec.containers[0].volumeMounts[0].name: NotFound "v"'],
  ],
  [
    'more asked for than allowed',
    'Pod',
    pod({ resources: { requests: { memory: '2Gi' }, limits: { memory: '1500Mi' } } }),
    ['spec.containers[0].resources.requests: Invalid "2Gi": must be less than or equal to memory limit of 1500Mi'],
  ],
  [
    'a policy there is not',
    'Pod',
    pod({ imagePullPolicy: 'Maybe' }),
    ['spec.containers[0].imagePullPolicy: NotSupported "Maybe": supported values: "Always", "IfNotPresent", "Never"'],
  ],
  [
    'a value from two places',
    'Pod',
    pod({ env: [{ name: 'E', value: 'x', valueFrom: {} }] }),
    ['spec.containers[0].env[0].valueFrom: Invalid "": may not be specified when `value` is not empty'],
  ],
  [
    'two kinds of volume',
    'Pod',
    pod({}, { volumes: [{ name: 'v', emptyDir: {}, secret: {} }] }),
    ['spec.volumes[0].secret: Forbidden may not specify more than 1 volume type'],
  ],
  [
    'an empty selector',
    'Deployment',
    { spec: { selector: {}, template: { spec: { containers: [container()] } } } },
    ['spec.selector: Invalid {}: empty selector is invalid for deployment'],
  ],
  [
    'fewer than none',
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
  ['a job that never ends', 'Job', job('Always'), ['spec.template.spec.restartPolicy: Required valid values: "OnFailure", "Never"']],
  ['no schedule', 'CronJob', { spec: { jobTemplate: job('Never') } }, ['spec.schedule: Required']],
  [
    'a key that is none',
    'ConfigMap',
    { data: { 'a b': '' } },
    [
      `data[a b]: Invalid "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
    ],
  ],
  ['too much', 'ConfigMap', { data: { a: 'x'.repeat(1_048_577) } }, ['[]: TooLong may not be more than 1048576 bytes']],
  ['a certificate without its key', 'Secret', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }, ['data[tls.key]: Required']],
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
    ['spec.ports[0].nodePort: Invalid 80: provided port is not in the valid range. The range of valid ports is 30000-32767'],
  ],
  [
    'a claim of nothing',
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
    'a rule that allows nothing',
    'Role',
    { rules: [{ apiGroups: [''], resources: ['pods'] }] },
    ['rules[0].verbs: Required verbs must contain at least one value'],
  ],
  [
    'fewer at most than at least',
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
  ['a lease of no time', 'Lease', { spec: { leaseDurationSeconds: 0 } }, ['spec.leaseDurationSeconds: Invalid 0: must be greater than 0']],
])('refuses %s (%s)', (_what, kind, fields, problems) => {
  expect(wrong(kind, fields)).toEqual(problems);
});

const OWNER = { apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u', controller: true };

it.each<[string, object, string]>([
  ['a label’s key', { labels: { 'a b': 'c' } }, 'metadata.labels: Invalid "a b": name part must consist of alphanumeric characters'],
  ['a label’s prefix', { labels: { '/b': 'c' } }, 'metadata.labels: Invalid "/b": prefix part must be non-empty'],
  [
    'a label that is too long',
    { labels: { a: 'b'.repeat(64) } },
    `metadata.labels: Invalid "${'b'.repeat(64)}": must be no more than 63 characters`,
  ],
  ['an annotation’s key', { annotations: { 'a/b/c': '' } }, 'metadata.annotations: Invalid "a/b/c": a qualified name must consist of'],
  [
    'annotations that are too long',
    { annotations: { a: 'x'.repeat(262_144) } },
    'metadata.annotations: TooLong may not be more than 262144 bytes',
  ],
  [
    'an owner without a name',
    { ownerReferences: [{ ...OWNER, name: '' }] },
    'metadata.ownerReferences.name: Invalid "": must not be empty',
  ],
  ['two controllers', { ownerReferences: [OWNER, { ...OWNER, name: 'b', uid: 'v' }] }, 'Found "true" in references for A/a and A/b'],
  ['two policies at once', { finalizers: ['orphan', 'foregroundDeletion'] }, 'finalizer orphan and foregroundDeletion cannot be both set'],
])('refuses %s', (_what, metadata, problem) => {
  const problems = wrong('ConfigMap', {}, metadata);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

it('has nothing against what is usual', () => {
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
  expect(wrong('StatefulSet', { spec: { selector: { matchLabels: { a: 'b' } }, template, volumeClaimTemplates: claims } })).toEqual([]);
});

it('refuses the parameters of a rolling update in a deployment that recreates its pods', async () => {
  await server.ask('POST', PATHS.deployments, deployment('web', [{ name: 'a', image: 'a' }]));
  const { status, body } = await server.ask('PATCH', `${PATHS.deployments}/web`, { spec: { strategy: { type: 'Recreate' } } }, STRATEGIC);
  expect([status, body.message]).toEqual([
    422,
    'Deployment.apps "web" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is \'Recreate\'',
  ]);
});
