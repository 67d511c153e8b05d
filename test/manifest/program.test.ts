import { expect, it } from 'vitest';
import { type ProgramPlan, programObjects } from '../../src/manifest/program.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { ask } from '../support/sandbox-requests.ts';

const PLAN: ProgramPlan = {
  name: 'pg-operator',
  namespace: 'pg-system',
  image: 'registry.example.com/pg:1',
  command: ['node', 'main.js'],
  replicas: 2,
  access: [
    { verb: 'watch', group: 'apps', resource: 'statefulsets' },
    { verb: 'update', group: 'coordination.k8s.io', resource: 'leases', namespace: 'pg-system', name: 'pg-operator' },
  ],
  webhookPort: 9443,
  probePort: undefined,
};
// biome-ignore lint/suspicious/noExplicitAny: the objects are of many kinds
const objectsOf = (plan: Partial<ProgramPlan> = {}): any[] => programObjects({ ...PLAN, ...plan });
const kindsOf = (plan?: Partial<ProgramPlan>) => objectsOf(plan).map(({ kind }) => kind);

it('a program has its account, its rights with fixed names, a Service for its webhooks, and a budget for its replicas', () => {
  expect(kindsOf()).toEqual([
    'ServiceAccount',
    'ClusterRole',
    'ClusterRoleBinding',
    'Role',
    'RoleBinding',
    'Service',
    'PodDisruptionBudget',
    'Deployment',
  ]);
  expect(kindsOf({ replicas: 1, webhookPort: undefined, access: [] })).toEqual(['ServiceAccount', 'Deployment']);
  expect(objectsOf()[3].rules).toEqual([
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: ['pg-operator'], verbs: ['update'] },
  ]);
});

it('probes are at the webhooks, by HTTPS, or at a port of their own', () => {
  const probeOf = (plan: Partial<ProgramPlan>) =>
    objectsOf(plan).at(-1).spec.template.spec.containers[0].readinessProbe;
  expect(probeOf({})?.httpGet).toEqual({ path: '/readyz', port: 'webhooks', scheme: 'HTTPS' });
  expect(probeOf({ probePort: 8080 })?.httpGet).toEqual({ path: '/readyz', port: 'probes' });
  expect(probeOf({ webhookPort: undefined })).toBeUndefined();
});

it('a server accepts all of it', async () => {
  await using sandbox = await Sandbox.start({ socket: false });
  sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'pg-system' } });
  const paths: Record<string, string> = {
    ServiceAccount: '/api/v1/namespaces/pg-system/serviceaccounts',
    Service: '/api/v1/namespaces/pg-system/services',
    Deployment: '/apis/apps/v1/namespaces/pg-system/deployments',
    PodDisruptionBudget: '/apis/policy/v1/namespaces/pg-system/poddisruptionbudgets',
    Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/pg-system/roles',
    RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/pg-system/rolebindings',
    ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  };
  for (const object of objectsOf()) {
    const answer = await ask(sandbox, 'POST', `${paths[object.kind]}?fieldValidation=Strict`, object);
    expect([object.kind, answer.status, answer.body.message]).toEqual([object.kind, 201, undefined]);
  }
});
