import type { UnknownObject } from '../../model/object.ts';
import type { UserInfo } from '../api/call.ts';
import { forbidden, missing } from '../status/statuses.ts';
import { equalJson } from '../types/equal.ts';
import { type Authorizer, isMaster, type PolicyRule } from './authorizer.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** A write of a role or a binding. */
interface RbacWrite {
  readonly authorizer: Authorizer;
  readonly user: UserInfo;
  /** `roles`, `clusterroles`, `rolebindings` or `clusterrolebindings`. */
  readonly resource: string;
  readonly after: UnknownObject;
  /** The stored object; undefined for a new one. */
  readonly before: UnknownObject | undefined;
}

/**
 * Throws 403 when a user writes a role or a binding that grants a permission which the user does not have, unless the
 * user has the verb `escalate` on the role, or `bind` on the role of the binding. A write that leaves the rules of the
 * role, or the subjects of the binding, as they are grants nothing.
 * Source: kubernetes pkg/registry/rbac policybased storage, validation.ConfirmNoEscalation.
 */
export function checkEscalation(write: RbacWrite): void {
  const { authorizer, user, resource, after, before } = write;
  if (isMaster(user)) return;
  const { name = '', namespace } = after.metadata;
  const isRole = resource === 'roles' || resource === 'clusterroles';
  if (isRole) checkAggregation(write);
  if (before && (isRole ? equalLists(before.rules, after.rules) : equalLists(before.subjects, after.subjects))) return;
  const granted = isRole ? grantedByRole(write) : grantedByBinding(write);
  const lacking = notCovered(authorizer.rulesOf(user, namespace), granted);
  if (lacking.length === 0) return;
  const who = `user ${JSON.stringify(user.username)} (groups=${quoted(user.groups)})`;
  const what = lacking.map(shown).join('\n');
  forbidden(
    { group: GROUP, resource },
    name,
    `${who} is attempting to grant RBAC permissions not currently held:\n${what}`,
  );
}

/**
 * Throws 403 when a user without all permissions changes which roles a ClusterRole aggregates: it could gain any rule
 * by that later.
 */
function checkAggregation({ authorizer, user, resource, after, before }: RbacWrite): void {
  const { name = '', namespace } = after.metadata;
  const selectors =
    (after.aggregationRule as { clusterRoleSelectors?: object[] } | undefined)?.clusterRoleSelectors ?? [];
  if (selectors.length === 0 || equalJson(before?.aggregationRule, after.aggregationRule)) return;
  if (authorizer.decide(user, { verb: 'escalate', group: GROUP, resource, namespace, name }) !== undefined) return;
  if (notCovered(authorizer.rulesOf(user, namespace), EVERYTHING).length === 0) return;
  forbidden({ group: GROUP, resource }, name, 'must have cluster-admin privileges to use the aggregationRule');
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Whether two lists of an object are equal. As on a real server, an absent list equals an empty one. */
function equalLists(a: unknown, b: unknown): boolean {
  return equalJson(a ?? [], b ?? []);
}

function grantedByRole({ authorizer, user, resource, after }: RbacWrite): PolicyRule[] {
  const { name, namespace } = after.metadata;
  if (authorizer.decide(user, { verb: 'escalate', group: GROUP, resource, namespace, name }) !== undefined) return [];
  return (after.rules ?? []) as PolicyRule[];
}

function grantedByBinding({ authorizer, user, after }: RbacWrite): PolicyRule[] {
  const { kind, name } = after.roleRef as { kind: string; name: string };
  const { namespace } = after.metadata;
  const resource = kind === 'Role' ? 'roles' : 'clusterroles';
  if (authorizer.decide(user, { verb: 'bind', group: GROUP, resource, namespace, name }) !== undefined) return [];
  return authorizer.rulesOfRole(kind, name, namespace) ?? missing({ group: GROUP, resource }, name);
}

/** The wanted rules that no rule of the user covers. Verbs on the same resource or path are joined into one rule. */
function notCovered(own: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const lacking = wanted.flatMap(singly).filter((one) => !own.some((rule) => covers(rule, one)));
  const gathered = new Map<string, PolicyRule>();
  for (const one of lacking) {
    const key = JSON.stringify({ ...one, verbs: [] });
    const known = gathered.get(key);
    gathered.set(key, known ? { ...known, verbs: [...known.verbs, ...one.verbs] } : one);
  }
  return [...gathered.values()].sort((a, b) => (shown(a) < shown(b) ? -1 : 1));
}

/** Splits a rule into rules that each have one verb on one resource or path. */
function singly({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): PolicyRule[] {
  const names = resourceNames.length > 0 ? resourceNames.map((name) => ({ resourceNames: [name] })) : [{}];
  return verbs.flatMap((verb) => [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        names.map((name) => ({ verbs: [verb], apiGroups: [group], resources: [resource], ...name })),
      ),
    ),
    ...nonResourceURLs.map((url) => ({ verbs: [verb], nonResourceURLs: [url] })),
  ]);
}

function covers(
  own: PolicyRule,
  { verbs, apiGroups, resources = [], resourceNames = [], nonResourceURLs }: PolicyRule,
): boolean {
  const has = (all: readonly string[] | undefined, wanted: readonly string[] = []) =>
    (all ?? []).includes('*') || wanted.every((one) => all?.includes(one));
  if (!has(own.verbs, verbs)) return false;
  if (nonResourceURLs)
    return nonResourceURLs.every((url) => (own.nonResourceURLs ?? []).some((o) => o === url || coversPath(o, url)));
  const coversAll = resources.every(
    (one) => has(own.resources, [one]) || own.resources?.includes(one.replace(/^[^/]*\//, '*/')),
  );
  if (!has(own.apiGroups, apiGroups) || !coversAll) return false;
  const names = own.resourceNames ?? [];
  return names.length === 0 || (resourceNames.length > 0 && resourceNames.every((one) => names.includes(one)));
}

function coversPath(own: string, url: string): boolean {
  return own.endsWith('*') && url.startsWith(own.slice(0, -1));
}

function shown({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  });
  return `{${parts.flatMap(([name, values]) => (values?.length ? [`${name}:${quoted(values)}`] : [])).join(', ')}}`;
}

/** A list of strings as Go's %q prints it. */
function quoted(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
