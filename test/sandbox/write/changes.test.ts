import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, configMapNamed } from '../../support/sandbox-requests.ts';
import { PATHS, refusal, template, useSandbox, workload } from '../../support/write-requests.ts';

const server = useSandbox();
const patch = (path: string, change: object) => server.ask('PATCH', path, change);

describe('a forbidden change', () => {
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
      'data that is immutable',
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
      {
        metadata: { name: 'web' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
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
      'the deletion time',
      CONFIG_MAPS,
      configMapNamed('web'),
      { metadata: { deletionTimestamp: '2001-01-01T00:00:00Z' } },
      'ConfigMap "web" is invalid: metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
    ],
  ])('%s', async (_what, path, object, change, message) => {
    expect((await server.ask('POST', path, object)).status).toBe(201);
    expect(refusal(await patch(`${path}/web`, change))).toEqual([422, message]);
  });

  it('is a new finalizer while the object is being deleted', async () => {
    await server.ask('POST', CONFIG_MAPS, { metadata: { name: 'a', finalizers: ['example.com/x'] } });
    await server.ask('DELETE', `${CONFIG_MAPS}/a`);
    const refused = await patch(`${CONFIG_MAPS}/a`, { metadata: { finalizers: ['example.com/x', 'example.com/y'] } });
    expect(refused.body.details.causes).toEqual([
      {
        reason: 'FieldValueForbidden',
        message:
          'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/y"}',
        field: 'metadata.finalizers',
      },
    ]);
  });
});
