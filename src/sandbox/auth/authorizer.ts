import { LabelSelector } from '../../model/label-selector.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { UserInfo } from '../api/call.ts';
import type { Store } from '../store/object-store.ts';
import { selectorText } from '../types/scale.ts';

/** An action that needs a permission: a verb on a resource, or on a path that belongs to no resource. */
export interface RequestAttributes {
  readonly verb: string;
  readonly group?: string | undefined;
  /** Absent when the action is on a path that belongs to no resource. */
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly path?: string | undefined;
}

/** A rule of a Role or ClusterRole, as its `rules` contain it. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** A rule that applies to a user, and the binding that makes it apply. */
interface Grant {
  readonly rule: PolicyRule;
  readonly reason: string;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/**
 * Authorizes users by the roles and bindings in the store, which it reads for every decision. Members of system:masters
 * may do everything. An aggregated ClusterRole has the rules of the roles that it selects at this moment: no controller
 * copies them.
 * Source: kubernetes plugin/pkg/auth/authorizer/rbac, pkg/apis/rbac/v1 evaluation_helpers.
 */
export class Authorizer {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The reason why an attempt is allowed ('' for members of system:masters); undefined when it is not allowed. */
  decide(user: UserInfo, attempt: RequestAttributes): string | undefined {
    if (isMaster(user)) return '';
    for (const { rule, reason } of this.#grants(user, attempt.namespace)) if (allows(rule, attempt)) return reason;
    return undefined;
  }

  /**
   * All rules that apply to a user in a namespace, cluster-wide ones included. Without a namespace only the
   * cluster-wide ones.
   */
  rulesOf(user: UserInfo, namespace: string | undefined): PolicyRule[] {
    return [...this.#grants(user, namespace)].map(({ rule }) => rule);
  }

  /** The rules of a ClusterRole, or of a Role in `namespace`; undefined when it does not exist. */
  rulesOfRole(kind: string, name: string, namespace: string | undefined): PolicyRule[] | undefined {
    const found = kind === 'Role' ? this.#one('roles', `${namespace}/${name}`) : this.#one('clusterroles', name);
    return found && this.#rulesIn(found);
  }

  *#grants(user: UserInfo, namespace: string | undefined): Generator<Grant> {
    yield* this.#granted('clusterrolebindings', user, '');
    if (namespace) yield* this.#granted('rolebindings', user, `${namespace}/`);
  }

  *#granted(resource: string, user: UserInfo, prefix: string): Generator<Grant> {
    for (const { object } of this.#all(resource, prefix)) {
      const subject = ((object.subjects ?? []) as Subject[]).find((s) => isOf(s, user));
      if (!subject) continue;
      const { kind, name } = object.roleRef as { kind: string; name: string };
      const binding = `"${object.metadata.name}${prefix === '' ? '' : `/${object.metadata.namespace}`}"`;
      const reason = `RBAC: allowed by ${object.kind} ${binding} of ${kind} "${name}" to ${subject.kind} "${shownName(subject)}"`;
      for (const rule of this.rulesOfRole(kind, name, prefix.slice(0, -1)) ?? []) yield { rule, reason };
    }
  }

  #rulesIn(role: UnknownObject, seen: ReadonlySet<string> = new Set()): PolicyRule[] {
    const own = (role.rules ?? []) as PolicyRule[];
    const { clusterRoleSelectors = [] } = (role.aggregationRule ?? {}) as {
      clusterRoleSelectors?: Record<string, unknown>[];
    };
    const name = role.metadata.name ?? '';
    if (clusterRoleSelectors.length === 0 || seen.has(name)) return own;
    const passed = new Set([...seen, name]);
    const selectors = clusterRoleSelectors.map((selector) => LabelSelector.parse(selectorText(selector)));
    const others = this.#all('clusterroles', '').map(({ object }) => object);
    const chosen = others.filter(
      ({ metadata }) => metadata.name !== name && selectors.some((s) => s.matches(metadata.labels ?? {})),
    );
    return [...own, ...chosen.flatMap((other) => this.#rulesIn(other, passed))];
  }

  #all(resource: string, prefix: string) {
    return this.#store.collection(`${resource}.rbac.authorization.k8s.io`).list({ prefix }, this.#store.revision);
  }

  #one(resource: string, key: string): UnknownObject | undefined {
    return this.#store.get(`${resource}.rbac.authorization.k8s.io`, key)?.object;
  }
}

export function isMaster({ groups }: UserInfo): boolean {
  return groups.includes('system:masters');
}

function isOf({ kind, name, namespace }: Subject, { username, groups }: UserInfo): boolean {
  if (kind === 'Group') return groups.includes(name);
  return kind === 'ServiceAccount' ? username === `system:serviceaccount:${namespace}:${name}` : username === name;
}

function shownName({ kind, name, namespace }: Subject): string {
  return kind === 'ServiceAccount' ? `${name}/${namespace}` : name;
}

function allows(
  rule: PolicyRule,
  { verb, group = '', resource, subresource, name = '', path = '' }: RequestAttributes,
): boolean {
  if (!matches(rule.verbs, verb)) return false;
  if (resource === undefined) return (rule.nonResourceURLs ?? []).some((url) => coversPath(url, path));
  if (!matches(rule.apiGroups, group) || !coversResource(rule.resources ?? [], resource, subresource)) return false;
  return !rule.resourceNames?.length || rule.resourceNames.includes(name);
}

function matches(allowed: readonly string[] = [], wanted: string): boolean {
  return allowed.includes('*') || allowed.includes(wanted);
}

function coversResource(allowed: readonly string[], resource: string, subresource: string | undefined): boolean {
  const wanted = subresource ? `${resource}/${subresource}` : resource;
  return allowed.some((a) => a === '*' || a === wanted || (subresource !== undefined && a === `*/${subresource}`));
}

function coversPath(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
}
