/** What the fields of the named groups are for. Written for this table; the notation is told in descriptions.ts. */
export const OTHER_TEXTS = `
Deployment Keeps pods running and replaces them step by step when their template changes.
DeploymentSpec How many pods, of which kind, and how they are replaced.
  replicas How many pods; 1 unless said.
  selector The labels of its pods. They must be those of the template, and cannot be changed.
  template What its pods look like.
  strategy How pods of the old template give way to pods of the new one.
  minReadySeconds How long a pod must have been ready to count as available.
  revisionHistoryLimit How many old ReplicaSets are kept to go back to; 10 unless said.
  paused Whether changes of the template wait.
  progressDeadlineSeconds How long a rollout may stand still before it counts as failed; 600 seconds unless said.
DeploymentStrategy How pods are replaced.
  type RollingUpdate unless said; Recreate ends all old pods first.
  rollingUpdate The pace of a RollingUpdate.
RollingUpdateDeployment The pace of a rollout.
  maxUnavailable How many pods may be missing meanwhile, by number or percentage; 25% unless said.
  maxSurge How many pods there may be too many meanwhile; 25% unless said.
DeploymentStatus How far it has come.
  observedGeneration The generation its controller has seen.
  replicas How many pods it has.
  updatedReplicas How many of them are of the present template.
  readyReplicas How many are ready.
  availableReplicas How many have been ready long enough.
  unavailableReplicas How many are missing.
  terminatingReplicas How many are going.
  conditions Whether it is available and gets on.
  collisionCount Counts clashes of names of its ReplicaSets.
ReplicaSet Keeps a number of equal pods running. Deployments make them.
ReplicaSetSpec How many pods of which kind.
  replicas How many pods; 1 unless said.
  minReadySeconds How long a pod must have been ready to count as available.
  selector The labels of its pods.
  template What its pods look like.
StatefulSet Keeps pods with names and storage of their own running.
StatefulSetSpec How many pods of which kind, and their storage.
  replicas How many pods; 1 unless said.
  selector The labels of its pods.
  template What its pods look like.
  volumeClaimTemplates Claims made for each pod, which outlive it.
  serviceName The headless service that gives the pods their names.
  podManagementPolicy Whether pods start and end one by one, which they do unless said.
  updateStrategy How pods are replaced.
  revisionHistoryLimit How many old revisions are kept; 10 unless said.
  minReadySeconds How long a pod must have been ready to count as available.
  persistentVolumeClaimRetentionPolicy What becomes of claims nobody needs any more.
  ordinals What the numbers in the names of the pods begin with.
DaemonSet Keeps one pod on every node that fits.
DaemonSetSpec Which pods on which nodes.
  selector The labels of its pods.
  template What its pods look like, and by its nodeSelector on which nodes they run.
  updateStrategy How pods are replaced.
  minReadySeconds How long a pod must have been ready to count as available.
  revisionHistoryLimit How many old revisions are kept; 10 unless said.
ControllerRevision An earlier state of a workload, kept to go back to.
Job Runs pods until enough of them have succeeded.
JobSpec What runs, how often, and when to give up.
  parallelism How many pods run at a time.
  completions How many have to succeed.
  activeDeadlineSeconds How long it may take before it is made to fail.
  backoffLimit How often to try again; 6 unless said.
  selector The labels of its pods, which the server chooses.
  manualSelector Whether the selector is one of your own.
  template What its pods look like.
  ttlSecondsAfterFinished How long it is kept when it has ended.
  completionMode Whether its pods are numbered.
  suspend Whether it stands still.
JobStatus How far it has come.
CronJob Makes Jobs at set times.
CronJobSpec When to make which Job.
  schedule When, in the five fields of cron.
  timeZone The time zone of the schedule.
  startingDeadlineSeconds How late a Job may start; later ones are left out.
  concurrencyPolicy What to do when the Job before still runs; Allow unless said.
  suspend Whether no more Jobs are made.
  jobTemplate What the Jobs look like.
  successfulJobsHistoryLimit How many Jobs that succeeded are kept; 3 unless said.
  failedJobsHistoryLimit How many Jobs that failed are kept; 1 unless said.
HorizontalPodAutoscaler Changes the number of replicas of a workload by what is measured.
HorizontalPodAutoscalerSpec What is scaled by what, and how far.
  scaleTargetRef What is scaled.
  minReplicas The fewest; 1 unless said.
  maxReplicas The most.
  metrics What is measured, and where it should be.
  behavior How fast it may go up and down.
Scale A workload seen as a number of replicas.
PodDisruptionBudget How many of a set of pods must stay when pods are evicted.
PodDisruptionBudgetSpec Which pods, and how many of them.
  minAvailable How many must stay, by number or percentage.
  maxUnavailable How many may be away, by number or percentage.
  selector The labels of the pods.
Ingress Leads requests from outside to services, by host and path.
IngressSpec Which requests lead where.
  ingressClassName Who carries it out.
  defaultBackend Where requests go that no rule is for.
  tls Certificates for hosts.
  rules Hosts and their paths.
NetworkPolicy Who may talk to a set of pods, and whom these may talk to.
NetworkPolicySpec Which pods, and what is let through.
  podSelector The labels of the pods it is for.
  policyTypes Whether it is about Ingress, Egress or both.
  ingress What is let in.
  egress What is let out.
EndpointSlice A part of the addresses behind a service.
  addressType IPv4, IPv6 or FQDN.
  endpoints The addresses.
  ports The ports each of them offers.
StorageClass A kind of storage claims may ask for.
Role Rights within a namespace.
  rules What is allowed.
ClusterRole Rights within the whole cluster, or for use in namespaces.
  rules What is allowed.
  aggregationRule Chooses other ClusterRoles whose rules this one takes over.
PolicyRule Verbs that are allowed on resources or paths.
  verbs What may be done; * is everything.
  apiGroups The groups of the resources; '' is the core group, * is all.
  resources The resources, or resource/subresource; * is all.
  resourceNames The only names it holds for, if there are any here.
  nonResourceURLs Paths that speak of no resource. A * may stand at the end.
RoleBinding Gives the rights of a role to subjects, within its namespace.
  subjects Who gets them.
  roleRef The Role or ClusterRole. It cannot be changed.
ClusterRoleBinding Gives the rights of a ClusterRole to subjects, everywhere.
  subjects Who gets them.
  roleRef The ClusterRole. It cannot be changed.
Subject A user, a group or a service account.
  kind User, Group or ServiceAccount.
  apiGroup rbac.authorization.k8s.io for users and groups, nothing for service accounts.
  name Its name.
  namespace The namespace of a service account.
RoleRef Names a role.
  apiGroup rbac.authorization.k8s.io.
  kind Role or ClusterRole.
  name Its name.
Lease A claim to something for a time, as leaders and nodes hold it.
LeaseSpec Who holds it, and for how long.
  holderIdentity Who holds it.
  leaseDurationSeconds How long it holds after renewTime.
  acquireTime When its holder got it.
  renewTime When its holder last renewed it.
  leaseTransitions How often it changed hands.
PriorityClass A name for how important pods are.
  value The number; higher is more important.
  globalDefault Whether pods that name no class are of this one.
  description What it is for, for people.
  preemptionPolicy Whether its pods may push out others.
CustomResourceDefinition Brings a type of its own to the API.
CustomResourceDefinitionSpec The type, and how it is served.
  group Its group, such as example.com.
  names What it is called.
  scope Namespaced or Cluster.
  versions Its versions, one of which is the stored one.
  conversion How objects go from one version to another.
CustomResourceDefinitionVersion One version of the type.
  name Such as v1.
  served Whether clients may use it.
  storage Whether objects are kept in it.
  deprecated Whether its use brings a warning.
  schema What its objects look like.
  subresources Which subresources it has.
  additionalPrinterColumns Columns of its tables.
  selectableFields Fields that selectors may use.
SelfSubjectAccessReview Asks whether you may do something.
SelfSubjectRulesReview Asks for all you may do in a namespace.
SelfSubjectReview Asks who you are.
SubjectAccessReview Asks whether somebody may do something.
LocalSubjectAccessReview Asks whether somebody may do something in a namespace.
TokenRequest Asks for a token of a service account.
TokenReview Asks whose a token is.
StatefulSetStatus How far it has come.
  replicas How many pods it has.
  readyReplicas How many are ready.
  currentReplicas How many are of the revision before the update.
  updatedReplicas How many are of the present template.
  availableReplicas How many have been ready long enough.
DaemonSetStatus How far it has come.
  desiredNumberScheduled On how many nodes it should run.
  currentNumberScheduled On how many of them it runs.
  numberMisscheduled On how many nodes it runs where it should not.
  numberReady How many pods are ready.
  numberAvailable How many have been ready long enough.
  updatedNumberScheduled How many pods are of the present template.
ReplicaSetStatus How far it has come.
  replicas How many pods it has.
  readyReplicas How many are ready.
  availableReplicas How many have been ready long enough.
PodDisruptionBudgetStatus What the budget allows now.
  disruptionsAllowed How many pods may be evicted now.
  currentHealthy How many pods are healthy.
  desiredHealthy How many have to be.
  expectedPods How many pods it counts.
CrossVersionObjectReference Names what is scaled.
MetricSpec One thing that is measured; which one, type says.
  type Resource, ContainerResource, Pods, Object or External.
  resource A resource that all containers of the pods together use.
  containerResource A resource that one container of each pod uses.
  pods A measure of the pods themselves.
  object A measure of another object.
  external A measure from outside the cluster.
MetricTarget Where a measure should be.
  type Utilization, Value or AverageValue.
  averageUtilization In percent of what the pods ask for, on average.
  averageValue So much per pod, on average.
  value So much in all.
IngressRule Where requests for a host go.
  host The host; every host if there is none.
  http The paths of the host.
HTTPIngressPath Where requests for a path go.
  path What the path begins with, or is.
  pathType Exact, Prefix or ImplementationSpecific.
  backend Where they go.
IngressBackend Where requests go.
  service A service and its port.
  resource Another object of the namespace.
IngressTLS A certificate and the hosts it is for.
  hosts The hosts.
  secretName The Secret that holds it.
NetworkPolicyIngressRule Traffic that is let in.
  from Whom from; from everybody if there is nobody here.
  ports On which ports; on all if there are none here.
NetworkPolicyEgressRule Traffic that is let out.
  to To whom; to everybody if there is nobody here.
  ports To which ports; to all if there are none here.
NetworkPolicyPeer Whom traffic is with. Both selectors together mean those pods in those namespaces.
  podSelector Pods with these labels.
  namespaceSelector Namespaces with these labels.
  ipBlock A range of addresses.
Endpoint One address, or several of one pod, behind a service.
  addresses The addresses.
  conditions Whether it can be used.
  nodeName The node it is on.
  targetRef The pod it is of.
  zone The zone it is in.
MutatingWebhookConfiguration Web services that may change objects before they are stored.
  webhooks The services, and what they are asked about.
ValidatingWebhookConfiguration Web services that may refuse objects before they are stored.
  webhooks The services, and what they are asked about.
ValidatingAdmissionPolicy Rules that objects must keep to be stored.
ValidatingAdmissionPolicyBinding Where a policy holds.
MutatingAdmissionPolicy Rules by which objects are changed before they are stored.
MutatingAdmissionPolicyBinding Where a policy holds.
APIService A version of a group that another server serves.
CertificateSigningRequest Asks for a certificate.
RuntimeClass A kind of container runtime.
IngressClass A kind of ingress controller.
CSIDriver A storage driver.
CSINode The storage drivers of a node.
CSIStorageCapacity How much a storage driver has left.
VolumeAttachment Asks to attach a volume to a node.
VolumeAttributesClass A kind of volume that can be changed later.
FlowSchema Sorts requests to the server into levels of priority.
PriorityLevelConfiguration How many requests of a level are served at a time.
ResourceClaim Asks for devices.
ResourceClaimTemplate What claims made for pods look like.
ResourceSlice Devices of a node or a pool.
DeviceClass A kind of device.
`;
