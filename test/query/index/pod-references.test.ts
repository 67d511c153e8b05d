import { describe, expect, test } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';

describe('the built-in indexes of what a pod uses', () => {
  const spec = {
    serviceAccountName: 'robot',
    imagePullSecrets: [{ name: 'pull' }],
    volumes: [
      { configMap: { name: 'cm-volume' } },
      { secret: { secretName: 'secret-volume' } },
      { projected: { sources: [{ configMap: { name: 'cm-projected' } }, { secret: { name: 'secret-projected' } }] } },
      { emptyDir: {} },
    ],
    initContainers: [
      { image: 'init:1', envFrom: [{ configMapRef: { name: 'cm-from' } }, { secretRef: { name: 'secret-from' } }] },
    ],
    containers: [
      {
        image: 'app:1',
        env: [
          { value: 'x' },
          { valueFrom: { configMapKeyRef: { name: 'cm-env' } } },
          { valueFrom: { secretKeyRef: { name: 'secret-env' } } },
        ],
      },
    ],
    ephemeralContainers: [{ image: 'debug:1' }],
  };
  const expected = {
    image: ['init:1', 'app:1', 'debug:1'],
    configmap: ['cm-volume', 'cm-projected', 'cm-from', 'cm-env'],
    secret: ['secret-volume', 'secret-projected', 'secret-from', 'secret-env', 'pull'],
    serviceaccount: ['robot'],
  };
  const valuesOf = (object: object) => {
    const catalog = new IndexCatalog();
    return Object.fromEntries(
      Object.keys(expected).map((name) => [name, catalog.get(name).valuesOf(object as UnknownObject)]),
    );
  };

  test.each([
    ['a pod', { metadata: {}, spec }],
    ['a deployment', { metadata: {}, spec: { template: { spec } } }],
    ['a cron job', { metadata: {}, spec: { jobTemplate: { spec: { template: { spec } } } } }],
    ['a pod template', { metadata: {}, template: { spec } }],
  ])('read %s', (_, object) => {
    expect(valuesOf(object)).toEqual(expected);
  });

  // Every field of a volume that names a secret, in the API of Kubernetes 1.36.
  test.each([
    { azureFile: { secretName: 's', shareName: 'share' } },
    { cephfs: { monitors: ['m'], secretRef: { name: 's' } } },
    { cinder: { volumeID: 'v', secretRef: { name: 's' } } },
    { csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } },
    { flexVolume: { driver: 'd', secretRef: { name: 's' } } },
    { iscsi: { iqn: 'q', secretRef: { name: 's' } } },
    { rbd: { image: 'i', secretRef: { name: 's' } } },
    { scaleIO: { system: 'x', secretRef: { name: 's' } } },
    { storageos: { volumeName: 'v', secretRef: { name: 's' } } },
    { secret: { secretName: 's' } },
    { projected: { sources: [{ serviceAccountToken: { path: 'p' } }, { secret: { name: 's' } }] } },
  ])('find the secret that a volume uses by %j', (volume) => {
    const volumes = [{ name: 'v', ...volume }];
    for (const object of [
      { spec: { volumes } },
      { spec: { template: { spec: { volumes } } } },
      { template: { spec: { volumes } } },
    ])
      expect(new IndexCatalog().get('secret').valuesOf({ metadata: {}, ...object } as UnknownObject)).toEqual(['s']);
  });

  test.each([
    { azureFile: { secretName: 's', secretNamespace: 'other', shareName: 'share' } },
    ...['cephfs', 'cinder', 'flexVolume', 'iscsi', 'rbd', 'scaleIO', 'storageos'].map((driver) => ({
      [driver]: { secretRef: { name: 's' } },
    })),
    ...['controllerExpand', 'controllerPublish', 'nodeExpand', 'nodePublish', 'nodeStage'].map((step) => ({
      csi: { [`${step}SecretRef`]: { name: 's', namespace: 'other' } },
    })),
  ])('find the secret that a persistent volume uses by %j', (source) => {
    const object = { metadata: {}, spec: { capacity: { storage: '1Gi' }, ...source } } as UnknownObject;
    expect(new IndexCatalog().get('secret').valuesOf(object)).toEqual(['s']);
  });

  test.each([
    ['names one', { serviceAccountName: 'robot', serviceAccount: 'robot' }, ['robot']],
    ['names it by the older field', { serviceAccount: 'robot' }, ['robot']],
    ['names none', {}, ['default']],
    ['names the empty one', { serviceAccountName: '' }, ['default']],
  ])('find the service account of a workload that %s', (_, fields, expected) => {
    const object = {
      metadata: {},
      spec: { template: { spec: { containers: [{ image: 'a' }], ...fields } } },
    } as UnknownObject;
    expect(new IndexCatalog().get('serviceaccount').valuesOf(object)).toEqual(expected);
  });

  test('find the image of an image volume', () => {
    const object = {
      metadata: {},
      spec: { containers: [{ image: 'a' }], volumes: [{ image: { reference: 'models:1' } }] },
    } as UnknownObject;
    expect(new IndexCatalog().get('image').valuesOf(object)).toEqual(['a', 'models:1']);
  });

  test.each([
    [
      'a service account',
      'secret',
      { metadata: {}, secrets: [{ name: 'token' }], imagePullSecrets: [{ name: 'pull' }] },
      ['pull', 'token'],
    ],
    ['an ingress', 'secret', { metadata: {}, spec: { tls: [{ secretName: 'cert' }] } }, ['cert']],
    [
      'a role binding',
      'serviceaccount',
      {
        metadata: {},
        subjects: [
          { kind: 'ServiceAccount', name: 'robot' },
          { kind: 'User', name: 'eve' },
        ],
      },
      ['robot'],
    ],
    [
      'a custom resource whose fields are of other kinds',
      'configmap',
      { metadata: {}, spec: { volumes: 'all', containers: [null, 'x'], template: 7 } },
      [],
    ],
    ['an object without spec', 'image', { metadata: {} }, []],
  ])('read %s: %s', (_, name, object, values) => {
    expect(new IndexCatalog().get(name).valuesOf(object as UnknownObject)).toEqual(values);
  });
});
