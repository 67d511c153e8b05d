import type { UnknownObject } from '../../model/object.ts';
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  required,
  tooLong,
  unless,
  unsupportedValue,
} from '../status/field-problems.ts';
import type { FieldProblem } from '../status/statuses.ts';
import type { ApiType } from '../types/api-type.ts';
import { definitionProblems } from '../types/custom/definition-problems.ts';
import { choiceProblems } from '../types/field-types.ts';
import { nameRule } from '../types/type-strategies.ts';
import { isTimeZone, scheduleProblem } from './cron-schedule.ts';
import { exceeds } from './validate-amounts.ts';
import {
  certificateRequestProblems,
  deviceTaintProblems,
  migrationProblems,
  trustBundleProblems,
} from './validate-gated.ts';
import {
  labelProblems,
  metadataProblems,
  SUBDOMAIN,
  SUBDOMAIN_TEXT,
  unqualifiedFinalizers,
} from './validate-metadata.ts';
import { endpointSliceProblems, ingressProblems, networkPolicyProblems } from './validate-network.ts';
import { fieldsOf, itemsOf, LABEL, LABEL_TEXT, podSpecProblems } from './validate-pods.ts';
import {
  disruptionBudgetProblems,
  priorityClassProblems,
  quotaProblems,
  storageClassProblems,
  subjectProblems,
} from './validate-policy.ts';

/**
 * The problems of an object. The sandbox checks metadata, fields with a fixed set of values, and fields that are
 * essential. The sets of values are not checked in fixtures: programs write them, and they can be large.
 */
export function problemsOf(
  type: ApiType,
  object: UnknownObject,
  { fixture = false }: { fixture?: boolean | undefined } = {},
): FieldProblem[] {
  const isDefinition = type.kind === 'CustomResourceDefinition';
  return [
    ...(isDefinition ? [] : nameProblems(type, object.metadata.name ?? '')),
    ...metadataProblems(object.metadata),
    ...(type.custom || isDefinition ? [] : unqualifiedFinalizers(object.metadata)),
    ...(isDefinition ? definitionProblems(object) : []),
    ...(type.custom ? [] : (PROBLEMS[type.storage]?.(object) ?? [])),
    ...(type.custom || isDefinition || fixture ? [] : choiceProblems(type, object)),
  ];
}

/** The longest name of a type that is shorter than usual, because the names of its pods are longer. */
const LONGEST: Readonly<Record<string, number>> = { 'cronjobs.batch': 52 };

function nameProblems(type: ApiType, name: string): FieldProblem[] {
  const rule = nameRule(type);
  if (rule === 'segment')
    return /[/%]|^\.{1,2}$/.test(name) ? [invalidValue('metadata.name', name, "may not contain '/'")] : [];
  const [pattern, text, usual] = rule === 'label' ? [LABEL, LABEL_TEXT, 63] : [SUBDOMAIN, SUBDOMAIN_TEXT, 253];
  const longest = LONGEST[type.storage] ?? usual;
  if (name.length > longest) return [invalidValue('metadata.name', name, `must be no more than ${longest} characters`)];
  return pattern.test(name) ? [] : [invalidValue('metadata.name', name, text)];
}

type Fields = Record<string, unknown>;
type Check = (object: UnknownObject) => FieldProblem[];

/** Source: kubernetes/pkg/apis/STAR/validation. */
const PROBLEMS: Readonly<Record<string, Check>> = {
  'clusterrolebindings.rbac.authorization.k8s.io': (binding) => [
    ...roleRefProblems(binding, ['ClusterRole']),
    ...subjectProblems(itemsOf(binding.subjects), false),
  ],
  'clusterroles.rbac.authorization.k8s.io': roleProblems,
  'clustertrustbundles.certificates.k8s.io': trustBundleProblems,
  configmaps: (map) => [
    ...keyProblems(map.data, 'data'),
    ...keyProblems(map.binaryData, 'binaryData'),
    ...sizeProblems(bytesOf(map.data) + (bytesOf(map.binaryData) * 3) / 4),
  ],
  'cronjobs.batch': ({ spec }) => {
    const { jobTemplate } = fieldsOf(spec);
    const template = fieldsOf(fieldsOf(fieldsOf(jobTemplate).spec).template);
    return [
      ...scheduleProblems(fieldsOf(spec)),
      ...jobTemplateProblems(template, 'spec.jobTemplate.spec.template.spec'),
    ];
  },
  'daemonsets.apps': workloadProblems,
  'devicetaintrules.resource.k8s.io': deviceTaintProblems,
  'deployments.apps': (deployment) => [...workloadProblems(deployment), ...strategyProblems(deployment)],
  'endpointslices.discovery.k8s.io': endpointSliceProblems,
  events: eventProblems,
  'horizontalpodautoscalers.autoscaling': autoscalerProblems,
  'ingresses.networking.k8s.io': ingressProblems,
  'jobs.batch': (job) => jobTemplateProblems(fieldsOf(fieldsOf(job.spec).template), 'spec.template.spec'),
  'leases.coordination.k8s.io': ({ spec }) => {
    const { leaseDurationSeconds: seconds } = fieldsOf(spec);
    return typeof seconds === 'number' && seconds <= 0
      ? [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : [];
  },
  'networkpolicies.networking.k8s.io': networkPolicyProblems,
  persistentvolumeclaims: claimProblems,
  persistentvolumes: volumeSourceProblems,
  'podcertificaterequests.certificates.k8s.io': certificateRequestProblems,
  'poddisruptionbudgets.policy': disruptionBudgetProblems,
  pods: (pod) => podSpecProblems(fieldsOf(pod.spec), 'spec'),
  'priorityclasses.scheduling.k8s.io': priorityClassProblems,
  'replicasets.apps': workloadProblems,
  resourcequotas: quotaProblems,
  'rolebindings.rbac.authorization.k8s.io': (binding) => [
    ...roleRefProblems(binding, ['Role', 'ClusterRole']),
    ...subjectProblems(itemsOf(binding.subjects), true),
  ],
  'roles.rbac.authorization.k8s.io': roleProblems,
  secrets: secretProblems,
  services: serviceProblems,
  'statefulsets.apps': workloadProblems,
  'storageclasses.storage.k8s.io': storageClassProblems,
  'storageversionmigrations.storagemigration.k8s.io': migrationProblems,
};

function scheduleProblems({ schedule, timeZone }: Fields): FieldProblem[] {
  const zone =
    typeof timeZone === 'string' && !isTimeZone(timeZone)
      ? [invalidValue('spec.timeZone', timeZone, `unknown time zone ${timeZone}`)]
      : [];
  if (!schedule) return [required('spec.schedule'), ...zone];
  const text = String(schedule);
  const problem = /TZ/.test(text)
    ? 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
    : scheduleProblem(text);
  return [...(problem === undefined ? [] : [invalidValue('spec.schedule', text, problem)]), ...zone];
}

/** Checks the namespace of an event. An event about an object without a namespace can be in one of two namespaces. */
function eventProblems({ metadata, involvedObject, regarding }: UnknownObject): FieldProblem[] {
  const { namespace = '' } = fieldsOf(involvedObject ?? regarding);
  const fits =
    namespace === '' ? ['default', 'kube-system'].includes(metadata.namespace ?? '') : namespace === metadata.namespace;
  return fits ? [] : [invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace')];
}

function workloadProblems({ kind, spec: value }: UnknownObject): FieldProblem[] {
  const spec = fieldsOf(value);
  const template = fieldsOf(spec.template);
  const { restartPolicy } = fieldsOf(template.spec);
  const claims = itemsOf(spec.volumeClaimTemplates).map((claim) => fieldsOf(claim.metadata).name);
  const replicas = typeof spec.replicas === 'number' && spec.replicas < 0;
  const policy = restartPolicy !== undefined && restartPolicy !== 'Always' && CHOICES.includes(String(restartPolicy));
  return [
    ...(replicas ? [invalidValue('spec.replicas', spec.replicas, 'must be greater than or equal to 0')] : []),
    ...selectorProblems(String(kind).toLowerCase(), spec, template),
    ...labelProblems(fieldsOf(fieldsOf(template.metadata).labels) as Record<string, string>, 'spec.template.labels'),
    ...podSpecProblems(fieldsOf(template.spec), 'spec.template.spec', claims),
    ...(policy ? [unsupportedValue('spec.template.spec.restartPolicy', restartPolicy, ['Always'])] : []),
  ];
}

function strategyProblems({ spec }: UnknownObject): FieldProblem[] {
  const { type, rollingUpdate } = fieldsOf(fieldsOf(spec).strategy);
  const { maxSurge, maxUnavailable } = fieldsOf(rollingUpdate);
  const isZero = (value: unknown) => value === 0 || value === '0%';
  if (type === 'RollingUpdate' && isZero(maxSurge) && isZero(maxUnavailable)) {
    const at = 'spec.strategy.rollingUpdate.maxUnavailable';
    return [invalidValue(at, maxUnavailable, 'may not be 0 when `maxSurge` is 0')];
  }
  if (type !== 'Recreate' || !rollingUpdate) return [];
  const detail = "may not be specified when strategy `type` is 'Recreate'";
  return [forbiddenValue('spec.strategy.rollingUpdate', detail)];
}

const CHOICES = ['Always', 'Never', 'OnFailure'];

function selectorProblems(kind: string, spec: Fields, template: Fields): FieldProblem[] {
  if (spec.selector === null || spec.selector === undefined) return [required('spec.selector')];
  const { matchLabels, matchExpressions } = fieldsOf(spec.selector);
  const wanted = fieldsOf(matchLabels);
  if (Object.keys(wanted).length === 0 && itemsOf(matchExpressions).length === 0) {
    return [invalidValue('spec.selector', spec.selector, `empty selector is invalid for ${kind}`)];
  }
  const labels = fieldsOf(fieldsOf(template.metadata).labels);
  if (Object.entries(wanted).every(([key, value]) => labels[key] === value)) return [];
  return [invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

function jobTemplateProblems(template: Fields, at: string): FieldProblem[] {
  const spec = fieldsOf(template.spec);
  const policy =
    spec.restartPolicy === 'Always' ? [required(`${at}.restartPolicy`, 'valid values: "OnFailure", "Never"')] : [];
  return [...podSpecProblems(spec, at), ...policy];
}

function keyProblems(data: unknown, at: string): FieldProblem[] {
  return Object.keys(fieldsOf(data))
    .filter((key) => !/^[-._a-zA-Z0-9]+$/.test(key))
    .map((key) => invalidValue(`${at}[${key}]`, key, KEY_TEXT));
}

/** The most bytes of data in a config map or a secret. The problem has no field name there. */
const DATA_BYTES = 1_048_576;

function sizeProblems(bytes: number): FieldProblem[] {
  return unless(bytes <= DATA_BYTES, tooLong('[]', DATA_BYTES));
}

function bytesOf(data: unknown): number {
  let bytes = 0;
  for (const value of Object.values(fieldsOf(data))) bytes += Buffer.byteLength(String(value));
  return bytes;
}

const KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** The keys that a secret of a special type must have. */
const SECRET_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

function secretProblems({ type, data, metadata }: UnknownObject): FieldProblem[] {
  const [user, password] = [fieldsOf(data).username, fieldsOf(data).password];
  const lacksLogin = type === 'kubernetes.io/basic-auth' && user === undefined && password === undefined;
  const lacksAccount = type === 'kubernetes.io/service-account-token' && !metadata.annotations?.[ACCOUNT_NAME];
  const missing = (SECRET_KEYS[String(type)] ?? []).filter((key) => fieldsOf(data)[key] === undefined);
  return [
    ...keyProblems(data, 'data'),
    ...sizeProblems((bytesOf(data) * 3) / 4),
    ...(lacksLogin ? [required('data[username]'), required('data[password]')] : []),
    ...(lacksAccount ? [required(`metadata.annotations[${ACCOUNT_NAME}]`)] : []),
    ...missing.map((key) => required(`data[${key}]`)),
  ];
}

function serviceProblems({ spec: value }: UnknownObject): FieldProblem[] {
  const spec = fieldsOf(value);
  const ports = itemsOf(spec.ports);
  if (spec.type === 'ExternalName') return spec.externalName ? [] : [required('spec.externalName')];
  const names = new Set<unknown>();
  return [
    ...(ports.length === 0 && spec.clusterIP !== 'None' ? [required('spec.ports')] : []),
    ...ports.flatMap((port, i) =>
      servicePortProblems(port, `spec.ports[${i}]`, { spec, several: ports.length > 1, names }),
    ),
  ];
}

interface Around {
  readonly spec: Fields;
  readonly several: boolean;
  readonly names: Set<unknown>;
}

function servicePortProblems(
  { name, port, nodePort, targetPort }: Fields,
  at: string,
  { spec, several, names }: Around,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!name && several) problems.push(required(`${at}.name`));
  if (name && names.has(name)) problems.push(duplicateValue(`${at}.name`, name));
  names.add(name);
  if (typeof port !== 'number' || port < 1 || port > 65_535) {
    problems.push(invalidValue(`${at}.port`, port ?? 0, 'must be between 1 and 65535, inclusive'));
  }
  if (typeof targetPort === 'string' && !/^[-a-z0-9]+$/i.test(targetPort)) {
    const why = 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)';
    problems.push(invalidValue(`${at}.targetPort`, targetPort, why));
  }
  if (!nodePort) return problems;
  if (spec.type === 'ClusterIP') {
    problems.push(forbiddenValue(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
  } else if (Number(nodePort) < 30_000 || Number(nodePort) > 32_767) {
    const why = 'provided port is not in the valid range. The range of valid ports is 30000-32767';
    problems.push(invalidValue(`${at}.nodePort`, nodePort, why));
  }
  return problems;
}

function claimProblems({ spec: value }: UnknownObject): FieldProblem[] {
  const { accessModes, resources } = fieldsOf(value);
  const { storage } = fieldsOf(fieldsOf(resources).requests);
  return [
    ...(itemsOf(accessModes).length > 0 ? [] : [required('spec.accessModes', 'at least 1 access mode is required')]),
    ...(storage === undefined ? [required('spec.resources[storage]')] : []),
    ...unless(
      storage === undefined || exceeds(storage, 0),
      invalidValue('spec.resources[storage]', storage, 'must be greater than zero'),
    ),
  ];
}

/** The fields of a volume's spec that are not its source. */
const NO_SOURCE = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

function volumeSourceProblems({ spec: value }: UnknownObject): FieldProblem[] {
  const spec = fieldsOf(value);
  return [
    ...unless(itemsOf(spec.accessModes).length > 0, required('spec.accessModes', 'at least 1 access mode is required')),
    ...(Object.keys(fieldsOf(spec.capacity)).length > 0 ? [] : [required('spec.capacity')]),
    ...(Object.keys(spec).some((name) => !NO_SOURCE.has(name)) ? [] : [required('spec', 'must specify a volume type')]),
  ];
}

function roleRefProblems({ roleRef }: UnknownObject, kinds: readonly string[]): FieldProblem[] {
  const { apiGroup = '', kind = '', name } = fieldsOf(roleRef);
  const group = 'rbac.authorization.k8s.io';
  return [
    ...(apiGroup === group || apiGroup === '' ? [] : [unsupportedValue('roleRef.apiGroup', apiGroup, [group])]),
    ...(kinds.includes(String(kind)) ? [] : [unsupportedValue('roleRef.kind', kind, kinds)]),
    ...(name ? [] : [required('roleRef.name')]),
  ];
}

function roleProblems({ rules }: UnknownObject): FieldProblem[] {
  return itemsOf(rules).flatMap(({ verbs, nonResourceURLs, apiGroups, resources }, i) => {
    const problems: FieldProblem[] = [];
    if (itemsOf(verbs).length === 0)
      problems.push(required(`rules[${i}].verbs`, 'verbs must contain at least one value'));
    if (itemsOf(nonResourceURLs).length > 0) return problems;
    if (itemsOf(apiGroups).length === 0)
      problems.push(required(`rules[${i}].apiGroups`, 'resource rules must supply at least one api group'));
    if (itemsOf(resources).length === 0)
      problems.push(required(`rules[${i}].resources`, 'resource rules must supply at least one resource'));
    return problems;
  });
}

function autoscalerProblems({ spec: value }: UnknownObject): FieldProblem[] {
  const {
    minReplicas = 1,
    maxReplicas = 0,
    scaleTargetRef,
    metrics,
  } = fieldsOf(value) as {
    minReplicas?: number;
    maxReplicas?: number;
    scaleTargetRef?: unknown;
    metrics?: unknown;
  };
  const { kind, name } = fieldsOf(scaleTargetRef);
  const canBeZero = itemsOf(metrics).some(({ type }) => type === 'Object' || type === 'External');
  const most =
    maxReplicas < 1
      ? 'must be greater than 0'
      : maxReplicas < minReplicas
        ? 'must be greater than or equal to `minReplicas`'
        : undefined;
  return [
    ...(minReplicas < 1 ? [invalidValue('spec.minReplicas', minReplicas, 'must be greater than or equal to 1')] : []),
    ...(most ? [invalidValue('spec.maxReplicas', maxReplicas, most)] : []),
    ...(kind ? [] : [required('spec.scaleTargetRef.kind')]),
    ...(name ? [] : [required('spec.scaleTargetRef.name')]),
    ...(minReplicas === 0 && !canBeZero ? [NO_METRIC_AT_ZERO] : []),
  ];
}

const NO_METRIC_AT_ZERO: FieldProblem = forbiddenValue(
  'spec.metrics',
  'must specify at least one Object or External metric to support scaling to zero replicas',
);
