import { expect, test } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';

const claim = { name: 'data', persistentVolumeClaim: { claimName: 'store' } };
const ephemeral = { name: 'scratch', ephemeral: { volumeClaimTemplate: {} } };
const podSpec = { containers: [{ image: 'a' }], volumes: [claim, ephemeral, { name: 'e', emptyDir: {} }] };
const template = { spec: { containers: [{ image: 'a' }], volumes: [claim, ephemeral] } };
const claims = (object: object) =>
  new IndexCatalog().get('pvc').valuesOf({ metadata: { name: 'web' }, ...object } as UnknownObject);

test.each<[string, object, string[]]>([
  ['a pod, with the claim of its ephemeral volume', { spec: podSpec }, ['store', 'web-scratch']],
  [
    'a deployment, without the claims of ephemeral volumes, whose names depend on the pod',
    { spec: { template } },
    ['store'],
  ],
  ['a cron job', { spec: { jobTemplate: { spec: { template } } } }, ['store']],
  ['a pod template', { template }, ['store']],
  [
    'a stateful set: the claims of its current replicas',
    { spec: { template, replicas: 2, volumeClaimTemplates: [{ metadata: { name: 'data' } }] } },
    ['store', 'data-web-0', 'data-web-1'],
  ],
  [
    'a stateful set that starts at another ordinal',
    {
      spec: { template: {}, replicas: 2, ordinals: { start: 5 }, volumeClaimTemplates: [{ metadata: { name: 'd' } }] },
    },
    ['d-web-5', 'd-web-6'],
  ],
  [
    'a stateful set without replicas',
    { spec: { replicas: 0, volumeClaimTemplates: [{ metadata: { name: 'd' } }] } },
    [],
  ],
  [
    'a stateful set with the default of one replica',
    { spec: { volumeClaimTemplates: [{ metadata: { name: 'd' } }] } },
    ['d-web-0'],
  ],
  ['the volume that is bound to a claim', { spec: { claimRef: { name: 'store', namespace: 'shop' } } }, ['store']],
  [
    'a claim that copies another',
    { spec: { dataSource: { kind: 'PersistentVolumeClaim', name: 'store' } } },
    ['store'],
  ],
  ['a claim that restores a snapshot', { spec: { dataSourceRef: { kind: 'VolumeSnapshot', name: 's' } } }, []],
  ['a snapshot', { spec: { source: { persistentVolumeClaimName: 'store' } } }, ['store']],
  ['an object of another form', { spec: { volumes: 'all', volumeClaimTemplates: 7, replicas: 'many' } }, []],
  ['an object without spec', {}, []],
])('the index pvc reads %s', (_, object, expected) => {
  expect(claims(object)).toEqual(expected);
});
