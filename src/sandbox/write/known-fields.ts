import type { UnknownObject } from '../../model/object.ts';
import { isMap } from '../apply/fields.ts';
import type { ApiType } from '../discovery/api-type.ts';

/**
 * Every field of the messages whose fields are checked. A line: message, then its fields, `name` or `name:Message`; a list is looked
 * into item by item. What is not listed here (status, volumes, probes, …) is taken as it comes.
 * Source: kubernetes/api 1.36.
 */
const MESSAGES = `
Metadata name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields
pods spec:PodSpec status
PodTemplate metadata:Metadata spec:PodSpec
PodSpec volumes initContainers:Container containers:Container ephemeralContainers:Container restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName serviceAccount automountServiceAccountToken nodeName hostNetwork hostPID hostIPC shareProcessNamespace securityContext imagePullSecrets hostname subdomain affinity schedulerName tolerations hostAliases priorityClassName priority dnsConfig readinessGates runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints setHostnameAsFQDN os hostUsers schedulingGates resourceClaims resources hostnameOverride workloadRef schedulingGroup
Container name image command args workingDir ports:Port envFrom env:EnvVar resources resizePolicy restartPolicy restartPolicyRules volumeMounts volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty targetContainerName
Port name hostPort containerPort protocol hostIP
EnvVar name value valueFrom
deployments.apps spec:DeploymentSpec status
DeploymentSpec replicas selector template:PodTemplate strategy minReadySeconds revisionHistoryLimit paused progressDeadlineSeconds
replicasets.apps spec:ReplicaSetSpec status
ReplicaSetSpec replicas minReadySeconds selector template:PodTemplate
statefulsets.apps spec:StatefulSetSpec status
StatefulSetSpec replicas selector template:PodTemplate volumeClaimTemplates serviceName podManagementPolicy updateStrategy revisionHistoryLimit minReadySeconds persistentVolumeClaimRetentionPolicy ordinals
daemonsets.apps spec:DaemonSetSpec status
DaemonSetSpec selector template:PodTemplate updateStrategy minReadySeconds revisionHistoryLimit
jobs.batch spec:JobSpec status
JobSpec parallelism completions activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex maxFailedIndexes selector manualSelector template:PodTemplate ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy
cronjobs.batch spec:CronJobSpec status
CronJobSpec schedule timeZone startingDeadlineSeconds concurrencyPolicy suspend jobTemplate:JobTemplate successfulJobsHistoryLimit failedJobsHistoryLimit
JobTemplate metadata:Metadata spec:JobSpec
services spec:ServiceSpec status
ServiceSpec ports:ServicePort selector clusterIP clusterIPs type externalIPs sessionAffinity loadBalancerIP loadBalancerSourceRanges externalName externalTrafficPolicy healthCheckNodePort publishNotReadyAddresses sessionAffinityConfig ipFamilies ipFamilyPolicy allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy trafficDistribution
ServicePort name protocol appProtocol port targetPort nodePort
ingresses.networking.k8s.io spec:IngressSpec status
IngressSpec ingressClassName defaultBackend tls rules
namespaces spec:NamespaceSpec status
NamespaceSpec finalizers
persistentvolumeclaims spec:ClaimSpec status
ClaimSpec accessModes selector resources volumeName storageClassName volumeMode dataSource dataSourceRef volumeAttributesClassName
configmaps data binaryData immutable
secrets data stringData type immutable
serviceaccounts secrets imagePullSecrets automountServiceAccountToken
roles.rbac.authorization.k8s.io rules:PolicyRule
clusterroles.rbac.authorization.k8s.io rules:PolicyRule aggregationRule
PolicyRule verbs apiGroups resources resourceNames nonResourceURLs
rolebindings.rbac.authorization.k8s.io subjects roleRef
clusterrolebindings.rbac.authorization.k8s.io subjects roleRef
`;

type Message = ReadonlyMap<string, string | undefined>;

let messages: ReadonlyMap<string, Message> | undefined;

/** Takes the fields out of an object that its type does not have, as far as they are known, and names them: `spec.foo`. */
export function dropUnknownFields(type: ApiType, object: UnknownObject): string[] {
  messages ??= new Map(MESSAGES.trim().split('\n').map(parseMessage));
  const message = messages.get(type.storage);
  if (type.custom || !message) return [];
  const dropped: string[] = [];
  const root: Message = new Map<string, string | undefined>([
    ...message,
    ['kind', undefined],
    ['apiVersion', undefined],
    ['metadata', 'Metadata'],
  ]);
  drop(object as Record<string, unknown>, root, '', dropped);
  return dropped;
}

function parseMessage(line: string): [string, Message] {
  const [name = '', ...fields] = line.split(' ');
  return [name, new Map(fields.map((field) => field.split(':') as [string, string | undefined]))];
}

function drop(value: Record<string, unknown>, message: Message, path: string, dropped: string[]): void {
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (!message.has(name)) {
      dropped.push(at);
      delete value[name];
      continue;
    }
    const next = messages?.get(message.get(name) ?? '');
    if (!next) continue;
    const parts: [string, unknown][] = Array.isArray(inner) ? inner.map((item, i) => [`${at}[${i}]`, item]) : [[at, inner]];
    for (const [where, part] of parts) if (isMap(part)) drop(part, next, where, dropped);
  }
}
