import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { compileJsonPath } from '../../src/expr/jsonpath/jsonpath.ts';
import { systemClock } from '../../src/kit/clock.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { KyamlPrinter, kyamlDocument } from '../../src/output/objects/kyaml-printer.ts';
import { toYaml } from '../../src/output/objects/yaml.ts';
import type { PrintedObject } from '../../src/output/printer.ts';
import { TablePrinter, type TablePrinterOptions } from '../../src/output/tables/table-printer.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { APPLES } from '../support/fixture.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';

const kubectl = findKubectl();
const missing = 'missing' in kubectl ? kubectl.missing : undefined;
const folder = mkdtempSync(path.join(tmpdir(), 'output-kubectl-'));
const kubeconfig = path.join(folder, 'kubeconfig');
let sandbox: Sandbox;

const TEXTS = [
  ...[
    'plain',
    '',
    '1',
    '1.5',
    '0x1F',
    '089',
    '1:30',
    '80:80',
    'true',
    'y',
    'nULL',
    '~',
    '.inf',
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '1.2.3',
  ],
  ...[
    'a: b',
    'a:',
    'a #b',
    ' x',
    '*',
    '{"a":1}',
    '- x',
    '-x',
    '---',
    '@x',
    "it's",
    'say "hi"',
    'a\tb',
    'a\u001bb',
    'a\r\nb',
    '100%',
  ],
  ...['a\nb', 'a\nb\n', 'a\n\nb\n\n', '\na', '  a\nb\n', '\n', 'a \nb\n', '{\n  "a": 1\n}\n', '日本: 語'],
];
const KEYS = ['file10', 'file2', 'file02', 'v1.10', 'v1.9', '10', '9', 'true', 'on', 'a-b', 'a.b', 'a_b', 'ab', 'A'];

const OBJECTS: UnknownObject[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'texts', namespace: 'default' }, data: keyed(TEXTS) },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'keys', namespace: 'default' },
    data: Object.fromEntries(KEYS.map((key) => [key, 'x'])),
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'all' },
    rules: [{ apiGroups: ['*', ''], resources: ['*'], verbs: ['*', 'get'] }],
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', annotations: { note: 'yes', empty: '' } },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'nginx:1.27',
          command: ['sh', '-c', 'echo a\necho b\n'],
          args: ['--x=1', '2', '- b'],
          resources: {},
        },
      ],
      tolerations: [],
    },
  },
];

const container = (image: string) => ({ name: 'c', image });
const WORKLOADS: UnknownObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'web', 'app.kubernetes.io/name': 'shop' } },
    spec: { nodeName: 'worker-1', containers: [container('nginx:1.27')] },
    status: {
      phase: 'Running',
      podIP: '10.1.0.1',
      podIPs: [{ ip: '10.1.0.1' }],
      containerStatuses: [{ name: 'c', ready: true, restartCount: 2, state: { running: {} } }],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'broken', namespace: 'default', labels: { app: 'web' } },
    spec: { nodeName: 'worker-1', containers: [container('nginx:nope')] },
    status: {
      phase: 'Pending',
      reason: 'line one\nline two',
      containerStatuses: [
        { name: 'c', ready: false, restartCount: 0, state: { waiting: { reason: 'ImagePullBackOff' } } },
      ],
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', labels: { app: 'web', tier: 'front' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container('nginx:1.27')] } },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'worker-1' },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: { kubeletVersion: 'v1.36.0', osImage: 'Linux' },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'once', namespace: 'default' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [container('busybox')] } } },
  },
  APPLES,
];

/** So that ages do not change while they are compared. */
const longAgo = (object: object): UnknownObject => {
  const { metadata, ...rest } = object as UnknownObject;
  return { ...rest, metadata: { ...metadata, creationTimestamp: '2020-01-01T00:00:00Z' } };
};

function keyed(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text, i) => [`t${i}`, text]));
}

beforeAll(async () => {
  if (missing) return;
  sandbox = await Sandbox.start({});
  sandbox.apply([...OBJECTS, ...WORKLOADS].map(longAgo));
  writeFileSync(kubeconfig, sandbox.kubeconfig(), { mode: 0o600 });
});

afterAll(async () => {
  await sandbox?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(missing)(`real kubectl${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it.each(['configmap/texts', 'configmap/keys', 'clusterrole/all', 'pod/p'])(
    'prints %s as the same YAML, byte for byte',
    async (name) => {
      expect(toYaml(JSON.parse(await get(name, '-o', 'json')), { sorted: true })).toBe(await get(name, '-o', 'yaml'));
    },
  );

  it.each(['configmap/texts', 'configmap/keys', 'clusterrole/all', 'pod/p'])(
    'prints %s as the same KYAML, byte for byte',
    async (name) => {
      expect(kyamlDocument(JSON.parse(await get(name, '-o', 'json')))).toBe(await get(name, '-o', 'kyaml'));
    },
  );

  it('prints a list as the same KYAML, byte for byte', async () => {
    const { items } = JSON.parse(await get('pods,cm', '-o', 'json')) as { items: UnknownObject[] };
    const printer = new KyamlPrinter();
    const type = { gvr: { group: '', version: 'v1', resource: 'pods' }, kind: 'Pod', namespaced: true };
    expect([...printer.objects(items.map((object) => ({ object, type })))].join('')).toBe(
      await get('pods,cm', '-o', 'kyaml'),
    );
  });

  it.each([
    '{.metadata.name}',
    '{.metadata.name} text {.metadata.labels}',
    '{.spec.nope}',
    '{range .spec.containers[*]}{.name}{"\\n"}{end}',
    '{.spec.containers[*].image}',
    "{.spec['']}",
  ])('prints -o jsonpath-as-json=%s as the same lists, byte for byte', async (template) => {
    const object: unknown = JSON.parse(await get('pod/p', '-o', 'json'));
    expect(compileJsonPath(template).printJson(object)).toBe(await get('pod/p', '-o', `jsonpath-as-json=${template}`));
  });

  it.each([
    ['pods', {}, []],
    ['pods', { wide: true }, ['-o', 'wide']],
    ['pods', { withNamespace: true }, ['-A']],
    ['pods', { showLabels: true }, ['--show-labels']],
    ['pods', { labelColumns: ['app', 'app.kubernetes.io/name'] }, ['-L', 'app,app.kubernetes.io/name']],
    ['pods', { noHeaders: true }, ['--no-headers']],
    ['pods', { showKind: true }, ['--show-kind']],
    ['deployments', {}, []],
    ['deployments', { wide: true, showLabels: true }, ['-o', 'wide', '--show-labels']],
    ['nodes', { wide: true }, ['-o', 'wide']],
    ['services web', { wide: true }, ['-o', 'wide']],
    ['configmaps', {}, []],
    ['namespaces shop', {}, []],
    ['clusterroles', {}, []],
    ['jobs', {}, []],
    ['customresourcedefinitions', {}, []],
  ])('prints %s with %j as the same table, byte for byte', async (words, options, flags) => {
    const [resource = '', name] = words.split(' ');
    expect(await table([resource], options, name)).toBe(await get(resource, ...(name ? [name] : []), ...flags));
  });

  it('prints several types as the same tables', async () => {
    expect(await table(['pods', 'deployments'], { showKind: true })).toBe(await get('pods,deployments'));
  });

  it.each(['pods,nodes', 'nodes,pods', 'nodes,clusterroles', 'nodes,pods,clusterroles,deployments'])(
    'prints %s of all namespaces with the column NAMESPACE where kubectl has it, byte for byte',
    async (types) => {
      expect(await table(types.split(','), { showKind: true, withNamespace: true })).toBe(await get(types, '-A'));
    },
  );
});

async function get(what: string, ...flags: string[]): Promise<string> {
  const args = [
    '--kubeconfig',
    kubeconfig,
    '--cache-dir',
    path.join(folder, 'cache'),
    '-n',
    'default',
    'get',
    what,
    ...flags,
  ];
  const { code, stdout, stderr } = await runKubectl('path' in kubectl ? kubectl.path : '', args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The same from the server's tables, by our own printer. */
async function table(
  resources: readonly string[],
  options: Partial<TablePrinterOptions>,
  name?: string,
): Promise<string> {
  const client = createClient(sandbox.transport());
  const answer: PrintedObject[] = [];
  for (const resource of resources) {
    const type = await client.mapper.resolve(resource);
    const namespace = type.namespaced && !options.withNamespace ? 'default' : undefined;
    const page = await client.resource<UnknownObject>(type.gvr, { as: { table: 'Metadata' }, namespace }).list({});
    const asked = page.items.filter((object) => name === undefined || object.metadata.name === name);
    for (const object of asked) answer.push({ object, type });
  }
  return [...new TablePrinter({ clock: systemClock, ...options }).objects(answer)].join('');
}
