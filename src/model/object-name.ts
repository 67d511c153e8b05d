import type { GroupVersionResource } from './gvr.ts';

/** The rules by which an API accepts the names of objects. */
export type NameRule = 'label' | 'subdomain' | 'segment';

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST = 253;

/**
 * Whether an object can have this name. `label`: at most 63 characters of a-z, 0-9 and `-`, with no `-` at either end.
 * `subdomain`: labels joined by dots, at most 253 characters. `segment`: any text that is allowed in a path. Source:
 * apimachinery util/validation IsDNS1123Label and IsDNS1123Subdomain, api/validation/path IsValidPathSegmentName.
 */
export function isNameOf(rule: NameRule, name: string): boolean {
  if (rule === 'label') return LABEL.test(name);
  if (rule === 'subdomain') return name.length <= LONGEST && SUBDOMAIN.test(name);
  return name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);
}

/**
 * Groups that the Kubernetes API server itself serves. Other groups are custom resources, or extension API servers with
 * their own rules.
 */
const BUILT_IN = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apps',
  'autoscaling',
  'batch',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'node.k8s.io',
  'policy',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

/** Types of these groups whose names are path segments. An event is named after the object it is about. */
const ANY_SEGMENT = new Set(['events', 'componentstatuses']);

/**
 * The rule for the names of a resource type, without asking the server. Undefined for types whose rule is not known;
 * custom resources among them use `subdomain`. Where versions of Kubernetes differ, the most generous rule.
 */
export function nameRuleOf({ group, resource }: GroupVersionResource): NameRule | undefined {
  if (group === '' && resource === 'namespaces') return 'label';
  if (group === 'networking.k8s.io') return resource === 'ipaddresses' ? 'segment' : 'subdomain';
  if (BUILT_IN.has(group)) return ANY_SEGMENT.has(resource) ? 'segment' : 'subdomain';
  return KNOWN_SEGMENTS.has(group) ? 'segment' : undefined;
}

/**
 * RBAC names contain colons, and names of APIServices end with dots. Events and trust bundles are named after other
 * objects.
 */
const KNOWN_SEGMENTS = new Set([
  'rbac.authorization.k8s.io',
  'apiregistration.k8s.io',
  'certificates.k8s.io',
  'events.k8s.io',
]);

/** Whether the Kubernetes API server itself serves this group. False for custom resources and extension API servers. */
export function isBuiltInGroup(group: string): boolean {
  return BUILT_IN.has(group) || KNOWN_SEGMENTS.has(group) || group === 'networking.k8s.io';
}
