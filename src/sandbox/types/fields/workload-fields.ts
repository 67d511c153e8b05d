/** Workloads, and what scales and guards them. The notation is told in field-table.ts. Source: the types of kubernetes/api 1.36 and their markers. */
export const WORKLOAD_FIELDS = `
# apps/v1 io.k8s.api.apps.v1
StatefulSet metadata=1:ObjectMeta spec=2:StatefulSetSpec status=3:StatefulSetStatus
StatefulSetUpdateStrategy type=1:<OnDelete|RollingUpdate> rollingUpdate=2:RollingUpdateStatefulSetStrategy
RollingUpdateStatefulSetStrategy partition=1?:int maxUnavailable=2:IntOrString
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted=1 whenScaled=2
StatefulSetOrdinals start=1:int
StatefulSetSpec replicas=1?:int selector=2:LabelSelector! template=3:PodTemplateSpec! volumeClaimTemplates=4:[PersistentVolumeClaim] serviceName=5 podManagementPolicy=6:<OrderedReady|Parallel> updateStrategy=7:StatefulSetUpdateStrategy revisionHistoryLimit=8?:int minReadySeconds=9:int persistentVolumeClaimRetentionPolicy=10:StatefulSetPersistentVolumeClaimRetentionPolicy ordinals=11:StatefulSetOrdinals
StatefulSetStatus observedGeneration=1:long replicas=2:int! readyReplicas=3:int currentReplicas=4:int updatedReplicas=5:int currentRevision=6 updateRevision=7 collisionCount=9?:int conditions=10:[StatefulSetCondition](type)^type availableReplicas=11:int
StatefulSetCondition type=1! status=2! lastTransitionTime=3:Time reason=4 message=5
Deployment metadata=1:ObjectMeta spec=2:DeploymentSpec status=3:DeploymentStatus
DeploymentSpec replicas=1?:int selector=2:LabelSelector! template=3:PodTemplateSpec! strategy=4:DeploymentStrategy% minReadySeconds=5:int revisionHistoryLimit=6?:int paused=7:bool progressDeadlineSeconds=9?:int
DeploymentStrategy type=1:<Recreate|RollingUpdate> rollingUpdate=2:RollingUpdateDeployment
RollingUpdateDeployment maxUnavailable=1:IntOrString maxSurge=2:IntOrString
DeploymentStatus observedGeneration=1:long replicas=2:int updatedReplicas=3:int readyReplicas=7:int availableReplicas=4:int unavailableReplicas=5:int terminatingReplicas=9?:int conditions=6:[DeploymentCondition](type)^type collisionCount=8?:int
DeploymentCondition type=1! status=2! lastUpdateTime=6:Time lastTransitionTime=7:Time reason=4 message=5
DaemonSetUpdateStrategy type=1:<OnDelete|RollingUpdate> rollingUpdate=2:RollingUpdateDaemonSet
RollingUpdateDaemonSet maxUnavailable=1:IntOrString maxSurge=2:IntOrString
DaemonSetSpec selector=1:LabelSelector! template=2:PodTemplateSpec! updateStrategy=3:DaemonSetUpdateStrategy minReadySeconds=4:int revisionHistoryLimit=6?:int
DaemonSetStatus currentNumberScheduled=1:int! numberMisscheduled=2:int! desiredNumberScheduled=3:int! numberReady=4:int! observedGeneration=5:long updatedNumberScheduled=6:int numberAvailable=7:int numberUnavailable=8:int collisionCount=9?:int conditions=10:[DaemonSetCondition](type)^type
DaemonSetCondition type=1! status=2! lastTransitionTime=3:Time reason=4 message=5
DaemonSet metadata=1:ObjectMeta spec=2:DaemonSetSpec status=3:DaemonSetStatus
ReplicaSet metadata=1:ObjectMeta spec=2:ReplicaSetSpec status=3:ReplicaSetStatus
ReplicaSetSpec replicas=1?:int minReadySeconds=4:int selector=2:LabelSelector! template=3:PodTemplateSpec
ReplicaSetStatus replicas=1:int! fullyLabeledReplicas=2:int readyReplicas=4:int availableReplicas=5:int terminatingReplicas=7?:int observedGeneration=3:long conditions=6:[ReplicaSetCondition](type)^type
ReplicaSetCondition type=1! status=2! lastTransitionTime=3:Time reason=4 message=5
ControllerRevision metadata=1:ObjectMeta data=2:any revision=3:long!
# batch/v1 io.k8s.api.batch.v1
Job metadata=1:ObjectMeta spec=2:JobSpec status=3:JobStatus
PodFailurePolicyOnExitCodesRequirement containerName=1? operator=2:<In|NotIn>! values=3:[int](=)!
PodFailurePolicyOnPodConditionsPattern type=1! status=2
PodFailurePolicyRule action=1:<Count|FailIndex|FailJob|Ignore>! onExitCodes=2:PodFailurePolicyOnExitCodesRequirement onPodConditions=3:[PodFailurePolicyOnPodConditionsPattern]
PodFailurePolicy rules=1:[PodFailurePolicyRule]!
SuccessPolicy rules=1:[SuccessPolicyRule]!
SuccessPolicyRule succeededIndexes=1? succeededCount=2?:int
JobSpec parallelism=1?:int completions=2?:int activeDeadlineSeconds=3?:long podFailurePolicy=11:PodFailurePolicy successPolicy=16:SuccessPolicy backoffLimit=7?:int backoffLimitPerIndex=12?:int maxFailedIndexes=13?:int selector=4:LabelSelector manualSelector=5?:bool template=6:PodTemplateSpec! ttlSecondsAfterFinished=8?:int completionMode=9?:<Indexed|NonIndexed> suspend=10?:bool podReplacementPolicy=14?:<Failed|TerminatingOrFailed> managedBy=15?
JobStatus conditions=1:[JobCondition]^type startTime=2:Time completionTime=3:Time active=4:int succeeded=5:int failed=6:int terminating=11?:int completedIndexes=7 failedIndexes=10? uncountedTerminatedPods=8:UncountedTerminatedPods ready=9?:int
UncountedTerminatedPods succeeded=1:[](=) failed=2:[](=)
JobCondition type=1! status=2! lastProbeTime=3:Time lastTransitionTime=4:Time reason=5 message=6
JobTemplateSpec metadata=1:ObjectMeta spec=2:JobSpec
CronJob metadata=1:ObjectMeta spec=2:CronJobSpec status=3:CronJobStatus
CronJobSpec schedule=1! timeZone=8? startingDeadlineSeconds=2?:long concurrencyPolicy=3:<Allow|Forbid|Replace> suspend=4?:bool jobTemplate=5:JobTemplateSpec! successfulJobsHistoryLimit=6?:int failedJobsHistoryLimit=7?:int
CronJobStatus active=1:[ObjectReference] lastScheduleTime=4:Time lastSuccessfulTime=5:Time
# autoscaling/v2 io.k8s.api.autoscaling.v2
HorizontalPodAutoscaler metadata=1:ObjectMeta spec=2:HorizontalPodAutoscalerSpec status=3:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerSpec scaleTargetRef=1:CrossVersionObjectReference! minReplicas=2?:int maxReplicas=3:int! metrics=4:[MetricSpec] behavior=5:HorizontalPodAutoscalerBehavior
CrossVersionObjectReference kind=1! name=2! apiVersion=3
MetricSpec type=1! object=2:ObjectMetricSource pods=3:PodsMetricSource resource=4:ResourceMetricSource containerResource=7:ContainerResourceMetricSource external=5:ExternalMetricSource
HorizontalPodAutoscalerBehavior scaleUp=1:HPAScalingRules scaleDown=2:HPAScalingRules
HPAScalingRules stabilizationWindowSeconds=3?:int selectPolicy=1? policies=2:[HPAScalingPolicy] tolerance=4:Quantity
HPAScalingPolicy type=1! value=2:int! periodSeconds=3:int!
ObjectMetricSource describedObject=1:CrossVersionObjectReference! target=2:MetricTarget! metric=3:MetricIdentifier!
PodsMetricSource metric=1:MetricIdentifier! target=2:MetricTarget!
ResourceMetricSource name=1! target=2:MetricTarget!
ContainerResourceMetricSource name=1! target=2:MetricTarget! container=3!
ExternalMetricSource metric=1:MetricIdentifier! target=2:MetricTarget!
MetricIdentifier name=1! selector=2:LabelSelector
MetricTarget type=1! value=2:Quantity averageValue=3:Quantity averageUtilization=4?:int
HorizontalPodAutoscalerStatus observedGeneration=1?:long lastScaleTime=2:Time currentReplicas=3:int desiredReplicas=4:int! currentMetrics=5:[MetricStatus] conditions=6:[HorizontalPodAutoscalerCondition](type)^type
HorizontalPodAutoscalerCondition type=1! status=2! lastTransitionTime=3:Time reason=4 message=5
MetricStatus type=1! object=2:ObjectMetricStatus pods=3:PodsMetricStatus resource=4:ResourceMetricStatus containerResource=7:ContainerResourceMetricStatus external=5:ExternalMetricStatus
ObjectMetricStatus metric=1:MetricIdentifier! current=2:MetricValueStatus! describedObject=3:CrossVersionObjectReference!
PodsMetricStatus metric=1:MetricIdentifier! current=2:MetricValueStatus!
ResourceMetricStatus name=1! current=2:MetricValueStatus!
ContainerResourceMetricStatus name=1! current=2:MetricValueStatus! container=3!
ExternalMetricStatus metric=1:MetricIdentifier! current=2:MetricValueStatus!
MetricValueStatus value=1:Quantity averageValue=2:Quantity averageUtilization=3?:int
# autoscaling/v1 io.k8s.api.autoscaling.v1
Scale metadata=1:ObjectMeta spec=2:ScaleSpec status=3:ScaleStatus
ScaleSpec replicas=1:int
ScaleStatus replicas=1:int! selector=2
# policy/v1 io.k8s.api.policy.v1
PodDisruptionBudgetSpec minAvailable=1:IntOrString selector=2:LabelSelector$ maxUnavailable=3:IntOrString unhealthyPodEvictionPolicy=4?:<AlwaysAllow|IfHealthyBudget>
PodDisruptionBudgetStatus observedGeneration=1:long disruptedPods=2:{Time} disruptionsAllowed=3:int! currentHealthy=4:int! desiredHealthy=5:int! expectedPods=6:int! conditions=7:[Condition](type)^type
PodDisruptionBudget metadata=1:ObjectMeta spec=2:PodDisruptionBudgetSpec status=3:PodDisruptionBudgetStatus
Eviction metadata=1:ObjectMeta deleteOptions=2:DeleteOptions
# scheduling.k8s.io/v1 io.k8s.api.scheduling.v1
PriorityClass metadata=1:ObjectMeta value=2:int! globalDefault=3:bool description=4 preemptionPolicy=5:<Never|PreemptLowerPriority>
# node.k8s.io/v1 io.k8s.api.node.v1
RuntimeClass metadata=1:ObjectMeta handler=2! overhead=3:Overhead scheduling=4:Scheduling
Overhead podFixed=1:{Quantity}
Scheduling nodeSelector=1:{}~ tolerations=2:[Toleration]
`;
