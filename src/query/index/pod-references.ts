import type { Address } from '../../model/field-path.ts';
import type { ReadonlyObject } from '../../model/object.ts';

/** The part of a pod spec that the built-in indexes read. Source: k8s.io/api core/v1 PodSpec. */
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

/**
 * A volume of a pod, or the source of a persistent volume, whose references also name a namespace.
 * Source: k8s.io/api core/v1 Volume, PersistentVolumeSource.
 */
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

/** The fields of a CSI volume that name a secret. Pods have only the first one, persistent volumes have all. */
const CSI_SECRETS = [
  'nodePublishSecretRef',
  'nodeStageSecretRef',
  'nodeExpandSecretRef',
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
] as const;

type Texts = (string | undefined)[];

/** The images of all containers and image volumes of a pod or of a workload's pod template. */
export function imagesOf(object: ReadonlyObject): Texts {
  const spec = podSpecOf(object);
  return [
    ...containersOf(spec).map(({ image }) => image),
    ...listOf(spec?.volumes).map(({ image }) => image?.reference),
  ];
}

/** The fields in which {@link nodeOf} looks. */
export const NODE_FIELDS: readonly Address[] = [
  ['spec', 'nodeName'],
  ['spec', 'template', 'spec', 'nodeName'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec', 'nodeName'],
  ['template', 'spec', 'nodeName'],
];

/** The node to which a pod is bound. */
export function nodeOf(object: ReadonlyObject): Texts {
  return [podSpecOf(object)?.nodeName];
}

/** The config maps that a pod or a workload mounts, or uses for environment variables. */
export function configMapsOf(object: ReadonlyObject): Texts {
  const spec = podSpecOf(object);
  const mounted = listOf(spec?.volumes).flatMap(({ configMap, projected }) => [
    configMap?.name,
    ...listOf(projected?.sources).map((source) => source.configMap?.name),
  ]);
  const read = containersOf(spec).flatMap(({ env, envFrom }) => [
    ...listOf(env).map((variable) => variable.valueFrom?.configMapKeyRef?.name),
    ...listOf(envFrom).map((source) => source.configMapRef?.name),
  ]);
  return [...mounted, ...read];
}

/**
 * The secrets that a pod or a workload mounts, uses for environment variables, pulls images with or passes to a storage
 * driver; also those of a service account, an ingress and a persistent volume.
 * Source: kubernetes pkg/api/v1/pod VisitPodSecretNames, pkg/api/v1/persistentvolume VisitPVSecretNames.
 */
export function secretsOf(object: ReadonlyObject): Texts {
  const spec = podSpecOf(object);
  const mounted = listOf(spec?.volumes).flatMap((volume) => [
    volume.secret?.secretName,
    ...listOf(volume.projected?.sources).map((source) => source.secret?.name),
    ...storageSecretsOf(volume),
  ]);
  const read = containersOf(spec).flatMap(({ env, envFrom }) => [
    ...listOf(env).map((variable) => variable.valueFrom?.secretKeyRef?.name),
    ...listOf(envFrom).map((source) => source.secretRef?.name),
  ]);
  const { imagePullSecrets, secrets } = object as { imagePullSecrets?: Named[]; secrets?: Named[] };
  const pulled = [...listOf(spec?.imagePullSecrets), ...listOf(imagePullSecrets), ...listOf(secrets)].map(
    ({ name }) => name,
  );
  const own = (object.spec ?? {}) as { tls?: { secretName?: string }[] } & Volume;
  return [
    ...mounted,
    ...read,
    ...pulled,
    ...listOf(own.tls).map(({ secretName }) => secretName),
    ...storageSecretsOf(own),
  ];
}

function storageSecretsOf(volume: Volume): Texts {
  return [
    volume.azureFile?.secretName,
    ...CSI_SECRETS.map((field) => volume.csi?.[field]?.name),
    ...SECRET_USERS.map((driver) => volume[driver]?.secretRef?.name),
  ];
}

/** The service account of a pod or a workload (`default` if it names none), or those that a role binding names. */
export function serviceAccountsOf(object: ReadonlyObject): Texts {
  const { subjects } = object as { subjects?: { kind?: string; name?: string }[] };
  const bound = listOf(subjects).map(({ kind, name }) => (kind === 'ServiceAccount' ? name : undefined));
  return [accountOf(podSpecOf(object)), ...bound];
}

/**
 * The service account of a pod spec. `serviceAccount` is the older name of the field.
 * Source: kubernetes plugin/pkg/admission/serviceaccount DefaultServiceAccountName.
 */
function accountOf(spec: PodSpec | undefined): string | undefined {
  const named = spec?.serviceAccountName || spec?.serviceAccount;
  return named || (containersOf(spec).length > 0 ? 'default' : undefined);
}

interface Spec extends PodSpec {
  template?: { spec?: PodSpec };
  jobTemplate?: { spec?: { template?: { spec?: PodSpec } } };
}

/** The pod spec in a pod, a workload, a cron job or a pod template. */
export function podSpecOf(object: ReadonlyObject): PodSpec | undefined {
  const spec = object.spec as Spec | undefined;
  const { template } = object as { template?: { spec?: PodSpec } };
  return spec?.jobTemplate?.spec?.template?.spec ?? spec?.template?.spec ?? template?.spec ?? spec;
}

function containersOf(spec: PodSpec | undefined): Container[] {
  return [...listOf(spec?.initContainers), ...listOf(spec?.containers), ...listOf(spec?.ephemeralContainers)];
}

/** The objects in a list; none if the field is no list, as may be in a custom resource. */
export function listOf<T extends object>(value: T[] | undefined): T[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}
