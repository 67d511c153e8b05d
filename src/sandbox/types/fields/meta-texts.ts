/** What the fields of metadata are for. Written for this table; the notation is told in descriptions.ts. */
export const META_TEXTS = `
ObjectMeta What every object carries beside its own fields.
  name Tells the object apart within its namespace and type. It cannot be changed.
  generateName Asked for at creation in place of a name: the server adds five random characters to it.
  namespace The namespace the object lives in; empty for types without one. It cannot be changed.
  selfLink Not filled in any more.
  uid Tells this object apart from all others there ever were, also from those of the same name.
  resourceVersion Changes with every write. Clients send it back unchanged to write only over what they have read, and to watch from there.
  generation Counts the changes of what is wanted, as opposed to those of status and metadata.
  creationTimestamp When the server made the object.
  deletionTimestamp When the object goes, set once its deletion was asked for. It stays until its finalizers are gone.
  deletionGracePeriodSeconds How long it is given to wind down, in seconds.
  labels Names and values to select objects by.
  annotations Names and values for tools and people, which nothing selects by.
  ownerReferences Objects this one depends on. When all of them are gone it is collected.
  finalizers Holds the object, when it is deleted, until whoever put a name here takes it out again.
  managedFields Who has set which fields, kept by the server for server-side apply.
OwnerReference An owner in the same namespace, or one without a namespace.
  apiVersion The version of the owner's API.
  kind The kind of the owner.
  name The name of the owner.
  uid The uid of the owner.
  controller Whether this owner is the one that manages the object. At most one is.
  blockOwnerDeletion Whether a deletion of the owner in the foreground waits for this object.
LabelSelector Chooses objects by their labels. All requirements must hold; an empty one chooses everything.
  matchLabels Labels that must be there with exactly these values.
  matchExpressions Requirements beyond equality.
LabelSelectorRequirement One requirement for one label.
  key The label it is about.
  operator In, NotIn, Exists or DoesNotExist.
  values What In and NotIn compare with.
ManagedFieldsEntry The fields one manager owns by one kind of write.
  manager Who it is, as it named itself.
  operation Apply or Update.
  apiVersion The version of the type the fields are named in.
  time When an owned field was last added, changed or given up.
  fieldsType The format of fieldsV1, which is FieldsV1.
  fieldsV1 The set of owned fields.
  subresource The subresource it was written through, if any.
Condition One aspect of the state of an object.
  type The name of the aspect.
  status True, False or Unknown.
  observedGeneration The generation it was seen at.
  lastTransitionTime When status last changed.
  reason One word in camel case for machines that says why.
  message The same for people.
Quantity An amount such as 500m, 1.5 or 2Gi.
Time A moment in RFC 3339, in whole seconds.
MicroTime A moment in RFC 3339, in microseconds.
IntOrString A number, or text such as a percentage or the name of a port.
`;
