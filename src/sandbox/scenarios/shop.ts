import data from './shop.json' with { type: 'json' };
import type { NodeSpec } from './workloads/kubelet.ts';

/** The nodes of the demo cluster. */
export const NODES: readonly NodeSpec[] = data.nodes;

/** A workload of the demo cluster; `deploymentOf` makes its Deployment. */
export interface App {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  /** The image without its tag. */
  readonly image: string;
  /** The first two numbers of the tags: `1.27`. */
  readonly version: string;
  readonly port: number;
  readonly tier: string;
  readonly sidecar?: string;
  readonly configMap?: string;
  readonly secret?: string;
  /** Whether the scenario rolls the app out, scales it and makes it fail. */
  readonly lively: boolean;
}

export const APPS: readonly App[] = data.apps;

/** The image of an app's nth release: `nginx:1.27.0`, `nginx:1.27.1`, … */
export function imageOf({ image, version }: App, release: number): string {
  return `${image}:${version}.${release}`;
}

type Manifest = { readonly kind: string; metadata: { name: string; namespace?: string }; [field: string]: unknown };

/** Objects that never change, or nearly never. */
export function settings(): Manifest[] {
  const secret = (text: string) => Buffer.from(text).toString('base64');
  const inShop = (name: string) => ({ name, namespace: 'shop' });
  return [
    {
      kind: 'ConfigMap',
      metadata: inShop('web-config'),
      data: { 'nginx.conf': 'worker_processes auto;\n', 'log-level': 'info' },
    },
    {
      kind: 'ConfigMap',
      metadata: inShop('feature-flags'),
      data: { 'new-checkout': 'false', 'dark-mode': 'true', 'rate-limit': '100' },
    },
    {
      kind: 'Secret',
      metadata: inShop('db-credentials'),
      type: 'Opaque',
      data: { username: secret('shop'), password: secret('not-a-real-password') },
    },
    {
      kind: 'Secret',
      metadata: inShop('registry'),
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': secret('{"auths":{"registry.example.com":{}}}') },
    },
  ];
}

export function deploymentOf(app: App): Manifest {
  const labels = { app: app.name, tier: app.tier };
  const { name, namespace } = app;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels } as Manifest['metadata'],
    spec: {
      replicas: app.replicas,
      revisionHistoryLimit: 3,
      selector: { matchLabels: { app: app.name } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: { metadata: { labels }, spec: podSpecOf(app) },
    },
  };
}

function podSpecOf(app: App): object {
  const sidecars = app.sidecar
    ? [{ name: 'proxy', image: app.sidecar, ports: [{ name: 'mesh', containerPort: 15001 }] }]
    : [];
  const volumes = [
    ...(app.configMap ? [{ name: 'config', configMap: { name: app.configMap } }] : []),
    ...(app.secret ? [{ name: 'credentials', secret: { secretName: app.secret } }] : []),
  ];
  return {
    serviceAccountName: 'default',
    containers: [mainContainer(app, volumes), ...sidecars],
    ...(volumes.length > 0 ? { volumes } : {}),
  };
}

function mainContainer(app: App, volumes: readonly { name: string }[]): object {
  const { name, port, tier } = app;
  return {
    name,
    image: imageOf(app, 0),
    ports: [{ name: 'main', containerPort: port }],
    env: [
      { name: 'TIER', value: tier },
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    ],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    readinessProbe: { httpGet: { path: '/healthz', port }, initialDelaySeconds: 1, periodSeconds: 5 },
    ...(volumes.length > 0
      ? { volumeMounts: volumes.map((v) => ({ name: v.name, mountPath: `/etc/${v.name}`, readOnly: true })) }
      : {}),
  };
}

export function serviceOf({ namespace, name, port }: App): Manifest {
  const ports = [{ name: 'main', port: port < 1024 ? port : 80, targetPort: port }];
  return { kind: 'Service', metadata: { name, namespace }, spec: { selector: { app: name }, ports } };
}

export function nodeObject({ name, ip, podNetwork, schedulable }: NodeSpec, now: string): Manifest {
  const role = schedulable ? {} : { 'node-role.kubernetes.io/control-plane': '' };
  const labels = {
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    ...role,
  };
  const taints = schedulable
    ? {}
    : { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] };
  const size = { cpu: '4', 'ephemeral-storage': '61202244Ki', memory: '8145416Ki', pods: '110' };
  return {
    kind: 'Node',
    metadata: { name, labels } as Manifest['metadata'],
    spec: { podCIDR: `${podNetwork}.0/24`, podCIDRs: [`${podNetwork}.0/24`], ...taints },
    status: {
      capacity: size,
      allocatable: size,
      conditions: nodeConditions(now),
      addresses: [
        { type: 'InternalIP', address: ip },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '6.12.0',
        osImage: 'Debian GNU/Linux 13 (trixie)',
        containerRuntimeVersion: 'containerd://2.2.0',
        kubeletVersion: 'v1.36.2',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    },
  };
}

function nodeConditions(now: string): object[] {
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
    reason,
    message,
  });
  return [
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
  ];
}
