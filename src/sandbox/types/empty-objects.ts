import type { UnknownObject } from '../../model/object.ts';
import type { ApiType } from './api-type.ts';
import { fromStorage } from './conversion.ts';
import { copy } from './copy.ts';

const POD_TEMPLATE = { metadata: {}, spec: { containers: null } };

/**
 * An object of a built-in type on the wire when no field is set: Go writes structs and some lists even then.
 * Bookmarks are such objects. The fields of a new object are compared with one to find out which fields its writer
 * owns.
 * Source: the json tags of kubernetes/api without omitempty.
 */
const EMPTY: Readonly<Record<string, object>> = {
  configmaps: {},
  'customresourcedefinitions.apiextensions.k8s.io': {
    spec: { group: '', names: { plural: '', kind: '' }, scope: '', versions: null },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
  },
  'cronjobs.batch': {
    spec: { schedule: '', jobTemplate: { metadata: {}, spec: { template: POD_TEMPLATE } } },
    status: {},
  },
  'daemonsets.apps': {
    spec: { selector: null, template: POD_TEMPLATE, updateStrategy: {} },
    status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  },
  'deployments.apps': { spec: { selector: null, template: POD_TEMPLATE, strategy: {} }, status: {} },
  'endpointslices.discovery.k8s.io': { addressType: '', endpoints: null, ports: null },
  events: {
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
  },
  'horizontalpodautoscalers.autoscaling': {
    spec: { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 },
    status: { desiredReplicas: 0, currentMetrics: null },
  },
  'ingresses.networking.k8s.io': { spec: {}, status: { loadBalancer: {} } },
  'ingressclasses.networking.k8s.io': { spec: {} },
  'jobs.batch': { spec: { template: POD_TEMPLATE }, status: {} },
  'leases.coordination.k8s.io': { spec: {} },
  limitranges: { spec: { limits: null } },
  namespaces: { spec: {}, status: {} },
  'networkpolicies.networking.k8s.io': { spec: { podSelector: {} } },
  nodes: {
    spec: {},
    status: {
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '',
        osImage: '',
        containerRuntimeVersion: '',
        kubeletVersion: '',
        kubeProxyVersion: '',
        operatingSystem: '',
        architecture: '',
      },
    },
  },
  persistentvolumeclaims: { spec: { resources: {} }, status: {} },
  persistentvolumes: { spec: {}, status: {} },
  'poddisruptionbudgets.policy': {
    spec: {},
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  },
  pods: { spec: { containers: null }, status: {} },
  podtemplates: { template: POD_TEMPLATE },
  'replicasets.apps': { spec: { selector: null }, status: { replicas: 0 } },
  replicationcontrollers: { spec: {}, status: { replicas: 0 } },
  resourcequotas: { spec: {}, status: {} },
  'clusterrolebindings.rbac.authorization.k8s.io': { roleRef: { apiGroup: '', kind: '', name: '' } },
  'clusterroles.rbac.authorization.k8s.io': { rules: null },
  'rolebindings.rbac.authorization.k8s.io': { roleRef: { apiGroup: '', kind: '', name: '' } },
  'roles.rbac.authorization.k8s.io': { rules: null },
  secrets: {},
  serviceaccounts: {},
  services: { spec: {}, status: { loadBalancer: {} } },
  'statefulsets.apps': {
    spec: { selector: null, template: POD_TEMPLATE, updateStrategy: {} },
    status: { replicas: 0, availableReplicas: 0 },
  },
  'storageclasses.storage.k8s.io': { provisioner: '' },
};

/**
 * The empty object of a type, with the field names of the type. Each call returns a new object. A custom resource has
 * no such fields.
 */
export function emptyObject(type: ApiType): UnknownObject {
  const empty: UnknownObject = { metadata: {}, ...copy(type.custom ? {} : (EMPTY[type.storage] ?? {})) };
  return fromStorage(type, empty);
}

/** Adds the fields that its type always shows to an object. Present fields stay; a null struct counts as absent. */
export function fillIn(object: UnknownObject, type: ApiType): UnknownObject {
  return type.custom ? object : fill(object, emptyObject(type));
}

function fill<T extends Record<string, unknown>>(target: T, empty: Record<string, unknown>): T {
  const result: Record<string, unknown> = target;
  for (const [field, value] of Object.entries(empty)) {
    const present = result[field];
    if (present === undefined || (present === null && isPlain(value))) result[field] = value;
    else if (isPlain(value) && isPlain(present)) fill(present, value);
  }
  return target;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
