import type { HookFolder, HookPlace } from './hook-place.ts';

/** The security context of a container. */
export const UNPRIVILEGED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

export interface PodOptions {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** The ConfigMap of a mounted hook. */
  readonly configMap: string | undefined;
  /** Undefined for a command line. */
  readonly hook: HookPlace | HookFolder | undefined;
  readonly port: number;
  /** Where the journal is; undefined without one. */
  readonly journal: string | undefined;
  readonly graceMs: number;
  /** Further variables of the container. */
  readonly env?: readonly object[] | undefined;
  /** Whether several Pods should be on several nodes. */
  readonly isSpread: boolean;
}

/** A program ends within this time after its grace, s: see `hooks/run/drain.ts`, which takes at most 4. */
const AFTER_GRACE_S = 5;
/** Writable for all, with a sticky bit, as a folder for sockets must be; an emptyDir has no sticky bit. */
const SOCKET_FOLDER = '/dev/shm';

/** The template of a Deployment's Pods: one container without any right on its node. */
export function podTemplate(options: PodOptions): object {
  const { name, labels, hook, configMap, journal, graceMs, isSpread } = options;
  const runsPrograms = isProgram(hook);
  const volumes = [
    ...(configMap !== undefined && hook ? [{ name: 'hook', configMap: { name: configMap, ...modesOf(hook) } }] : []),
    ...(runsPrograms ? [{ name: 'tmp', emptyDir: {} }] : []),
    ...(journal === undefined ? [] : [{ name: 'journal', emptyDir: {} }]),
  ];
  return {
    metadata: { labels },
    spec: {
      serviceAccountName: name,
      automountServiceAccountToken: true,
      enableServiceLinks: false, // their variables could set flags
      ...(runsPrograms ? { shareProcessNamespace: true } : {}), // so that what a hook leaves behind is reaped
      terminationGracePeriodSeconds: Math.ceil(graceMs / 1000) + AFTER_GRACE_S,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      ...(isSpread ? { topologySpreadConstraints: SPREAD_OVER.map((key) => spread(key, labels)) } : {}),
      containers: [container(options)],
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}

const modeOf = (file: { isExecutable: boolean }) => (file.isExecutable ? 0o555 : 0o444);

function modesOf(hook: HookPlace | HookFolder): object {
  if (hook.in !== 'folder') return { defaultMode: modeOf(hook) };
  return { items: hook.files?.map((file) => ({ key: file.key, path: file.path, mode: modeOf(file) })) };
}

/** A program may start others, and may write temporary files. */
const isProgram = (hook: PodOptions['hook']) => hook === undefined || hook.isExecutable;

const SPREAD_OVER = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'];

const spread = (topologyKey: string, matchLabels: object) => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels },
});

function container({ image, args, hook, configMap, port, journal, env = [] }: PodOptions): object {
  const probe = (path: string, periodSeconds: number) => ({
    httpGet: { path, port: 'metrics' },
    periodSeconds,
    timeoutSeconds: 5,
    failureThreshold: 3,
  });
  const volumeMounts = [
    ...(configMap !== undefined && hook?.in === 'config-map'
      ? [{ name: 'hook', mountPath: hook.path, subPath: hook.name, readOnly: true }]
      : []),
    ...(hook?.in === 'folder' && hook.files ? [{ name: 'hook', mountPath: hook.path, readOnly: true }] : []),
    ...(isProgram(hook) ? [{ name: 'tmp', mountPath: '/tmp' }] : []),
    ...(journal === undefined ? [] : [{ name: 'journal', mountPath: journal }]),
  ];
  return {
    name: 'reconcile',
    image,
    command: ['kubectl-informer'],
    args,
    env: [{ name: 'XDG_RUNTIME_DIR', value: SOCKET_FOLDER }, ...env],
    ports: [{ name: 'metrics', containerPort: port }],
    livenessProbe: probe('/healthz', 10),
    readinessProbe: probe('/readyz', 5),
    resources: { requests: { cpu: '100m', memory: '256Mi' } },
    securityContext: UNPRIVILEGED,
    ...(volumeMounts.length > 0 ? { volumeMounts } : {}),
  };
}
