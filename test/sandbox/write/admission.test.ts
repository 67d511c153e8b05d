import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { admit, admitUpdate, initialStatus } from '../../../src/sandbox/write/admission.ts';
import { useWorld } from '../../support/world.ts';

const world = useWorld();
const types = builtinTypes();
const find = (kind: string) => types.find((t) => t.kind === kind) as ApiType;

function admitted(kind: string, spec: object, metadata: object = {}): Record<string, unknown> {
  const object = { metadata: { name: 'x', ...metadata }, spec } as UnknownObject;
  admit(world.backend.cluster, find(kind), object);
  return object.spec as Record<string, unknown>;
}

describe('admission', () => {
  it('adds the tolerations for nodes that fail, unless the pod has them', () => {
    const keys = (tolerations?: object[]) =>
      (admitted('Pod', { tolerations }).tolerations as { key?: string }[]).map(({ key }) => key);
    expect(keys()).toEqual(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);
    expect(keys([{ key: 'node.kubernetes.io/not-ready' }])).toEqual([
      'node.kubernetes.io/not-ready',
      'node.kubernetes.io/unreachable',
    ]);
    expect(keys([{ operator: 'Exists' }])).toEqual([undefined]);
    expect(keys([{ operator: 'Exists', effect: 'NoSchedule' }])).toHaveLength(3);
  });

  it('makes a job select its own pods by uid, unless its selector is manual', () => {
    const spec = admitted('Job', { template: { metadata: { labels: { a: 'b' } } } }, { uid: 'u' });
    expect(spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } });
    expect(spec.template).toMatchObject({ metadata: { labels: { a: 'b', 'controller-uid': 'u', 'job-name': 'x' } } });
    expect(admitted('Job', { manualSelector: true, template: {} })).toEqual({ manualSelector: true, template: {} });
  });

  it('gives a service an address, and node ports by its type', () => {
    const spec = admitted('Service', { type: 'NodePort', ports: [{ port: 80 }, { port: 81, nodePort: 30_001 }] });
    expect(spec).toMatchObject({
      clusterIP: expect.stringMatching(/^10\.0\./),
      clusterIPs: [spec.clusterIP],
      ipFamilies: ['IPv4'],
    });
    const [made, given] = (spec.ports as { nodePort: number }[]).map(({ nodePort }) => nodePort);
    expect([made !== undefined && made >= 30_000 && made <= 32_767, given]).toEqual([true, 30_001]);
    expect(admitted('Service', { type: 'ClusterIP', clusterIP: 'None' }).clusterIP).toBe('None');
    expect(admitted('Service', { type: 'ExternalName' })).toEqual({ type: 'ExternalName' });
  });

  it('adds to a changed object only what a service needs', () => {
    const service = { metadata: {}, spec: { type: 'ClusterIP' } } as UnknownObject;
    admitUpdate(world.backend.cluster, find('Service'), service, service);
    expect(service.spec).toHaveProperty('clusterIP');
    const pod = { metadata: {}, spec: {} } as UnknownObject;
    admitUpdate(world.backend.cluster, find('Pod'), pod, pod);
    expect(pod.spec).toEqual({});
  });
});

describe('the initial status', () => {
  const amount = (cpu?: string, memory?: string) => ({ ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) });
  it.each<[quality: string, resources: object]>([
    ['BestEffort', {}],
    ['Burstable', { requests: amount('1') }],
    ['Burstable', { limits: amount('1') }],
    ['Guaranteed', { limits: amount('1', '1Gi') }],
    ['Guaranteed', { limits: amount('1', '1Gi'), requests: amount('1', '1Gi') }],
    ['Burstable', { limits: amount('2', '1Gi'), requests: amount('1', '1Gi') }],
  ])('of a pod has the class %s for the resources %j', (qosClass, resources) => {
    const pod = { metadata: {}, spec: { containers: [{ resources }] } } as UnknownObject;
    expect(initialStatus(find('Pod'), pod)).toEqual({ phase: 'Pending', qosClass });
  });

  it('of a definition has the version in which objects are stored', () => {
    const crd = { metadata: {}, spec: { versions: [{ name: 'v1' }, { name: 'v2', storage: true }] } } as UnknownObject;
    expect(initialStatus(find('CustomResourceDefinition'), crd)).toMatchObject({ storedVersions: ['v2'] });
  });

  it('of other types is the empty one', () => {
    expect(initialStatus(find('Deployment'), { metadata: {} })).toBeUndefined();
  });
});
