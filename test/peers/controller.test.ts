import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { BUILD_MS, build, reasonToSkip } from './go.ts';

const SOURCE = path.join(import.meta.dirname, 'controller');
const skipped = reasonToSkip(SOURCE);
const folder = mkdtempSync(path.join(tmpdir(), 'controller-peer-'));
const started: ChildProcess[] = [];

afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer' } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

/** What the controller may do, and no more. */
const RIGHTS = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'create', 'update'] },
  { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get', 'list', 'watch', 'update'] },
  { apiGroups: ['example.com'], resources: ['widgets/status'], verbs: ['update'] },
];

const metadata = (name: string) => ({ name, namespace: 'default' });
const RBAC = 'rbac.authorization.k8s.io';
const ACCESS = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata('controller') },
  { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: metadata('controller'), rules: RIGHTS },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: metadata('controller'),
    subjects: [{ kind: 'ServiceAccount', ...metadata('controller') }],
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'controller' },
  },
];

const widget = (name: string, size: number) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: metadata(name),
  spec: { size },
});

describe.skipIf(skipped)(`a controller of client-go${skipped ? ` (skipped: ${skipped})` : ''}`, () => {
  it(
    'does its work with the rights of its account, and its replacement goes on when it is killed',
    async () => {
      const binary = await build(SOURCE, folder);
      await using sandbox = await Sandbox.start({ seed: 1, rbac: true });
      sandbox.apply([WIDGETS, ...ACCESS, widget('a', 1), widget('b', 2), widget('c', 3)]);
      const kubeconfig = path.join(folder, 'kubeconfig');
      writeFileSync(
        kubeconfig,
        sandbox.kubeconfig({ token: sandbox.tokenFor({ user: 'system:serviceaccount:default:controller' }) }),
      );
      const start = (identity: string) => {
        const child = spawn(binary, [kubeconfig, identity], { stdio: ['ignore', 'ignore', 'inherit'] });
        started.push(child);
        return child;
      };
      const one = (kind: string, name: string, apiVersion = 'v1') =>
        sandbox.get({ apiVersion, kind }, `default/${name}`);
      const holder = () =>
        (one('Lease', 'widgets', 'coordination.k8s.io/v1')?.spec as { holderIdentity?: string } | undefined)
          ?.holderIdentity;
      const eventually = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 20 });
      const isDone = (name: string, size: number) => {
        const owner = one('Widget', name, 'example.com/v1') as UnknownObject;
        expect(owner.status).toMatchObject({
          size,
          conditions: [{ type: 'Ready', status: 'True', reason: 'Configured' }],
        });
        const owned = one('ConfigMap', `${name}-config`);
        expect(owned).toMatchObject({
          data: { size: String(size) },
          metadata: { ownerReferences: [{ uid: owner.metadata.uid, controller: true }] },
        });
      };

      const first = start('first');
      await eventually(() => expect(holder()).toBe('first'));
      const second = start('second');
      await eventually(() => ['a', 'b', 'c'].forEach((name, i) => void isDone(name, i + 1)));

      sandbox.delete({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/a-config');
      await eventually(() => isDone('a', 1));

      const { uid } = (one('Widget', 'b', 'example.com/v1') as UnknownObject).metadata;
      sandbox.delete({ apiVersion: 'example.com/v1', kind: 'Widget' }, 'default/b');
      await eventually(() => {
        expect(one('Widget', 'b', 'example.com/v1')).toBeUndefined();
        expect(one('ConfigMap', 'b-config'), 'collected with its owner').toBeUndefined();
        expect(one('ConfigMap', 'record-of-b')).toMatchObject({ data: { uid } });
      });

      first.kill('SIGKILL');
      await eventually(() => expect(holder()).toBe('second'));
      sandbox.apply(widget('d', 4));
      await eventually(() => isDone('d', 4));
      const lease = one('Lease', 'widgets', 'coordination.k8s.io/v1');
      expect(lease?.spec).toMatchObject({ leaseTransitions: 1, leaseDurationSeconds: 3 });
      expect((one('Widget', 'c', 'example.com/v1') as UnknownObject).metadata).toMatchObject({
        generation: 1,
        finalizers: ['example.com/record'],
      });
      second.kill('SIGKILL');
    },
    BUILD_MS + 60_000,
  );
});
