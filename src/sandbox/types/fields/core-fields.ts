/** The core group. The notation is told in field-table.ts. Source: the types of kubernetes/api 1.36 and their markers. */
export const CORE_FIELDS = `
# v1 io.k8s.api.core.v1
Volume name=1! >VolumeSource=2
VolumeSource hostPath=1:HostPathVolumeSource emptyDir=2:EmptyDirVolumeSource gcePersistentDisk=3:GCEPersistentDiskVolumeSource awsElasticBlockStore=4:AWSElasticBlockStoreVolumeSource gitRepo=5:GitRepoVolumeSource secret=6:SecretVolumeSource nfs=7:NFSVolumeSource iscsi=8:ISCSIVolumeSource glusterfs=9:GlusterfsVolumeSource persistentVolumeClaim=10:PersistentVolumeClaimVolumeSource rbd=11:RBDVolumeSource flexVolume=12:FlexVolumeSource cinder=13:CinderVolumeSource cephfs=14:CephFSVolumeSource flocker=15:FlockerVolumeSource downwardAPI=16:DownwardAPIVolumeSource fc=17:FCVolumeSource azureFile=18:AzureFileVolumeSource configMap=19:ConfigMapVolumeSource vsphereVolume=20:VsphereVirtualDiskVolumeSource quobyte=21:QuobyteVolumeSource azureDisk=22:AzureDiskVolumeSource photonPersistentDisk=23:PhotonPersistentDiskVolumeSource projected=26:ProjectedVolumeSource portworxVolume=24:PortworxVolumeSource scaleIO=25:ScaleIOVolumeSource storageos=27:StorageOSVolumeSource csi=28:CSIVolumeSource ephemeral=29:EphemeralVolumeSource image=30:ImageVolumeSource
PersistentVolumeClaimVolumeSource claimName=1! readOnly=2:bool
PersistentVolumeSource gcePersistentDisk=1:GCEPersistentDiskVolumeSource awsElasticBlockStore=2:AWSElasticBlockStoreVolumeSource hostPath=3:HostPathVolumeSource glusterfs=4:GlusterfsPersistentVolumeSource nfs=5:NFSVolumeSource rbd=6:RBDPersistentVolumeSource iscsi=7:ISCSIPersistentVolumeSource cinder=8:CinderPersistentVolumeSource cephfs=9:CephFSPersistentVolumeSource fc=10:FCVolumeSource flocker=11:FlockerVolumeSource flexVolume=12:FlexPersistentVolumeSource azureFile=13:AzureFilePersistentVolumeSource vsphereVolume=14:VsphereVirtualDiskVolumeSource quobyte=15:QuobyteVolumeSource azureDisk=16:AzureDiskVolumeSource photonPersistentDisk=17:PhotonPersistentDiskVolumeSource portworxVolume=18:PortworxVolumeSource scaleIO=19:ScaleIOPersistentVolumeSource local=20:LocalVolumeSource storageos=21:StorageOSPersistentVolumeSource csi=22:CSIPersistentVolumeSource
PersistentVolume metadata=1:ObjectMeta spec=2:PersistentVolumeSpec status=3:PersistentVolumeStatus
PersistentVolumeSpec capacity=1:{Quantity} >PersistentVolumeSource=2 accessModes=3:[<ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod>] claimRef=4:ObjectReference persistentVolumeReclaimPolicy=5:<Delete|Recycle|Retain> storageClassName=6 mountOptions=7:[] volumeMode=8?:<Block|Filesystem> nodeAffinity=9:VolumeNodeAffinity volumeAttributesClassName=10?
VolumeNodeAffinity required=1:NodeSelector
PersistentVolumeStatus phase=1:<Available|Bound|Failed|Pending|Released> message=2 reason=3 lastPhaseTransitionTime=4:Time
PersistentVolumeClaim apiVersion kind metadata=1:ObjectMeta spec=2:PersistentVolumeClaimSpec status=3:PersistentVolumeClaimStatus
PersistentVolumeClaimSpec accessModes=1:[<ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod>] selector=4:LabelSelector resources=2:VolumeResourceRequirements volumeName=3 storageClassName=5? volumeMode=6?:<Block|Filesystem> dataSource=7:TypedLocalObjectReference dataSourceRef=8:TypedObjectReference volumeAttributesClassName=9?
TypedObjectReference apiGroup=1? kind=2! name=3! namespace=4?
ModifyVolumeStatus targetVolumeAttributesClassName=1 status=2:<InProgress|Infeasible|Pending>!
PersistentVolumeClaimCondition type=1! status=2! lastProbeTime=3:Time lastTransitionTime=4:Time reason=5 message=6
PersistentVolumeClaimStatus phase=1:<Bound|Lost|Pending> accessModes=2:[<ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod>] capacity=3:{Quantity} conditions=4:[PersistentVolumeClaimCondition](type)^type allocatedResources=5:{Quantity} allocatedResourceStatuses=7:{<ControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending>} currentVolumeAttributesClassName=8? modifyVolumeStatus=9:ModifyVolumeStatus
HostPathVolumeSource path=1! type=2?:<BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket>
EmptyDirVolumeSource medium=1 sizeLimit=2:Quantity
GlusterfsVolumeSource endpoints=1! path=2! readOnly=3:bool
GlusterfsPersistentVolumeSource endpoints=1! path=2! readOnly=3:bool endpointsNamespace=4?
RBDVolumeSource monitors=1:[]! image=2! fsType=3 pool=4 user=5 keyring=6 secretRef=7:LocalObjectReference readOnly=8:bool
RBDPersistentVolumeSource monitors=1:[]! image=2! fsType=3 pool=4 user=5 keyring=6 secretRef=7:SecretReference readOnly=8:bool
CinderVolumeSource volumeID=1! fsType=2 readOnly=3:bool secretRef=4:LocalObjectReference
CinderPersistentVolumeSource volumeID=1! fsType=2 readOnly=3:bool secretRef=4:SecretReference
CephFSVolumeSource monitors=1:[]! path=2 user=3 secretFile=4 secretRef=5:LocalObjectReference readOnly=6:bool
SecretReference~ name=1 namespace=2
CephFSPersistentVolumeSource monitors=1:[]! path=2 user=3 secretFile=4 secretRef=5:SecretReference readOnly=6:bool
FlockerVolumeSource datasetName=1 datasetUUID=2
GCEPersistentDiskVolumeSource pdName=1! fsType=2 partition=3:int readOnly=4:bool
QuobyteVolumeSource registry=1! volume=2! readOnly=3:bool user=4 group=5 tenant=6
FlexPersistentVolumeSource driver=1! fsType=2 secretRef=3:SecretReference readOnly=4:bool options=5:{}
FlexVolumeSource driver=1! fsType=2 secretRef=3:LocalObjectReference readOnly=4:bool options=5:{}
AWSElasticBlockStoreVolumeSource volumeID=1! fsType=2 partition=3:int readOnly=4:bool
GitRepoVolumeSource repository=1! revision=2 directory=3
SecretVolumeSource secretName=1 items=2:[KeyToPath] defaultMode=3?:int optional=4?:bool
SecretProjection >LocalObjectReference=1 items=2:[KeyToPath] optional=4?:bool
NFSVolumeSource server=1! path=2! readOnly=3:bool
ISCSIVolumeSource targetPortal=1! iqn=2! lun=3:int! iscsiInterface=4 fsType=5 readOnly=6:bool portals=7:[] chapAuthDiscovery=8:bool chapAuthSession=11:bool secretRef=10:LocalObjectReference initiatorName=12?
ISCSIPersistentVolumeSource targetPortal=1! iqn=2! lun=3:int! iscsiInterface=4 fsType=5 readOnly=6:bool portals=7:[] chapAuthDiscovery=8:bool chapAuthSession=11:bool secretRef=10:SecretReference initiatorName=12?
FCVolumeSource targetWWNs=1:[] lun=2?:int fsType=3 readOnly=4:bool wwids=5:[]
AzureFileVolumeSource secretName=1! shareName=2! readOnly=3:bool
AzureFilePersistentVolumeSource secretName=1! shareName=2! readOnly=3:bool secretNamespace=4?
VsphereVirtualDiskVolumeSource volumePath=1! fsType=2 storagePolicyName=3 storagePolicyID=4
PhotonPersistentDiskVolumeSource pdID=1! fsType=2
AzureDiskVolumeSource diskName=1! diskURI=2! cachingMode=3?:<None|ReadOnly|ReadWrite> fsType=4? readOnly=5?:bool kind=6?:<Dedicated|Managed|Shared>
PortworxVolumeSource volumeID=1! fsType=2 readOnly=3:bool
ScaleIOVolumeSource gateway=1! system=2! secretRef=3:LocalObjectReference! sslEnabled=4:bool protectionDomain=5 storagePool=6 storageMode=7 volumeName=8 fsType=9 readOnly=10:bool
ScaleIOPersistentVolumeSource gateway=1! system=2! secretRef=3:SecretReference! sslEnabled=4:bool protectionDomain=5 storagePool=6 storageMode=7 volumeName=8 fsType=9 readOnly=10:bool
StorageOSVolumeSource volumeName=1 volumeNamespace=2 fsType=3 readOnly=4:bool secretRef=5:LocalObjectReference
StorageOSPersistentVolumeSource volumeName=1 volumeNamespace=2 fsType=3 readOnly=4:bool secretRef=5:ObjectReference
ConfigMapVolumeSource >LocalObjectReference=1 items=2:[KeyToPath] defaultMode=3?:int optional=4?:bool
ConfigMapProjection >LocalObjectReference=1 items=2:[KeyToPath] optional=4?:bool
ServiceAccountTokenProjection audience=1 expirationSeconds=2?:long path=3!
ClusterTrustBundleProjection name=1? signerName=2? labelSelector=3:LabelSelector optional=5?:bool path=4!
PodCertificateProjection signerName=1 keyType=2 maxExpirationSeconds=3?:int credentialBundlePath=4 keyPath=5 certificateChainPath=6 userAnnotations=7:{}
ProjectedVolumeSource sources=1:[VolumeProjection] defaultMode=2?:int
VolumeProjection secret=1:SecretProjection downwardAPI=2:DownwardAPIProjection configMap=3:ConfigMapProjection serviceAccountToken=4:ServiceAccountTokenProjection clusterTrustBundle=5:ClusterTrustBundleProjection podCertificate=6:PodCertificateProjection
KeyToPath key=1! path=2! mode=3?:int
LocalVolumeSource path=1! fsType=2?
CSIPersistentVolumeSource driver=1! volumeHandle=2! readOnly=3:bool fsType=4 volumeAttributes=5:{} controllerPublishSecretRef=6:SecretReference nodeStageSecretRef=7:SecretReference nodePublishSecretRef=8:SecretReference controllerExpandSecretRef=9:SecretReference nodeExpandSecretRef=10:SecretReference
CSIVolumeSource driver=1! readOnly=2?:bool fsType=3? volumeAttributes=4:{} nodePublishSecretRef=5:LocalObjectReference
EphemeralVolumeSource volumeClaimTemplate=1:PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate metadata=1:ObjectMeta spec=2:PersistentVolumeClaimSpec!
ContainerPort name=1 hostPort=2:int containerPort=3:int! protocol=4:<SCTP|TCP|UDP> hostIP=5
VolumeMount name=1! readOnly=2:bool recursiveReadOnly=7? mountPath=3! subPath=4 mountPropagation=5?:<Bidirectional|HostToContainer|None> subPathExpr=6
VolumeDevice name=1! devicePath=2!
EnvVar name=1! value=2 valueFrom=3:EnvVarSource
EnvVarSource fieldRef=1:ObjectFieldSelector resourceFieldRef=2:ResourceFieldSelector configMapKeyRef=3:ConfigMapKeySelector secretKeyRef=4:SecretKeySelector fileKeyRef=5:FileKeySelector
FileKeySelector~ volumeName=1! path=2! key=3! optional=4?:bool
ObjectFieldSelector~ apiVersion=1 fieldPath=2!
ResourceFieldSelector~ containerName=1 resource=2! divisor=3:Quantity
ConfigMapKeySelector~ >LocalObjectReference=1 key=2! optional=3?:bool
SecretKeySelector~ >LocalObjectReference=1 key=2! optional=3?:bool
EnvFromSource prefix=1 configMapRef=2:ConfigMapEnvSource secretRef=3:SecretEnvSource
ConfigMapEnvSource >LocalObjectReference=1 optional=2?:bool
SecretEnvSource >LocalObjectReference=1 optional=2?:bool
HTTPHeader name=1! value=2!
HTTPGetAction path=1 port=2:IntOrString! host=3 scheme=4:<HTTP|HTTPS> httpHeaders=5:[HTTPHeader]
TCPSocketAction port=1:IntOrString! host=2
GRPCAction port=1:int! service=2?
ExecAction command=1:[]
SleepAction seconds=1:long!
Probe >ProbeHandler=1 initialDelaySeconds=2:int timeoutSeconds=3:int periodSeconds=4:int successThreshold=5:int failureThreshold=6:int terminationGracePeriodSeconds=7?:long
ContainerResizePolicy resourceName=1! restartPolicy=2!
Capabilities add=1:[] drop=2:[]
ResourceRequirements limits=1:{Quantity} requests=2:{Quantity} claims=3:[ResourceClaim](name)
VolumeResourceRequirements limits=1:{Quantity} requests=2:{Quantity}
ResourceClaim name=1! request=2
Container name=1! image=2 command=3:[] args=4:[] workingDir=5 ports=6:[ContainerPort](containerPort,protocol)^containerPort envFrom=19:[EnvFromSource] env=7:[EnvVar](name)^name resources=8:ResourceRequirements resizePolicy=23:[ContainerResizePolicy] restartPolicy=24? restartPolicyRules=25:[ContainerRestartRule] volumeMounts=9:[VolumeMount](mountPath)^mountPath volumeDevices=21:[VolumeDevice](devicePath)^devicePath livenessProbe=10:Probe readinessProbe=11:Probe startupProbe=22:Probe lifecycle=12:Lifecycle terminationMessagePath=13 terminationMessagePolicy=20:<FallbackToLogsOnError|File> imagePullPolicy=14:<Always|IfNotPresent|Never> securityContext=15:SecurityContext stdin=16:bool stdinOnce=17:bool tty=18:bool
ProbeHandler exec=1:ExecAction httpGet=2:HTTPGetAction tcpSocket=3:TCPSocketAction grpc=4:GRPCAction
LifecycleHandler exec=1:ExecAction httpGet=2:HTTPGetAction tcpSocket=3:TCPSocketAction sleep=4:SleepAction
Lifecycle postStart=1:LifecycleHandler preStop=2:LifecycleHandler stopSignal=3?
ContainerStateWaiting reason=1 message=2
ContainerStateRunning startedAt=1:Time
ContainerStateTerminated exitCode=1:int! signal=2:int reason=3 message=4 startedAt=5:Time finishedAt=6:Time containerID=7
ContainerState waiting=1:ContainerStateWaiting running=2:ContainerStateRunning terminated=3:ContainerStateTerminated
ContainerStatus name=1! state=2:ContainerState lastState=3:ContainerState ready=4:bool! restartCount=5:int! image=6! imageID=7! containerID=8 started=9?:bool allocatedResources=10:{Quantity} resources=11:ResourceRequirements volumeMounts=12:[VolumeMountStatus](mountPath)^mountPath user=13:ContainerUser allocatedResourcesStatus=14:[ResourceStatus](name)^name stopSignal=15?
ResourceStatus name=1! resources=2:[ResourceHealth](resourceID)
ResourceHealth resourceID=1! health=2
ContainerUser linux=1:LinuxContainerUser
LinuxContainerUser uid=1:long! gid=2:long! supplementalGroups=3:[long]
PodCondition type=1! observedGeneration=7:long status=2! lastProbeTime=3:Time lastTransitionTime=4:Time reason=5 message=6
VolumeMountStatus name=1! mountPath=2! readOnly=3:bool recursiveReadOnly=4?
ContainerRestartRule action=1 exitCodes=2:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator=1 values=2:[int](=)
NodeSelector~ nodeSelectorTerms=1:[NodeSelectorTerm]!
NodeSelectorTerm~ matchExpressions=1:[NodeSelectorRequirement] matchFields=2:[NodeSelectorRequirement]
NodeSelectorRequirement key=1! operator=2:<DoesNotExist|Exists|Gt|In|Lt|NotIn>! values=3:[]
TopologySelectorTerm~ matchLabelExpressions=1:[TopologySelectorLabelRequirement]
TopologySelectorLabelRequirement key=1! values=2:[]!
Affinity nodeAffinity=1:NodeAffinity podAffinity=2:PodAffinity podAntiAffinity=3:PodAntiAffinity
PodAffinity requiredDuringSchedulingIgnoredDuringExecution=1:[PodAffinityTerm] preferredDuringSchedulingIgnoredDuringExecution=2:[WeightedPodAffinityTerm]
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution=1:[PodAffinityTerm] preferredDuringSchedulingIgnoredDuringExecution=2:[WeightedPodAffinityTerm]
WeightedPodAffinityTerm weight=1:int! podAffinityTerm=2:PodAffinityTerm!
PodAffinityTerm labelSelector=1:LabelSelector namespaces=2:[] topologyKey=3! namespaceSelector=4:LabelSelector matchLabelKeys=5:[] mismatchLabelKeys=6:[]
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution=1:NodeSelector preferredDuringSchedulingIgnoredDuringExecution=2:[PreferredSchedulingTerm]
PreferredSchedulingTerm weight=1:int! preference=2:NodeSelectorTerm!
Taint key=1! value=2 effect=3:<NoExecute|NoSchedule|PreferNoSchedule>! timeAdded=4:Time
Toleration key=1 operator=2:<Equal|Exists|Gt|Lt> value=3 effect=4:<NoExecute|NoSchedule|PreferNoSchedule> tolerationSeconds=5?:long
PodReadinessGate conditionType=1!
PodSpec volumes=1:[Volume](name)^name% initContainers=20:[Container](name)^name containers=2:[Container](name)^name! ephemeralContainers=34:[EphemeralContainer](name)^name restartPolicy=3:<Always|Never|OnFailure> terminationGracePeriodSeconds=4?:long activeDeadlineSeconds=5?:long dnsPolicy=6:<ClusterFirst|ClusterFirstWithHostNet|Default|None> nodeSelector=7:{}~ serviceAccountName=8 serviceAccount=9 automountServiceAccountToken=21?:bool nodeName=10 hostNetwork=11:bool hostPID=12:bool hostIPC=13:bool shareProcessNamespace=27?:bool securityContext=14:PodSecurityContext imagePullSecrets=15:[LocalObjectReference](name)^name hostname=16 subdomain=17 affinity=18:Affinity schedulerName=19 tolerations=22:[Toleration] hostAliases=23:[HostAlias](ip)^ip priorityClassName=24 priority=25?:int dnsConfig=26:PodDNSConfig readinessGates=28:[PodReadinessGate] runtimeClassName=29? enableServiceLinks=30?:bool preemptionPolicy=31?:<Never|PreemptLowerPriority> overhead=32:{Quantity} topologySpreadConstraints=33:[TopologySpreadConstraint](topologyKey,whenUnsatisfiable)^topologyKey setHostnameAsFQDN=35?:bool os=36:PodOS hostUsers=37?:bool schedulingGates=38:[PodSchedulingGate](name)^name resourceClaims=39:[PodResourceClaim](name)^name% resources=40:ResourceRequirements hostnameOverride=41? workloadRef=42:WorkloadReference schedulingGroup:PodSchedulingGroup
PodResourceClaim name=1! resourceClaimName=3? resourceClaimTemplateName=4?
PodResourceClaimStatus name=1! resourceClaimName=2?
PodExtendedResourceClaimStatus requestMappings=1:[ContainerExtendedResourceRequest]! resourceClaimName=2!
ContainerExtendedResourceRequest containerName=1! resourceName=2! requestName=3!
PodOS name=1!
PodSchedulingGate name=1!
PodSchedulingGroup podGroupName
WorkloadReference name=1! podGroup=2! podGroupReplicaKey=3
TopologySpreadConstraint maxSkew=1:int! topologyKey=2! whenUnsatisfiable=3:<DoNotSchedule|ScheduleAnyway>! labelSelector=4:LabelSelector minDomains=5?:int nodeAffinityPolicy=6?:<Honor|Ignore> nodeTaintsPolicy=7?:<Honor|Ignore> matchLabelKeys=8:[]
HostAlias ip=1! hostnames=2:[]
PodSecurityContext seLinuxOptions=1:SELinuxOptions windowsOptions=8:WindowsSecurityContextOptions runAsUser=2?:long runAsGroup=6?:long runAsNonRoot=3?:bool supplementalGroups=4:[long] supplementalGroupsPolicy=12?:<Merge|Strict> fsGroup=5?:long sysctls=7:[Sysctl] fsGroupChangePolicy=9?:<Always|OnRootMismatch> seccompProfile=10:SeccompProfile appArmorProfile=11:AppArmorProfile seLinuxChangePolicy=13?
SeccompProfile type=1:<Localhost|RuntimeDefault|Unconfined>! localhostProfile=2?
AppArmorProfile type=1:<Localhost|RuntimeDefault|Unconfined>! localhostProfile=2?
PodDNSConfig nameservers=1:[] searches=2:[] options=3:[PodDNSConfigOption]
PodDNSConfigOption name=1 value=2?
PodIP ip=1!
HostIP ip=1!
EphemeralContainerCommon name=1! image=2 command=3:[] args=4:[] workingDir=5 ports=6:[ContainerPort](containerPort,protocol)^containerPort envFrom=19:[EnvFromSource] env=7:[EnvVar](name)^name resources=8:ResourceRequirements resizePolicy=23:[ContainerResizePolicy] restartPolicy=24? restartPolicyRules=25:[ContainerRestartRule] volumeMounts=9:[VolumeMount](mountPath)^mountPath volumeDevices=21:[VolumeDevice](devicePath)^devicePath livenessProbe=10:Probe readinessProbe=11:Probe startupProbe=22:Probe lifecycle=12:Lifecycle terminationMessagePath=13 terminationMessagePolicy=20:<FallbackToLogsOnError|File> imagePullPolicy=14:<Always|IfNotPresent|Never> securityContext=15:SecurityContext stdin=16:bool stdinOnce=17:bool tty=18:bool
EphemeralContainer >EphemeralContainerCommon=1 targetContainerName=2
PodStatus observedGeneration=17:long phase=1:<Failed|Pending|Running|Succeeded|Unknown> conditions=2:[PodCondition](type)^type message=3 reason=4 nominatedNodeName=11 hostIP=5 hostIPs=16:[HostIP]^ip podIP=6 podIPs=12:[PodIP](ip)^ip startTime=7:Time initContainerStatuses=10:[ContainerStatus] containerStatuses=8:[ContainerStatus] qosClass=9:<BestEffort|Burstable|Guaranteed> ephemeralContainerStatuses=13:[ContainerStatus] resize=14 resourceClaimStatuses=15:[PodResourceClaimStatus](name)^name% extendedResourceClaimStatus=18:PodExtendedResourceClaimStatus allocatedResources=19:{Quantity} resources=20:ResourceRequirements
Pod metadata=1:ObjectMeta spec=2:PodSpec status=3:PodStatus
PodTemplateSpec metadata=1:ObjectMeta spec=2:PodSpec
PodTemplate metadata=1:ObjectMeta template=2:PodTemplateSpec
ReplicationControllerSpec replicas=1?:int minReadySeconds=4:int selector=2:{}~ template=3:PodTemplateSpec
ReplicationControllerStatus replicas=1:int! fullyLabeledReplicas=2:int readyReplicas=4:int availableReplicas=5:int observedGeneration=3:long conditions=6:[ReplicationControllerCondition](type)^type
ReplicationControllerCondition type=1! status=2! lastTransitionTime=3:Time reason=4 message=5
ReplicationController metadata=1:ObjectMeta spec=2:ReplicationControllerSpec status=3:ReplicationControllerStatus
SessionAffinityConfig clientIP=1:ClientIPConfig
ClientIPConfig timeoutSeconds=1?:int
ServiceStatus loadBalancer=1:LoadBalancerStatus conditions=2:[Condition](type)^type
LoadBalancerStatus ingress=1:[LoadBalancerIngress]
LoadBalancerIngress ip=1 hostname=2 ipMode=3? ports=4:[PortStatus]
ServiceSpec ports=1:[ServicePort](port,protocol)^port selector=2:{}~ clusterIP=3 clusterIPs=18:[] type=4:<ClusterIP|ExternalName|LoadBalancer|NodePort> externalIPs=5:[] sessionAffinity=7:<ClientIP|None> loadBalancerIP=8 loadBalancerSourceRanges=9:[] externalName=10 externalTrafficPolicy=11:<Cluster|Local> healthCheckNodePort=12:int publishNotReadyAddresses=13:bool sessionAffinityConfig=14:SessionAffinityConfig ipFamilies=19:[<IPv4|IPv6>] ipFamilyPolicy=17?:<PreferDualStack|RequireDualStack|SingleStack> allocateLoadBalancerNodePorts=20?:bool loadBalancerClass=21? internalTrafficPolicy=22?:<Cluster|Local> trafficDistribution=23?
ServicePort name=1 protocol=2:<SCTP|TCP|UDP> appProtocol=6? port=3:int! targetPort=4:IntOrString nodePort=5:int
Service metadata=1:ObjectMeta spec=2:ServiceSpec status=3:ServiceStatus
ServiceAccount metadata=1:ObjectMeta secrets=2:[ObjectReference](name)^name imagePullSecrets=3:[LocalObjectReference] automountServiceAccountToken=4?:bool
Endpoints metadata=1:ObjectMeta subsets=2:[EndpointSubset]
EndpointSubset addresses=1:[EndpointAddress] notReadyAddresses=2:[EndpointAddress] ports=3:[EndpointPort]
EndpointAddress~ ip=1! hostname=3 nodeName=4? targetRef=2:ObjectReference
EndpointPort~ name=1 port=2:int! protocol=3:<SCTP|TCP|UDP> appProtocol=4?
NodeSpec podCIDR=1 podCIDRs=7:[](=)^ providerID=3 unschedulable=4:bool taints=5:[Taint] configSource=6:NodeConfigSource externalID=2
NodeConfigSource configMap=2:ConfigMapNodeConfigSource
ConfigMapNodeConfigSource namespace=1! name=2! uid=3 resourceVersion=4 kubeletConfigKey=5!
DaemonEndpoint Port=1:int!
NodeDaemonEndpoints kubeletEndpoint=1:DaemonEndpoint
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts=1?:bool userNamespaces=2?:bool
NodeRuntimeHandler name=1 features=2:NodeRuntimeHandlerFeatures
NodeFeatures supplementalGroupsPolicy=1?:bool
NodeSystemInfo machineID=1! systemUUID=2! bootID=3! kernelVersion=4! osImage=5! containerRuntimeVersion=6! kubeletVersion=7! kubeProxyVersion=8! operatingSystem=9! architecture=10! swap=11:NodeSwapStatus
NodeSwapStatus capacity=1?:long
NodeConfigStatus assigned=1:NodeConfigSource active=2:NodeConfigSource lastKnownGood=3:NodeConfigSource error=4
NodeStatus capacity=1:{Quantity} allocatable=2:{Quantity} phase=3:<Pending|Running|Terminated> conditions=4:[NodeCondition](type)^type addresses=5:[NodeAddress](type)^type daemonEndpoints=6:NodeDaemonEndpoints nodeInfo=7:NodeSystemInfo images=8:[ContainerImage] volumesInUse=9:[] volumesAttached=10:[AttachedVolume] config=11:NodeConfigStatus runtimeHandlers=12:[NodeRuntimeHandler] features=13:NodeFeatures declaredFeatures=14:[]
AttachedVolume name=1! devicePath=2!
ContainerImage names=1:[] sizeBytes=2:long
NodeCondition type=1! status=2! lastHeartbeatTime=3:Time lastTransitionTime=4:Time reason=5 message=6
NodeAddress type=1! address=2!
Node metadata=1:ObjectMeta spec=2:NodeSpec status=3:NodeStatus
NamespaceSpec finalizers=1:[]
NamespaceStatus phase=1:<Active|Terminating> conditions=2:[NamespaceCondition](type)^type
NamespaceCondition type=1! status=2! lastTransitionTime=4:Time reason=5 message=6
Namespace metadata=1:ObjectMeta spec=2:NamespaceSpec status=3:NamespaceStatus
Binding metadata=1:ObjectMeta target=2:ObjectReference!
ObjectReference~ kind=1 namespace=2 name=3 uid=4 apiVersion=5 resourceVersion=6 fieldPath=7
LocalObjectReference~ name=1
TypedLocalObjectReference~ apiGroup=1? kind=2! name=3!
EventSource component=1 host=2
Event metadata=1:ObjectMeta! involvedObject=2:ObjectReference! reason=3 message=4 source=5:EventSource firstTimestamp=6:Time lastTimestamp=7:Time count=8:int type=9 eventTime=10:MicroTime series=11:EventSeries action=12 related=13:ObjectReference reportingComponent=14 reportingInstance=15
EventSeries count=1:int lastObservedTime=2:MicroTime
LimitRangeItem type=1! max=2:{Quantity} min=3:{Quantity} default=4:{Quantity} defaultRequest=5:{Quantity} maxLimitRequestRatio=6:{Quantity}
LimitRangeSpec limits=1:[LimitRangeItem]!
LimitRange metadata=1:ObjectMeta spec=2:LimitRangeSpec
ResourceQuotaSpec hard=1:{Quantity} scopes=2:[<BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass>] scopeSelector=3:ScopeSelector
ScopeSelector~ matchExpressions=1:[ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement scopeName=1:<BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass>! operator=2:<DoesNotExist|Exists|In|NotIn>! values=3:[]
ResourceQuotaStatus hard=1:{Quantity} used=2:{Quantity}
ResourceQuota metadata=1:ObjectMeta spec=2:ResourceQuotaSpec status=3:ResourceQuotaStatus
Secret metadata=1:ObjectMeta immutable=5?:bool data=2:{bytes} stringData=4:{} type=3
ConfigMap metadata=1:ObjectMeta immutable=4?:bool data=2:{} binaryData=3:{bytes}
ComponentCondition type=1! status=2! message=3 error=4
ComponentStatus metadata=1:ObjectMeta conditions=2:[ComponentCondition](type)^type
DownwardAPIVolumeSource items=1:[DownwardAPIVolumeFile] defaultMode=2?:int
DownwardAPIVolumeFile path=1! fieldRef=2:ObjectFieldSelector resourceFieldRef=3:ResourceFieldSelector mode=4?:int
DownwardAPIProjection items=1:[DownwardAPIVolumeFile]
SecurityContext capabilities=1:Capabilities privileged=2?:bool seLinuxOptions=3:SELinuxOptions windowsOptions=10:WindowsSecurityContextOptions runAsUser=4?:long runAsGroup=8?:long runAsNonRoot=5?:bool readOnlyRootFilesystem=6?:bool allowPrivilegeEscalation=7?:bool procMount=9?:<Default|Unmasked> seccompProfile=11:SeccompProfile appArmorProfile=12:AppArmorProfile
SELinuxOptions user=1 role=2 type=3 level=4
WindowsSecurityContextOptions gmsaCredentialSpecName=1? gmsaCredentialSpec=2? runAsUserName=3? hostProcess=4?:bool
Sysctl name=1! value=2!
PortStatus port=1:int! protocol=2:<SCTP|TCP|UDP>! error=3?
ImageVolumeSource reference=1 pullPolicy=2:<Always|IfNotPresent|Never>
`;
