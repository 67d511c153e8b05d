import { InformerError } from '../../kit/error.ts';
import type { Access } from './request-access.ts';

const API = 'rbac.authorization.k8s.io';

/** One rule of a role. Source: rbac/v1 PolicyRule. */
interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export interface RbacOptions {
  /** The name of the role in a namespace and its binding, or of a ClusterRole. */
  readonly nameIn: (namespace: string | undefined) => string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Who gets the roles. Default: no bindings. */
  readonly serviceAccount?: ServiceAccountName | undefined;
}

/**
 * The least roles that allow all of this: a Role for each namespace, and a ClusterRole for what is in all namespaces or
 * in none. With a service account also their bindings.
 */
export function rbacObjects(accesses: readonly Access[], { nameIn, labels, serviceAccount }: RbacOptions): object[] {
  const everywhere = accesses.filter(({ namespace }) => namespace === undefined);
  // a right in all namespaces is one in each
  const scoped = accesses.filter(({ namespace, ...access }) => namespace !== undefined && !holds(everywhere, access));
  const byNamespace = Map.groupBy(scoped, ({ namespace }) => namespace as string);
  const places = [
    ...(everywhere.length > 0 ? [{ namespace: undefined, found: everywhere }] : []),
    ...[...byNamespace].sort(([a], [b]) => (a < b ? -1 : 1)).map(([namespace, found]) => ({ namespace, found })),
  ];
  return places.flatMap(({ namespace, found }) => {
    const kind = namespace === undefined ? 'ClusterRole' : 'Role';
    const name = nameIn(namespace);
    const metadata = { name, ...(namespace === undefined ? {} : { namespace }), ...(labels ? { labels } : {}) };
    const role = { apiVersion: `${API}/v1`, kind, metadata, rules: rulesOf(found) };
    if (!serviceAccount) return [role];
    return [
      role,
      {
        apiVersion: `${API}/v1`,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup: API, kind, name },
        subjects: [{ kind: 'ServiceAccount', ...serviceAccount }],
      },
    ];
  });
}

const holds = (accesses: readonly Access[], { verb, group, resource }: Omit<Access, 'namespace'>) =>
  accesses.some(
    (other) => other.verb === verb && other.group === group && other.resource === resource && other.name === undefined,
  );

/** Rules in which types of a group that need the same verbs are one. */
function rulesOf(accesses: readonly Access[]): Rule[] {
  // a right to all objects is one to each
  const least = accesses.filter((access) => access.name === undefined || !holds(accesses, access));
  const byType = Map.groupBy(least, ({ group, resource, name }) => JSON.stringify([group, resource, name]));
  const types = [...byType.values()].map((found) => {
    const { group, resource, name } = found[0] as Access;
    const verbs = [...new Set(found.map(({ verb }) => verb))].sort((a, b) => rankOf(a) - rankOf(b));
    return { group, resource, name, verbs };
  });
  const alike = Map.groupBy(types, ({ group, name, verbs }) => JSON.stringify([group, name, verbs]));
  return [...alike.values()]
    .map((found) => {
      const { group, name, verbs } = found[0] as (typeof types)[number];
      const resources = found.map(({ resource }) => resource).sort();
      return { apiGroups: [group], resources, ...(name === undefined ? {} : { resourceNames: [name] }), verbs };
    })
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ apiGroups, resources, resourceNames = [] }: Rule) =>
  [apiGroups[0], resources[0], ...resourceNames].join('/');

const ORDER = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const rankOf = (verb: string) => (ORDER.includes(verb) ? ORDER.indexOf(verb) : ORDER.length);

/** `NAMESPACE:NAME` or `NAME`. Throws `argument` for anything else. */
export function parseServiceAccount(text: string, namespace: string): ServiceAccountName {
  const parts = text.split(':');
  const [first = '', second] = parts;
  if (parts.length > 2 || first === '' || second === '')
    throw new InformerError(
      'argument',
      `invalid argument "${text}" for "--service-account": expected [NAMESPACE:]NAME`,
    );
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second };
}
