import type { ReadonlyObject } from '../model/object.ts';

/** As much of a pod spec as the built-in indexes read. Source: k8s.io/api core/v1 PodSpec. */
interface PodSpec {
  nodeName?: string;
  serviceAccountName?: string;
  serviceAccount?: string;
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

/** Source: k8s.io/api core/v1 Volume, and PersistentVolumeSource, whose references also name a namespace. */
interface Volume {
  configMap?: Named;
  secret?: { secretName?: string };
  projected?: { sources?: { configMap?: Named; secret?: Named }[] };
  image?: { reference?: string };
  azureFile?: { secretName?: string };
  cephfs?: SecretUser;
  cinder?: SecretUser;
  csi?: Partial<Record<(typeof CSI_SECRETS)[number], Named>>;
  flexVolume?: SecretUser;
  iscsi?: SecretUser;
  rbd?: SecretUser;
  scaleIO?: SecretUser;
  storageos?: SecretUser;
}

interface SecretUser {
  secretRef?: Named;
}

/** The volume sources with a `secretRef`. */
const SECRET_USERS = ['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'] as const;

/** The secrets of a CSI volume: the first in pods, all of them in persistent volumes. */
const CSI_SECRETS = [
  'nodePublishSecretRef',
  'nodeStageSecretRef',
  'nodeExpandSecretRef',
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
] as const;

type Texts = (string | undefined)[];

/** The images of every container and image volume of a pod, or of the pods that a workload makes. */
export function imagesOf(object: ReadonlyObject): Texts {
  const spec = podSpecOf(object);
  return [...containersOf(spec).map(({ image }) => image), ...list(spec?.volumes).map(({ image }) => image?.reference)];
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

/**
 * The secrets that a pod or workload mounts, reads its environment from, pulls images with or hands to a storage driver; those of a service
 * account, an ingress and a persistent volume. Source: kubernetes pkg/api/v1/pod VisitPodSecretNames, pkg/api/v1/persistentvolume VisitPVSecretNames.
 */
export function secretsOf(object: ReadonlyObject): Texts {
  const spec = podSpecOf(object);
  const mounted = list(spec?.volumes).flatMap((volume) => [
    volume.secret?.secretName,
    ...list(volume.projected?.sources).map((source) => source.secret?.name),
    ...storageSecretsOf(volume),
  ]);
  const read = containersOf(spec).flatMap(({ env, envFrom }) => [
    ...list(env).map((variable) => variable.valueFrom?.secretKeyRef?.name),
    ...list(envFrom).map((source) => source.secretRef?.name),
  ]);
  const { imagePullSecrets, secrets } = object as { imagePullSecrets?: Named[]; secrets?: Named[] };
  const pulled = [...list(spec?.imagePullSecrets), ...list(imagePullSecrets), ...list(secrets)].map(({ name }) => name);
  const own = (object.spec ?? {}) as { tls?: { secretName?: string }[] } & Volume;
  return [...mounted, ...read, ...pulled, ...list(own.tls).map(({ secretName }) => secretName), ...storageSecretsOf(own)];
}

function storageSecretsOf(volume: Volume): Texts {
  return [
    volume.azureFile?.secretName,
    ...CSI_SECRETS.map((field) => volume.csi?.[field]?.name),
    ...SECRET_USERS.map((driver) => volume[driver]?.secretRef?.name),
  ];
}

/** The service accounts that a pod or workload runs as (`default` where it names none), or that a role binding names. */
export function serviceAccountsOf(object: ReadonlyObject): Texts {
  const { subjects } = object as { subjects?: { kind?: string; name?: string }[] };
  const bound = list(subjects).map(({ kind, name }) => (kind === 'ServiceAccount' ? name : undefined));
  return [accountOf(podSpecOf(object)), ...bound];
}

/** Source: kubernetes plugin/pkg/admission/serviceaccount DefaultServiceAccountName; `serviceAccount` is the older name of the field. */
function accountOf(spec: PodSpec | undefined): string | undefined {
  const named = spec?.serviceAccountName || spec?.serviceAccount;
  return named || (containersOf(spec).length > 0 ? 'default' : undefined);
}

interface Spec extends PodSpec {
  template?: { spec?: PodSpec };
  jobTemplate?: { spec?: { template?: { spec?: PodSpec } } };
}

/** The pod spec of a pod, of a workload's template, of a cron job's, or of a pod template. */
function podSpecOf(object: ReadonlyObject): PodSpec | undefined {
  const spec = object.spec as Spec | undefined;
  const { template } = object as { template?: { spec?: PodSpec } };
  return spec?.jobTemplate?.spec?.template?.spec ?? spec?.template?.spec ?? template?.spec ?? spec;
}

function containersOf(spec: PodSpec | undefined): Container[] {
  return [...list(spec?.initContainers), ...list(spec?.containers), ...list(spec?.ephemeralContainers)];
}

/** A list of objects, whatever a custom resource keeps under the name. */
function list<T extends object>(value: T[] | undefined): T[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}
