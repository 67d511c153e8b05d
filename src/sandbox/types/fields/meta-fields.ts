/** What every object carries. The notation is told in field-table.ts. Source: the types of kubernetes/api 1.36 and their markers. */
export const META_FIELDS = `
# meta.k8s.io/v1 io.k8s.apimachinery.pkg.apis.meta.v1
ListMeta selfLink=1 resourceVersion=2 continue=3 remainingItemCount=4?:long
ObjectMeta name=1 generateName=2 namespace=3 selfLink=4 uid=5 resourceVersion=6 generation=7:long creationTimestamp=8:Time deletionTimestamp=9:Time deletionGracePeriodSeconds=10?:long labels=11:{} annotations=12:{} ownerReferences=13:[OwnerReference](uid)^uid finalizers=14:[](=)^ managedFields=17:[ManagedFieldsEntry]
OwnerReference~ apiVersion=5! kind=1! name=3! uid=4! controller=6?:bool blockOwnerDeletion=7?:bool
DeleteOptions apiVersion kind gracePeriodSeconds=1?:long preconditions=2:Preconditions orphanDependents=3?:bool propagationPolicy=4? dryRun=5:[] ignoreStoreReadErrorWithClusterBreakingPotential=6?:bool
Preconditions uid=1? resourceVersion=2?
LabelSelector~ matchLabels=1:{} matchExpressions=2:[LabelSelectorRequirement]
LabelSelectorRequirement key=1! operator=2! values=3:[]
FieldSelectorRequirement key=1! operator=2! values=3:[]
ManagedFieldsEntry manager=1 operation=2 apiVersion=3 time=4:Time fieldsType=6 fieldsV1=7:any subresource=8
Condition type=1! status=2! observedGeneration=3:long lastTransitionTime=4:Time! reason=5! message=6!
`;
