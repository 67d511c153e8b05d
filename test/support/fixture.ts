import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { UnknownObject } from '../../src/model/object.ts';
import { Sandbox } from '../../src/sandbox/index.ts';

/** A small cluster that stands still: a sandbox on a socket, and a kubeconfig file for child processes. */
export interface Fixture extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly env: { KUBECONFIG: string };
}

export async function startFixture(objects: readonly UnknownObject[] = OBJECTS): Promise<Fixture> {
  const sandbox = await Sandbox.start({});
  sandbox.apply(objects);
  const folder = await mkdtemp(path.join(tmpdir(), 'informer-test-'));
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, sandbox.kubeconfig(), { mode: 0o600 });
  return {
    sandbox,
    folder,
    env: { KUBECONFIG: file },
    async [Symbol.asyncDispose]() {
      await sandbox.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function pod(
  name: string,
  { namespace = 'shop', app = 'web', node = 'worker-1', image = 'nginx:1.27', phase = 'Running' } = {},
) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app } },
    spec: { nodeName: node, containers: [{ name: 'c', image }] },
    status: { phase },
  };
}

export function configMap(name: string, data: Record<string, string>, namespace = 'shop') {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

export const SECRET_VALUE = 'marker-of-a-secret-value';

export const OBJECTS: readonly UnknownObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } },
  pod('web-1'),
  pod('web-2', { node: 'worker-2' }),
  pod('db-1', { namespace: 'other', app: 'db', node: 'worker-2', image: 'postgres:17' }),
  configMap('settings', { color: 'red' }),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', namespace: 'shop' },
    type: 'Opaque',
    data: { password: Buffer.from(SECRET_VALUE).toString('base64') },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx:1.27' }] } },
    },
  },
];

/** A custom type as a user would define one. */
export const APPLES = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'myapples.stable.example.com' },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'myapples', singular: 'myapple', kind: 'MyApple', shortNames: ['ma'], categories: ['fruit'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Color', type: 'string', jsonPath: '.spec.color' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { color: { type: 'string' }, size: { type: 'integer' } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

export function apple(name: string, color: string, size = 1) {
  return {
    apiVersion: 'stable.example.com/v1',
    kind: 'MyApple',
    metadata: { name, namespace: 'shop' },
    spec: { color, size },
  };
}
