import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/sandbox/index.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { ask, CONFIG_MAPS, configMapNamed, type Loose, PODS, podNamed } from '../../support/sandbox-requests.ts';

const NS = 'namespaces/default';
const PATHS = {
  deployments: `/apis/apps/v1/${NS}/deployments`,
  statefulsets: `/apis/apps/v1/${NS}/statefulsets`,
  services: `/api/v1/${NS}/services`,
  secrets: `/api/v1/${NS}/secrets`,
  jobs: `/apis/batch/v1/${NS}/jobs`,
  claims: `/api/v1/${NS}/persistentvolumeclaims`,
  bindings: `/apis/rbac.authorization.k8s.io/v1/${NS}/rolebindings`,
  leases: `/apis/coordination.k8s.io/v1/${NS}/leases`,
};
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };

let clock: FakeClock;
let sandbox: Sandbox;

beforeEach(async () => {
  clock = new FakeClock();
  sandbox = await Sandbox.start({ socket: false, clock, seed: 1 });
});
afterEach(() => sandbox.stop());

const template = (policy?: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }], ...(policy ? { restartPolicy: policy } : {}) },
});
const workload = (more: object = {}) => ({
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: { app: 'web' } }, template: template(), ...more },
});
const patch = (path: string, change: object) => ask(sandbox, 'PATCH', path, change);
const told = ({ status, body }: { status: number; body: Loose }) => [status, body.message];

describe('what may not change', () => {
  it.each<[string, string, object, object, string]>([
    [
      'a selector',
      PATHS.deployments,
      workload(),
      { spec: { selector: { matchLabels: { app: 'x' } }, template: { metadata: { labels: { app: 'x' } } } } },
      'Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"x"}}: field is immutable',
    ],
    [
      'the service name of a stateful set',
      PATHS.statefulsets,
      workload({ serviceName: 'a' }),
      { spec: { serviceName: 'b' } },
      `StatefulSet.apps "web" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`,
    ],
    [
      'the type of a secret',
      PATHS.secrets,
      { metadata: { name: 'web' }, type: 'a/b' },
      { type: 'c/d' },
      'Secret "web" is invalid: type: Invalid value: "c/d": field is immutable',
    ],
    [
      'what is declared immutable',
      PATHS.secrets,
      { metadata: { name: 'web' }, immutable: true, data: { a: 'YQ==' } },
      { data: { a: 'Yg==' } },
      'Secret "web" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    ],
    [
      'the role of a binding',
      PATHS.bindings,
      { metadata: { name: 'web' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' } },
      { roleRef: { name: 'b' } },
      'RoleBinding.rbac.authorization.k8s.io "web" is invalid: roleRef: Invalid value: {"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"b"}: cannot change roleRef',
    ],
    [
      'a claim',
      PATHS.claims,
      { metadata: { name: 'web' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      { spec: { resources: { requests: { storage: '2Gi' } } } },
      'PersistentVolumeClaim "web" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n',
    ],
    [
      'the template of a job',
      PATHS.jobs,
      { metadata: { name: 'web' }, spec: { template: template('Never') } },
      { spec: { completions: 3 } },
      'Job.batch "web" is invalid: spec.completions: Invalid value: 3: field is immutable',
    ],
    [
      'when it was made',
      CONFIG_MAPS,
      configMapNamed('web'),
      { metadata: { creationTimestamp: '2001-01-01T00:00:00Z' } },
      'ConfigMap "web" is invalid: metadata.creationTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
    ],
    [
      'that it is deleted, but by a delete',
      CONFIG_MAPS,
      configMapNamed('web'),
      { metadata: { deletionTimestamp: '2001-01-01T00:00:00Z' } },
      'ConfigMap "web" is invalid: metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
    ],
  ])('%s', async (_what, path, object, change, message) => {
    expect((await ask(sandbox, 'POST', path, object)).status).toBe(201);
    expect(told(await patch(`${path}/web`, change))).toEqual([422, message]);
  });

  it('of a pod most things, but its images, its deadline and more tolerations', async () => {
    await ask(sandbox, 'POST', PODS, podNamed('a'));
    const refused = await patch(`${PODS}/a`, { spec: { restartPolicy: 'Never' } });
    expect(refused.body.message).toMatch(
      /^Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`,/,
    );
    const more = await ask(sandbox, 'PATCH', `${PODS}/a`, { spec: { containers: [{ name: 'd', image: 'x' }] } }, STRATEGIC);
    expect(more.body.message).toBe('Pod "a" is invalid: spec.containers: Forbidden: pod updates may not add or remove containers');
    const image = await ask(
      sandbox,
      'PATCH',
      `${PODS}/a`,
      { spec: { containers: [{ name: 'c', image: 'x' }], activeDeadlineSeconds: 9 } },
      STRATEGIC,
    );
    expect([image.status, image.body.metadata.generation]).toEqual([200, 2]);
    expect((await patch(`${PODS}/a`, { spec: { activeDeadlineSeconds: 10 } })).status).toBe(422);
  });

  it('nor may finalizers be added once an object is being deleted', async () => {
    await ask(sandbox, 'POST', CONFIG_MAPS, { metadata: { name: 'a', finalizers: ['example.com/x'] } });
    await ask(sandbox, 'DELETE', `${CONFIG_MAPS}/a`);
    const refused = await patch(`${CONFIG_MAPS}/a`, { metadata: { finalizers: ['example.com/x', 'example.com/y'] } });
    expect(refused.body.details.causes).toEqual([
      {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/y"}',
        field: 'metadata.finalizers',
      },
    ]);
  });
});

describe('services', () => {
  const service = (type?: string) => ({ metadata: { name: 'web' }, spec: { ports: [{ port: 80 }], ...(type ? { type } : {}) } });

  it('keep the address and node ports they were given when an update leaves them out', async () => {
    const { body: made } = await ask(sandbox, 'POST', PATHS.services, service('NodePort'));
    const { status, body } = await ask(sandbox, 'PUT', `${PATHS.services}/web`, {
      ...service('NodePort'),
      metadata: { name: 'web', labels: { a: 'b' } },
    });
    expect(status).toBe(200);
    expect(body.spec).toEqual(made.spec);
  });

  it('get node ports when they become reachable from outside, and lose them again', async () => {
    await ask(sandbox, 'POST', PATHS.services, service());
    const open = await patch(`${PATHS.services}/web`, { spec: { type: 'NodePort' } });
    expect(open.body.spec.ports).toEqual([expect.objectContaining({ nodePort: expect.any(Number) })]);
    const closed = await patch(`${PATHS.services}/web`, { spec: { type: 'ClusterIP' } });
    expect((closed.body.spec.ports as object[])[0]).not.toHaveProperty('nodePort');
  });

  it('do not change their address', async () => {
    await ask(sandbox, 'POST', PATHS.services, service());
    const refused = await patch(`${PATHS.services}/web`, { spec: { clusterIP: '10.0.9.9' } });
    expect(told(refused)).toEqual([
      422,
      'Service "web" is invalid: spec.clusterIPs[0]: Invalid value: ["10.0.9.9"]: may not change once set',
    ]);
  });
});

describe('names', () => {
  it('in a PUT is the one of the URL, and has to be there', async () => {
    sandbox.apply(configMapNamed('a'));
    const without = await ask(sandbox, 'PUT', `${CONFIG_MAPS}/a`, { data: {} });
    expect(told(without)).toEqual([400, 'the name of the object (a based on URL) was undeterminable: name must be provided']);
    const other = await ask(sandbox, 'PUT', `${CONFIG_MAPS}/a`, { metadata: { name: 'b' } });
    expect(told(other)).toEqual([400, 'the name of the object (b) does not match the name on the URL (a)']);
    const elsewhere = await ask(sandbox, 'PUT', `${CONFIG_MAPS}/a`, { metadata: { name: 'a', namespace: 'x' } });
    expect(told(elsewhere)).toEqual([400, 'the namespace of the object (x) does not match the namespace on the request (default)']);
  });

  it('of an applied configuration is the one of the URL', async () => {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } };
    const refused = await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/a?fieldManager=x`, body, headers);
    expect(told(refused)).toEqual([400, 'the name of the object (b) does not match the name on the URL (a)']);
    const uid = { ...body, metadata: { name: 'a', uid: 'u' } };
    const stale = await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/a?fieldManager=x`, uid, headers);
    expect(stale.body.message).toBe(
      'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid u, and no existing object was found',
    );
  });

  it('a PUT makes a lease that is not there, as leader election may ask for, but no config map', async () => {
    const spec = { holderIdentity: 'a', leaseDurationSeconds: 15 };
    expect((await ask(sandbox, 'PUT', `${PATHS.leases}/lock`, { metadata: { name: 'lock' }, spec })).status).toBe(201);
    expect((await ask(sandbox, 'PUT', `${CONFIG_MAPS}/none`, { metadata: { name: 'none' } })).status).toBe(404);
  });

  it('a leader renews its lease by the version it read, and who read an older one is told so', async () => {
    const { body: lease } = await ask(sandbox, 'POST', PATHS.leases, { metadata: { name: 'lock' }, spec: { holderIdentity: 'a' } });
    const renewed = { ...lease, spec: { holderIdentity: 'a', renewTime: '2026-01-01T00:00:10.000000Z' } };
    expect((await ask(sandbox, 'PUT', `${PATHS.leases}/lock`, renewed)).status).toBe(200);
    expect((await ask(sandbox, 'PUT', `${PATHS.leases}/lock`, { ...lease, spec: { holderIdentity: 'b' } })).status).toBe(409);
    const { resourceVersion: _version, ...blind } = lease.metadata;
    const refused = await ask(sandbox, 'PUT', `${PATHS.leases}/lock`, { ...lease, metadata: blind });
    expect(refused.body.message).toContain('metadata.resourceVersion: Invalid value: 0: must be specified for an update');
  });
});

it('counts the generation of a deployment for its annotations too, and takes no labels through its status', async () => {
  await ask(sandbox, 'POST', PATHS.deployments, workload());
  const annotated = await patch(`${PATHS.deployments}/web`, { metadata: { annotations: { a: 'b' } } });
  expect(annotated.body.metadata.generation).toBe(2);
  const through = await patch(`${PATHS.deployments}/web/status`, { metadata: { labels: { a: 'b' } }, status: { replicas: 1 } });
  expect([through.body.metadata.labels, through.body.status.replicas]).toEqual([undefined, 1]);
});

describe('values of another type than their field', () => {
  const PROBLEM = 'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32';

  it('are refused with 400 in a body, with 422 and the whole object in a patch', async () => {
    const { status, body } = await ask(sandbox, 'POST', PATHS.deployments, workload({ replicas: '3' }));
    expect([status, body.message]).toEqual([400, `Deployment in version "v1" cannot be handled as a Deployment: ${PROBLEM}`]);
    await ask(sandbox, 'POST', PATHS.deployments, workload());
    const patched = await patch(`${PATHS.deployments}/web`, { spec: { replicas: '3' } });
    expect(patched.status).toBe(422);
    expect(patched.body.message).toMatch(/^ "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"apps\/v1\\"/);
    expect(patched.body.message?.endsWith(PROBLEM)).toBe(true);
  });

  it.each([
    [
      'a label',
      { metadata: { name: 'a', labels: { x: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'data',
      { metadata: { name: 'a' }, data: { x: true } },
      'json: cannot unmarshal bool into Go struct field ConfigMap.data of type string',
    ],
    [
      'a list',
      { metadata: { name: 'a', finalizers: 'x' } },
      'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.finalizers of type []string',
    ],
  ])('%s', async (_what, object, problem) => {
    const { status, body } = await ask(sandbox, 'POST', CONFIG_MAPS, object);
    expect([status, body.message]).toEqual([400, `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${problem}`]);
  });

  it('a quantity that is none is told in words of its own', async () => {
    const spec = { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: 'much' } } }] };
    const { body } = await ask(sandbox, 'POST', PODS, { metadata: { name: 'a' }, spec });
    expect(body.message).toContain("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  });
});

describe('fields that are unknown or stand twice', () => {
  it('of a body: 400 when strict, a warning unless told to ignore them', async () => {
    const text = '{"metadata":{"name":"NAME"},"data":{"a":"1","a":"2"},"dta":{}}';
    const post = (name: string, how: string) => ask(sandbox, 'POST', `${CONFIG_MAPS}?fieldValidation=${how}`, text.replace('NAME', name));
    const strict = await post('a', 'Strict');
    const problem = 'strict decoding error: duplicate field "data.a", unknown field "dta"';
    expect(told(strict)).toEqual([400, `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${problem}`]);
    const warned = await post('b', 'Warn');
    expect([warned.status, warned.headers.warning]).toEqual([201, '299 - "duplicate field \\"data.a\\"", 299 - "unknown field \\"dta\\""']);
    const ignored = await post('c', 'Ignore');
    expect([ignored.status, ignored.headers.warning, ignored.body.data]).toEqual([201, undefined, { a: '2' }]);
  });

  it('of a patch: 422, with what the patch made or, for a strategic one, what it holds', async () => {
    await ask(sandbox, 'POST', PATHS.deployments, workload());
    const path = `${PATHS.deployments}/web?fieldValidation=Strict`;
    const merge = await patch(path, { spec: { paused: true, foo: 1 } });
    expect(merge.status).toBe(422);
    expect(merge.body.message).toMatch(
      /^ "" is invalid: patch: Invalid value: "{.*\\"foo\\":1.*}": strict decoding error: unknown field "spec.foo"$/,
    );
    const strategic = await ask(sandbox, 'PATCH', path, { spec: { paused: true, foo: [1] } }, STRATEGIC);
    expect(told(strategic)).toEqual([
      422,
      ' "" is invalid: patch: Invalid value: "map[spec:map[foo:[1] paused:true]]": strict decoding error: unknown field "spec.foo"',
    ]);
    const warned = await patch(`${PATHS.deployments}/web`, { spec: { foo: 1 } });
    expect([warned.status, warned.headers.warning]).toEqual([200, '299 - "unknown field \\"spec.foo\\""']);
  });
});

describe('managed fields', () => {
  const managers = (object: Loose) => object.metadata.managedFields?.map((m) => m.manager);

  it('can be cleared, and nobody owns anything from then on until somebody applies', async () => {
    await ask(sandbox, 'POST', CONFIG_MAPS, configMapNamed('a', { x: '1' }));
    const cleared = await patch(`${CONFIG_MAPS}/a`, { metadata: { managedFields: [{}] } });
    expect(managers(cleared.body)).toBeUndefined();
    expect(managers((await patch(`${CONFIG_MAPS}/a`, { data: { y: '2' } })).body)).toBeUndefined();
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { z: '3' } };
    const applied = await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/a?fieldManager=me`, body, {
      'content-type': 'application/apply-patch+yaml',
    });
    expect(managers(applied.body)).toEqual(['me', 'before-first-apply']);
  });

  it('can be handed over, as kubectl does before the first server-side apply of what it applied itself', async () => {
    const { body: made } = await ask(
      sandbox,
      'POST',
      `${CONFIG_MAPS}?fieldManager=kubectl-client-side-apply`,
      configMapNamed('a', { x: '1' }),
    );
    const [entry] = made.metadata.managedFields ?? [];
    const operations = [
      { op: 'replace', path: '/metadata/managedFields', value: [{ ...entry, manager: 'kubectl', operation: 'Apply' }] },
      { op: 'replace', path: '/metadata/resourceVersion', value: made.metadata.resourceVersion },
    ];
    const { body } = await ask(sandbox, 'PATCH', `${CONFIG_MAPS}/a`, operations, { 'content-type': 'application/json-patch+json' });
    expect(body.metadata.managedFields?.map((m) => `${m.manager} ${m.operation}`)).toEqual(['kubectl Apply']);
  });

  it('keep the time of a manager who only took fields away', async () => {
    const { body: made } = await ask(sandbox, 'POST', CONFIG_MAPS, configMapNamed('a', { x: '1', y: '2' }));
    await clock.advance(5_000);
    const { body } = await patch(`${CONFIG_MAPS}/a`, { data: { y: null } });
    expect(body.metadata.managedFields?.[0]?.time).toBe(made.metadata.managedFields?.[0]?.time);
  });
});

it('draws a generated name anew when it is taken', async () => {
  const taken = (await ask(sandbox, 'POST', CONFIG_MAPS, { metadata: { generateName: 'cm-' } })).body.metadata.name ?? '';
  const again = await Sandbox.start({ socket: false, clock, seed: 1 });
  again.apply(configMapNamed('holds-the-place'));
  await again.stop();
  const fresh = await Sandbox.start({ socket: false, clock, seed: 1 });
  const holder = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: taken, uid: 'u' } };
  fresh.apply(holder); // which draws nothing, so that the next draw is the same as above
  const { status, body } = await ask(fresh, 'POST', CONFIG_MAPS, { metadata: { generateName: 'cm-' } });
  await fresh.stop();
  expect(status).toBe(201);
  expect(body.metadata.name).not.toBe(taken);
});

it('takes no body of more than three megabytes', async () => {
  const { status, body } = await ask(sandbox, 'POST', CONFIG_MAPS, configMapNamed('a', { a: 'x'.repeat(3 * 1024 * 1024) }));
  expect([status, body.reason, body.message]).toEqual([413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728']);
});

it('refuses options a write does not have', async () => {
  sandbox.apply(configMapNamed('a'));
  expect(told(await patch(`${CONFIG_MAPS}/a?force=true`, {}))).toEqual([
    422,
    'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
  ]);
  expect(told(await patch(`${CONFIG_MAPS}/a?fieldManager=${'x'.repeat(129)}`, {}))).toEqual([
    422,
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
  ]);
});

describe('binding', () => {
  const bind = (body: object) => ask(sandbox, 'POST', `${PODS}/a/binding`, body);
  const target = { kind: 'Node', name: 'n' };

  it('gives a pod to a node once, and counts no generation for it', async () => {
    await ask(sandbox, 'POST', PODS, podNamed('a'));
    expect((await bind({ metadata: { name: 'a' }, target })).status).toBe(201);
    const { body } = await ask(sandbox, 'GET', `${PODS}/a`);
    expect([body.spec.nodeName, body.metadata.generation]).toEqual(['n', 1]);
    expect(body.status.conditions).toEqual([expect.objectContaining({ type: 'PodScheduled', status: 'True' })]);
    expect(told(await bind({ target }))).toEqual([
      409,
      'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n"',
    ]);
  });

  it('refuses what names no node', async () => {
    await ask(sandbox, 'POST', PODS, podNamed('a'));
    expect(told(await bind({ metadata: { name: 'a' }, target: {} }))).toEqual([422, 'Binding "a" is invalid: target.name: Required value']);
    expect(told(await bind({ metadata: { name: 'b' }, target }))).toEqual([400, 'name in URL does not match name in Binding object']);
  });
});
