import { createHash } from 'node:crypto';
import { type RbacOptions, rbacObjects } from '../hooks/access/rbac-objects.ts';
import type { Access } from '../hooks/access/request-access.ts';
import type { HookFolder, MountedHook } from './hook-place.ts';
import { type PodOptions, podTemplate } from './pod-template.ts';

/** A `reconcile` in a cluster. */
export interface ManifestPlan extends Omit<PodOptions, 'labels' | 'configMap' | 'isSpread'> {
  readonly namespace: string;
  readonly replicas: number;
  /** Whether two processes at once do no harm: a lease decides which of them does what. */
  readonly isCoordinated: boolean;
  readonly access: readonly Access[];
  /** The Services by which API servers call it. */
  readonly services?: readonly { readonly name: string; readonly port: number }[] | undefined;
}

/** The objects that run it, each before those that need it. */
export function manifestObjects(plan: ManifestPlan): object[] {
  const { name, namespace, hook, replicas, access } = plan;
  const labels = { 'app.kubernetes.io/name': 'kubectl-informer', 'app.kubernetes.io/instance': name };
  const metadata = { name, namespace, labels };
  const configMap = hook && hook.in !== 'image' ? hookConfigMap(hook, metadata) : undefined;
  const roles: RbacOptions = {
    // a role elsewhere has the namespace in its name: a second Deployment of this name must not replace it
    nameIn: (place) => (place === namespace ? name : `${namespace}:${name}`),
    labels,
    serviceAccount: { namespace, name },
  };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false },
    ...(configMap ? [configMap] : []),
    ...rbacObjects(access, roles),
    ...(plan.services ?? []).map((service) => serviceOf(service, metadata)),
    ...(replicas > 1 ? [disruptionBudget(metadata)] : []),
    deployment(plan, { metadata, configMap: configMap?.metadata.name }),
  ];
}

/** The metadata of all objects of a program. */
export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * A ConfigMap that is named after its content and never changes: a new hook starts new Pods, and `kubectl rollout undo`
 * returns to the one before.
 */
function hookConfigMap(hook: MountedHook | HookFolder, { name, namespace, labels }: Metadata) {
  const files = hook.in === 'folder' ? hook.files : [{ key: hook.name, path: hook.name, text: hook.text }];
  if (!files) return undefined;
  const hash = createHash('sha256');
  for (const { path, text } of files) hash.update(`${path}\0${text}`);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-hook-${hash.digest('hex').slice(0, 10)}`, namespace, labels },
    immutable: true,
    data: Object.fromEntries(files.map(({ key, text }) => [key, text])),
  };
}

function serviceOf({ name, port }: { name: string; port: number }, { namespace, labels }: Metadata): object {
  const ports = [{ name: 'webhooks', port: 443, targetPort: port }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels },
    spec: { selector: labels, ports },
  };
}

export function disruptionBudget(metadata: Metadata): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata,
    spec: {
      maxUnavailable: 1,
      selector: { matchLabels: metadata.labels },
      unhealthyPodEvictionPolicy: 'AlwaysAllow', // a Pod that does not work holds up no drain of a node
    },
  };
}

function deployment(
  plan: ManifestPlan,
  { metadata, configMap }: { metadata: Metadata; configMap: string | undefined },
): object {
  const { replicas, isCoordinated } = plan;
  const { labels } = metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas,
      strategy: isCoordinated
        ? { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
        : { type: 'Recreate' }, // never two at once
      selector: { matchLabels: labels },
      template: podTemplate({ ...plan, labels, configMap, isSpread: replicas > 1 }),
    },
  };
}
