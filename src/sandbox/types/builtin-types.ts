import { createHash } from 'node:crypto';
import { formatGroupVersion, parseGroupVersion } from '../../model/gvr.ts';
import type { ApiType, Subresource } from './api-type.ts';

/**
 * The types of a kube-apiserver 1.36 with its default features, in the order in which discovery lists them.
 * A line: resource, kind, scope (N or C), then what differs from the rule. The singular is the kind in lower case.
 */
const TYPES = `
v1
  bindings Binding N verbs=create
  componentstatuses ComponentStatus C short=cs verbs=get,list
  configmaps ConfigMap N short=cm
  endpoints Endpoints N short=ep
  events Event N short=ev
  limitranges LimitRange N short=limits
  namespaces Namespace C short=ns verbs=create,delete,get,list,patch,update,watch sub=finalize,status
  nodes Node C short=no sub=proxy,status
  persistentvolumeclaims PersistentVolumeClaim N short=pvc sub=status
  persistentvolumes PersistentVolume C short=pv sub=status
  pods Pod N short=po in=all sub=attach,binding,ephemeralcontainers,eviction,exec,log,portforward,proxy,resize,status
  podtemplates PodTemplate N
  replicationcontrollers ReplicationController N short=rc in=all sub=scale,status
  resourcequotas ResourceQuota N short=quota sub=status
  secrets Secret N
  serviceaccounts ServiceAccount N short=sa sub=token
  services Service N short=svc in=all sub=proxy,status
apiregistration.k8s.io/v1
  apiservices APIService C in=api-extensions sub=status
apps/v1
  controllerrevisions ControllerRevision N
  daemonsets DaemonSet N short=ds in=all sub=status
  deployments Deployment N short=deploy in=all sub=scale,status
  replicasets ReplicaSet N short=rs in=all sub=scale,status
  statefulsets StatefulSet N short=sts in=all sub=scale,status
events.k8s.io/v1
  events Event N short=ev
authentication.k8s.io/v1
  selfsubjectreviews SelfSubjectReview C verbs=create
  tokenreviews TokenReview C verbs=create
authorization.k8s.io/v1
  localsubjectaccessreviews LocalSubjectAccessReview N verbs=create
  selfsubjectaccessreviews SelfSubjectAccessReview C verbs=create
  selfsubjectrulesreviews SelfSubjectRulesReview C verbs=create
  subjectaccessreviews SubjectAccessReview C verbs=create
autoscaling/v2
  horizontalpodautoscalers HorizontalPodAutoscaler N short=hpa in=all sub=status
autoscaling/v1
  horizontalpodautoscalers HorizontalPodAutoscaler N short=hpa in=all sub=status
batch/v1
  cronjobs CronJob N short=cj in=all sub=status
  jobs Job N in=all sub=status
certificates.k8s.io/v1
  certificatesigningrequests CertificateSigningRequest C short=csr sub=approval,status
networking.k8s.io/v1
  ingressclasses IngressClass C
  ingresses Ingress N short=ing sub=status
  ipaddresses IPAddress C short=ip
  networkpolicies NetworkPolicy N short=netpol
  servicecidrs ServiceCIDR C sub=status
policy/v1
  poddisruptionbudgets PodDisruptionBudget N short=pdb sub=status
rbac.authorization.k8s.io/v1
  clusterrolebindings ClusterRoleBinding C
  clusterroles ClusterRole C
  rolebindings RoleBinding N
  roles Role N
storage.k8s.io/v1
  csidrivers CSIDriver C
  csinodes CSINode C
  csistoragecapacities CSIStorageCapacity N
  storageclasses StorageClass C short=sc
  volumeattachments VolumeAttachment C sub=status
  volumeattributesclasses VolumeAttributesClass C short=vac
admissionregistration.k8s.io/v1
  mutatingadmissionpolicies MutatingAdmissionPolicy C in=api-extensions
  mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding C in=api-extensions
  mutatingwebhookconfigurations MutatingWebhookConfiguration C in=api-extensions
  validatingadmissionpolicies ValidatingAdmissionPolicy C in=api-extensions sub=status
  validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding C in=api-extensions
  validatingwebhookconfigurations ValidatingWebhookConfiguration C in=api-extensions
apiextensions.k8s.io/v1
  customresourcedefinitions CustomResourceDefinition C short=crd,crds in=api-extensions sub=status
scheduling.k8s.io/v1
  priorityclasses PriorityClass C short=pc
coordination.k8s.io/v1
  leases Lease N
node.k8s.io/v1
  runtimeclasses RuntimeClass C
discovery.k8s.io/v1
  endpointslices EndpointSlice N
resource.k8s.io/v1
  deviceclasses DeviceClass C
  resourceclaims ResourceClaim N sub=status
  resourceclaimtemplates ResourceClaimTemplate N
  resourceslices ResourceSlice C
flowcontrol.apiserver.k8s.io/v1
  flowschemas FlowSchema C sub=status
  prioritylevelconfigurations PriorityLevelConfiguration C sub=status
`;

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const CHANGE_VERBS = ['get', 'patch', 'update'];

/** Kind and verbs of a subresource. '=' is the kind of the type itself. */
const SUBRESOURCES: Readonly<Record<string, { kind: string; verbs: readonly string[]; group?: string; version?: string }>> = {
  approval: { kind: '=', verbs: CHANGE_VERBS },
  attach: { kind: 'PodAttachOptions', verbs: ['create', 'get'] },
  binding: { kind: 'Binding', verbs: ['create'] },
  ephemeralcontainers: { kind: '=', verbs: CHANGE_VERBS },
  eviction: { kind: 'Eviction', verbs: ['create'], group: 'policy', version: 'v1' },
  exec: { kind: 'PodExecOptions', verbs: ['create', 'get'] },
  finalize: { kind: '=', verbs: ['update'] },
  log: { kind: '=', verbs: ['get'] },
  portforward: { kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
  proxy: { kind: '=ProxyOptions', verbs: ['create', 'delete', 'get', 'patch', 'update'] },
  resize: { kind: '=', verbs: CHANGE_VERBS },
  scale: { kind: 'Scale', verbs: CHANGE_VERBS, group: 'autoscaling', version: 'v1' },
  status: { kind: '=', verbs: CHANGE_VERBS },
  token: { kind: 'TokenRequest', verbs: ['create'], group: 'authentication.k8s.io', version: 'v1' },
};

/** Types that share their objects with another group: the key of the store they are kept under. */
const SHARED_STORAGE: Readonly<Record<string, string>> = { 'events.events.k8s.io': 'events' };

/** Every built-in type, in discovery order. A new array at each call; the types are shared. */
export function builtinTypes(): ApiType[] {
  const types: ApiType[] = [];
  let groupVersion = { group: '', version: '' };
  for (const line of TYPES.split('\n')) {
    if (line === '') continue;
    if (line.startsWith(' ')) types.push(parseType(line.trim(), groupVersion, types));
    else groupVersion = parseGroupVersion(line);
  }
  return types;
}

function parseType(line: string, { group, version }: { group: string; version: string }, before: readonly ApiType[]): ApiType {
  const [resource = '', kind = '', scope, ...rest] = line.split(' ');
  const settings = new Map(rest.map((part) => part.split('=') as [string, string]));
  const list = (name: string) => settings.get(name)?.split(',') ?? [];
  const subresources = list('sub');
  const id = group === '' ? resource : `${resource}.${group}`;
  return {
    gvr: { group, version, resource },
    kind,
    listKind: `${kind}List`,
    singular: kind.toLowerCase(),
    shortNames: list('short'),
    categories: list('in'),
    namespaced: scope === 'N',
    verbs: settings.has('verbs') ? list('verbs') : ALL_VERBS,
    subresources,
    subresourceTypes: new Map(subresources.map((name) => [name, subresourceOf(name, kind)])),
    preferred: !before.some((t) => t.gvr.group === group && t.gvr.resource === resource),
    storage: SHARED_STORAGE[id] ?? id,
    custom: undefined,
  };
}

function subresourceOf(name: string, kind: string): Subresource {
  const { group = '', version = '', verbs, kind: named } = SUBRESOURCES[name] ?? { kind: '=', verbs: CHANGE_VERBS };
  return { name, kind: named.replace('=', kind), group, version, verbs };
}

/** What the legacy discovery calls storageVersionHash. Source: apiserver discovery.StorageVersionHash. */
export function storageVersionHash({ gvr, kind }: ApiType): string {
  const name = `${gvr.group === '' ? `/${gvr.version}` : formatGroupVersion(gvr)}/${kind}`;
  return createHash('sha256').update(name).digest().subarray(0, 8).toString('base64');
}
