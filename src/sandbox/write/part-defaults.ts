import type { UnknownObject } from '../../model/object.ts';
import type { ApiType } from '../types/api-type.ts';
import { MessageVisitor } from '../types/message-visitor.ts';

type Fields = Record<string, unknown>;

const CORE = 'io.k8s.api.core.v1';
const ADMISSION = 'io.k8s.api.admissionregistration.v1';

/** Sets fields that are absent or null. */
function presetting(defaults: Fields): (fields: Fields) => void {
  return (fields) => {
    for (const [name, value] of Object.entries(defaults)) fields[name] ??= structuredClone(value);
  };
}

const WEBHOOK = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};
const MATCH = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };

/**
 * The defaults of the parts of objects, by message: they are the same wherever the part is. Source: the functions
 * SetDefaults_NAME in kubernetes/pkg/apis/STAR/v1/defaults.go, and the fields with `+default` in kubernetes/api.
 */
const PART_DEFAULTS = new MessageVisitor({
  [`${CORE}.AzureDiskVolumeSource`]: presetting({
    cachingMode: 'ReadWrite',
    fsType: 'ext4',
    readOnly: false,
    kind: 'Shared',
  }),
  [`${CORE}.ConfigMapVolumeSource`]: presetting({ defaultMode: 420 }),
  [`${CORE}.ContainerPort`]: presetting({ protocol: 'TCP' }),
  [`${CORE}.DownwardAPIVolumeSource`]: presetting({ defaultMode: 420 }),
  [`${CORE}.EndpointPort`]: presetting({ protocol: 'TCP' }),
  [`${CORE}.GRPCAction`]: presetting({ service: '' }),
  [`${CORE}.HTTPGetAction`]: presetting({ path: '/', scheme: 'HTTP' }),
  [`${CORE}.HostPathVolumeSource`]: presetting({ type: '' }),
  [`${CORE}.ISCSIPersistentVolumeSource`]: presetting({ iscsiInterface: 'default' }),
  [`${CORE}.ISCSIVolumeSource`]: presetting({ iscsiInterface: 'default' }),
  [`${CORE}.LimitRangeItem`]: limitRangeItem,
  [`${CORE}.ObjectFieldSelector`]: presetting({ apiVersion: 'v1' }),
  [`${CORE}.PersistentVolumeClaimTemplate`]: presetting({ metadata: {} }),
  [`${CORE}.PersistentVolumeClaimSpec`]: presetting({ volumeMode: 'Filesystem' }),
  [`${CORE}.Probe`]: presetting({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  [`${CORE}.ProjectedVolumeSource`]: presetting({ defaultMode: 420 }),
  [`${CORE}.RBDPersistentVolumeSource`]: presetting({ pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  [`${CORE}.RBDVolumeSource`]: presetting({ pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  [`${CORE}.ScaleIOPersistentVolumeSource`]: presetting({ storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  [`${CORE}.ScaleIOVolumeSource`]: presetting({ storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  [`${CORE}.SecretVolumeSource`]: presetting({ defaultMode: 420 }),
  [`${CORE}.ServiceAccountTokenProjection`]: presetting({ expirationSeconds: 3600 }),
  [`${CORE}.Volume`](volume) {
    if (Object.keys(volume).every((name) => name === 'name' || volume[name] === null)) volume.emptyDir = {};
  },
  [`${ADMISSION}.MatchResources`]: presetting(MATCH),
  [`${ADMISSION}.MutatingWebhook`]: presetting({ ...WEBHOOK, reinvocationPolicy: 'Never' }),
  [`${ADMISSION}.RuleWithOperations`]: presetting({ scope: '*' }),
  [`${ADMISSION}.NamedRuleWithOperations`]: presetting({ scope: '*' }),
  [`${ADMISSION}.ServiceReference`]: presetting({ port: 443 }),
  [`${ADMISSION}.ValidatingAdmissionPolicySpec`]: presetting({ failurePolicy: 'Fail' }),
  [`${ADMISSION}.ValidatingWebhook`]: presetting(WEBHOOK),
  'io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern': presetting({ status: 'True' }),
  'io.k8s.api.discovery.v1.Endpoint': presetting({ conditions: {} }),
  'io.k8s.api.discovery.v1.EndpointPort': presetting({ name: '', protocol: 'TCP' }),
  'io.k8s.api.networking.v1.IngressClassParametersReference': presetting({ scope: 'Cluster' }),
  'io.k8s.api.networking.v1.NetworkPolicyPort': presetting({ protocol: 'TCP' }),
  'io.k8s.api.rbac.v1.Subject'(subject) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= 'rbac.authorization.k8s.io';
  },
});

/** Sets the defaults of the parts of an object. Changes the object. */
export function setPartDefaults(type: ApiType, object: UnknownObject): void {
  PART_DEFAULTS.visit(type, object);
}

/** The limits of a container without a default are their maximum, its requests the default or the minimum. */
function limitRangeItem(item: Fields): void {
  if (item.type !== 'Container') return;
  const { max, min } = item as { max?: Fields; min?: Fields };
  const limits = { ...max, ...(item.default as Fields | undefined) };
  const requests = { ...min, ...limits, ...(item.defaultRequest as Fields | undefined) };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}
