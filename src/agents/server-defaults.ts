import { isDeepStrictEqual } from 'node:util';
import { isJsonMap } from '../kit/exact-json.ts';
import type { ResourceType } from '../model/resource-type.ts';

/**
 * The values that the API server gives to fields that are not set, by the field that has them. A list is named by
 * its field, and the defaults are those of each of its items.
 * Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go, pkg/apis/apps/v1/defaults.go, batch/v1/defaults.go.
 */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  spec: {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 0,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    podManagementPolicy: 'OrderedReady',
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    sessionAffinity: 'None',
    ipFamilyPolicy: 'SingleStack',
    internalTrafficPolicy: 'Cluster',
    suspend: false,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    concurrencyPolicy: 'Allow',
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    volumeMode: 'Filesystem',
  },
  ...same(['containers', 'initContainers'], {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  }),
  ...same(['livenessProbe', 'readinessProbe', 'startupProbe'], {
    successThreshold: 1,
    failureThreshold: 3,
    periodSeconds: 10,
    timeoutSeconds: 1,
  }),
  httpGet: { scheme: 'HTTP' },
  ports: { protocol: 'TCP' },
  fieldRef: { apiVersion: 'v1' },
  ...same(['configMap', 'secret', 'projected', 'downwardAPI'], { defaultMode: 420 }),
};

function same(fields: readonly string[], values: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(fields.map((field) => [field, values]));
}

/** The tolerations that admission adds to every pod. */
const TOLERATED = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })); // biome-ignore format: one line

/** The `spec` of an object of one of Kubernetes' own types without the values that it has by default. */
export function withoutDefaults(spec: unknown, { gvr: { group } }: ResourceType): unknown {
  return ['', 'apps', 'batch'].includes(group) ? stripped(spec, 'spec') : spec;
}

function stripped(value: unknown, field: string): unknown {
  if (Array.isArray(value)) {
    const own = field === 'tolerations' ? value.filter((each) => !TOLERATED.some((usual) => isDeepStrictEqual(each, usual))) : value; // biome-ignore format: one line
    return own.map((each) => stripped(each, field));
  }
  if (!isJsonMap(value)) return value;
  const defaults = DEFAULTS[field];
  const isSet = ([name, each]: [string, unknown]) =>
    !(defaults && Object.hasOwn(defaults, name) && isDeepStrictEqual(each, defaults[name]));
  return Object.fromEntries(
    Object.entries(value)
      .filter(isSet)
      .map(([name, each]) => [name, stripped(each, name)]),
  );
}
