import { describe, expect, it } from 'vitest';
import { checkedImage } from '../../src/manifest/image-name.ts';
import { metricsPort } from '../../src/manifest/metrics-port.ts';
import { type ManifestPlan, manifestObjects } from '../../src/manifest/objects.ts';

const HOOK = {
  in: 'config-map',
  name: 'guard.ts',
  text: 'export default () => {};\n',
  isExecutable: false,
  path: '/hook/guard.ts',
  remarks: [],
} as const;

const PLAN: ManifestPlan = {
  name: 'guard',
  namespace: 'ops',
  image: 'informer:1',
  args: ['reconcile', 'pods'],
  hook: HOOK,
  port: 8080,
  journal: undefined,
  graceMs: 25_000,
  replicas: 1,
  isCoordinated: false,
  access: [{ verb: 'list', group: '', resource: 'pods', namespace: 'ops' }],
};

// biome-ignore lint/suspicious/noExplicitAny: objects are compared by their parts
const objectsOf = (plan: Partial<ManifestPlan> = {}): any[] => manifestObjects({ ...PLAN, ...plan });
const kindsOf = (plan: Partial<ManifestPlan>) => objectsOf(plan).map(({ kind }) => kind);
const deploymentOf = (plan: Partial<ManifestPlan> = {}) => objectsOf(plan).at(-1);
const podOf = (plan: Partial<ManifestPlan> = {}) => deploymentOf(plan).spec.template.spec;

describe('the printed objects', () => {
  it('are in the order in which they need each other; a budget is there for several replicas', () => {
    const kinds = ['ServiceAccount', 'ConfigMap', 'Role', 'RoleBinding', 'Deployment'];
    expect(kindsOf({})).toEqual(kinds);
    expect(kindsOf({ replicas: 2, isCoordinated: true })).toEqual(kinds.toSpliced(4, 0, 'PodDisruptionBudget'));
    expect(kindsOf({ hook: undefined })).toEqual(kinds.toSpliced(1, 1));
  });

  it('never let two processes work at once without a lease, and keep the number of replicas with one', () => {
    expect(deploymentOf().spec.strategy).toEqual({ type: 'Recreate' });
    expect(deploymentOf({ isCoordinated: true }).spec.strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
  });

  it('have roles whose names elsewhere cannot be those of another Deployment, all bound to one service account', () => {
    const access = [undefined, 'shop', 'ops'].map((namespace) => ({
      ...PLAN.access[0],
      resource: `r-${namespace}`,
      namespace,
    }));
    const objects = objectsOf({ access: access as never });
    const named = objects
      .filter(({ kind }) => kind.endsWith('Role'))
      .map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name]);
    expect(named).toEqual([
      ['ClusterRole', undefined, 'ops:guard'],
      ['Role', 'ops', 'guard'],
      ['Role', 'shop', 'ops:guard'],
    ]);
    const bound = objects.filter(({ kind }) => kind.endsWith('Binding'));
    expect(bound.map(({ roleRef }) => [roleRef.kind, roleRef.name])).toEqual(
      named.map(([kind, , name]) => [kind, name]),
    );
    for (const { subjects, roleRef, metadata } of bound) {
      expect(subjects).toEqual([{ kind: 'ServiceAccount', namespace: 'ops', name: 'guard' }]);
      expect(roleRef.name).toBe(metadata.name);
    }
  });

  it('have a ConfigMap with another name for another hook, which the Pods mount at the path of the arguments', () => {
    const [, one] = objectsOf();
    const [, other] = objectsOf({ hook: { ...HOOK, text: 'export default () => 1;\n' } });
    expect(one.metadata.name).toMatch(/^guard-hook-[0-9a-f]{10}$/);
    expect(other.metadata.name).not.toBe(one.metadata.name);
    expect([one.data, one.immutable]).toEqual([{ 'guard.ts': HOOK.text }, true]);
    expect(podOf().volumes).toEqual([{ name: 'hook', configMap: { name: one.metadata.name, defaultMode: 0o444 } }]);
    expect(podOf().containers[0].volumeMounts).toEqual([
      { name: 'hook', mountPath: '/hook/guard.ts', subPath: 'guard.ts', readOnly: true },
    ]);
    expect(podOf({ hook: { ...HOOK, isExecutable: true } }).volumes[0].configMap.defaultMode).toBe(0o555);
  });

  it('give a program a place for temporary files and a process that reaps what it leaves, and a module neither', () => {
    expect([podOf().shareProcessNamespace, podOf().volumes.length]).toEqual([undefined, 1]);
    expect(podOf({ hook: undefined })).toMatchObject({
      shareProcessNamespace: true,
      volumes: [{ name: 'tmp', emptyDir: {} }],
      containers: [{ volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] }],
    });
  });

  it('give the program all the time that its grace takes', () => {
    expect(podOf().terminationGracePeriodSeconds).toBe(30);
    expect(podOf({ graceMs: 90_500 }).terminationGracePeriodSeconds).toBe(96);
  });

  it('meet the Pod Security level restricted', () => {
    const { securityContext, containers } = podOf();
    expect(securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('spread several replicas softly, by the labels of the Pods', () => {
    expect(podOf().topologySpreadConstraints).toBeUndefined();
    const { spec } = deploymentOf({ replicas: 2 });
    expect(spec.template.spec.topologySpreadConstraints).not.toHaveLength(0);
    for (const each of spec.template.spec.topologySpreadConstraints)
      expect(each).toMatchObject({ whenUnsatisfiable: 'ScheduleAnyway', labelSelector: spec.selector });
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  });
});

describe('the port of the probes', () => {
  it.each([
    [undefined, '0.0.0.0:8080', 0],
    ['0.0.0.0:9000', '0.0.0.0:9000', 0],
    ['[::]:9000', '[::]:9000', 0],
    [':9000', '0.0.0.0:9000', 1],
    ['9000', '0.0.0.0:9000', 1],
    ['localhost:9000', '0.0.0.0:9000', 1],
    ['10.0.0.5:9000', '0.0.0.0:9000', 1],
  ])('is for --metrics %s at %s', (given, address, remarks) => {
    const found = metricsPort(given);
    expect([found.address, found.port, found.remarks.length]).toEqual([
      address,
      Number(address.split(':').at(-1)),
      remarks,
    ]);
  });

  it.each([':0', ':80', '0.0.0.0:443'])('cannot be %s', (given) => {
    expect(() => metricsPort(given)).toThrow(`--metrics ${given} cannot be used in a Pod`);
  });
});

describe('the name of an image', () => {
  it.each([
    ['informer', 1],
    ['informer:latest', 1],
    ['informer:1', 0],
    ['localhost:5000/a/b-c_d.e:V1.0', 0],
    [`registry.example.com/a@sha256:${'a'.repeat(64)}`, 0],
  ])('may be %s', (image, remarks) => {
    expect(checkedImage(image, 'x').remarks.length).toBe(remarks);
  });

  it.each(['', 'Informer', 'a b', 'https://a/b', 'a:', '/a', 'a:b:c'])('cannot be %j', (image) => {
    expect(() => checkedImage(image, 'x')).toThrow('cannot be the name of an image');
  });
});
