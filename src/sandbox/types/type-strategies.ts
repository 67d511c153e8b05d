import { type ApiType, hasSubresource } from './api-type.ts';
import data from './data/strategies.json' with { type: 'json' };

/**
 * How built-in types differ, by rule. Source: the rest strategies of kubernetes/pkg/registry.
 * - `generation`: their objects have a generation.
 * - `returnsDeleted`: a delete is answered with the object instead of a Status (ReturnDeletedObject).
 * - `needsVersionToUpdate`: an update without a resourceVersion is refused (AllowUnconditionalUpdate).
 * - `createdByUpdate`: a PUT creates an object when there is none with that name (AllowCreateOnUpdate).
 * - `orphansByDefault`: a delete without a policy orphans the dependents (DefaultGarbageCollectionPolicy).
 * - `keepsMetadataAtStatus`: the status subresource does not change metadata (ResetObjectMetaForStatus).
 */
type Rule = keyof typeof data;

const isIn = (rule: Rule, { storage }: ApiType) => data[rule].includes(storage);

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
  return type.custom !== undefined || isIn('generation', type);
}

export function returnsDeleted(type: ApiType): boolean {
  return isIn('returnsDeleted', type);
}

export function needsVersionToUpdate(type: ApiType): boolean {
  return type.custom !== undefined || isIn('needsVersionToUpdate', type);
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
  return isIn('createdByUpdate', type) || PATH_NAMES.test(type.storage);
}

export function orphansByDefault(type: ApiType): boolean {
  return isIn('orphansByDefault', type);
}

/** Whether a write through the status subresource leaves labels, annotations and other metadata as they are. */
export function keepsMetadataAtStatus(type: ApiType): boolean {
  return type.custom !== undefined || isIn('keepsMetadataAtStatus', type);
}

export function countsAnnotations(type: ApiType): boolean {
  return COUNTS_ANNOTATIONS.has(type.storage);
}
