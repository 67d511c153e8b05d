/**
 * The messages in which Go clients send objects, as far as the sandbox reads them. A line: message, then fields `name=number:type`.
 * No type is a string; `int`, `bool`, `bytes` and other messages are named; `[T]` is a list, `{T}` a map by strings. A `?` means that
 * zero is a value and not the absence of one (a Go pointer). `>` means that the fields of the message stand in its parent.
 * Only what is listed is read: a field that is not answers 501, so that nothing is lost silently.
 * Source: the field numbers of kubernetes/api and apimachinery.
 */
const MESSAGES = `
ObjectMeta name=1 generateName=2 namespace=3 selfLink=4 uid=5 resourceVersion=6 generation=7:int creationTimestamp=8:Time deletionTimestamp=9:Time deletionGracePeriodSeconds=10:int? labels=11:{string} annotations=12:{string} ownerReferences=13:[OwnerReference] finalizers=14:[string] managedFields=17:[ManagedFieldsEntry]
OwnerReference kind=1 name=3 uid=4 apiVersion=5 controller=6:bool? blockOwnerDeletion=7:bool?
ManagedFieldsEntry manager=1 operation=2 apiVersion=3 time=4:Time fieldsType=6 fieldsV1=7:FieldsV1 subresource=8
LabelSelector matchLabels=1:{string} matchExpressions=2:[LabelSelectorRequirement]
LabelSelectorRequirement key=1 operator=2 values=3:[string]
Condition type=1 status=2 observedGeneration=3:int lastTransitionTime=4:Time reason=5 message=6
DeleteOptions gracePeriodSeconds=1:int? preconditions=2:Preconditions orphanDependents=3:bool? propagationPolicy=4 dryRun=5:[string]
Preconditions uid=1 resourceVersion=2

Namespace metadata=1:ObjectMeta spec=2:NamespaceSpec status=3:NamespaceStatus
NamespaceSpec finalizers=1:[string]
NamespaceStatus phase=1
ConfigMap metadata=1:ObjectMeta data=2:{string} binaryData=3:{bytes} immutable=4:bool?
Secret metadata=1:ObjectMeta data=2:{bytes} type=3 stringData=4:{string} immutable=5:bool?
ServiceAccount metadata=1:ObjectMeta secrets=2:[ObjectReference] imagePullSecrets=3:[LocalObjectReference] automountServiceAccountToken=4:bool?
ObjectReference kind=1 namespace=2 name=3 uid=4 apiVersion=5 resourceVersion=6 fieldPath=7
LocalObjectReference name=1
ResourceQuota metadata=1:ObjectMeta spec=2:ResourceQuotaSpec status=3:ResourceQuotaStatus
ResourceQuotaSpec hard=1:{Quantity} scopes=2:[string]
ResourceQuotaStatus hard=1:{Quantity} used=2:{Quantity}

Service metadata=1:ObjectMeta spec=2:ServiceSpec status=3:ServiceStatus
ServiceSpec ports=1:[ServicePort] selector=2:{string} clusterIP=3 type=4 externalIPs=5:[string] sessionAffinity=7 loadBalancerIP=8 loadBalancerSourceRanges=9:[string] externalName=10 externalTrafficPolicy=11 healthCheckNodePort=12:int publishNotReadyAddresses=13:bool ipFamilyPolicy=17 clusterIPs=18:[string] ipFamilies=19:[string] allocateLoadBalancerNodePorts=20:bool? loadBalancerClass=21 internalTrafficPolicy=22 trafficDistribution=23
ServicePort name=1 protocol=2 port=3:int targetPort=4:IntOrString nodePort=5:int appProtocol=6
ServiceStatus loadBalancer=1:LoadBalancerStatus conditions=2:[Condition]
LoadBalancerStatus ingress=1:[LoadBalancerIngress]
LoadBalancerIngress ip=1 hostname=2 ipMode=3

Pod metadata=1:ObjectMeta spec=2:PodSpec status=3:PodStatus
PodStatus phase=1 conditions=2:[PodCondition] message=3 reason=4 hostIP=5 podIP=6 startTime=7:Time qosClass=9 nominatedNodeName=11 podIPs=12:[PodIP] resize=14 observedGeneration=17:int
PodCondition type=1 status=2 lastProbeTime=3:Time lastTransitionTime=4:Time reason=5 message=6 observedGeneration=7:int
PodIP ip=1
PodTemplateSpec metadata=1:ObjectMeta spec=2:PodSpec
PodSpec volumes=1:[Volume] containers=2:[Container] restartPolicy=3 terminationGracePeriodSeconds=4:int? activeDeadlineSeconds=5:int? dnsPolicy=6 nodeSelector=7:{string} serviceAccountName=8 serviceAccount=9 nodeName=10 hostNetwork=11:bool hostPID=12:bool hostIPC=13:bool securityContext=14:PodSecurityContext imagePullSecrets=15:[LocalObjectReference] hostname=16 subdomain=17 schedulerName=19 initContainers=20:[Container] automountServiceAccountToken=21:bool? tolerations=22:[Toleration] priorityClassName=24 priority=25:int? shareProcessNamespace=27:bool? runtimeClassName=29 enableServiceLinks=30:bool? preemptionPolicy=31
PodSecurityContext runAsUser=2:int? runAsNonRoot=3:bool? supplementalGroups=4:[int] fsGroup=5:int? runAsGroup=6:int?
Container name=1 image=2 command=3:[string] args=4:[string] workingDir=5 ports=6:[ContainerPort] env=7:[EnvVar] resources=8:ResourceRequirements volumeMounts=9:[VolumeMount] livenessProbe=10:Probe readinessProbe=11:Probe terminationMessagePath=13 imagePullPolicy=14 securityContext=15:SecurityContext stdin=16:bool stdinOnce=17:bool tty=18:bool envFrom=19:[EnvFromSource] terminationMessagePolicy=20 startupProbe=22:Probe restartPolicy=24
SecurityContext privileged=2:bool? runAsUser=4:int? runAsNonRoot=5:bool? readOnlyRootFilesystem=6:bool? allowPrivilegeEscalation=7:bool? runAsGroup=8:int?
ContainerPort name=1 hostPort=2:int containerPort=3:int protocol=4 hostIP=5
EnvVar name=1 value=2 valueFrom=3:EnvVarSource
EnvVarSource fieldRef=1:ObjectFieldSelector configMapKeyRef=3:KeySelector secretKeyRef=4:KeySelector
ObjectFieldSelector apiVersion=1 fieldPath=2
KeySelector localObjectReference=1:>LocalObjectReference key=2 optional=3:bool?
EnvFromSource prefix=1 configMapRef=2:SourceReference secretRef=3:SourceReference
SourceReference localObjectReference=1:>LocalObjectReference optional=2:bool?
ResourceRequirements limits=1:{Quantity} requests=2:{Quantity}
VolumeMount name=1 readOnly=2:bool mountPath=3 subPath=4 mountPropagation=5 subPathExpr=6 recursiveReadOnly=7
Probe handler=1:>ProbeHandler initialDelaySeconds=2:int timeoutSeconds=3:int periodSeconds=4:int successThreshold=5:int failureThreshold=6:int terminationGracePeriodSeconds=7:int?
ProbeHandler exec=1:ExecAction httpGet=2:HTTPGetAction tcpSocket=3:TCPSocketAction
ExecAction command=1:[string]
HTTPGetAction path=1 port=2:IntOrString host=3 scheme=4
TCPSocketAction port=1:IntOrString host=2
Toleration key=1 operator=2 value=3 effect=4 tolerationSeconds=5:int?
Volume name=1 volumeSource=2:>VolumeSource
VolumeSource hostPath=1:HostPathVolumeSource emptyDir=2:EmptyDirVolumeSource secret=6:SecretVolumeSource persistentVolumeClaim=10:ClaimVolumeSource configMap=19:ConfigMapVolumeSource
HostPathVolumeSource path=1 type=2
EmptyDirVolumeSource medium=1 sizeLimit=2:Quantity
SecretVolumeSource secretName=1 items=2:[KeyToPath] defaultMode=3:int? optional=4:bool?
ConfigMapVolumeSource localObjectReference=1:>LocalObjectReference items=2:[KeyToPath] defaultMode=3:int? optional=4:bool?
KeyToPath key=1 path=2 mode=3:int?
ClaimVolumeSource claimName=1 readOnly=2:bool

Deployment metadata=1:ObjectMeta spec=2:DeploymentSpec status=3:DeploymentStatus
DeploymentSpec replicas=1:int? selector=2:LabelSelector template=3:PodTemplateSpec strategy=4:DeploymentStrategy minReadySeconds=5:int revisionHistoryLimit=6:int? paused=7:bool progressDeadlineSeconds=9:int?
DeploymentStrategy type=1 rollingUpdate=2:RollingUpdateDeployment
RollingUpdateDeployment maxUnavailable=1:IntOrString maxSurge=2:IntOrString
DeploymentStatus observedGeneration=1:int replicas=2:int updatedReplicas=3:int availableReplicas=4:int unavailableReplicas=5:int conditions=6:[DeploymentCondition] readyReplicas=7:int collisionCount=8:int? terminatingReplicas=9:int?
DeploymentCondition type=1 status=2 reason=4 message=5 lastUpdateTime=6:Time lastTransitionTime=7:Time

Job metadata=1:ObjectMeta spec=2:JobSpec status=3:JobStatus
JobSpec parallelism=1:int? completions=2:int? activeDeadlineSeconds=3:int? selector=4:LabelSelector manualSelector=5:bool? template=6:PodTemplateSpec backoffLimit=7:int? ttlSecondsAfterFinished=8:int? completionMode=9 suspend=10:bool?
JobStatus startTime=2:Time completionTime=3:Time active=4:int succeeded=5:int failed=6:int completedIndexes=7
CronJob metadata=1:ObjectMeta spec=2:CronJobSpec status=3:CronJobStatus
CronJobSpec schedule=1 startingDeadlineSeconds=2:int? concurrencyPolicy=3 suspend=4:bool? jobTemplate=5:JobTemplateSpec successfulJobsHistoryLimit=6:int? failedJobsHistoryLimit=7:int? timeZone=8
CronJobStatus active=1:[ObjectReference] lastScheduleTime=4:Time lastSuccessfulTime=5:Time
JobTemplateSpec metadata=1:ObjectMeta spec=2:JobSpec

Role metadata=1:ObjectMeta rules=2:[PolicyRule]
ClusterRole metadata=1:ObjectMeta rules=2:[PolicyRule]
PolicyRule verbs=1:[string] apiGroups=2:[string] resources=3:[string] resourceNames=4:[string] nonResourceURLs=5:[string]
RoleBinding metadata=1:ObjectMeta subjects=2:[Subject] roleRef=3:RoleRef
ClusterRoleBinding metadata=1:ObjectMeta subjects=2:[Subject] roleRef=3:RoleRef
Subject kind=1 apiGroup=2 name=3 namespace=4
RoleRef apiGroup=1 kind=2 name=3

Ingress metadata=1:ObjectMeta spec=2:IngressSpec status=3:IngressStatus
IngressSpec defaultBackend=1:IngressBackend tls=2:[IngressTLS] rules=3:[IngressRule] ingressClassName=4
IngressBackend service=4:IngressServiceBackend
IngressServiceBackend name=1 port=2:ServiceBackendPort
ServiceBackendPort name=1 number=2:int
IngressTLS hosts=1:[string] secretName=2
IngressRule host=1 ingressRuleValue=2:>IngressRuleValue
IngressRuleValue http=1:HTTPIngressRuleValue
HTTPIngressRuleValue paths=1:[HTTPIngressPath]
HTTPIngressPath path=1 backend=2:IngressBackend pathType=3
IngressStatus loadBalancer=1:Empty

HorizontalPodAutoscaler metadata=1:ObjectMeta spec=2:HorizontalPodAutoscalerSpec status=3:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerSpec scaleTargetRef=1:CrossVersionObjectReference minReplicas=2:int? maxReplicas=3:int metrics=4:[MetricSpec]
CrossVersionObjectReference kind=1 name=2 apiVersion=3
MetricSpec type=1 resource=4:ResourceMetricSource
ResourceMetricSource name=1 target=2:MetricTarget
MetricTarget type=1 value=2:Quantity averageValue=3:Quantity averageUtilization=4:int?
HorizontalPodAutoscalerStatus observedGeneration=1:int? lastScaleTime=2:Time currentReplicas=3:int desiredReplicas=4:int
PodDisruptionBudget metadata=1:ObjectMeta spec=2:PodDisruptionBudgetSpec status=3:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec minAvailable=1:IntOrString selector=2:LabelSelector maxUnavailable=3:IntOrString unhealthyPodEvictionPolicy=4
PodDisruptionBudgetStatus observedGeneration=1:int disruptionsAllowed=3:int currentHealthy=4:int desiredHealthy=5:int expectedPods=6:int conditions=7:[Condition]
PriorityClass metadata=1:ObjectMeta value=2:int globalDefault=3:bool description=4 preemptionPolicy=5
Eviction metadata=1:ObjectMeta deleteOptions=2:DeleteOptions

Lease metadata=1:ObjectMeta spec=2:LeaseSpec
LeaseSpec holderIdentity=1 leaseDurationSeconds=2:int? acquireTime=3:MicroTime renewTime=4:MicroTime leaseTransitions=5:int? strategy=6 preferredHolder=7
Event metadata=1:ObjectMeta involvedObject=2:ObjectReference reason=3 message=4 source=5:EventSource firstTimestamp=6:Time lastTimestamp=7:Time count=8:int type=9 eventTime=10:MicroTime series=11:EventSeries action=12 related=13:ObjectReference reportingComponent=14 reportingInstance=15
EventSource component=1 host=2
EventSeries count=1:int lastObservedTime=2:MicroTime
events.k8s.io/Event metadata=1:ObjectMeta eventTime=2:MicroTime series=3:EventSeries reportingController=4 reportingInstance=5 action=6 reason=7 regarding=8:ObjectReference related=9:ObjectReference note=10 type=11 deprecatedSource=12:EventSource deprecatedFirstTimestamp=13:Time deprecatedLastTimestamp=14:Time deprecatedCount=15:int

SelfSubjectAccessReview metadata=1:ObjectMeta spec=2:SelfSubjectAccessReviewSpec status=3:SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec resourceAttributes=1:ResourceAttributes nonResourceAttributes=2:NonResourceAttributes
ResourceAttributes namespace=1 verb=2 group=3 version=4 resource=5 subresource=6 name=7
NonResourceAttributes path=1 verb=2
SubjectAccessReviewStatus allowed=1:bool reason=2 evaluationError=3 denied=4:bool
SelfSubjectRulesReview metadata=1:ObjectMeta spec=2:SelfSubjectRulesReviewSpec status=3:SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec namespace=1
SubjectRulesReviewStatus incomplete=3:bool evaluationError=4
SelfSubjectReview metadata=1:ObjectMeta status=2:SelfSubjectReviewStatus
SelfSubjectReviewStatus userInfo=1:UserInfo
UserInfo username=1 uid=2 groups=3:[string]
Empty
`;

export interface ProtobufField {
  readonly name: string;
  readonly type: string;
  readonly shape: 'one' | 'list' | 'map';
  readonly keepsZero: boolean;
  readonly inline: boolean;
}

type Message = ReadonlyMap<number, ProtobufField>;

let messages: ReadonlyMap<string, Message> | undefined;

/** The fields of a message by number, or undefined when the sandbox does not know the message. */
export function messageNamed(name: string): Message | undefined {
  messages ??= new Map(
    MESSAGES.split('\n')
      .filter((line) => line !== '')
      .map(parseMessage),
  );
  return messages.get(name);
}

function parseMessage(line: string): [string, Message] {
  const [name = '', ...fields] = line.split(' ');
  return [name, new Map(fields.map(parseField))];
}

const FIELD = /^(?<name>\w+)=(?<number>\d+)(?::(?<inline>>?)(?<open>[[{]?)(?<type>\w+)[\]}]?(?<zero>\??))?$/;

function parseField(text: string): [number, ProtobufField] {
  const { name = '', number, inline, open, type = 'string', zero } = FIELD.exec(text)?.groups ?? {};
  const shape = open === '[' ? 'list' : open === '{' ? 'map' : 'one';
  return [Number(number), { name, type, shape, keepsZero: zero === '?', inline: inline === '>' }];
}
