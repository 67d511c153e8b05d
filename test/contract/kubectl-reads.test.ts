import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Sandbox } from '../../src/sandbox/index.ts';
import { findKubectl, type KubectlRun, type RunOptions, runKubectl } from '../support/kubectl.ts';

const kubectl = findKubectl();
const missing = 'missing' in kubectl ? kubectl.missing : undefined;
const folder = mkdtempSync(path.join(tmpdir(), 'kubectl-contract-'));
const kubeconfig = path.join(folder, 'kubeconfig');
let sandbox: Sandbox;

/** Runs kubectl against the sandbox with the words of a line; quotes keep words together. */
function run(line: string, options: RunOptions = {}): Promise<KubectlRun> {
  const args = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const common = ['--kubeconfig', kubeconfig, '--cache-dir', path.join(folder, 'cache'), '--namespace', 'default'];
  return runKubectl('path' in kubectl ? kubectl.path : '', [...common, ...args], options);
}

async function output(line: string, options?: { input?: string }): Promise<string> {
  const { code, stdout, stderr } = await run(line, options);
  expect({ line, code, stderr }).toEqual({ line, code: 0, stderr });
  return stdout;
}

const rowsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/));

const container = (image: string, more: object = {}) => ({ name: 'c', image, ...more });
const running = (restarts: number) => ({
  phase: 'Running',
  podIP: '10.1.0.1',
  podIPs: [{ ip: '10.1.0.1' }],
  conditions: [{ type: 'Ready', status: 'True' }],
  containerStatuses: [{ name: 'c', ready: true, restartCount: restarts, state: { running: {} } }],
});

beforeAll(async () => {
  if (missing) return;
  sandbox = await Sandbox.start({ seed: 1 });
  writeFileSync(kubeconfig, sandbox.kubeconfig());
  sandbox.apply([
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-1', uid: 'uid-of-web-1', labels: { app: 'web' } },
      spec: { nodeName: 'n1', containers: [container('nginx:1')] },
      status: running(2),
    },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-2', labels: { app: 'web' } }, spec: { containers: [container('nginx:2')] } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'db-1', namespace: 'data', labels: { app: 'db' } },
      spec: { containers: [container('db:1')] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container('nginx:1')] } },
      },
      status: {
        replicas: 2,
        readyReplicas: 1,
        updatedReplicas: 2,
        availableReplicas: 1,
        observedGeneration: 1,
        conditions: [{ type: 'Available', status: 'True' }],
      },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1', b: '2' } },
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'web-1.1' },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'web-1', namespace: 'default', uid: 'uid-of-web-1' },
      reason: 'Started',
      message: 'Started container c',
      type: 'Normal',
      lastTimestamp: '2026-01-01T00:00:00Z',
      source: { component: 'kubelet' },
    },
  ]);
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await sandbox?.stop();
});

describe.skipIf(missing)(`real kubectl reads the sandbox${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('prints tables with the real columns, narrow and wide', async () => {
    const [head, first, second] = rowsOf(await output('get pods'));
    expect(head).toEqual(['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE']);
    expect(first?.slice(0, 4)).toEqual(['web-1', '1/1', 'Running', '2']);
    expect(second?.slice(0, 4)).toEqual(['web-2', '0/1', 'Pending', '0']);
    const [wide, row] = rowsOf(await output('get pods -o wide'));
    expect(wide?.slice(5)).toEqual(['IP', 'NODE', 'NOMINATED NODE', 'READINESS GATES']);
    expect(row?.slice(5)).toEqual(['10.1.0.1', 'n1', '<none>', '<none>']);
  });

  it('prints several types of all namespaces', async () => {
    const text = await output('get deploy,po,cm -A');
    expect(text).toMatch(/default\s+deployment.apps\/web\s+1\/2\s+2\s+1/);
    expect(text).toMatch(/data\s+pod\/db-1\s+0\/1\s+Pending/);
    expect(text).toMatch(/default\s+configmap\/settings\s+2/);
  });

  it.each([
    ['get pods -o name', 'pod/web-1\npod/web-2\n'],
    ['get pods -l app=web,app!=x --field-selector status.phase=Running -o name', 'pod/web-1\n'],
    ["get pods -o 'jsonpath={.items[*].spec.containers[0].image}'", 'nginx:1 nginx:2'],
    [
      "get pods web-2 web-1 -o 'custom-columns=N:.metadata.name,I:.spec.containers[*].image'",
      'N       I\nweb-2   nginx:2\nweb-1   nginx:1\n',
    ],
    ["get cm settings -o 'go-template={{.data.a}}'", '1'],
    ['get po --chunk-size=1 -o name', 'pod/web-1\npod/web-2\n'],
    ['get po --sort-by=.spec.containers[0].image --no-headers -o name', 'pod/web-1\npod/web-2\n'],
    ['get --raw /readyz', 'ok'],
  ])('answers %s', async (line, expected) => {
    expect(await output(line)).toBe(expected);
  });

  it('prints JSON and YAML with kind and version on every object', async () => {
    const list = JSON.parse(await output('get pods -o json')) as { kind: string; items: { kind: string; apiVersion: string }[] };
    expect(list.kind).toBe('List');
    expect(list.items.map((i) => `${i.apiVersion} ${i.kind}`)).toEqual(['v1 Pod', 'v1 Pod']);
    expect(await output('get cm settings -o yaml')).toMatch(/^apiVersion: v1\ndata:\n {2}a: "1"\n/);
  });

  it('follows changes', async () => {
    const has = (text: string) => (stdout: string) => stdout.includes(text);
    const names = run('get cm -w -o name', { until: has('configmap/late\nconfigmap/late\n') });
    const template = '{.type} {.object.metadata.name}{"\\n"}';
    const events = run(`get cm -w --output-watch-events -o 'jsonpath=${template}'`, { until: has('DELETED late') });
    await vi.waitFor(
      () => expect(sandbox.requests.matching('configmaps?').filter((r) => r.path.includes('watch=true'))).toHaveLength(2),
      10_000,
    );
    sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } });
    sandbox.delete({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/late');
    expect((await names).stdout).toBe('configmap/settings\nconfigmap/late\nconfigmap/late\n');
    expect((await events).stdout).toBe('ADDED settings\nADDED late\nDELETED late\n');
  });

  it('finds every type, group and short name', async () => {
    const resources = await output('api-resources --no-headers');
    expect(resources.trim().split('\n').length).toBeGreaterThan(55);
    expect(resources).toMatch(/^deployments\s+deploy\s+apps\/v1\s+true\s+Deployment$/m);
    expect(await output('api-versions')).toContain('apiextensions.k8s.io/v1\n');
    expect(await output('version')).toContain('Server Version: v1.36.2');
  });

  it('waits for what is already so, and gives up on what does not come', async () => {
    expect(await output('wait deploy/web --for=condition=Available --timeout=5s')).toBe('deployment.apps/web condition met\n');
    expect(await output("wait pod/web-1 '--for=jsonpath={.status.phase}=Running' --timeout=5s")).toBe('pod/web-1 condition met\n');
    const late = await run('wait pod/web-2 --for=condition=Ready --timeout=1s');
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('timed out waiting for the condition')]);
  });

  it('tells events and describes objects', async () => {
    expect(await output('get events')).toMatch(/Normal\s+Started\s+pod\/web-1\s+Started container c/);
    expect(await output('events --for pod/web-1')).toMatch(/Started\s+Pod\/web-1/);
    const described = await output('describe pod web-1');
    expect(described).toMatch(/Name:\s+web-1\n/);
    expect(described).toContain('Started container c');
  });

  it('says what it misses in kubectl’s own words', async () => {
    expect((await run('get pods none')).stderr).toBe('Error from server (NotFound): pods "none" not found\n');
    expect((await run('get nonsense')).stderr).toBe('error: the server doesn\'t have a resource type "nonsense"\n');
    expect((await run('logs web-1')).stderr).toContain('the sandbox does not implement the log subresource of pods');
  });

  it('serves a type that was defined while it ran', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'apples.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'apples', singular: 'apple', kind: 'Apple', shortNames: ['ap'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
            selectableFields: [{ jsonPath: '.spec.color' }],
            schema: {
              openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { color: { type: 'string' } } } } },
            },
          },
        ],
      },
    };
    expect(await output('create -f -', { input: JSON.stringify(definition) })).toContain('apples.example.com created');
    await output('wait --for=condition=Established crd/apples.example.com --timeout=5s');
    const object = { apiVersion: 'example.com/v1', kind: 'Apple', metadata: { name: 'fuji' }, spec: { color: 'red' } };
    await output('apply -f -', { input: JSON.stringify(object) });
    expect(rowsOf(await output('get ap --field-selector spec.color=red'))).toEqual([
      ['NAME', 'COLOR'],
      ['fuji', 'red'],
    ]);
    await output('delete crd apples.example.com');
    expect((await run('get apples')).code).toBe(1);
  });
});

describe.skipIf(missing)(`real kubectl writes to the sandbox${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const manifest = (image: string, more: object[] = []) =>
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'mine', labels: { app: 'mine' } },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'mine' } },
        template: {
          metadata: { labels: { app: 'mine' } },
          spec: { containers: [container(image, { env: [{ name: 'A', value: '1' }] }), ...more] },
        },
      },
    });
  const containers = "get deploy mine -o 'jsonpath={.spec.template.spec.containers[*].image}'";

  it('applies from the client, then from the server, with conflicts told and forced', async () => {
    expect(await output('apply -f -', { input: manifest('nginx:1', [{ name: 'side', image: 'side:1' }]) })).toBe(
      'deployment.apps/mine created\n',
    );
    expect(await output('apply -f -', { input: manifest('nginx:2') })).toBe('deployment.apps/mine configured\n');
    expect(await output(containers)).toBe('nginx:2');
    expect(await output('apply -f -', { input: manifest('nginx:2') })).toBe('deployment.apps/mine unchanged\n');
    await output('set image deploy/mine c=nginx:3');
    const conflict = await run('apply --server-side -f -', { input: manifest('nginx:4') });
    expect([conflict.code, conflict.stderr]).toEqual([
      1,
      expect.stringContaining('Apply failed with 1 conflict: conflict with "kubectl-set" using apps/v1'),
    ]);
    await output('apply --server-side --force-conflicts -f -', { input: manifest('nginx:4') });
    expect(await output(containers)).toBe('nginx:4');
  });

  it('labels, annotates, patches, scales, and shows a diff', async () => {
    await output('label deploy mine tier=front');
    await output('annotate deploy mine note=hello');
    await output('patch deploy mine --type=json -p \'[{"op":"add","path":"/metadata/labels/more","value":"yes"}]\'');
    await output('scale deploy mine --replicas=5');
    const shown = await output(
      "get deploy mine -o 'jsonpath={.metadata.labels.tier} {.metadata.labels.more} {.metadata.annotations.note} {.spec.replicas}'",
    );
    expect(shown).toBe('front yes hello 5');
    const difference = await run('diff --server-side --force-conflicts -f -', { input: manifest('nginx:9') });
    expect([difference.code, difference.stdout]).toEqual([1, expect.stringMatching(/^\+\s+- image: nginx:9|^\+\s+image: nginx:9/m)]);
  });

  it('makes objects, replaces them and deletes them', async () => {
    await output('run one --image=nginx --restart=Never');
    await output('expose deploy mine --port=80');
    expect(rowsOf(await output('get svc mine --no-headers'))[0]?.[1]).toBe('ClusterIP');
    await output('replace -f -', {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { c: '3' } }),
    });
    expect(await output("get cm settings -o 'jsonpath={.data}'")).toBe('{"c":"3"}');
    expect(await output('delete pod one')).toContain('pod "one" deleted');
    await output('delete deploy,svc mine --cascade=foreground');
    expect((await run('get deploy mine')).code).toBe(1);
  });
});
