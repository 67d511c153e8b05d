import type { ApiType, JsonSchema } from '../discovery/api-type.ts';

/**
 * How a field merges. A map without a shape merges key by key, a list without one is replaced as a whole; that is what the API
 * reference says of a field that says nothing.
 */
export interface Shape {
  /** Replaced as a whole, though it is a map. */
  readonly atomic?: boolean;
  /** A list whose items are told apart by these fields. */
  readonly keys?: readonly string[];
  /** The one field by which a strategic merge patch tells items apart, where it is not the first of `keys`. */
  readonly patchKey?: string;
  /** A list of plain values without duplicates. */
  readonly set?: boolean;
  readonly fields?: Readonly<Record<string, Shape>>;
  /** The items of a list, or the values of a map. */
  readonly items?: Shape;
}

const ATOMIC: Shape = { atomic: true };
const SET: Shape = { set: true };
const by = (...keys: string[]): Shape => ({ keys });
const CONDITIONS = by('type');

const METADATA: Shape = { fields: { finalizers: SET, ownerReferences: { keys: ['uid'], items: ATOMIC } } };

const CONTAINER: Shape = {
  fields: {
    env: {
      keys: ['name'],
      items: {
        fields: { valueFrom: { fields: { configMapKeyRef: ATOMIC, fieldRef: ATOMIC, resourceFieldRef: ATOMIC, secretKeyRef: ATOMIC } } },
      },
    },
    ports: by('containerPort', 'protocol'),
    resources: { fields: { claims: by('name') } },
    volumeDevices: by('devicePath'),
    volumeMounts: by('mountPath'),
  },
};

const CONTAINERS: Shape = { keys: ['name'], items: CONTAINER };

const POD_SPEC: Shape = {
  fields: {
    containers: CONTAINERS,
    ephemeralContainers: CONTAINERS,
    hostAliases: by('ip'),
    imagePullSecrets: by('name'),
    initContainers: CONTAINERS,
    nodeSelector: ATOMIC,
    resourceClaims: by('name'),
    schedulingGates: by('name'),
    topologySpreadConstraints: by('topologyKey', 'whenUnsatisfiable'),
    volumes: by('name'),
  },
};

const POD_TEMPLATE: Shape = { fields: { metadata: METADATA, spec: POD_SPEC } };
const WITH_CONDITIONS: Shape = { fields: { conditions: CONDITIONS } };
const WORKLOAD: Shape = { fields: { spec: { fields: { selector: ATOMIC, template: POD_TEMPLATE } }, status: WITH_CONDITIONS } };
const PLAIN: Shape = {};
const STATUS_ONLY: Shape = { fields: { status: WITH_CONDITIONS } };
const BINDING: Shape = { fields: { roleRef: ATOMIC } };
const WEBHOOKS: Shape = { fields: { webhooks: by('name') } };

/** Per storage key. Source: patchMergeKey, listType and mapType markers of kubernetes/api. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'clusterrolebindings.rbac.authorization.k8s.io': BINDING,
  'clusterroles.rbac.authorization.k8s.io': PLAIN,
  configmaps: PLAIN,
  'controllerrevisions.apps': PLAIN,
  'cronjobs.batch': {
    fields: {
      spec: { fields: { jobTemplate: { fields: { metadata: METADATA, spec: { fields: { selector: ATOMIC, template: POD_TEMPLATE } } } } } },
    },
  },
  'customresourcedefinitions.apiextensions.k8s.io': STATUS_ONLY,
  'daemonsets.apps': WORKLOAD,
  'deployments.apps': WORKLOAD,
  endpoints: PLAIN,
  'endpointslices.discovery.k8s.io': PLAIN,
  events: { fields: { involvedObject: ATOMIC, regarding: ATOMIC, related: ATOMIC } },
  'horizontalpodautoscalers.autoscaling': STATUS_ONLY,
  'ingressclasses.networking.k8s.io': PLAIN,
  'ingresses.networking.k8s.io': PLAIN,
  'jobs.batch': WORKLOAD,
  'leases.coordination.k8s.io': PLAIN,
  limitranges: PLAIN,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': WEBHOOKS,
  namespaces: STATUS_ONLY,
  'networkpolicies.networking.k8s.io': { fields: { spec: { fields: { podSelector: ATOMIC } } } },
  nodes: {
    fields: { spec: { fields: { podCIDRs: SET } }, status: { fields: { addresses: by('type'), conditions: CONDITIONS } } },
  },
  persistentvolumeclaims: { fields: { spec: { fields: { selector: ATOMIC, dataSource: ATOMIC } }, status: WITH_CONDITIONS } },
  persistentvolumes: { fields: { spec: { fields: { claimRef: ATOMIC } } } },
  'poddisruptionbudgets.policy': { fields: { spec: { fields: { selector: ATOMIC } }, status: WITH_CONDITIONS } },
  pods: {
    fields: { spec: POD_SPEC, status: { fields: { conditions: CONDITIONS, hostIPs: by('ip'), podIPs: by('ip') } } },
  },
  podtemplates: { fields: { template: POD_TEMPLATE } },
  'priorityclasses.scheduling.k8s.io': PLAIN,
  'replicasets.apps': WORKLOAD,
  replicationcontrollers: { fields: { spec: { fields: { selector: ATOMIC, template: POD_TEMPLATE } }, status: WITH_CONDITIONS } },
  resourcequotas: PLAIN,
  'rolebindings.rbac.authorization.k8s.io': BINDING,
  'roles.rbac.authorization.k8s.io': PLAIN,
  secrets: PLAIN,
  serviceaccounts: { fields: { imagePullSecrets: by('name'), secrets: by('name') } },
  services: {
    fields: { spec: { fields: { ports: by('port', 'protocol'), selector: ATOMIC } }, status: WITH_CONDITIONS },
  },
  'statefulsets.apps': WORKLOAD,
  'storageclasses.storage.k8s.io': PLAIN,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': WEBHOOKS,
};

const shapes = new WeakMap<ApiType, Shape>();

/** Whether the merge rules of a type are known. Without them a strategic merge patch cannot be trusted. */
export function hasShape(type: ApiType): boolean {
  return type.custom !== undefined || Object.hasOwn(SHAPES, type.storage);
}

/** The merge rules of a type: a table for built-in ones, the schema for custom ones. */
export function shapeOf(type: ApiType): Shape {
  let shape = shapes.get(type);
  if (!shape) {
    const own = type.custom?.schema ? fromSchema(type.custom.schema) : (SHAPES[type.storage] ?? PLAIN);
    shape = { ...own, fields: { ...own.fields, metadata: METADATA } };
    shapes.set(type, shape);
  }
  return shape;
}

/** The shape of a field below a shape. */
export function fieldShape(shape: Shape | undefined, field: string): Shape | undefined {
  return shape?.fields?.[field] ?? (shape?.keys ? undefined : shape?.items);
}

function fromSchema(schema: JsonSchema): Shape {
  const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const inner = schema.items ?? values;
  const listType = schema['x-kubernetes-list-type'];
  return {
    ...(schema['x-kubernetes-map-type'] === 'atomic' ? ATOMIC : {}),
    ...(listType === 'map' ? { keys: schema['x-kubernetes-list-map-keys'] ?? [] } : {}),
    ...(listType === 'set' ? SET : {}),
    ...(inner ? { items: fromSchema(inner) } : {}),
    ...(schema.properties
      ? { fields: Object.fromEntries(Object.entries(schema.properties).map(([field, property]) => [field, fromSchema(property)])) }
      : {}),
  };
}
