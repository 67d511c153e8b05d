import type { ReadonlyObject } from '../model/object.ts';

/** As much of a pod spec as the built-in indexes read. Source: k8s.io/api core/v1 PodSpec. */
interface PodSpec {
  nodeName?: string;
  serviceAccountName?: string;
  volumes?: Volume[];
  imagePullSecrets?: Named[];
  initContainers?: Container[];
  containers?: Container[];
  ephemeralContainers?: Container[];
}

interface Named {
  name?: string;
}

interface Container {
  image?: string;
  envFrom?: { configMapRef?: Named; secretRef?: Named }[];
  env?: { valueFrom?: { configMapKeyRef?: Named; secretKeyRef?: Named } }[];
}

interface Volume {
  configMap?: Named;
  secret?: { secretName?: string };
  projected?: { sources?: { configMap?: Named; secret?: Named }[] };
}

type Texts = (string | undefined)[];

/** The images of every container of a pod, or of the pods that a workload makes. */
export function imagesOf(object: ReadonlyObject): Texts {
  return containersOf(podSpecOf(object)).map((container) => container.image);
}

/** The node a pod was bound to. */
export function nodeOf(object: ReadonlyObject): Texts {
  return [podSpecOf(object)?.nodeName];
}

/** The config maps that a pod or workload mounts or reads its environment from. */
export function configMapsOf(object: ReadonlyObject): Texts {
  const spec = podSpecOf(object);
  const mounted = list(spec?.volumes).flatMap(({ configMap, projected }) => [
    configMap?.name,
    ...list(projected?.sources).map((source) => source.configMap?.name),
  ]);
  const read = containersOf(spec).flatMap(({ env, envFrom }) => [
    ...list(env).map((variable) => variable.valueFrom?.configMapKeyRef?.name),
    ...list(envFrom).map((source) => source.configMapRef?.name),
  ]);
  return [...mounted, ...read];
}

/** The secrets that a pod or workload mounts, reads its environment from or pulls images with; those of a service account and of an ingress. */
export function secretsOf(object: ReadonlyObject): Texts {
  const spec = podSpecOf(object);
  const mounted = list(spec?.volumes).flatMap(({ secret, projected }) => [
    secret?.secretName,
    ...list(projected?.sources).map((source) => source.secret?.name),
  ]);
  const read = containersOf(spec).flatMap(({ env, envFrom }) => [
    ...list(env).map((variable) => variable.valueFrom?.secretKeyRef?.name),
    ...list(envFrom).map((source) => source.secretRef?.name),
  ]);
  const { imagePullSecrets, secrets } = object as { imagePullSecrets?: Named[]; secrets?: Named[] };
  const pulled = [...list(spec?.imagePullSecrets), ...list(imagePullSecrets), ...list(secrets)].map(({ name }) => name);
  const { tls } = (object.spec ?? {}) as { tls?: { secretName?: string }[] };
  return [...mounted, ...read, ...pulled, ...list(tls).map(({ secretName }) => secretName)];
}

/** The service accounts that a pod or workload runs as, or that a role binding names. */
export function serviceAccountsOf(object: ReadonlyObject): Texts {
  const { subjects } = object as { subjects?: { kind?: string; name?: string }[] };
  const bound = list(subjects).map(({ kind, name }) => (kind === 'ServiceAccount' ? name : undefined));
  return [podSpecOf(object)?.serviceAccountName, ...bound];
}

interface Spec extends PodSpec {
  template?: { spec?: PodSpec };
  jobTemplate?: { spec?: { template?: { spec?: PodSpec } } };
}

/** The pod spec of a pod, of a workload's template, or of a cron job's. */
function podSpecOf(object: ReadonlyObject): PodSpec | undefined {
  const spec = object.spec as Spec | undefined;
  return spec?.jobTemplate?.spec?.template?.spec ?? spec?.template?.spec ?? spec;
}

function containersOf(spec: PodSpec | undefined): Container[] {
  return [...list(spec?.initContainers), ...list(spec?.containers), ...list(spec?.ephemeralContainers)];
}

/** A list of objects, whatever a custom resource keeps under the name. */
function list<T extends object>(value: T[] | undefined): T[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}
