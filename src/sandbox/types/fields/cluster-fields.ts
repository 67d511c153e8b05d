/** Networking, storage, access, and what the control plane keeps for itself. The notation is told in field-table.ts. Source: the types of kubernetes/api 1.36 and their markers. */
export const CLUSTER_FIELDS = `
# networking.k8s.io/v1 io.k8s.api.networking.v1
NetworkPolicy metadata=1:ObjectMeta spec=2:NetworkPolicySpec
NetworkPolicySpec podSelector=1:LabelSelector ingress=2:[NetworkPolicyIngressRule] egress=3:[NetworkPolicyEgressRule] policyTypes=4:[<Egress|Ingress>]
NetworkPolicyIngressRule ports=1:[NetworkPolicyPort] from=2:[NetworkPolicyPeer]
NetworkPolicyEgressRule ports=1:[NetworkPolicyPort] to=2:[NetworkPolicyPeer]
NetworkPolicyPort protocol=1? port=2:IntOrString endPort=3?:int
IPBlock cidr=1! except=2:[]
NetworkPolicyPeer podSelector=1:LabelSelector namespaceSelector=2:LabelSelector ipBlock=3:IPBlock
Ingress metadata=1:ObjectMeta spec=2:IngressSpec status=3:IngressStatus
IngressSpec ingressClassName=4? defaultBackend=1:IngressBackend tls=2:[IngressTLS] rules=3:[IngressRule]
IngressTLS hosts=1:[] secretName=2
IngressStatus loadBalancer=1:IngressLoadBalancerStatus
IngressLoadBalancerStatus ingress=1:[IngressLoadBalancerIngress]
IngressLoadBalancerIngress ip=1 hostname=2 ports=4:[IngressPortStatus]
IngressPortStatus port=1:int! protocol=2! error=3?
IngressRule host=1 >IngressRuleValue=2
IngressRuleValue http=1:HTTPIngressRuleValue
HTTPIngressRuleValue paths=1:[HTTPIngressPath]!
HTTPIngressPath path=1 pathType=3?! backend=2:IngressBackend!
IngressBackend service=4:IngressServiceBackend resource=3:TypedLocalObjectReference
IngressServiceBackend name=1! port=2:ServiceBackendPort
ServiceBackendPort~ name=1 number=2:int
IngressClass metadata=1:ObjectMeta spec=2:IngressClassSpec
IngressClassSpec controller=1 parameters=2:IngressClassParametersReference
IngressClassParametersReference apiGroup=1? kind=2! name=3! scope=4? namespace=5?
IPAddress metadata=1:ObjectMeta spec=2:IPAddressSpec
IPAddressSpec parentRef=1:ParentReference
ParentReference group=1 resource=2 namespace=3 name=4
ServiceCIDR metadata=1:ObjectMeta spec=2:ServiceCIDRSpec status=3:ServiceCIDRStatus
ServiceCIDRSpec cidrs=1:[]
ServiceCIDRStatus conditions=1:[Condition](type)^type
# discovery.k8s.io/v1 io.k8s.api.discovery.v1
EndpointSlice metadata=1:ObjectMeta addressType=4! endpoints=2:[Endpoint]! ports=3:[EndpointPort]
Endpoint addresses=1:[](=)! conditions=2:EndpointConditions hostname=3? targetRef=4:ObjectReference deprecatedTopology=5:{} nodeName=6? zone=7? hints=8:EndpointHints
EndpointConditions ready=1?:bool serving=2?:bool terminating=3?:bool
EndpointHints forZones=1:[ForZone] forNodes=2:[ForNode]
ForZone name=1!
ForNode name=1!
EndpointPort~ name=1? protocol=2? port=3?:int appProtocol=4?
# storage.k8s.io/v1 io.k8s.api.storage.v1
StorageClass metadata=1:ObjectMeta provisioner=2! parameters=3:{} reclaimPolicy=4:<Delete|Recycle|Retain> mountOptions=5:[] allowVolumeExpansion=6?:bool volumeBindingMode=7?:<Immediate|WaitForFirstConsumer> allowedTopologies=8:[TopologySelectorTerm]
VolumeAttachment metadata=1:ObjectMeta spec=2:VolumeAttachmentSpec! status=3:VolumeAttachmentStatus
VolumeAttachmentSpec attacher=1! source=2:VolumeAttachmentSource! nodeName=3!
VolumeAttachmentSource persistentVolumeName=1? inlineVolumeSpec=2:PersistentVolumeSpec
VolumeAttachmentStatus attached=1:bool! attachmentMetadata=2:{} attachError=3:VolumeError detachError=4:VolumeError
VolumeError time=1:Time message=2 errorCode=3?:int
CSIDriver metadata=1:ObjectMeta spec=2:CSIDriverSpec!
CSIDriverSpec attachRequired=1?:bool podInfoOnMount=2?:bool volumeLifecycleModes=3:[](=) storageCapacity=4?:bool fsGroupPolicy=5? tokenRequests=6:[TokenRequest] requiresRepublish=7?:bool seLinuxMount=8?:bool nodeAllocatableUpdatePeriodSeconds=9?:long serviceAccountTokenInSecrets=10?:bool
TokenRequest audience=1! expirationSeconds=2?:long
CSINode metadata=1:ObjectMeta spec=2:CSINodeSpec!
CSINodeSpec drivers=1:[CSINodeDriver](name)^name!
CSINodeDriver name=1! nodeID=2! topologyKeys=3:[] allocatable=4:VolumeNodeResources
VolumeNodeResources count=1?:int
CSIStorageCapacity metadata=1:ObjectMeta nodeTopology=2:LabelSelector storageClassName=3! capacity=4:Quantity maximumVolumeSize=5:Quantity
VolumeAttributesClass metadata=1:ObjectMeta driverName=2! parameters=3:{}
# resource.k8s.io/v1 io.k8s.api.resource.v1
ResourceSlice metadata=1:ObjectMeta spec=2:ResourceSliceSpec!
ResourceSliceSpec driver=1! pool=2:ResourcePool! nodeName=3? nodeSelector=4:NodeSelector allNodes=5?:bool devices=6:[Device] perDeviceNodeSelection=7?:bool sharedCounters=8:[CounterSet]
CounterSet name=1! counters=2:{Counter}
ResourcePool name=1! generation=2:long! resourceSliceCount=3:long!
Device name=1! attributes=2:{DeviceAttribute} capacity=3:{DeviceCapacity} consumesCounters=4:[DeviceCounterConsumption] nodeName=5? nodeSelector=6:NodeSelector allNodes=7?:bool taints=8:[DeviceTaint] bindsToNode=9?:bool bindingConditions=10:[] bindingFailureConditions=11:[] allowMultipleAllocations=12?:bool
DeviceCounterConsumption counterSet=1! counters=2:{Counter}
DeviceCapacity value=1:Quantity! requestPolicy=2:CapacityRequestPolicy
Counter value=1:Quantity!
CapacityRequestPolicy default=1:Quantity validValues=3:[Quantity] validRange=4:CapacityRequestPolicyRange
CapacityRequestPolicyRange min=1:Quantity max=2:Quantity step=3:Quantity
DeviceAttribute int=2?:long bool=3?:bool string=4? version=5?
DeviceTaint key=1! value=2 effect=3:<NoExecute|NoSchedule|None>! timeAdded=4:Time
ResourceClaim metadata=1:ObjectMeta spec=2:ResourceClaimSpec! status=3:ResourceClaimStatus
ResourceClaimSpec devices=1:DeviceClaim
DeviceClaim requests=1:[DeviceRequest] constraints=2:[DeviceConstraint] config=3:[DeviceClaimConfiguration]
DeviceRequest name=1! exactly=2:ExactDeviceRequest firstAvailable=3:[DeviceSubRequest]
ExactDeviceRequest deviceClassName=1! selectors=2:[DeviceSelector] allocationMode=3 count=4:long adminAccess=5?:bool tolerations=6:[DeviceToleration] capacity=7:CapacityRequirements
DeviceSubRequest name=1! deviceClassName=2! selectors=3:[DeviceSelector] allocationMode=4 count=5:long tolerations=6:[DeviceToleration] capacity=7:CapacityRequirements
CapacityRequirements requests=1:{Quantity}
DeviceSelector cel=1:CELDeviceSelector
CELDeviceSelector expression=1!
DeviceConstraint requests=1:[] matchAttribute=2? distinctAttribute=3?
DeviceClaimConfiguration requests=1:[] >DeviceConfiguration=2
DeviceConfiguration opaque=1:OpaqueDeviceConfiguration
OpaqueDeviceConfiguration driver=1! parameters=2:any!
DeviceToleration key=1 operator=2:<Equal|Exists> value=3 effect=4:<NoExecute|NoSchedule|None> tolerationSeconds=5?:long
ResourceClaimStatus allocation=1:AllocationResult reservedFor=2:[ResourceClaimConsumerReference](uid)^uid devices=4:[AllocatedDeviceStatus](driver,device,pool,shareID)
ResourceClaimConsumerReference apiGroup=1 resource=3! name=4! uid=5!
AllocationResult devices=1:DeviceAllocationResult nodeSelector=3:NodeSelector allocationTimestamp=5:Time
DeviceAllocationResult results=1:[DeviceRequestAllocationResult] config=2:[DeviceAllocationConfiguration]
DeviceRequestAllocationResult request=1! driver=2! pool=3! device=4! adminAccess=5?:bool tolerations=6:[DeviceToleration] bindingConditions=7:[] bindingFailureConditions=8:[] shareID=9? consumedCapacity=10:{Quantity}
DeviceAllocationConfiguration source=1:<FromClaim|FromClass>! requests=2:[] >DeviceConfiguration=3
DeviceClass metadata=1:ObjectMeta spec=2:DeviceClassSpec!
DeviceClassSpec selectors=1:[DeviceSelector] config=2:[DeviceClassConfiguration] extendedResourceName=4?
DeviceClassConfiguration >DeviceConfiguration=1
ResourceClaimTemplate metadata=1:ObjectMeta spec=2:ResourceClaimTemplateSpec!
ResourceClaimTemplateSpec metadata=1:ObjectMeta spec=2:ResourceClaimSpec!
AllocatedDeviceStatus driver=1! pool=2! device=3! shareID=7? conditions=4:[Condition](type) data=5:any networkData=6:NetworkDeviceData
NetworkDeviceData interfaceName=1 ips=2:[] hardwareAddress=3
# rbac.authorization.k8s.io/v1 io.k8s.api.rbac.v1
PolicyRule verbs=1:[]! apiGroups=2:[] resources=3:[] resourceNames=4:[] nonResourceURLs=5:[]
Subject~ kind=1! apiGroup=2 name=3! namespace=4
RoleRef~ apiGroup=1! kind=2! name=3!
Role metadata=1:ObjectMeta rules=2:[PolicyRule]
RoleBinding metadata=1:ObjectMeta subjects=2:[Subject] roleRef=3:RoleRef!
ClusterRole metadata=1:ObjectMeta rules=2:[PolicyRule] aggregationRule=3:AggregationRule
AggregationRule clusterRoleSelectors=1:[LabelSelector]
ClusterRoleBinding metadata=1:ObjectMeta subjects=2:[Subject] roleRef=3:RoleRef!
# coordination.k8s.io/v1 io.k8s.api.coordination.v1
Lease metadata=1:ObjectMeta spec=2:LeaseSpec
LeaseSpec holderIdentity=1? leaseDurationSeconds=2?:int acquireTime=3:MicroTime renewTime=4:MicroTime leaseTransitions=5?:int strategy=6? preferredHolder=7?
# events.k8s.io/v1 io.k8s.api.events.v1
Event metadata=1:ObjectMeta eventTime=2:MicroTime! series=3:EventSeries reportingController=4 reportingInstance=5 action=6 reason=7 regarding=8:ObjectReference related=9:ObjectReference note=10 type=11 deprecatedSource=12:EventSource deprecatedFirstTimestamp=13:Time deprecatedLastTimestamp=14:Time deprecatedCount=15:int
EventSeries count=1:int! lastObservedTime=2:MicroTime!
# certificates.k8s.io/v1 io.k8s.api.certificates.v1
CertificateSigningRequest metadata=1:ObjectMeta spec=2:CertificateSigningRequestSpec! status=3:CertificateSigningRequestStatus
CertificateSigningRequestSpec request=1:bytes! signerName=7! expirationSeconds=8?:int usages=5:[] username=2 uid=3 groups=4:[] extra=6:{[]}
CertificateSigningRequestStatus conditions=1:[CertificateSigningRequestCondition](type) certificate=2:bytes
CertificateSigningRequestCondition type=1! status=6! reason=2 message=3 lastUpdateTime=4:Time lastTransitionTime=5:Time
# flowcontrol.apiserver.k8s.io/v1 io.k8s.api.flowcontrol.v1
FlowSchema metadata=1:ObjectMeta spec=2:FlowSchemaSpec status=3:FlowSchemaStatus
FlowSchemaSpec priorityLevelConfiguration=1:PriorityLevelConfigurationReference! matchingPrecedence=2:int distinguisherMethod=3:FlowDistinguisherMethod rules=4:[PolicyRulesWithSubjects]
FlowDistinguisherMethod type=1!
PriorityLevelConfigurationReference name=1!
PolicyRulesWithSubjects subjects=1:[Subject]! resourceRules=2:[ResourcePolicyRule] nonResourceRules=3:[NonResourcePolicyRule]
Subject kind=1! user=2:UserSubject group=3:GroupSubject serviceAccount=4:ServiceAccountSubject
UserSubject name=1!
GroupSubject name=1!
ServiceAccountSubject namespace=1! name=2!
ResourcePolicyRule verbs=1:[](=)! apiGroups=2:[](=)! resources=3:[](=)! clusterScope=4:bool namespaces=5:[](=)
NonResourcePolicyRule verbs=1:[](=)! nonResourceURLs=6:[](=)!
FlowSchemaStatus conditions=1:[FlowSchemaCondition](type)^type
FlowSchemaCondition type=1 status=2 lastTransitionTime=3:Time reason=4 message=5
PriorityLevelConfiguration metadata=1:ObjectMeta spec=2:PriorityLevelConfigurationSpec status=3:PriorityLevelConfigurationStatus
PriorityLevelConfigurationSpec type=1! limited=2:LimitedPriorityLevelConfiguration exempt=3:ExemptPriorityLevelConfiguration
LimitedPriorityLevelConfiguration nominalConcurrencyShares=1?:int limitResponse=2:LimitResponse lendablePercent=3?:int borrowingLimitPercent=4?:int
ExemptPriorityLevelConfiguration nominalConcurrencyShares=1?:int lendablePercent=2?:int
LimitResponse type=1! queuing=2:QueuingConfiguration
QueuingConfiguration queues=1:int handSize=2:int queueLengthLimit=3:int
PriorityLevelConfigurationStatus conditions=1:[PriorityLevelConfigurationCondition](type)^type
PriorityLevelConfigurationCondition type=1 status=2 lastTransitionTime=3:Time reason=4 message=5
`;
