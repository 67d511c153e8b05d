import type { Clock } from '../../kit/clock.ts';
import { isJsonMap } from '../../kit/exact-json.ts';
import type { UnknownObject } from '../../model/object.ts';
import { timestamp } from '../cluster.ts';
import type { ApiType } from '../types/api-type.ts';
import data from '../types/data/defaults.json' with { type: 'json' };
import { autoscalerDefaults } from './autoscaler-defaults.ts';
import { setPartDefaults } from './part-defaults.ts';

type Fields = Record<string, unknown>;

/**
 * Adds the defaults that the API adds when it decodes an object. The writer of the object owns these fields.
 * Changes the object. Source: kubernetes/pkg/apis/STAR/v1/defaults.go.
 */
export function setDefaults(type: ApiType, object: UnknownObject, clock: Clock): void {
  presetAll(object, (data as Readonly<Record<string, Fields>>)[type.storage] ?? {});
  DEFAULTS[type.storage]?.(object, clock);
  setPartDefaults(type, object);
}

/** The defaults that depend on other fields. */
const DEFAULTS: Readonly<Record<string, (object: UnknownObject, clock: Clock) => void>> = {
  pods(pod) {
    const spec = fields(pod, 'spec');
    podSpec(spec, { enableServiceLinks: true });
    for (const container of containersOf(spec)) requestLimits(container, spec.hostNetwork === true);
    for (const condition of list(fields(pod, 'status').conditions))
      preset(condition, { lastProbeTime: null, lastTransitionTime: null });
  },
  'deployments.apps'(deployment) {
    const spec = fields(deployment, 'spec');
    const strategy = fields(spec, 'strategy');
    if (strategy.type === 'RollingUpdate')
      preset(fields(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
    template(spec);
  },
  'replicasets.apps'(set) {
    const spec = fields(set, 'spec');
    if (spec.template) template(spec);
  },
  'statefulsets.apps'(set) {
    const spec = fields(set, 'spec');
    rollingUpdate(spec, { partition: 0 });
    template(spec);
    for (const claim of list(spec.volumeClaimTemplates)) {
      preset(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
      preset(fields(claim, 'status'), { phase: 'Pending' });
    }
  },
  'daemonsets.apps'(set) {
    const spec = fields(set, 'spec');
    rollingUpdate(spec, { maxSurge: 0, maxUnavailable: 1 });
    template(spec);
  },
  'jobs.batch'(job) {
    const spec = fields(job, 'spec');
    if (spec.parallelism === undefined) preset(spec, { completions: 1 });
    preset(spec, {
      parallelism: 1,
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2_147_483_647,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed',
      manualSelector: false,
    });
    template(spec);
    inheritLabels(job, spec);
  },
  'cronjobs.batch'(job) {
    template(fields(fields(fields(job, 'spec'), 'jobTemplate'), 'spec'));
  },
  services(service) {
    const spec = fields(service, 'spec');
    for (const port of list(spec.ports)) {
      preset(port, { protocol: 'TCP' });
      port.targetPort ||= port.port;
    }
    if (spec.type !== 'ExternalName') preset(spec, { internalTrafficPolicy: 'Cluster', ipFamilyPolicy: 'SingleStack' });
    if (spec.type === 'LoadBalancer') preset(spec, { allocateLoadBalancerNodePorts: true });
    if (isExternal(spec)) preset(spec, { externalTrafficPolicy: 'Cluster' });
    if (spec.sessionAffinity === 'ClientIP')
      preset(fields(fields(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: 10_800 });
    else delete spec.sessionAffinityConfig;
  },
  namespaces(namespace) {
    preset(fields(namespace.metadata as Fields, 'labels'), { 'kubernetes.io/metadata.name': namespace.metadata.name });
  },
  secrets: encodeStringData,
  nodes({ status }) {
    const { capacity } = (status ?? {}) as { capacity?: object };
    if (capacity) preset(status as Fields, { allocatable: { ...capacity } });
  },
  replicationcontrollers(controller) {
    const spec = fields(controller, 'spec');
    if (!spec.template) return;
    template(spec);
    const { labels } = fields(fields(spec, 'template'), 'metadata');
    if (labels) preset(spec, { selector: { ...labels } });
    inheritLabels(controller, spec);
  },
  podtemplates(made) {
    template(made);
  },
  'horizontalpodautoscalers.autoscaling'(autoscaler) {
    autoscalerDefaults(fields(autoscaler, 'spec'));
  },
  'networkpolicies.networking.k8s.io'(policy) {
    const spec = fields(policy, 'spec');
    preset(spec, { policyTypes: ['Ingress', ...(list(spec.egress).length > 0 ? ['Egress'] : [])] });
  },
  'rolebindings.rbac.authorization.k8s.io': roleRef,
  'clusterrolebindings.rbac.authorization.k8s.io': roleRef,
  'devicetaintrules.resource.k8s.io'(rule, clock) {
    preset(fields(fields(rule, 'spec'), 'taint'), { timeAdded: timestamp(clock.now()) });
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

/** As {@link preset}, also in maps below. */
function presetAll(target: Fields, defaults: Fields): void {
  for (const [name, value] of Object.entries(defaults))
    if (isJsonMap(value)) presetAll(fields(target, name), value);
    else target[name] ??= structuredClone(value);
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

function roleRef(binding: UnknownObject): void {
  const ref = fields(binding, 'roleRef');
  ref.apiGroup ||= 'rbac.authorization.k8s.io';
}

/** Gives an object without labels those of its pods. */
function inheritLabels(object: UnknownObject, spec: Fields): void {
  const { labels } = ((spec.template as Fields).metadata ?? {}) as { labels?: Record<string, string> };
  if (labels && Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = { ...labels };
}

function isExternal({ type, externalIPs }: Fields): boolean {
  return (
    type === 'LoadBalancer' ||
    type === 'NodePort' ||
    (type === 'ClusterIP' && Array.isArray(externalIPs) && externalIPs.length > 0)
  );
}

/** A container of a pod requests what it is limited to. On the network of the host its ports are ports of the host. */
function requestLimits(container: Fields, hostNetwork: boolean): void {
  const { limits } = container.resources as { limits?: Fields };
  if (limits) preset(fields(fields(container, 'resources'), 'requests'), limits);
  if (hostNetwork) for (const port of list(container.ports)) port.hostPort ||= port.containerPort;
}

function rollingUpdate(spec: Fields, settings: Fields): void {
  const strategy = fields(spec, 'updateStrategy');
  preset(strategy, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate') preset(fields(strategy, 'rollingUpdate'), settings);
}

function template(spec: Fields): void {
  podSpec(fields(fields(spec, 'template'), 'spec'), {});
}

function containersOf(spec: Fields): Fields[] {
  return [...list(spec.containers), ...list(spec.initContainers)];
}

function podSpec(spec: Fields, more: Fields): void {
  for (const container of [...containersOf(spec), ...list(spec.ephemeralContainers)]) containerDefaults(container);
  preset(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...more,
  });
  if (spec.serviceAccountName) preset(spec, { serviceAccount: spec.serviceAccountName });
}

function containerDefaults(container: Fields): void {
  preset(container, {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(String(container.image ?? '')),
  });
}

/** The default pull policy of an image: Always for the tag `latest` or no tag. */
function pullPolicy(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  if (name.includes('@')) return 'IfNotPresent';
  const tag = name.split(':')[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function encodeStringData(secret: UnknownObject): void {
  const { stringData } = secret;
  if (typeof stringData !== 'object' || stringData === null) return;
  const data = fields(secret, 'data');
  for (const [key, value] of Object.entries(stringData)) data[key] = Buffer.from(String(value)).toString('base64');
  delete secret.stringData;
}
