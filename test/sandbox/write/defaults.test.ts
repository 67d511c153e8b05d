import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { setDefaults } from '../../../src/sandbox/write/defaults.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const types = builtinTypes();

function defaulted(kind: string, fields: object): UnknownObject {
  const object = { metadata: { name: 'x' }, ...fields } as UnknownObject;
  setDefaults(types.find((t) => t.kind === kind) as ApiType, object, new FakeClock());
  return object;
}

const container = (more: object) =>
  defaulted('Pod', { spec: { containers: [{ name: 'c', ...more }] } }).spec as { containers: object[] };

describe('defaults', () => {
  it('of a pod are set in its spec and its containers', () => {
    expect(defaulted('Pod', { spec: { containers: [{ name: 'c', image: 'i:1' }] } }).spec).toEqual({
      containers: [
        {
          name: 'c',
          image: 'i:1',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
    });
  });

  it.each([
    ['i', 'Always'],
    ['i:latest', 'Always'],
    ['host:5000/i', 'Always'],
    ['host:5000/i:1', 'IfNotPresent'],
    ['i@sha256:0', 'IfNotPresent'],
  ])('pull the image %s: %s', (image, imagePullPolicy) => {
    expect(container({ image }).containers[0]).toMatchObject({ imagePullPolicy });
  });

  it('of probes and ports are set where there is one', () => {
    const [made] = container({ ports: [{ containerPort: 1 }], livenessProbe: { httpGet: { port: 1 } } }).containers;
    expect(made).toMatchObject({
      ports: [{ containerPort: 1, protocol: 'TCP' }],
      livenessProbe: {
        httpGet: { port: 1, path: '/', scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
    });
    expect(made).not.toHaveProperty('readinessProbe');
  });

  it('of volumes are an empty directory, or the mode of its files', () => {
    const { volumes } = defaulted('Pod', {
      spec: { volumes: [{ name: 'a' }, { name: 'b', secret: { secretName: 's' } }] },
    }).spec as {
      volumes: object[];
    };
    expect(volumes).toEqual([
      { name: 'a', emptyDir: {} },
      { name: 'b', secret: { secretName: 's', defaultMode: 420 } },
    ]);
  });

  it.each<[kind: string, given: object, spec: object]>([
    [
      'Deployment',
      {},
      { replicas: 1, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } },
    ],
    ['Deployment', { replicas: null, strategy: { type: 'Recreate' } }, { replicas: 1, strategy: { type: 'Recreate' } }],
    [
      'StatefulSet',
      {},
      {
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      },
    ],
    ['DaemonSet', {}, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }],
    ['ReplicaSet', {}, { replicas: 1 }],
    ['Job', {}, { parallelism: 1, completions: 1, backoffLimit: 6, suspend: false }],
    ['CronJob', {}, { concurrencyPolicy: 'Allow', successfulJobsHistoryLimit: 3 }],
    [
      'Service',
      { ports: [{ port: 80 }] },
      { type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }], internalTrafficPolicy: 'Cluster' },
    ],
    ['PersistentVolumeClaim', {}, { volumeMode: 'Filesystem' }],
    [
      'CustomResourceDefinition',
      { names: { kind: 'Apple' } },
      { names: { kind: 'Apple', singular: 'apple', listKind: 'AppleList' }, conversion: { strategy: 'None' } },
    ],
  ])('of a %s with the spec %j', (kind, given, spec) => {
    expect(defaulted(kind, { spec: given }).spec).toMatchObject(spec);
  });

  it('of a Recreate deployment and an ExternalName service leave out what these do not have', () => {
    expect(defaulted('Deployment', { spec: { strategy: { type: 'Recreate' } } }).spec).toMatchObject({
      strategy: { type: 'Recreate' },
    });
    expect(
      (defaulted('Deployment', { spec: { strategy: { type: 'Recreate' } } }).spec as { strategy: object }).strategy,
    ).toEqual({
      type: 'Recreate',
    });
    expect(defaulted('Service', { spec: { type: 'ExternalName' } }).spec).not.toHaveProperty('internalTrafficPolicy');
  });

  it('of a namespace and a secret are set outside the spec', () => {
    expect(defaulted('Namespace', {}).metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'x' });
    const secret = defaulted('Secret', { data: { a: 'YQ==' }, stringData: { a: 'b', c: 'd' } });
    expect([secret.type, secret.data, secret.stringData]).toEqual(['Opaque', { a: 'Yg==', c: 'ZA==' }, undefined]);
  });

  it('never replace a value, also not zero or false', () => {
    expect(defaulted('Deployment', { spec: { replicas: 0 } }).spec).toMatchObject({ replicas: 0 });
    expect(defaulted('Pod', { spec: { enableServiceLinks: false } }).spec).toMatchObject({ enableServiceLinks: false });
  });
});
