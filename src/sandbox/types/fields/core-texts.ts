/** What the fields of the core group are for. Written for this table; the notation is told in descriptions.ts. */
export const CORE_TEXTS = `
Pod Containers that run together on one node and share its network and volumes.
PodSpec How a pod is to run.
  volumes Volumes the containers may mount.
  initContainers Containers that run to their end, one after the other, before the others start.
  containers The containers of the pod, at least one. They cannot be added or removed later.
  ephemeralContainers Containers put into a running pod to look at it. They come through a subresource of their own.
  restartPolicy When containers that have ended are started again; Always unless said.
  terminationGracePeriodSeconds How long the containers may take to end before they are killed; 30 seconds unless said.
  activeDeadlineSeconds How long the pod may run before it is made to fail, in seconds.
  dnsPolicy Where names are looked up; ClusterFirst unless said.
  nodeSelector Labels a node must have for the pod to run there.
  serviceAccountName The service account the pod acts as.
  serviceAccount The former name of serviceAccountName.
  automountServiceAccountToken Whether a token of the service account is mounted.
  nodeName The node the pod runs on. Set by the scheduler.
  hostNetwork Whether the pod uses the network of its node.
  hostPID Whether the pod sees the processes of its node.
  hostIPC Whether the pod shares the IPC namespace of its node.
  shareProcessNamespace Whether the containers see each other's processes.
  securityContext Users, groups and kernel settings for all containers.
  imagePullSecrets Secrets with credentials for the registries of the images.
  hostname The host name inside the pod; its name unless said.
  subdomain Makes its full name HOSTNAME.SUBDOMAIN.NAMESPACE.svc.DOMAIN.
  affinity Which nodes and neighbours it wants, or does not want.
  schedulerName Who places it on a node; default-scheduler unless said.
  tolerations Taints of nodes it puts up with.
  hostAliases Lines for its hosts file.
  priorityClassName The priority class that says how important it is.
  priority The number behind the priority class.
  dnsConfig Additions to what dnsPolicy brings.
  readinessGates Conditions, beside its containers, that must hold for it to be ready.
  runtimeClassName The runtime its containers run in.
  enableServiceLinks Whether services appear as environment variables; they do unless said.
  preemptionPolicy Whether it may push out pods of lower priority.
  overhead What running it costs beyond its containers.
  topologySpreadConstraints How evenly pods like it are to be spread.
  os The operating system the containers are for.
  schedulingGates It is not placed until all of these are taken away.
  resourceClaims Devices that must be allotted before it starts.
  resources What the pod as a whole asks for and may use.
PodStatus What is known of a pod, as its node last told.
  phase Where it is in its life.
  conditions What has been reached: scheduled, initialized, ready.
  message Why it is in this state, for people.
  reason The same in one word.
  hostIP The address of its node.
  hostIPs All addresses of its node.
  podIP Its address.
  podIPs All its addresses, at most one of each family.
  startTime When its node took it on.
  initContainerStatuses One entry for each init container.
  containerStatuses One entry for each container.
  ephemeralContainerStatuses One entry for each ephemeral container.
  qosClass How its resources are guaranteed, which follows from its requests and limits.
  nominatedNodeName The node on which room is being made for it.
  observedGeneration The generation its node has seen.
PodCondition One aspect of the state of a pod.
  type The name of the aspect, such as Ready.
  status True, False or Unknown.
  lastTransitionTime When status last changed.
  reason Why, in one word.
  message Why, for people.
Container A program in its image, and how it runs.
  name Its name, which no other container of the pod has.
  image The image it runs.
  command What to start in place of the image's entry point. $(NAME) stands for an environment variable.
  args Arguments in place of the image's own.
  workingDir The directory it starts in.
  ports Ports it listens on, for those who read; others are reachable too.
  envFrom Sources all of whose entries become environment variables.
  env Environment variables.
  resources What it asks for and may use of processor, memory and devices.
  resizePolicy Whether a change of its resources restarts it.
  restartPolicy For an init container: Always makes it one that keeps running beside the others.
  volumeMounts Where volumes appear in its file system.
  volumeDevices Where block devices appear in it.
  livenessProbe Restarts it when the check fails.
  readinessProbe Takes it out of services while the check fails.
  startupProbe Holds the other probes until this check has succeeded once.
  lifecycle What to do after it started and before it is ended.
  terminationMessagePath The file from which its last words are read.
  terminationMessagePolicy Whether the end of its log counts when that file is empty.
  imagePullPolicy When the image is fetched: Always for :latest, else IfNotPresent, unless said.
  securityContext Its rights, over those of the pod.
  stdin Whether it has an open standard input.
  stdinOnce Whether that input closes after the first client.
  tty Whether it gets a terminal.
ContainerPort A port of a container.
  name A name by which services may refer to it.
  hostPort The port of the node that leads to it.
  containerPort The port inside the pod, 1 to 65535.
  protocol TCP unless said.
  hostIP The address of the node that hostPort is bound to.
EnvVar An environment variable.
  name Its name.
  value Its value. $(NAME) stands for a variable before it.
  valueFrom Where the value comes from, if it is not given.
EnvVarSource One source of a value.
  fieldRef A field of the pod.
  resourceFieldRef A request or limit of a container.
  configMapKeyRef An entry of a ConfigMap.
  secretKeyRef An entry of a Secret.
EnvFromSource All entries of a ConfigMap or a Secret.
  prefix Put before every name.
  configMapRef The ConfigMap.
  secretRef The Secret.
ResourceRequirements What is asked for and what may be used.
  limits The most of each resource.
  requests The least of each resource; the limit unless said.
  claims Which of the pod's resourceClaims it uses.
VolumeMount A volume in the file system of a container.
  name The volume.
  mountPath Where it appears. It must not contain a colon.
  readOnly Whether writing is refused.
  subPath A path within the volume to mount in place of its root.
  subPathExpr A subPath with environment variables in it.
  mountPropagation Whether later mounts pass between node and container.
Volume A directory containers may mount. One of the sources below is set.
  name Its name within the pod.
  configMap The entries of a ConfigMap as files.
  secret The entries of a Secret as files.
  emptyDir An empty directory that lives as long as the pod.
  hostPath A path of the node.
  persistentVolumeClaim A claim in the same namespace.
  projected Several sources in one directory.
  downwardAPI Fields of the pod as files.
  nfs A share of an NFS server.
  csi Storage of a CSI driver, for as long as the pod lives.
  ephemeral A claim made for the pod and deleted with it.
  image The content of an image, read only.
Probe A check of a container at intervals.
  exec A command that must end with 0.
  httpGet A request that must be answered with a status from 200 to 399.
  tcpSocket A port that must take connections.
  grpc A gRPC health check.
  initialDelaySeconds How long to wait after the start before the first check.
  timeoutSeconds When a check counts as failed; 1 second unless said.
  periodSeconds How often to check; every 10 seconds unless said.
  successThreshold How many successes in a row make up for a failure; 1 unless said.
  failureThreshold How many failures in a row count; 3 unless said.
  terminationGracePeriodSeconds How long the container may take to end when the check has failed.
SecurityContext The rights of a container.
  privileged Whether it may do on the node what root may.
  runAsUser The user id it runs as.
  runAsGroup The group id it runs as.
  runAsNonRoot Whether it must not run as root.
  readOnlyRootFilesystem Whether its own file system is read only.
  allowPrivilegeEscalation Whether a process may gain more rights than its parent.
  capabilities Capabilities added to it and taken from it.
ContainerStatus What is known of a container.
  name The container.
  state What it is doing now.
  lastState How its last run ended.
  ready Whether it passes its readiness probe.
  restartCount How often it was started again.
  image The image it runs.
  imageID The digest of that image.
  containerID What the runtime calls it.
  started Whether it has passed its startup probe.
Toleration Lets a pod on nodes with matching taints.
  key The taint; empty with Exists for all.
  operator Exists or Equal, which it is unless said.
  value What the taint's value must be.
  effect The effect that is tolerated; empty for all.
  tolerationSeconds How long NoExecute is put up with.
PodTemplateSpec What new pods look like.
PodTemplate A template kept as an object.
  template What pods made from it look like.
Service One name and address for a set of pods.
ServiceSpec How a service is reached and what stands behind it.
  ports The ports it offers.
  selector The labels of the pods behind it. Without one, whoever makes it also makes its endpoints.
  clusterIP Its address; None for a headless one, which has only names.
  clusterIPs All its addresses.
  type How it is reached; ClusterIP unless said.
  externalIPs Further addresses whose traffic nodes take for it.
  sessionAffinity Whether a client comes to the same pod again; None unless said.
  loadBalancerIP The address asked of a load balancer, where it can be asked.
  loadBalancerSourceRanges Who may come through the load balancer, as CIDRs.
  externalName The name an ExternalName service stands for.
  externalTrafficPolicy Whether traffic from outside stays on the node it comes to.
  internalTrafficPolicy The same for traffic from inside.
  publishNotReadyAddresses Whether pods that are not ready count too.
  ipFamilies IPv4, IPv6 or both, the main one first.
  ipFamilyPolicy Whether it has one family or two.
  allocateLoadBalancerNodePorts Whether a load balancer gets ports on the nodes.
  loadBalancerClass Which kind of load balancer.
  trafficDistribution A preference for where traffic goes, such as PreferClose.
ServicePort A port of a service.
  name Its name; needed when there are several.
  protocol TCP unless said.
  appProtocol What is spoken over it, as a hint.
  port The port of the service.
  targetPort The port of the pods, by number or name; port unless said.
  nodePort The port of the nodes for NodePort and LoadBalancer; chosen unless said.
ConfigMap Settings for pods to read.
  data Entries of text.
  binaryData Entries of bytes, in base64.
  immutable Whether the entries are fixed for good.
Secret Settings not everybody may read, of at most 1 MiB.
  data Entries in base64.
  stringData Entries as text. Written only: they are put into data.
  type What it holds, by which programs know it.
  immutable Whether the entries are fixed for good.
Namespace A scope for names, rights and quotas.
NamespaceSpec What holds a namespace.
  finalizers Holds it until it is empty.
NamespaceStatus The state of a namespace.
  phase Active, or Terminating while it empties itself.
  conditions What goes on, or goes wrong, while it is deleted.
Node A machine pods run on.
NodeSpec What a node is told.
  podCIDR The range its pods have their addresses from.
  podCIDRs The same for every family.
  providerID What its cloud calls it.
  unschedulable Whether new pods stay away from it.
  taints What keeps pods away that do not tolerate it.
NodeStatus What is known of a node.
  capacity What it has.
  allocatable What of that pods may have.
  conditions Whether it is ready, and what it lacks.
  addresses How it is reached.
  nodeInfo Versions and ids of its parts.
  images The images it holds.
Taint Keeps pods off a node that do not tolerate it.
  key Its name.
  value Its value.
  effect What happens to pods that do not tolerate it.
  timeAdded When it was put on, for NoExecute.
PersistentVolume A piece of storage of the cluster.
PersistentVolumeClaim Asks for storage for pods of a namespace.
PersistentVolumeClaimSpec What storage is asked for.
  accessModes How it is to be mounted.
  resources How much of it.
  storageClassName Which class of it.
  selector Labels of the volumes that will do.
  volumeName The volume that was found for it.
  volumeMode A file system, which it is unless said, or a block device.
  dataSource What it begins with: a snapshot or another claim.
ServiceAccount Who pods act as.
  secrets Secrets pods that act as it may use.
  imagePullSecrets Credentials for images, for pods that name none.
  automountServiceAccountToken Whether its token is mounted in pods that do not say.
Endpoints The addresses behind a service; EndpointSlices are what to read today.
  subsets Groups of addresses that offer the same ports.
Event Something that was seen to happen to an object.
  involvedObject What it happened to.
  regarding What it happened to.
  reason What happened, in one word.
  message What happened, for people.
  note What happened, for people.
  type Normal or Warning.
  source Who saw it.
  firstTimestamp When it was first seen.
  lastTimestamp When it was last seen.
  count How often it was seen.
  eventTime When it was first seen, to the microsecond.
  series How it went on, when it was seen again.
  action What was done.
  related Another object that has to do with it.
  reportingComponent Who saw it.
  reportingController Who saw it.
  reportingInstance Which instance of that.
LimitRange Bounds and defaults for the resources of single objects in a namespace.
ResourceQuota Bounds for all objects of a namespace together.
ReplicationController Keeps a number of pods running; a Deployment is what to use today.
ObjectReference Names an object.
LocalObjectReference Names an object of the same namespace.
  name The name of the object.
ConfigMapKeySelector An entry of a ConfigMap.
  key The entry.
  name The ConfigMap.
  optional Whether it may be missing.
SecretKeySelector An entry of a Secret.
  key The entry.
  name The Secret.
  optional Whether it may be missing.
ObjectFieldSelector A field of the pod.
  fieldPath The field, such as metadata.name.
  apiVersion The version the field is named in.
ConfigMapVolumeSource The entries of a ConfigMap as files.
  name The ConfigMap.
  items Which entries, and under which paths; all of them, by their names, if there are none here.
  defaultMode The permissions of the files; 0644 unless said.
  optional Whether it may be missing.
SecretVolumeSource The entries of a Secret as files.
  secretName The Secret.
  items Which entries, and under which paths; all of them, by their names, if there are none here.
  defaultMode The permissions of the files; 0644 unless said.
  optional Whether it may be missing.
EmptyDirVolumeSource An empty directory.
  medium Memory for one that is kept there; else the node's disk.
  sizeLimit The most it may hold.
HostPathVolumeSource A path of the node.
  path The path.
  type What has to be there.
PersistentVolumeClaimVolumeSource A claim of the namespace.
  claimName The claim.
  readOnly Whether writing is refused.
KeyToPath An entry and the path of its file.
  key The entry.
  path The path, within the volume.
  mode The permissions of the file.
HTTPGetAction A request.
  path The path.
  port The port, by number or name.
  host The host; the pod's address unless said.
  scheme HTTP unless said.
  httpHeaders Headers to send.
TCPSocketAction A connection.
  port The port, by number or name.
  host The host; the pod's address unless said.
ExecAction A command in the container.
  command The command and its arguments. No shell reads it.
Lifecycle What to do at the start and at the end.
  postStart Right after the start. The container is not ready before it has ended.
  preStop Before it is ended, within the time it has for that.
Affinity Which nodes and neighbours a pod wants.
  nodeAffinity Nodes by their labels.
  podAffinity Pods to be near.
  podAntiAffinity Pods to be away from.
TopologySpreadConstraint How evenly pods are spread.
  maxSkew By how many the numbers of pods in two places may differ.
  topologyKey The label of nodes that says in which place they are.
  whenUnsatisfiable Whether a pod waits when it cannot be kept.
  labelSelector The pods that count.
ContainerState What a container is doing. One of these is set.
  waiting It waits to be started.
  running It runs.
  terminated It has ended.
ContainerStateTerminated How a container ended.
  exitCode The code it ended with.
  signal The signal that ended it.
  reason Why, in one word.
  message Its last words.
  startedAt When it had started.
  finishedAt When it ended.
NodeAddress An address of a node.
NodeSystemInfo What runs on a node.
ServiceStatus The state of a service.
  loadBalancer Where its load balancer is.
PersistentVolumeSpec The storage, and for whom it is.
  capacity How large it is.
  accessModes How it can be mounted.
  claimRef The claim it is bound to.
  persistentVolumeReclaimPolicy What becomes of it when its claim is gone.
  storageClassName The class it belongs to.
  volumeMode A file system, which it is unless said, or a block device.
  nodeAffinity The nodes it can be reached from.
PersistentVolumeClaimStatus What storage was found.
  phase Whether it is bound.
  accessModes How it can be mounted.
  capacity How large it is.
ResourceQuotaSpec What is bound.
  hard The most of each resource.
  scopes Which objects count; all unless said.
ResourceQuotaStatus How much is used.
  hard The most of each resource.
  used How much of it there is.
LimitRangeSpec The bounds.
  limits The bounds, one entry for each kind of thing.
LimitRangeItem The bounds for one kind of thing.
  type Pod, Container or PersistentVolumeClaim.
  max The most of each resource.
  min The least of each resource.
  default The limit of containers that have none.
  defaultRequest The request of containers that have none.
`;
