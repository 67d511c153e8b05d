/** What extends the API, and the types that are questions to it. The notation is told in field-table.ts. Source: the types of kubernetes/api 1.36 and their markers. */
export const EXTENSION_FIELDS = `
# apiextensions.k8s.io/v1 io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
CustomResourceDefinition metadata:ObjectMeta spec:CustomResourceDefinitionSpec! status:CustomResourceDefinitionStatus
CustomResourceDefinitionSpec group! names:CustomResourceDefinitionNames! scope! versions:[CustomResourceDefinitionVersion]! conversion:CustomResourceConversion preserveUnknownFields:bool
CustomResourceDefinitionNames plural! singular shortNames:[] kind! listKind categories:[]
CustomResourceDefinitionVersion name! served:bool! storage:bool! deprecated:bool deprecationWarning schema:CustomResourceValidation subresources:CustomResourceSubresources additionalPrinterColumns:[CustomResourceColumnDefinition] selectableFields:[SelectableField]
CustomResourceValidation openAPIV3Schema:JSONSchemaProps
CustomResourceSubresources status:any scale:CustomResourceSubresourceScale
CustomResourceSubresourceScale specReplicasPath! statusReplicasPath! labelSelectorPath
CustomResourceColumnDefinition name! type! format description priority:int jsonPath!
SelectableField jsonPath!
CustomResourceConversion strategy! webhook:WebhookConversion
WebhookConversion clientConfig:WebhookClientConfig conversionReviewVersions:[]!
WebhookClientConfig url service:ServiceReference caBundle:bytes
ServiceReference namespace! name! path port:int
CustomResourceDefinitionStatus conditions:[CustomResourceDefinitionCondition](type) acceptedNames:CustomResourceDefinitionNames storedVersions:[] observedGeneration:long
CustomResourceDefinitionCondition type! status! lastTransitionTime:Time reason message observedGeneration:long
JSONSchemaProps id $schema $ref description type format title default:any maximum:number exclusiveMaximum:bool minimum:number exclusiveMinimum:bool maxLength:long minLength:long pattern maxItems:long minItems:long uniqueItems:bool multipleOf:number enum:[any] maxProperties:long minProperties:long required:[] items:any allOf:[JSONSchemaProps] oneOf:[JSONSchemaProps] anyOf:[JSONSchemaProps] not:JSONSchemaProps properties:{JSONSchemaProps} additionalProperties:any patternProperties:{JSONSchemaProps} dependencies:{any} additionalItems:any definitions:{JSONSchemaProps} externalDocs:ExternalDocumentation example:any nullable:bool x-kubernetes-preserve-unknown-fields:bool x-kubernetes-embedded-resource:bool x-kubernetes-int-or-string:bool x-kubernetes-list-map-keys:[] x-kubernetes-list-type x-kubernetes-map-type x-kubernetes-validations:[ValidationRule](rule)^rule
ExternalDocumentation description url
ValidationRule rule! message messageExpression reason fieldPath optionalOldSelf:bool
# apiregistration.k8s.io/v1 io.k8s.kube-aggregator.pkg.apis.apiregistration.v1
APIService metadata:ObjectMeta spec:APIServiceSpec status:APIServiceStatus
APIServiceSpec service:ServiceReference group version insecureSkipTLSVerify:bool caBundle:bytes groupPriorityMinimum:int! versionPriority:int!
ServiceReference namespace name port:int
APIServiceStatus conditions:[APIServiceCondition](type)^type
APIServiceCondition type! status! lastTransitionTime:Time reason message
# admissionregistration.k8s.io/v1 io.k8s.api.admissionregistration.v1
Rule apiGroups=1:[] apiVersions=2:[] resources=3:[] scope=4?:<*|Cluster|Namespaced>
ValidatingAdmissionPolicy metadata=1:ObjectMeta spec=2:ValidatingAdmissionPolicySpec status=3:ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyStatus observedGeneration=1:long typeChecking=2:TypeChecking conditions=3:[Condition](type)
TypeChecking expressionWarnings=1:[ExpressionWarning]
ExpressionWarning fieldRef=2! warning=3!
ValidatingAdmissionPolicySpec paramKind=1:ParamKind matchConstraints=2:MatchResources validations=3:[Validation] failurePolicy=4?:<Fail|Ignore> auditAnnotations=5:[AuditAnnotation] matchConditions=6:[MatchCondition](name)^name variables=7:[Variable](name)^name
ParamKind~ apiVersion=1 kind=2
Validation expression=1! message=2 reason=3 messageExpression=4
Variable~ name=1! expression=2!
AuditAnnotation key=1! valueExpression=2!
ValidatingAdmissionPolicyBinding metadata=1:ObjectMeta spec=2:ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingSpec policyName=1 paramRef=2:ParamRef matchResources=3:MatchResources validationActions=4:[<Audit|Deny|Warn>](=)
ParamRef~ name=1 namespace=2 selector=3:LabelSelector parameterNotFoundAction=4?
MatchResources~ namespaceSelector=1:LabelSelector objectSelector=2:LabelSelector resourceRules=3:[NamedRuleWithOperations] excludeResourceRules=4:[NamedRuleWithOperations] matchPolicy=7?
NamedRuleWithOperations~ resourceNames=1:[] >RuleWithOperations=2
ValidatingWebhookConfiguration metadata=1:ObjectMeta webhooks=2:[ValidatingWebhook](name)^name
MutatingWebhookConfiguration metadata=1:ObjectMeta webhooks=2:[MutatingWebhook](name)^name
ValidatingWebhook name=1! clientConfig=2:WebhookClientConfig! rules=3:[RuleWithOperations] failurePolicy=4?:<Fail|Ignore> matchPolicy=9?:<Equivalent|Exact> namespaceSelector=5:LabelSelector objectSelector=10:LabelSelector sideEffects=6?:<None|NoneOnDryRun|Some|Unknown>! timeoutSeconds=7?:int admissionReviewVersions=8:[]! matchConditions=11:[MatchCondition](name)^name
MutatingWebhook name=1! clientConfig=2:WebhookClientConfig! rules=3:[RuleWithOperations] failurePolicy=4?:<Fail|Ignore> matchPolicy=9?:<Equivalent|Exact> namespaceSelector=5:LabelSelector objectSelector=11:LabelSelector sideEffects=6?:<None|NoneOnDryRun|Some|Unknown>! timeoutSeconds=7?:int admissionReviewVersions=8:[]! reinvocationPolicy=10?:<IfNeeded|Never> matchConditions=12:[MatchCondition](name)^name
RuleWithOperations operations=1:[<*|CONNECT|CREATE|DELETE|UPDATE>] >Rule=2
WebhookClientConfig url=3? service=1:ServiceReference caBundle=2:bytes
ServiceReference namespace=1! name=2! path=3? port=4?:int
MatchCondition name=1! expression=2!
MutatingAdmissionPolicy metadata=1:ObjectMeta spec=2:MutatingAdmissionPolicySpec
MutatingAdmissionPolicySpec paramKind=1:ParamKind matchConstraints=2:MatchResources variables=3:[Variable] mutations=4:[Mutation] failurePolicy=5? matchConditions=6:[MatchCondition](name)^name reinvocationPolicy=7:<IfNeeded|Never>
Mutation patchType=2:<ApplyConfiguration|JSONPatch>! applyConfiguration=3:ApplyConfiguration jsonPatch=4:JSONPatch
ApplyConfiguration expression=1
JSONPatch expression=1
MutatingAdmissionPolicyBinding metadata=1:ObjectMeta spec=2:MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingSpec policyName=1 paramRef=2:ParamRef matchResources=3:MatchResources
# authentication.k8s.io/v1 io.k8s.api.authentication.v1
TokenReview metadata=1:ObjectMeta spec=2:TokenReviewSpec! status=3:TokenReviewStatus
TokenReviewSpec token=1 audiences=2:[]
TokenReviewStatus authenticated=1:bool user=2:UserInfo audiences=4:[] error=3
UserInfo username=1 uid=2 groups=3:[] extra=4:{[]}
TokenRequest metadata=1:ObjectMeta spec=2:TokenRequestSpec! status=3:TokenRequestStatus
TokenRequestSpec audiences=1:[]! expirationSeconds=4?:long boundObjectRef=3:BoundObjectReference
TokenRequestStatus token=1! expirationTimestamp=2:Time!
BoundObjectReference kind=1 apiVersion=2 name=3 uid=4
SelfSubjectReview metadata=1:ObjectMeta status=2:SelfSubjectReviewStatus
SelfSubjectReviewStatus userInfo=1:UserInfo
# authorization.k8s.io/v1 io.k8s.api.authorization.v1
SubjectAccessReview metadata=1:ObjectMeta spec=2:SubjectAccessReviewSpec! status=3:SubjectAccessReviewStatus
SelfSubjectAccessReview metadata=1:ObjectMeta spec=2:SelfSubjectAccessReviewSpec! status=3:SubjectAccessReviewStatus
LocalSubjectAccessReview metadata=1:ObjectMeta spec=2:SubjectAccessReviewSpec! status=3:SubjectAccessReviewStatus
ResourceAttributes namespace=1 verb=2 group=3 version=4 resource=5 subresource=6 name=7 fieldSelector=8:FieldSelectorAttributes labelSelector=9:LabelSelectorAttributes
LabelSelectorAttributes rawSelector=1 requirements=2:[LabelSelectorRequirement]
FieldSelectorAttributes rawSelector=1 requirements=2:[FieldSelectorRequirement]
NonResourceAttributes path=1 verb=2
SubjectAccessReviewSpec resourceAttributes=1:ResourceAttributes nonResourceAttributes=2:NonResourceAttributes user=3 groups=4:[] extra=5:{[]} uid=6
SelfSubjectAccessReviewSpec resourceAttributes=1:ResourceAttributes nonResourceAttributes=2:NonResourceAttributes
SubjectAccessReviewStatus allowed=1:bool! denied=4:bool reason=2 evaluationError=3
SelfSubjectRulesReview metadata=1:ObjectMeta spec=2:SelfSubjectRulesReviewSpec! status=3:SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec namespace=1
SubjectRulesReviewStatus resourceRules=1:[ResourceRule]! nonResourceRules=2:[NonResourceRule]! incomplete=3:bool! evaluationError=4
ResourceRule verbs=1:[]! apiGroups=2:[] resources=3:[] resourceNames=4:[]
NonResourceRule verbs=1:[]! nonResourceURLs=2:[]
`;
