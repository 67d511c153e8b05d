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
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-2', labels: { app: 'web' } },
      spec: { containers: [container('nginx:2')] },
    },
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
    const list = JSON.parse(await output('get pods -o json')) as {
      kind: string;
      items: { kind: string; apiVersion: string }[];
    };
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
      () =>
        expect(sandbox.requests.matching('configmaps?').filter((r) => r.path.includes('watch=true'))).toHaveLength(2),
      10_000,
    );
    sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } });
    sandbox.delete({ apiVersion: 'v1', kind: 'ConfigMap' }, 'default/late');
    expect((await names).stdout).toBe('configmap/settings\nconfigmap/late\nconfigmap/late\n');
    expect((await events).stdout).toBe('ADDED settings\nADDED late\nDELETED late\n');
  });

  it('finds every type by group and short name', async () => {
    const resources = await output('api-resources --no-headers');
    expect(resources.trim().split('\n').length).toBeGreaterThan(55);
    expect(resources).toMatch(/^deployments\s+deploy\s+apps\/v1\s+true\s+Deployment$/m);
    expect(await output('api-versions')).toContain('apiextensions.k8s.io/v1\n');
    expect(await output('version')).toContain('Server Version: v1.36.2');
  });

  it('waits for a condition that holds already, and times out on one that does not', async () => {
    expect(await output('wait deploy/web --for=condition=Available --timeout=5s')).toBe(
      'deployment.apps/web condition met\n',
    );
    expect(await output("wait pod/web-1 '--for=jsonpath={.status.phase}=Running' --timeout=5s")).toBe(
      'pod/web-1 condition met\n',
    );
    const late = await run('wait pod/web-2 --for=condition=Ready --timeout=1s');
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('timed out waiting for the condition')]);
  });

  it('prints events and describes objects', async () => {
    expect(await output('get events')).toMatch(/Normal\s+Started\s+pod\/web-1\s+Started container c/);
    expect(await output('events --for pod/web-1')).toMatch(/Started\s+Pod\/web-1/);
    const described = await output('describe pod web-1');
    expect(described).toMatch(/Name:\s+web-1\n/);
    expect(described).toContain('Started container c');
  });

  it('reports what it does not find in kubectl’s own words', async () => {
    expect((await run('get pods none')).stderr).toBe('Error from server (NotFound): pods "none" not found\n');
    expect((await run('get nonsense')).stderr).toBe('error: the server doesn\'t have a resource type "nonsense"\n');
    expect((await run('logs web-1')).stderr).toContain('the sandbox does not implement the log subresource of pods');
  });

  it('finds a type that was defined while the server ran', async () => {
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
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { color: { type: 'string' } } } },
              },
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

/** Starts watches, and calls a function when all of them are open. */
async function watchedWhile(
  kind: string,
  watches: readonly { line: string; until: string }[],
  happen: () => void,
): Promise<string[]> {
  const open = () => sandbox.requests.matching(kind).filter((r) => /[?&]watch=(true|1)/.test(r.path)).length;
  const before = open();
  const runs = watches.map(({ line, until }) => run(line, { until: (stdout) => stdout.includes(until) }));
  await vi.waitFor(() => expect(open() - before).toBe(watches.length), 10_000);
  happen();
  return (await Promise.all(runs)).map(({ stdout }) => stdout);
}

describe.skipIf(missing)(`real kubectl in every form of reading${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const namespaced = 'get pods,svc -n forms';
  const service = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'forms' },
    spec: { ports: [{ port: 80 }] },
  });
  const job = (name: string, more: object = {}) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'forms' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [container('job:1')] } } },
    ...more,
  });

  beforeAll(() => {
    const pod = (name: string, tier: string, image: string, status?: object) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'forms', labels: { tier } },
      spec: { containers: [container(image)] },
      ...(status ? { status } : {}),
    });
    sandbox.apply([
      pod('a', 'front', 'z:1', running(0)),
      pod('b', 'back', 'y:1'),
      pod('c', 'front', 'x:1'),
      service('web'),
      job('once'),
    ]);
  });

  it.each<[line: string, expected: RegExp]>([
    ['get all -n forms', /^NAME .*\npod\/a .*[\s\S]*service\/web .*[\s\S]*job\.batch\/once /],
    ['get all -A', /^NAMESPACE +NAME .*[\s\S]*forms +job\.batch\/once /],
    [
      `${namespaced} -o wide`,
      /^NAME +READY .* READINESS GATES\npod\/a [\s\S]*NAME .* SELECTOR\nservice\/web +ClusterIP .* 80\/TCP /,
    ],
    [`${namespaced} -o name`, /^pod\/a\npod\/b\npod\/c\nservice\/web\n$/],
    [`${namespaced} -o json`, /^\{\n {4}"apiVersion": "v1",\n {4}"items": \[/],
    [`${namespaced} -o yaml`, /^apiVersion: v1\nitems:\n- apiVersion: v1\n {2}kind: Pod\n/],
    ['get pod/a svc/web -n forms -o name', /^pod\/a\nservice\/web\n$/],
    ['get pods -n forms -L tier --no-headers', /^a .* front\nb .* back\nc .* front\n$/],
    ['get pods -n forms --show-labels', /^NAME .* LABELS\na .* tier=front\n/],
    ['get pods -n forms --show-kind', /\npod\/a /],
    ["get pods -n forms '--sort-by={.spec.containers[0].image}'", /^NAME .*\nc .*\nb .*\na .*\n$/],
    ["get pods -n forms -l 'tier in (front),tier!=back' -o name", /^pod\/a\npod\/c\n$/],
    [
      'get pods -A -l tier --field-selector metadata.namespace=forms,status.phase!=Running -o name',
      /^pod\/b\npod\/c\n$/,
    ],
    ["get pods -n forms -o 'jsonpath-as-json={.items[*].metadata.name}'", /^\[\n {4}"a",\n {4}"b",\n {4}"c"\n\]\n$/],
    [
      'get pods -n forms -o custom-columns=N:.metadata.name,T:.metadata.labels.tier --no-headers',
      /^a +front\nb +back\nc +front\n$/,
    ],
    ["get pods -n forms -o 'go-template={{range .items}}{{.metadata.name}} {{end}}'", /^a b c $/],
    ['get pods -n forms a --subresource=status -o name', /^pod\/a$/m],
    ['get po a -n forms --output=kyaml', /^---\n\{\n {2}apiVersion: "v1",\n/],
    [
      'get namespaces,nodes,clusterroles -o name',
      /namespace\/forms\n[\s\S]*clusterrole\.rbac\.authorization\.k8s\.io\/view\n/,
    ],
    ['get nothing.example.com --ignore-not-found', /^$/],
    ['api-resources --api-group=apps --no-headers -o name', /^controllerrevisions\.apps\n[\s\S]*statefulsets\.apps\n$/],
    [
      'api-resources --verbs=list --namespaced=false -o wide',
      /^NAME .* VERBS +CATEGORIES\n[\s\S]*nodes +no +v1 +false +Node +create,/,
    ],
    ['api-resources --categories=all -o name --sort-by=name', /^cronjobs\.batch\n/],
    ['api-versions', /^admissionregistration\.k8s\.io\/v1\n[\s\S]*\nv1\n$/],
    ['get --raw /openapi/v2', /^\{"swagger":"2\.0",[\s\S]*"io\.k8s\.api\.apps\.v1\.Deployment":/],
    ['cluster-info', /is running at /],
    ['auth whoami', /Username +admin\n/],
    ['auth can-i list pods --as=jane --as-group=system:masters', /^yes\n$/],
    ['describe pods -n forms a', /^Name: +a\n[\s\S]*Image: +z:1\n/],
    ['describe svc -n forms web', /^Name: +web\n[\s\S]*Port: +<unset> {2}80\/TCP\n/],
    ['describe job -n forms once', /^Name: +once\n[\s\S]*Pods Statuses: +0 Active/],
    ['describe deploy web', /StrategyType: +RollingUpdate\n/],
    ['describe ns forms', /Status: +Active\n/],
    ['describe clusterrole view', /PolicyRule:|Name: +view\n/],
    ['get hpa.v2.autoscaling -A --ignore-not-found', /^$/],
  ])('%s', async (line, expected) => {
    const tolerated = line.startsWith('get nothing');
    const { stdout, code } = await run(line);
    if (!tolerated) expect(code).toBe(0);
    expect(stdout).toMatch(expected);
  });

  it.each<[line: string, said: string]>([
    ['logs web-1', 'Error from server (NotImplemented): the sandbox does not implement the log subresource of pods'],
    [
      'exec web-1 -- ls',
      'Error from server (NotImplemented): the sandbox does not implement the exec subresource of pods',
    ],
    [
      'attach web-1',
      'Error from server (NotImplemented): the sandbox does not implement the attach subresource of pods',
    ],
    ['port-forward web-1 1:80', 'the sandbox does not implement the portforward subresource of pods'],
    ['debug web-1 --image=busybox', 'the sandbox does not implement the ephemeralcontainers subresource of pods'],
    [
      'get --raw /api/v1/namespaces/default/services/web/proxy/',
      'the sandbox does not implement the proxy subresource of services',
    ],
    ['get --raw /metrics', 'the sandbox does not implement metrics'],
    ['get --raw /api/v1/watch/pods', 'the sandbox does not implement the deprecated /watch/ paths'],
    [
      'get --raw /apis/autoscaling/v1/horizontalpodautoscalers',
      'the sandbox does not implement autoscaling/v1 HorizontalPodAutoscaler',
    ],
    ['top pods', 'error: Metrics API not available'],
    ['explain pods.nonsense', 'field "nonsense" does not exist'],
    ['get pods --as=jane', 'User "jane" cannot list resource "pods" in API group "" in the namespace "default"'],
    ['get pods --field-selector spec.foo=1', 'field label not supported: spec.foo'],
    ['get pods -l a===b', "unable to parse requirement: found '=', expected: identifier"],
  ])('gets an honest error for what the sandbox does not have: %s', async (line, said) => {
    const { code, stderr } = await run(line);
    expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
  });

  it('follows a change in every output, with and without the type of the event', async () => {
    const only = 'get svc -n forms --watch-only';
    const watches = [
      { line: 'get svc -n forms -w', until: 'late ' },
      { line: 'get svc -n forms -w --output-watch-events', until: 'DELETED ' },
      { line: `${only} -o wide`, until: 'late ' },
      { line: `${only} -o name`, until: 'service/late' },
      { line: `${only} -o yaml --output-watch-events`, until: 'type: DELETED' },
      { line: `${only} -o json --output-watch-events`, until: '"DELETED"' },
      { line: `${only} -o 'jsonpath={.metadata.name};'`, until: 'late;late;' },
      { line: `${only} -o custom-columns=N:.metadata.name,T:.spec.type`, until: 'late ' },
      { line: `${only} -o name --field-selector metadata.name=late`, until: 'service/late' },
      { line: `${only} -o name -l none!=x`, until: 'service/late' },
    ];
    const said = await watchedWhile('services?', watches, () => {
      sandbox.apply(service('late'));
      sandbox.delete({ apiVersion: 'v1', kind: 'Service' }, 'forms/late');
    });
    expect(said[0]).toMatch(/^NAME .*\nweb .*\nlate +ClusterIP /);
    expect(said[1]).toMatch(/^EVENT +NAME .*\nADDED +web .*\nADDED +late .*\nDELETED +late /);
    expect(said[2]).toMatch(/^NAME .* SELECTOR\nlate /);
    expect(said[4]).toMatch(/^object:\n {2}apiVersion: v1\n[\s\S]*type: ADDED\n---\n[\s\S]*type: DELETED\n/);
    expect(said[5]).toMatch(/^\{"type":"ADDED","object":\{.*\n\{"type":"DELETED",/);
    expect(said[6]).toMatch(/^late;late;/);
    expect(said[7]).toMatch(/^N +T\nlate +ClusterIP\n/);
    expect([said[3], said[8], said[9]]).toEqual(Array(3).fill(expect.stringMatching(/^service\/late\n/)));
  });

  it('waits for conditions in every form', async () => {
    const forms = [
      ['job/wanted --for=condition=Complete', 'job.batch/wanted condition met\n'],
      ['job/wanted --for=condition=Failed=false', 'job.batch/wanted condition met\n'],
      ["job/wanted '--for=jsonpath={.status.succeeded}=1'", 'job.batch/wanted condition met\n'],
      ["job/wanted '--for=jsonpath={.status.completionTime}'", 'job.batch/wanted condition met\n'],
      ['job/leaving --for=delete', 'job.batch/leaving condition met\n'],
      ['jobs --all --for=condition=Complete -l app=waited', 'job.batch/wanted condition met\n'],
    ] as const;
    const conditions = [
      { type: 'Complete', status: 'True' },
      { type: 'Failed', status: 'False' },
    ];
    const labelled = (name: string, app: string) => ({
      ...job(name),
      metadata: { name, namespace: 'forms', labels: { app } },
    });
    sandbox.apply([labelled('wanted', 'waited'), labelled('leaving', 'other')]);
    const created = run('wait job/new -n forms --for=create --timeout=15s');
    const watches = forms.map(([what]) => ({ line: `wait ${what} -n forms --timeout=15s`, until: '\0' }));
    const said = await watchedWhile('jobs', watches, () => {
      sandbox.apply([
        {
          ...labelled('wanted', 'waited'),
          status: { succeeded: 1, completionTime: '2026-01-01T00:00:00Z', conditions },
        },
        job('new'),
      ]);
      sandbox.delete({ apiVersion: 'batch/v1', kind: 'Job' }, 'forms/leaving');
    });
    expect(said).toEqual(forms.map(([, expected]) => expected));
    expect((await created).stdout).toBe('job.batch/new condition met\n');
    const gone = await run('wait job/never -n forms --for=condition=Complete --timeout=1s');
    expect([gone.code, gone.stderr]).toEqual([1, 'Error from server (NotFound): jobs.batch "never" not found\n']);
  });

  it('shows events by object, by type and as they happen', async () => {
    const event = (name: string, type: string, message: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: 'forms' },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'a', namespace: 'forms' },
      reason: 'Told',
      message,
      type,
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 3,
    });
    sandbox.apply([event('e1', 'Normal', 'well'), event('e2', 'Warning', 'not well')]);
    const [all, warnings, core, named] = await Promise.all([
      output('events -n forms'),
      output('events -n forms --types=Warning --no-headers'),
      output('get events -n forms --field-selector involvedObject.name=a,type=Normal'),
      output('get events.events.k8s.io -n forms -o wide'),
    ]);
    expect(all).toMatch(/LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/);
    expect(warnings).toMatch(/^.* Warning +Told +Pod\/a +not well\n$/);
    expect(core).toMatch(/Normal +Told +pod\/a +well\n$/);
    expect(named).toMatch(/SUBOBJECT +SOURCE/);
    const [watched] = await watchedWhile(
      'events',
      [{ line: 'events -n forms --watch --for pod/a', until: 'again' }],
      () => sandbox.apply(event('e3', 'Normal', 'again')),
    );
    expect(watched).toMatch(/not well\n[\s\S]*again/);
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

  it('applies from the client, then from the server: conflicts are reported, and can be forced', async () => {
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
    expect([difference.code, difference.stdout]).toEqual([
      1,
      expect.stringMatching(/^\+\s+- image: nginx:9|^\+\s+image: nginx:9/m),
    ]);
  });

  it('creates by subcommand, which kubectl sends as protobuf', async () => {
    await output('create deployment made --image=nginx:9 --replicas=3 --port=80');
    await output('create secret generic made --from-literal=k=v');
    await output('create job made --image=busybox -- echo hello');
    await output('create role made --verb=get,list --resource=pods');
    await output('create ingress made --rule=example.com/*=made:80,tls=cert');
    await output('autoscale deployment made --min=1 --max=3 --cpu=80%');
    const shown =
      "get deploy made -o 'jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].ports[0].containerPort}'";
    expect(await output(shown)).toBe('3 nginx:9 80');
    expect(await output("get secret made -o 'jsonpath={.data.k}'")).toBe('dg==');
    expect(await output("get role made -o 'jsonpath={.rules[0].verbs}'")).toBe('["get","list"]');
    expect(
      await output(
        "get ingress made -o 'jsonpath={.spec.rules[0].http.paths[0].backend.service.port.number} {.spec.tls[0].hosts[0]}'",
      ),
    ).toBe('80 example.com');
    expect(await output('auth can-i delete nodes')).toBe('yes\n');
  });

  it('creates objects, replaces them and deletes them', async () => {
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
