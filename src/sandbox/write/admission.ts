import type { UnknownObject } from '../../model/object.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import type { ApiType } from '../types/api-type.ts';
import { equalJson } from '../types/equal.ts';

type Fields = Record<string, unknown>;

/**
 * Adds what the server adds to a new object after decoding. No field manager owns these fields. Changes the object.
 * Source: the admission plugins and the PrepareForCreate strategies of kubernetes.
 */
export function admit(cluster: Cluster, type: ApiType, object: UnknownObject): void {
  ADMIT[type.storage]?.(object, cluster);
}

/**
 * Adds what the server adds to a changed object: the fields that a service needs after a change of its type, and the
 * time of a new effect of a device taint. Changes the object.
 */
export function admitUpdate(cluster: Cluster, type: ApiType, object: UnknownObject, before: UnknownObject): void {
  if (type.storage === 'services') ADMIT.services?.(object, cluster);
  if (type.storage === 'devicetaintrules.resource.k8s.io') timeEffect(cluster, object, before);
}

/** Source: kubernetes/pkg/registry/resource/devicetaintrule/strategy.go PrepareForUpdate. */
function timeEffect({ clock }: Cluster, object: UnknownObject, before: UnknownObject): void {
  const taintOf = ({ spec }: UnknownObject) => (spec as { taint: Fields }).taint;
  const [taint, old] = [taintOf(object), taintOf(before)];
  if (taint.effect !== old.effect && taint.timeAdded === old.timeAdded) taint.timeAdded = timestamp(clock.now());
}

/**
 * The initial status of a new object, for types that do not take one from the writer. Undefined means the empty status.
 */
export function initialStatus(type: ApiType, object: UnknownObject): unknown {
  return INITIAL_STATUS[type.storage]?.(object);
}

const NOT_READY = 'node.kubernetes.io/not-ready';

const tolerate = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });

const ADMIT: Readonly<Record<string, (object: UnknownObject, cluster: Cluster) => void>> = {
  pods(pod) {
    const spec = pod.spec as Fields;
    const tolerations = Array.isArray(spec.tolerations) ? (spec.tolerations as Fields[]) : [];
    const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
      (key) => !tolerations.some((t) => tolerates(t, key)),
    );
    spec.tolerations = [...tolerations, ...missing.map(tolerate)];
    spec.priority ??= 0;
    spec.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  nodes(node) {
    const spec = node.spec as Fields;
    const taints = Array.isArray(spec.taints) ? (spec.taints as Fields[]) : [];
    if (!isReady(node) && !taints.some((taint) => taint.key === NOT_READY && taint.effect === 'NoSchedule'))
      spec.taints = [...taints, { key: NOT_READY, effect: 'NoSchedule' }];
  },
  namespaces(namespace) {
    (namespace.spec as Fields).finalizers ??= ['kubernetes'];
  },
  'jobs.batch'(job) {
    const spec = job.spec as Fields;
    if (spec.manualSelector !== true) selectOwnPods(job.metadata, spec);
  },
  services(service, { random }) {
    const spec = service.spec as Fields;
    if (spec.type === 'ExternalName') return;
    spec.clusterIP ||= `10.0.${Math.floor(random() * 256)}.${2 + Math.floor(random() * 253)}`;
    spec.clusterIPs ??= [spec.clusterIP];
    spec.ipFamilies ??= ['IPv4'];
    if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') allocateNodePorts(spec, random);
  },
};

/** Whether a node says that it is ready. The node controller of a cluster removes the taint of such a node. */
function isReady({ status }: UnknownObject): boolean {
  const { conditions } = (status ?? {}) as { conditions?: Fields[] | null };
  return conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
}

/**
 * Makes a job select its pods by uid, with the old labels and the new. A job without labels gets those of its pods.
 * Source: kubernetes/pkg/registry/batch/job/strategy.go generateSelector.
 */
function selectOwnPods(metadata: UnknownObject['metadata'], spec: Fields): void {
  const { name = '', uid = '' } = metadata;
  const template = spec.template as Fields;
  const { labels, ...rest } = (template.metadata ?? {}) as Fields;
  const own = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const all = { ...(labels as object | undefined), ...own };
  template.metadata = { ...rest, labels: all };
  if (equalJson(metadata.labels ?? {}, labels ?? {})) metadata.labels = { ...all };
  spec.selector ??= { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
}

function tolerates(toleration: Fields, key: string): boolean {
  return (toleration.key === key || !toleration.key) && (!toleration.effect || toleration.effect === 'NoExecute');
}

function allocateNodePorts(spec: Fields, random: () => number): void {
  spec.externalTrafficPolicy ??= 'Cluster';
  for (const port of (spec.ports as Fields[] | undefined) ?? []) port.nodePort ||= 30_000 + Math.floor(random() * 2768);
}

const INITIAL_STATUS: Readonly<Record<string, (object: UnknownObject) => unknown>> = {
  pods: (pod) => ({ phase: 'Pending', qosClass: qosClass(pod.spec as Fields) }),
  namespaces: () => ({ phase: 'Active' }),
  persistentvolumes: () => ({ phase: 'Pending' }),
  persistentvolumeclaims: () => ({ phase: 'Pending' }),
  'customresourcedefinitions.apiextensions.k8s.io': (crd) => ({
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: ((crd.spec as { versions?: { name: string; storage?: boolean }[] }).versions ?? [])
      .filter((v) => v.storage)
      .map((v) => v.name),
  }),
};

/** Source: kubernetes/pkg/apis/core/v1/helper/qos. */
function qosClass(spec: Fields): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const resources = [spec.containers, spec.initContainers]
    .flatMap((c) => (Array.isArray(c) ? (c as Fields[]) : []))
    .map((c) => (c.resources ?? {}) as Fields);
  const amounts = (r: Fields, kind: string) => (r[kind] ?? {}) as Record<string, string>;
  if (resources.every((r) => Object.keys({ ...amounts(r, 'requests'), ...amounts(r, 'limits') }).length === 0))
    return 'BestEffort';
  const guaranteed = resources.every((r) =>
    ['cpu', 'memory'].every((name) => {
      const limit = amounts(r, 'limits')[name];
      return limit !== undefined && (amounts(r, 'requests')[name] ?? limit) === limit;
    }),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}
