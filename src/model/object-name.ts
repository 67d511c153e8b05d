import type { GroupVersionResource } from './gvr.ts';

/** What an API accepts as the name of an object. */
export type NameRule = 'label' | 'subdomain' | 'segment';

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST = 253;

/**
 * Whether an object can have this name. `label`: at most 63 of a-z, 0-9 and `-`, with neither end a `-`. `subdomain`: such parts joined by dots,
 * at most 253. `segment`: whatever may stand in a path. Source: apimachinery util/validation IsDNS1123Label and IsDNS1123Subdomain,
 * api/validation/path IsValidPathSegmentName.
 */
export function isNameOf(rule: NameRule, name: string): boolean {
  if (rule === 'label') return LABEL.test(name);
  if (rule === 'subdomain') return name.length <= LONGEST && SUBDOMAIN.test(name);
  return name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);
}

/** Groups of a Kubernetes API server of its own. Others are CustomResourceDefinitions, or are served by somebody else by rules of their own. */
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

/** Types of these groups that take any path segment: the names of events follow those of what they are about. */
const ANY_SEGMENT = new Set(['events', 'componentstatuses']);

/**
 * What the API accepts as a name of this type, as far as it is known without asking: undefined for types whose API makes its own rules, of which
 * CustomResourceDefinitions have `subdomain`. Where versions differ it is the most generous rule.
 */
export function nameRuleOf({ group, resource }: GroupVersionResource): NameRule | undefined {
  if (group === '' && resource === 'namespaces') return 'label';
  if (group === 'networking.k8s.io') return resource === 'ipaddresses' ? 'segment' : 'subdomain';
  if (BUILT_IN.has(group)) return ANY_SEGMENT.has(resource) ? 'segment' : 'subdomain';
  return KNOWN_SEGMENTS.has(group) ? 'segment' : undefined;
}

/** RBAC names hold colons, APIServices end in dots, events and trust bundles name what they are about. */
const KNOWN_SEGMENTS = new Set(['rbac.authorization.k8s.io', 'apiregistration.k8s.io', 'certificates.k8s.io', 'events.k8s.io']);

/** Whether the Kubernetes API server itself serves this group, not a CustomResourceDefinition or a server of somebody else's. */
export function isBuiltInGroup(group: string): boolean {
  return BUILT_IN.has(group) || KNOWN_SEGMENTS.has(group) || group === 'networking.k8s.io';
}
