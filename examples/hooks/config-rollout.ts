// Restarts the Deployments that use a ConfigMap when it changes, as `kubectl rollout restart` does.
//   kubectl informer reconcile deployments -n shop --hook examples/hooks/config-rollout.ts --allow-write
// `--map index:configmap` leads from a ConfigMap to the Deployments that mount it or take variables from it. The hook
// then compares what they use with what they started with, so that a change is not lost while it does not run.
import { createHash } from 'node:crypto';

interface Named {
  name?: string;
}
interface Container {
  env?: { valueFrom?: { configMapKeyRef?: Named } }[];
  envFrom?: { configMapRef?: Named }[];
}
interface PodSpec {
  volumes?: { configMap?: Named; projected?: { sources?: { configMap?: Named }[] } }[];
  initContainers?: Container[];
  containers: Container[];
}
interface Deployment {
  metadata: { annotations?: Record<string, string> };
  spec: { template: { spec: PodSpec } };
}
interface ConfigMap {
  data?: object;
  binaryData?: object;
}
interface Context {
  key: string;
  namespace: string;
  object: Deployment | null;
  lister(gvr: string): { get(key: string): unknown };
  log: { info(message: string, fields?: Record<string, unknown>): void };
}

export const config = { watches: { type: 'configmaps', map: 'index:configmap' }, predicate: ['generation'] };

const SEEN = 'example.com/config-seen';
const RESTARTED = 'example.com/restarted-for-config';

export default async function reconcile({ key, namespace, object, lister, log }: Context) {
  if (!object) return;
  const names = configMapsOf(object.spec.template.spec);
  if (names.length === 0) return;
  const maps = names.map((name) => lister('v1/configmaps').get(`${namespace}/${name}`) as ConfigMap | undefined);
  if (maps.includes(undefined)) return; // its next change runs the hook again
  const content = maps.map((map) => [map?.data ?? {}, map?.binaryData ?? {}]);
  const now = createHash('sha256')
    .update(JSON.stringify([names, content]))
    .digest('hex')
    .slice(0, 12);
  const before = object.metadata.annotations?.[SEEN];
  if (before === now) return;
  const metadata = { annotations: { [SEEN]: now } };
  if (before === undefined) return { actions: [{ patch: { metadata } }] }; // what it runs with now is not known
  log.info('its configuration changed: restarting', { key, uses: names.join(' ') });
  const template = { metadata: { annotations: { [RESTARTED]: now } } };
  return { actions: [{ patch: { metadata, spec: { template } } }] };
}

function configMapsOf({ volumes = [], initContainers = [], containers }: PodSpec): string[] {
  const used = [
    ...volumes.flatMap(({ configMap, projected }) => [
      configMap,
      ...(projected?.sources ?? []).map((s) => s.configMap),
    ]),
    ...[...initContainers, ...containers].flatMap(({ env = [], envFrom = [] }) => [
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef),
      ...envFrom.map(({ configMapRef }) => configMapRef),
    ]),
  ];
  return [...new Set(used.flatMap((map) => map?.name ?? []))].sort();
}
