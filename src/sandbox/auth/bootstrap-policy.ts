import type { UnknownObject } from '../../model/object.ts';
import type { Features } from '../feature-gates.ts';

const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const EVENTS = rule(['create', 'patch', 'update'], ['', 'events.k8s.io'], ['events']);

/**
 * The roles and bindings that a server creates when it starts, without those for its own controllers.
 * Source: kubernetes plugin/pkg/auth/authorizer/rbac/bootstrappolicy.
 */
export function bootstrapPolicy({ clusterTrustBundle = false }: Partial<Features> = {}): UnknownObject[] {
  return [
    ...(clusterTrustBundle ? TRUST_BUNDLES : []),
    ...aggregated('admin', 'edit', 'view'),
    clusterRole('cluster-admin', [rule(['*'], ['*'], ['*']), { verbs: ['*'], nonResourceURLs: ['*'] }]),
    clusterRole('system:aggregate-to-admin', ADMIN, { [`${RBAC}/aggregate-to-admin`]: 'true' }),
    clusterRole('system:aggregate-to-edit', EDIT, { [`${RBAC}/aggregate-to-edit`]: 'true' }),
    clusterRole('system:aggregate-to-view', VIEW, { [`${RBAC}/aggregate-to-view`]: 'true' }),
    clusterRole('system:basic-user', BASIC),
    clusterRole('system:discovery', [{ verbs: ['get'], nonResourceURLs: DISCOVERY }]),
    clusterRole('system:public-info-viewer', [
      { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
      { verbs: ['get'], nonResourceURLs: ['/.well-known', '/.well-known/*'] },
    ]),
    clusterBinding('cluster-admin', 'system:masters'),
    clusterBinding('system:basic-user', 'system:authenticated'),
    clusterBinding('system:discovery', 'system:authenticated'),
    clusterBinding('system:public-info-viewer', 'system:authenticated', 'system:unauthenticated'),
    ...ROLES.map(([namespace, name, rules]) => object('Role', name, { rules }, { namespace })),
    ...ROLE_BINDINGS.map(([namespace, name, role, subjects]) =>
      binding('RoleBinding', name, ['Role', role], subjects, { namespace }),
    ),
  ];
}

/** For servers with ClusterTrustBundle. */
const TRUST_BUNDLES = [
  clusterRole('system:cluster-trust-bundle-discovery', [rule(READ, ['certificates.k8s.io'], ['clustertrustbundles'])]),
  clusterBinding('system:cluster-trust-bundle-discovery', 'system:serviceaccounts'),
];

const DISCOVERY = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
];

const BASIC = [
  rule(['create'], ['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews']),
  rule(['create'], ['authentication.k8s.io'], ['selfsubjectreviews']),
];

const WORKLOADS = [
  'daemonsets',
  'deployments',
  'deployments/scale',
  'replicasets',
  'replicasets/scale',
  'statefulsets',
  'statefulsets/scale',
];
const CORE = [
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'replicationcontrollers/scale',
  'serviceaccounts',
];

const VIEW = [
  rule(READ, [''], [...CORE, 'endpoints', 'persistentvolumeclaims/status', 'services', 'services/status']),
  rule(
    READ,
    [''],
    [
      'bindings',
      'events',
      'limitranges',
      'namespaces/status',
      'pods/log',
      'pods/status',
      'replicationcontrollers/status',
    ],
  ),
  rule(READ, [''], ['namespaces', 'resourcequotas', 'resourcequotas/status']),
  rule(READ, ['discovery.k8s.io'], ['endpointslices']),
  rule(
    READ,
    ['apps'],
    ['controllerrevisions', ...WORKLOADS, ...statusesOf('daemonsets', 'deployments', 'replicasets', 'statefulsets')],
  ),
  rule(READ, ['autoscaling'], ['horizontalpodautoscalers', 'horizontalpodautoscalers/status']),
  rule(READ, ['batch'], ['cronjobs', 'jobs', ...statusesOf('cronjobs', 'jobs')]),
  rule(READ, ['policy'], ['poddisruptionbudgets', 'poddisruptionbudgets/status']),
  rule(READ, ['networking.k8s.io'], ['ingresses', 'ingresses/status', 'networkpolicies']),
  rule(READ, ['resource.k8s.io'], ['resourceclaims', 'resourceclaims/status', 'resourceclaimtemplates']),
];

const EDIT = [
  rule(READ, [''], ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy']),
  rule(['impersonate'], [''], ['serviceaccounts']),
  rule(WRITE, [''], ['pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy']),
  rule(['create'], [''], ['pods/eviction', 'serviceaccounts/token']),
  rule(WRITE, [''], [...CORE.filter((name) => name !== 'pods'), 'events', 'secrets', 'services', 'services/proxy']),
  rule(WRITE, ['apps'], WORKLOADS),
  rule(WRITE, ['autoscaling'], ['horizontalpodautoscalers']),
  rule(WRITE, ['batch'], ['cronjobs', 'jobs']),
  rule(WRITE, ['policy'], ['poddisruptionbudgets']),
  rule(WRITE, ['networking.k8s.io'], ['ingresses', 'networkpolicies']),
  rule([...WRITE, ...READ], ['coordination.k8s.io'], ['leases']),
  rule(WRITE, ['resource.k8s.io'], ['resourceclaims', 'resourceclaimtemplates']),
];

const ADMIN = [
  rule(['create'], ['authorization.k8s.io'], ['localsubjectaccessreviews']),
  rule([...WRITE, ...READ], [RBAC], ['rolebindings', 'roles']),
];

const ROLES: readonly [namespace: string, name: string, rules: object[]][] = [
  [
    'kube-public',
    'system:controller:bootstrap-signer',
    [rule(READ, [''], ['configmaps']), rule(['update'], [''], ['configmaps'], ['cluster-info']), EVENTS],
  ],
  [
    'kube-system',
    'extension-apiserver-authentication-reader',
    [rule(READ, [''], ['configmaps'], ['extension-apiserver-authentication'])],
  ],
  ['kube-system', 'system::leader-locking-kube-controller-manager', locking('kube-controller-manager')],
  ['kube-system', 'system::leader-locking-kube-scheduler', locking('kube-scheduler')],
  ['kube-system', 'system:controller:bootstrap-signer', [rule(READ, [''], ['secrets'])]],
  ['kube-system', 'system:controller:cloud-provider', [rule(['create', ...READ], [''], ['configmaps'])]],
  ['kube-system', 'system:controller:token-cleaner', [rule([...READ, 'delete'], [''], ['secrets']), EVENTS]],
];

const ROLE_BINDINGS: readonly [namespace: string, name: string, role: string, subjects: object[]][] = [
  [
    'kube-public',
    'system:controller:bootstrap-signer',
    'system:controller:bootstrap-signer',
    [account('bootstrap-signer')],
  ],
  [
    'kube-system',
    'system::extension-apiserver-authentication-reader',
    'extension-apiserver-authentication-reader',
    [user('system:kube-controller-manager'), user('system:kube-scheduler')],
  ],
  [
    'kube-system',
    'system::leader-locking-kube-controller-manager',
    'system::leader-locking-kube-controller-manager',
    [user('system:kube-controller-manager'), account('kube-controller-manager'), account('leader-election-controller')],
  ],
  [
    'kube-system',
    'system::leader-locking-kube-scheduler',
    'system::leader-locking-kube-scheduler',
    [user('system:kube-scheduler'), account('kube-scheduler')],
  ],
  ...['bootstrap-signer', 'cloud-provider', 'token-cleaner'].map((name): [string, string, string, object[]] => [
    'kube-system',
    `system:controller:${name}`,
    `system:controller:${name}`,
    [account(name)],
  ]),
];

function rule(verbs: readonly string[], apiGroups: string[], resources: string[], resourceNames?: string[]): object {
  return { verbs, apiGroups, resources, ...(resourceNames ? { resourceNames } : {}) };
}

function statusesOf(...resources: string[]): string[] {
  return resources.map((resource) => `${resource}/status`);
}

function locking(name: string): object[] {
  return [rule(['watch'], [''], ['configmaps']), rule(['get', 'update'], [''], ['configmaps'], [name])];
}

function user(name: string): object {
  return { kind: 'User', apiGroup: RBAC, name };
}

function account(name: string): object {
  return { kind: 'ServiceAccount', name, namespace: 'kube-system' };
}

function aggregated(...names: string[]): UnknownObject[] {
  const wider: Readonly<Record<string, string>> = { edit: 'admin', view: 'edit' };
  return names.map((name) => {
    const labels = wider[name] ? { [`${RBAC}/aggregate-to-${wider[name]}`]: 'true' } : {};
    const selectors = [{ matchLabels: { [`${RBAC}/aggregate-to-${name}`]: 'true' } }];
    return object('ClusterRole', name, { aggregationRule: { clusterRoleSelectors: selectors } }, { labels });
  });
}

function clusterRole(name: string, rules: object[], labels: Record<string, string> = {}): UnknownObject {
  return object('ClusterRole', name, { rules }, { labels });
}

function clusterBinding(name: string, ...groups: string[]): UnknownObject {
  const subjects = groups.map((group) => ({ kind: 'Group', apiGroup: RBAC, name: group }));
  return binding('ClusterRoleBinding', name, ['ClusterRole', name], subjects);
}

function binding(
  kind: string,
  name: string,
  [role, of]: [string, string],
  subjects: object[],
  more: object = {},
): UnknownObject {
  return object(kind, name, { subjects, roleRef: { apiGroup: RBAC, kind: role, name: of } }, more);
}

function object(
  kind: string,
  name: string,
  fields: object,
  { labels, ...more }: { labels?: Record<string, string>; namespace?: string } = {},
): UnknownObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind,
    metadata: {
      name,
      ...more,
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
    ...fields,
  };
}
