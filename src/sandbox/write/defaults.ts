import type { UnknownObject } from '../../model/object.ts';
import type { ApiType } from '../types/api-type.ts';

type Fields = Record<string, unknown>;

/**
 * Adds the defaults that the API adds when it decodes an object. The writer of the object owns these fields.
 * Changes the object. Source: kubernetes/pkg/apis/STAR/v1/defaults.go.
 */
export function setDefaults(type: ApiType, object: UnknownObject): void {
  DEFAULTS[type.storage]?.(object);
}

const DEFAULTS: Readonly<Record<string, (object: UnknownObject) => void>> = {
  pods(pod) {
    podSpec(fields(pod, 'spec'), { enableServiceLinks: true });
    for (const condition of list(fields(pod, 'status').conditions))
      preset(condition, { lastProbeTime: null, lastTransitionTime: null });
  },
  'deployments.apps'(deployment) {
    const spec = fields(deployment, 'spec');
    preset(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    const strategy = fields(spec, 'strategy');
    preset(strategy, { type: 'RollingUpdate' });
    if (strategy.type === 'RollingUpdate')
      preset(fields(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
    template(spec);
  },
  'replicasets.apps'(set) {
    const spec = fields(set, 'spec');
    preset(spec, { replicas: 1 });
    if (spec.template) template(spec);
  },
  'statefulsets.apps'(set) {
    const spec = fields(set, 'spec');
    preset(spec, { replicas: 1, podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10 });
    rollingUpdate(spec, { partition: 0 });
    template(spec);
  },
  'daemonsets.apps'(set) {
    const spec = fields(set, 'spec');
    preset(spec, { revisionHistoryLimit: 10 });
    rollingUpdate(spec, { maxSurge: 0, maxUnavailable: 1 });
    template(spec);
  },
  'jobs.batch'(job) {
    const spec = fields(job, 'spec');
    preset(spec, { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false });
    template(spec);
  },
  'cronjobs.batch'(job) {
    const spec = fields(job, 'spec');
    preset(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    template(fields(fields(spec, 'jobTemplate'), 'spec'));
  },
  services(service) {
    const spec = fields(service, 'spec');
    preset(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
    for (const port of list(spec.ports)) preset(port, { protocol: 'TCP', targetPort: port.port });
    if (spec.type !== 'ExternalName') preset(spec, { internalTrafficPolicy: 'Cluster', ipFamilyPolicy: 'SingleStack' });
  },
  namespaces(namespace) {
    preset(fields(namespace.metadata as Fields, 'labels'), { 'kubernetes.io/metadata.name': namespace.metadata.name });
  },
  secrets(secret) {
    preset(secret, { type: 'Opaque' });
    encodeStringData(secret);
  },
  persistentvolumeclaims(claim) {
    preset(fields(claim, 'spec'), { volumeMode: 'Filesystem' });
  },
  'customresourcedefinitions.apiextensions.k8s.io'(crd) {
    const names = fields(fields(crd, 'spec'), 'names');
    preset(names, { singular: String(names.kind ?? '').toLowerCase(), listKind: `${names.kind ?? ''}List` });
    preset(fields(crd, 'spec'), { conversion: { strategy: 'None' } });
  },
};

/** Sets fields that are absent or null to these values. */
function preset(target: Fields, defaults: Fields): void {
  for (const [name, value] of Object.entries(defaults)) target[name] ??= value;
}

/** The object in a field. It is created when it is absent. */
function fields(parent: Fields, name: string): Fields {
  const value = parent[name];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  const made: Fields = {};
  parent[name] = made;
  return made;
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter((v): v is Fields => typeof v === 'object' && v !== null) : [];
}

function rollingUpdate(spec: Fields, settings: Fields): void {
  const strategy = fields(spec, 'updateStrategy');
  preset(strategy, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate') preset(fields(strategy, 'rollingUpdate'), settings);
}

function template(spec: Fields): void {
  podSpec(fields(fields(spec, 'template'), 'spec'), {});
}

function podSpec(spec: Fields, more: Fields): void {
  for (const container of [...list(spec.containers), ...list(spec.initContainers)]) containerDefaults(container);
  preset(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...more,
  });
  if (spec.serviceAccountName) preset(spec, { serviceAccount: spec.serviceAccountName });
  for (const volume of list(spec.volumes)) volumeDefaults(volume);
}

function containerDefaults(container: Fields): void {
  preset(container, {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(String(container.image ?? '')),
  });
  for (const port of list(container.ports)) preset(port, { protocol: 'TCP' });
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'])
    if (container[name]) probeDefaults(fields(container, name));
}

function probeDefaults(probe: Fields): void {
  preset(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  if (probe.httpGet) preset(fields(probe, 'httpGet'), { path: '/', scheme: 'HTTP' });
}

/** The default pull policy of an image: Always for the tag `latest` or no tag. */
function pullPolicy(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  if (name.includes('@')) return 'IfNotPresent';
  const tag = name.split(':')[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function volumeDefaults(volume: Fields): void {
  for (const source of ['configMap', 'secret', 'projected', 'downwardAPI']) {
    if (volume[source]) preset(fields(volume, source), { defaultMode: 420 });
  }
  if (Object.keys(volume).length === 1) volume.emptyDir = {};
}

function encodeStringData(secret: UnknownObject): void {
  const { stringData } = secret;
  if (typeof stringData !== 'object' || stringData === null) return;
  const data = fields(secret, 'data');
  for (const [key, value] of Object.entries(stringData)) data[key] = Buffer.from(String(value)).toString('base64');
  delete secret.stringData;
}
