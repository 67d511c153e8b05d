import { hashOf, MARKS, nameOf, TIME, two } from './marks.ts';

/** An object, or a part of one, before it is written as JSON. */
export type Fields = Record<string, unknown>;
export type ObjectFields = Fields & { metadata: Fields };

/** What makes a pod as large as wanted. */
export interface PodParts {
  readonly containers: number;
  /** Of the first container. */
  readonly variables: readonly object[];
}

/** The containers of an app's pods: of most one; one app of eight has a proxy beside it, one of all has two. */
export const containersOfApp = (app: number): number => (app % 8 !== 3 ? 1 : app === 27 ? 3 : 2);

/**
 * The template of an app's pods: the fields that a kube-apiserver 1.36 sends, with digests, times in nanoseconds, texts
 * of JSON in annotations and long numbers in texts, owned by one or two objects or by none.
 */
export function pod(app: number, { containers, variables }: PodParts): ObjectFields {
  const names = Array.from({ length: containers }, (_, c) => (c === 0 ? 'main' : c === 1 ? 'proxy' : `helper-${c}`));
  const spec = podSpec(app, names, variables);
  const status = podStatus(app, names);
  const { metadata, owners } = podMetadata(app);
  const managedFields = [
    managed('kube-controller-manager', { metadata: { ...metadata.managed, ownerReferences: owners }, spec }),
    { ...managed('kubelet', { status }), subresource: 'status' },
  ];
  const ownerReferences = owners.length > 0 ? { ownerReferences: owners } : {};
  return { metadata: { ...metadata.sent, ...ownerReferences, managedFields }, spec, status };
}

function podMetadata(app: number): { metadata: { sent: Fields; managed: Fields }; owners: object[] } {
  const generateName = `app-${two(app)}-${hashOf(app)}-`;
  const labels = {
    app: `app-${two(app)}`,
    'app.kubernetes.io/instance': `app-${two(app)}-prod`,
    'app.kubernetes.io/name': `app-${two(app)}`,
    'app.kubernetes.io/part-of': 'shop',
    'pod-template-hash': hashOf(app),
    tier: ['frontend', 'backend', 'cache', 'db'][app % 4],
    'topology.kubernetes.io/zone': `zone-${app % 3}`,
  };
  const annotations = {
    'checksum/config': digestOf(app, 'config'),
    ...(app % 2 === 0 ? { 'example.com/seen-ns': `1767225600${MARKS.nanos}` } : {}),
    ...(app % 4 === 1 ? { 'k8s.v1.cni.cncf.io/network-status': networkStatus() } : {}),
    'prometheus.io/path': '/metrics',
    'prometheus.io/port': '9090',
    'prometheus.io/scrape': 'true',
  };
  const sent = {
    name: nameOf(app),
    generateName,
    namespace: `ns-${MARKS.namespace}`,
    uid: MARKS.uid,
    resourceVersion: MARKS.version,
    generation: 1,
    creationTimestamp: TIME,
    labels,
    annotations,
  };
  return { metadata: { sent, managed: { annotations, generateName, labels } }, owners: ownersOf(app) };
}

/** A ReplicaSet, for some apps a StatefulSet, for one of eight a second owner beside it, and for one of them none. */
function ownersOf(app: number): object[] {
  if (app === 13) return [];
  const owner = (apiVersion: string, kind: string, controller: boolean, of: number) => ({
    apiVersion,
    kind,
    name: `app-${two(app)}-${hashOf(app)}`,
    uid: `${hashOf(of)}-0000-4000-8000-${hashOf(of + 100)}0000`,
    controller,
    blockOwnerDeletion: true,
  });
  const first = owner('apps/v1', app % 8 === 5 ? 'StatefulSet' : 'ReplicaSet', true, app);
  return app % 8 === 7 ? [first, owner('example.com/v1', 'Rollout', false, app + 50)] : [first];
}

function networkStatus(): string {
  return JSON.stringify(
    [{ name: 'mesh', interface: 'eth0', ips: [`10.1.${MARKS.address}`], default: true, dns: {} }],
    null,
    4,
  );
}

/** A digest of an app, 64 digits; those of some apps are decimal digits for the most part. */
function digestOf(app: number, of: string): string {
  const text = Array.from({ length: 8 }, (_, i) => hashOf(app * 31 + i * 7 + of.length)).join('');
  return app % 5 === 0 ? `${'0'.repeat(24)}${text.slice(24)}` : text;
}

const imageOf = (app: number, name: string) =>
  name === 'main'
    ? `registry.example.com/shop/app-${two(app)}:v1.${app % 9}.3`
    : `registry.example.com/mesh/${name}:1.22.1`;

function podSpec(app: number, names: readonly string[], variables: readonly object[]): Fields {
  return {
    volumes: [
      { name: 'config', configMap: { name: `app-${two(app)}`, defaultMode: 420 } },
      {
        name: 'kube-api-access',
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: names.map((name) => container(app, name, variables)),
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    serviceAccount: 'default',
    nodeName: `worker-${MARKS.node}`,
    securityContext: {},
    schedulerName: 'default-scheduler',
    tolerations: ['not-ready', 'unreachable'].map((what) => ({
      key: `node.kubernetes.io/${what}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  };
}

/** One container; the first one has the variables. */
export function container(app: number, name: string, variables: readonly object[]): Fields {
  const isMain = name === 'main';
  const fieldRef = (fieldPath: string) => ({ fieldRef: { apiVersion: 'v1', fieldPath } });
  const access = {
    name: 'kube-api-access',
    readOnly: true,
    mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
  };
  const main = {
    args: ['--config=/etc/app/config.yaml', '--listen=:8080', '--log-level=info'],
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: [
      { name: 'POD_NAME', valueFrom: fieldRef('metadata.name') },
      { name: 'POD_NAMESPACE', valueFrom: fieldRef('metadata.namespace') },
      ...variables,
    ],
    resources: { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [{ name: 'config', readOnly: true, mountPath: '/etc/app' }, access],
    readinessProbe: {
      httpGet: { path: '/ready', port: 'http', scheme: 'HTTP' },
      initialDelaySeconds: 2,
      timeoutSeconds: 3,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
  };
  const beside = {
    args: ['sidecar'],
    ports: [{ name: `admin-${name}`, containerPort: 15_000 + name.length, protocol: 'TCP' }],
    resources: { limits: { cpu: '100m', memory: '128Mi' }, requests: { cpu: '10m', memory: '64Mi' } },
    volumeMounts: [access],
  };
  return {
    name,
    image: imageOf(app, name),
    ...(isMain ? main : beside),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
}

const CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

function podStatus(app: number, names: readonly string[]): Fields {
  const hostIP = `10.0.${app}.1`;
  const podIP = `10.1.${MARKS.address}`;
  return {
    phase: 'Running',
    conditions: CONDITIONS.map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: TIME })),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: TIME,
    containerStatuses: names.map((name) => ({
      name,
      state: { running: { startedAt: TIME } },
      lastState: {},
      ready: true,
      restartCount: app % 3,
      image: imageOf(app, name),
      imageID: `${imageOf(app, name)}@sha256:${digestOf(app, name)}`,
      containerID: `containerd://${MARKS.digits}`,
      started: true,
    })),
    qosClass: 'Burstable',
  };
}

function managed(manager: string, fields: Readonly<Record<string, Fields>>): Fields {
  const entries = Object.entries(fields).map(([name, parts]) => {
    const owned = Object.entries(parts).filter(([part]) => !NOT_OWNED.has(part));
    return [`f:${name}`, Object.fromEntries(owned.map(([part, value]) => [`f:${part}`, ownedOf(value, part)]))];
  });
  return {
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: TIME,
    fieldsType: 'FieldsV1',
    fieldsV1: Object.fromEntries(entries),
  };
}

/** Parts that the server fills in: no manager owns them. */
const NOT_OWNED = new Set(['priority', 'preemptionPolicy', 'qosClass']);

/** The fields by which the entries of a list are known; entries of all other lists belong together. */
const LIST_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  env: ['name'],
  ports: ['containerPort', 'protocol'],
  volumeMounts: ['mountPath'],
  volumes: ['name'],
  conditions: ['type'],
  podIPs: ['ip'],
  ownerReferences: ['uid'],
};

/** Parts that are owned as a whole. */
const WHOLE = new Set(['fieldRef']);

/** A value as FieldsV1 names what is owned of it. Source: structured-merge-diff, fieldpath. */
function ownedOf(value: unknown, name: string): object {
  if (Array.isArray(value)) {
    const keys = LIST_KEYS[name];
    if (keys === undefined) return {};
    const entries = (value as Fields[]).map((entry) => {
      const key = Object.fromEntries(keys.map((field) => [field, entry[field]]));
      return [`k:${JSON.stringify(key)}`, name === 'ownerReferences' ? {} : ownedOf(entry, '')];
    });
    return { '.': {}, ...Object.fromEntries(entries) };
  }
  if (WHOLE.has(name) || value === null || typeof value !== 'object' || Object.keys(value).length === 0) return {};
  const entries = Object.entries(value).map(([field, part]) => [`f:${field}`, ownedOf(part, field)]);
  return { '.': {}, ...Object.fromEntries(entries) };
}

/** The cells of a pod's row. */
export function podCells(app: number, containers: number): unknown[] {
  return [
    nameOf(app),
    `${containers}/${containers}`,
    'Running',
    String(app % 3),
    '5d',
    `10.1.${MARKS.address}`,
    `worker-${MARKS.node}`,
    '<none>',
    '<none>',
  ];
}
