import { readAccess } from '../hooks/access/observed-access.ts';
import { rbacObjects } from '../hooks/access/rbac-objects.ts';
import type { Access } from '../hooks/access/request-access.ts';
import { InformerError } from '../kit/error.ts';
import { appName, type ManifestFlags } from './deployed.ts';
import type { Manifest } from './manifest.ts';
import { disruptionBudget, type Metadata } from './objects.ts';
import { UNPRIVILEGED } from './pod-template.ts';

/** A program with the library, in a cluster. */
export interface ProgramPlan {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  /** Empty: that of the image. */
  readonly command: readonly string[];
  readonly replicas: number;
  readonly access: readonly Access[];
  /** The port of its webhooks, which also answers probes. */
  readonly webhookPort: number | undefined;
  /** The port of its probes, by plain HTTP. */
  readonly probePort: number | undefined;
}

/** The objects of `reconcile manifest --program`. Throws `argument` for what is missing. */
export function programManifest(flags: ManifestFlags): Manifest {
  const { program = '', image, into: namespace, observed, 'app-name': name } = flags;
  const missing = (flag: string, why: string) =>
    new InformerError('argument', `--program needs ${flag}`, { hint: why });
  if (!image) throw missing('--image', 'the image of the program');
  if (!name) throw missing('--app-name', 'the name of its objects, which is also that of its Service');
  if (!namespace) throw missing('--into', 'the namespace of its Deployment');
  if (!observed) throw missing('--observed', 'the file that startTestCluster({ observe }) writes in its tests');
  const objects = programObjects({
    name: appName(name, '', ''),
    namespace,
    image,
    command: program.split(' ').filter((word) => word !== ''),
    replicas: flags.replicas ?? 1,
    access: readAccess(observed),
    webhookPort: flags['webhook-port'],
    probePort: flags['probe-port'],
  });
  return {
    objects,
    remarks: [
      'the roles have what the tests did, and nothing else: add by hand what is needed later, such as update of a Secret',
    ],
  };
}

/** The objects that run it, each before those that need it. */
export function programObjects(plan: ProgramPlan): object[] {
  const { name, namespace, replicas, access, webhookPort } = plan;
  const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': name };
  const metadata = { name, namespace, labels };
  const nameIn = (place: string | undefined) => (place === namespace ? name : `${namespace}:${name}`);
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false },
    ...rbacObjects(access, { nameIn, labels, serviceAccount: { namespace, name } }),
    ...(webhookPort === undefined ? [] : [service(metadata)]),
    ...(replicas > 1 ? [disruptionBudget(metadata)] : []),
    deployment(plan, metadata),
  ];
}

function service(metadata: Metadata): object {
  const ports = [{ name: 'webhooks', port: 443, targetPort: 'webhooks' }];
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: metadata.labels, ports } };
}

function deployment(plan: ProgramPlan, metadata: Metadata): object {
  const { name, image, command, replicas, webhookPort, probePort } = plan;
  const { labels } = metadata;
  const ports = [
    ...(webhookPort === undefined ? [] : [{ name: 'webhooks', containerPort: webhookPort }]),
    ...(probePort === undefined ? [] : [{ name: 'probes', containerPort: probePort }]),
  ];
  const container = {
    name,
    image,
    ...(command.length > 0 ? { command } : {}),
    env: [{ name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }],
    ...(ports.length > 0 ? { ports, ...probes(probePort === undefined) } : {}),
    resources: { requests: { cpu: '100m', memory: '128Mi' } },
    securityContext: UNPRIVILEGED,
  };
  const spec = {
    serviceAccountName: name,
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 30, // a manager ends within 25
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

/** The webhooks answer probes too, by HTTPS. */
function probes(atWebhooks: boolean): object {
  const at = (path: string) => ({
    httpGet: { path, port: atWebhooks ? 'webhooks' : 'probes', ...(atWebhooks ? { scheme: 'HTTPS' } : {}) },
    timeoutSeconds: 5,
    failureThreshold: 3,
  });
  return {
    livenessProbe: { ...at('/healthz'), periodSeconds: 10 },
    readinessProbe: { ...at('/readyz'), periodSeconds: 5 },
  };
}
