import { type ApiType, hasSubresource } from './api-type.ts';

/** Built-in types whose objects have a generation. Source: the rest strategies of kubernetes/pkg/registry. */
const WITH_GENERATION = new Set([
  'apiservices.apiregistration.k8s.io',
  'cronjobs.batch',
  'customresourcedefinitions.apiextensions.k8s.io',
  'daemonsets.apps',
  'deployments.apps',
  'devicetaintrules.resource.k8s.io',
  'endpointslices.discovery.k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'ingressclasses.networking.k8s.io',
  'ingresses.networking.k8s.io',
  'jobs.batch',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'networkpolicies.networking.k8s.io',
  'poddisruptionbudgets.policy',
  'pods',
  'priorityclasses.scheduling.k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'replicasets.apps',
  'replicationcontrollers',
  'statefulsets.apps',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
]);

/**
 * Types for which a delete is answered with the object instead of a Status. Source: ReturnDeletedObject in
 * kubernetes/pkg/registry.
 */
const RETURNS_DELETED = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
]);

/**
 * Types that refuse an update without a resourceVersion. Source: AllowUnconditionalUpdate in kubernetes/pkg/registry.
 */
const CONDITIONAL_UPDATE = new Set([
  'apiservices.apiregistration.k8s.io',
  'clustertrustbundles.certificates.k8s.io',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'csistoragecapacities.storage.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'devicetaintrules.resource.k8s.io',
  'leases.coordination.k8s.io',
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'podcertificaterequests.certificates.k8s.io',
  'poddisruptionbudgets.policy',
  'runtimeclasses.node.k8s.io',
  'storageversionmigrations.storagemigration.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'volumeattachments.storage.k8s.io',
]);

/**
 * Types for which a PUT creates an object when there is none with that name. Source: AllowCreateOnUpdate in
 * kubernetes/pkg/registry.
 */
const CREATED_BY_UPDATE = new Set([
  'endpoints',
  'events',
  'leases.coordination.k8s.io',
  'limitranges',
  'podtemplates',
  'services',
]);

/**
 * Types whose dependents are orphaned by a delete without a policy. Source: DefaultGarbageCollectionPolicy in
 * kubernetes/pkg/registry.
 */
const ORPHANS_BY_DEFAULT = new Set(['jobs.batch', 'replicationcontrollers']);

/**
 * Types whose status subresource does not change metadata. Source: ResetObjectMetaForStatus in kubernetes/pkg/registry.
 */
const KEEPS_METADATA = new Set([
  'apiservices.apiregistration.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'devicetaintrules.resource.k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'podcertificaterequests.certificates.k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'resourceclaims.resource.k8s.io',
  'servicecidrs.networking.k8s.io',
  'storageversionmigrations.storagemigration.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
]);

/**
 * Types whose generation also counts changes of annotations. Source:
 * kubernetes/pkg/registry/apps/deployment/strategy.go.
 */
const COUNTS_ANNOTATIONS = new Set(['deployments.apps']);

/** Types whose status can be written with the object, although they have a status subresource. */
const KEEPS_STATUS = new Set(['nodes']);

/** Types whose names can have every character of a path segment, such as the role `system:node`. */
const PATH_NAMES = /\.rbac\.authorization\.k8s\.io$/;
/** The type whose names depend on its fields: `write/validate-gated.ts` checks them. */
const TRUST_BUNDLES = 'clustertrustbundles.certificates.k8s.io';
const LABEL_NAMES = new Set(['namespaces', 'services']);

export function countsGeneration(type: ApiType): boolean {
  return type.custom !== undefined || WITH_GENERATION.has(type.storage);
}

export function returnsDeleted(type: ApiType): boolean {
  return RETURNS_DELETED.has(type.storage);
}

export function needsVersionToUpdate(type: ApiType): boolean {
  return type.custom !== undefined || CONDITIONAL_UPDATE.has(type.storage);
}

/** Whether status can be written only through its subresource. */
export function guardsStatus(type: ApiType): boolean {
  return hasSubresource(type, 'status') && !KEEPS_STATUS.has(type.storage);
}

/** The form that the names of a type must have. */
export function nameRule(type: ApiType): 'subdomain' | 'label' | 'segment' {
  if (PATH_NAMES.test(type.storage) || type.storage === TRUST_BUNDLES) return 'segment';
  return LABEL_NAMES.has(type.storage) ? 'label' : 'subdomain';
}

export function isCreatedByUpdate(type: ApiType): boolean {
  return CREATED_BY_UPDATE.has(type.storage) || PATH_NAMES.test(type.storage);
}

export function orphansByDefault(type: ApiType): boolean {
  return ORPHANS_BY_DEFAULT.has(type.storage);
}

/** Whether a write through the status subresource leaves labels, annotations and other metadata as they are. */
export function keepsMetadataAtStatus(type: ApiType): boolean {
  return type.custom !== undefined || KEEPS_METADATA.has(type.storage);
}

export function countsAnnotations(type: ApiType): boolean {
  return COUNTS_ANNOTATIONS.has(type.storage);
}
