import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../../src/sandbox/index.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';

const kubectl = findKubectl();
const missing = 'missing' in kubectl ? kubectl.missing : undefined;
const binary = 'path' in kubectl ? kubectl.path : '';
const folder = mkdtempSync(path.join(tmpdir(), 'kubectl-session-'));
const kubeconfig = path.join(folder, 'kubeconfig');
let sandbox: Sandbox;

/** How many commands of kubectl were run and had their output checked. */
let checked = 0;

interface Step {
  /** The text on stdin. */
  readonly input?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  /** The expected exit code. Default: 0. */
  readonly exit?: number;
  /** Where the text is expected. Default: stdout, and stderr for a command that fails. */
  readonly from?: 'stdout' | 'stderr';
}

type Expected = string | RegExp | readonly string[];

/**
 * Runs a command with the words of a line; quotes join words. Several expected texts are all the lines, in this order.
 */
async function k(
  line: string,
  expected: Expected,
  { input, env = {}, exit = 0, from = exit === 0 ? 'stdout' : 'stderr' }: Step = {},
): Promise<void> {
  const args = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const common = ['--kubeconfig', kubeconfig, '--cache-dir', path.join(folder, 'cache'), '--namespace', 'work'];
  const text = input === undefined ? {} : { input: typeof input === 'string' ? input : yamlOf(input) };
  const result = await runKubectl(binary, [...common, ...args], { ...text, env });
  const { code, stderr } = result;
  const said = result[from];
  checked += 1;
  const wanted =
    typeof expected === 'string'
      ? expected
      : expected instanceof RegExp
        ? expect.stringMatching(expected)
        : expected.map((l) => `${l}\n`).join('');
  expect({ line, code, said, ...(exit === 0 && code !== 0 ? { stderr } : {}) }).toEqual({
    line,
    code: exit,
    said: wanted,
  });
}

/** Several documents as JSON, which is valid YAML. */
function yamlOf(objects: unknown): string {
  return (Array.isArray(objects) ? objects : [objects]).map((o) => JSON.stringify(o)).join('\n---\n');
}

const configMap = (name: string, data: Record<string, string>, labels?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(labels ? { labels } : {}) },
  ...(Object.keys(data).length > 0 ? { data } : {}),
});

const deployment = (image: string, more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'mine', labels: { app: 'mine' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'mine' } },
    template: {
      metadata: { labels: { app: 'mine' } },
      spec: { containers: [{ name: 'c', image, env: [{ name: 'A', value: '1' }] }] },
    },
    ...more,
  },
});

const CONFLICT_HELP = /\nPlease review the fields above--they currently have other managers/.source;

beforeAll(async () => {
  if (missing) return;
  sandbox = await Sandbox.start({ seed: 1, scenario: 'rollout' });
  writeFileSync(kubeconfig, sandbox.kubeconfig());
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await sandbox?.stop();
});

const only = { timeout: 60_000 };

describe.skipIf(missing)(`a session of real kubectl${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('creates objects of every kind it has a command for', only, async () => {
    await k('create namespace work', ['namespace/work created']);
    await k('create deployment web --image=nginx:1 --replicas=2', ['deployment.apps/web created']);
    await k('create configmap settings --from-literal=a=1', ['configmap/settings created']);
    await k('create secret generic keys --from-literal=a=b', ['secret/keys created']);
    await k('create secret docker-registry pull --docker-username=a --docker-password=b --docker-server=c', [
      'secret/pull created',
    ]);
    await k('create serviceaccount robot', ['serviceaccount/robot created']);
    await k('create role reader --verb=get,list --resource=pods', ['role.rbac.authorization.k8s.io/reader created']);
    await k('create rolebinding reads --role=reader --serviceaccount=work:robot', [
      'rolebinding.rbac.authorization.k8s.io/reads created',
    ]);
    await k('create clusterrole nodes --verb=get --resource=nodes', [
      'clusterrole.rbac.authorization.k8s.io/nodes created',
    ]);
    await k('create clusterrolebinding nodes --clusterrole=nodes --user=bob', [
      'clusterrolebinding.rbac.authorization.k8s.io/nodes created',
    ]);
    await k('create job once --image=busybox -- echo hi', ['job.batch/once created']);
    await k("create cronjob often --image=busybox '--schedule=* * * * *' -- echo hi", ['cronjob.batch/often created']);
    await k('create job now --from=cronjob/often', ['job.batch/now created']);
    await k('create service clusterip plain --tcp=80:8080', ['service/plain created']);
    await k('create service nodeport outside --tcp=80:8080', ['service/outside created']);
    await k('create ingress way --rule=example.com/*=plain:80', ['ingress.networking.k8s.io/way created']);
    await k('create quota bound --hard=pods=30', ['resourcequota/bound created']);
    await k('create poddisruptionbudget some --selector=app=none --min-available=1', [
      'poddisruptionbudget.policy/some created',
    ]);
    await k('create priorityclass high --value=100', ['priorityclass.scheduling.k8s.io/high created']);
    await k('create token robot', /^[\w-]+\.[\w-]+\.[\w-]+$/);
    await k('create -f -', ['pod/p created'], {
      input: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'x' }] },
      },
    });
    await k('create configmap settings', ['error: failed to create configmap: configmaps "settings" already exists'], {
      exit: 1,
    });
    await k('create configmap tried --from-literal=a=1 --dry-run=server', ['configmap/tried created (server dry run)']);
    await k('get configmap tried', ['Error from server (NotFound): configmaps "tried" not found'], { exit: 1 });
    await k('run single --image=nginx --restart=Never --labels=a=b', ['pod/single created']);
    await k('expose deployment web --port=80 --target-port=8080', ['service/web exposed']);
    await k('autoscale deployment web --min=1 --max=3 --cpu=80%', [
      'horizontalpodautoscaler.autoscaling/web autoscaled',
    ]);
    await k('delete pod single --now', ['pod "single" deleted from work namespace']);
    await k("get service web -o 'jsonpath={.spec.selector.app} {.spec.ports[0].targetPort}'", 'web 8080');
  });

  it('rolls out, goes back, pauses and restarts', only, async () => {
    await k('rollout status deployment/web --timeout=30s', /deployment "web" successfully rolled out\n$/);
    await k('annotate deployment web kubernetes.io/change-cause=first', ['deployment.apps/web annotated']);
    await k('set image deployment/web nginx=nginx:2', ['deployment.apps/web image updated']);
    await k('annotate deployment web kubernetes.io/change-cause=second --overwrite', ['deployment.apps/web annotated']);
    await k('rollout status deployment/web --timeout=30s', /deployment "web" successfully rolled out\n$/);
    await k('rollout history deployment/web', [
      'deployment.apps/web ',
      'REVISION  CHANGE-CAUSE',
      '1         first',
      '2         second',
      '',
    ]);
    await k(
      'rollout history deployment/web --revision=2',
      /^deployment.apps\/web with revision #2\n[\s\S]* {4}Image:\tnginx:2\n/,
    );
    await k('rollout undo deployment/web', ['deployment.apps/web rolled back']);
    await k('rollout status deployment/web --timeout=30s', /deployment "web" successfully rolled out\n$/);
    await k('rollout history deployment/web', [
      'deployment.apps/web ',
      'REVISION  CHANGE-CAUSE',
      '2         second',
      '3         first',
      '',
    ]);
    await k("get deployment web -o 'jsonpath={.spec.template.spec.containers[0].image}'", 'nginx:1');
    await k('rollout pause deployment/web', ['deployment.apps/web paused']);
    await k('rollout restart deployment/web', /can't restart paused deployment/, { exit: 1 });
    await k('rollout resume deployment/web', ['deployment.apps/web resumed']);
    await k('rollout restart deployment/web', ['deployment.apps/web restarted']);
    await k('set env deployment/web A=1', ['deployment.apps/web env updated']);
    await k('set resources deployment/web --limits=cpu=200m,memory=64Mi', [
      'deployment.apps/web resource requirements updated',
    ]);
    await k('set serviceaccount deployment web robot', ['deployment.apps/web serviceaccount updated']);
    await k('scale deployment/web --replicas=3 --current-replicas=2', ['deployment.apps/web scaled']);
    await k('scale deployment/web --replicas=1 --current-replicas=9', ['error: Expected replicas to be 9, was 3'], {
      exit: 1,
    });
    await k('get deployment web --subresource=scale', /^NAME +DESIRED +AVAILABLE +AGE\nweb +3 +\d +\d+s\n$/);
    await k('delete deployment web --wait=false', ['deployment.apps "web" deleted from work namespace']);
  });

  it('applies from the client: creates, changes, and prunes', only, async () => {
    await k('apply -f -', ['deployment.apps/mine created'], { input: deployment('nginx:1') });
    await k('apply -f -', ['deployment.apps/mine unchanged'], { input: deployment('nginx:1') });
    await k('diff -f -', /^-\s+(- )?image: nginx:1\n\+\s+(- )?image: nginx:2$/m, {
      input: deployment('nginx:2'),
      exit: 1,
      from: 'stdout',
    });
    await k('apply -f -', ['deployment.apps/mine configured'], { input: deployment('nginx:2') });
    await k('diff -f -', '', { input: deployment('nginx:2') });
    const both = [configMap('first', {}, { set: 'a' }), configMap('second', {}, { set: 'a' })];
    await k('apply -f -', ['configmap/first created', 'configmap/second created'], { input: both });
    const prune = 'apply -f - --prune -l set=a --prune-allowlist=core/v1/ConfigMap';
    await k(prune, ['configmap/first unchanged', 'configmap/second pruned'], { input: both.slice(0, 1) });
    const env = { KUBECTL_APPLYSET: 'true' };
    await k('apply -f - --prune --applyset=parts', ['configmap/third created', 'configmap/fourth created'], {
      input: [configMap('third', {}), configMap('fourth', {})],
      env,
    });
    await k('apply -f - --prune --applyset=parts', ['configmap/third unchanged', 'configmap/fourth pruned'], {
      input: configMap('third', {}),
      env,
    });
    await k('get configmaps -l applyset.kubernetes.io/part-of -o name', ['configmap/third']);
    await k('apply view-last-applied configmap/first -o json', /^\{\n[\s\S]*"set": "a"/);
    await k(
      'apply -f -',
      [
        'Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replics"',
      ],
      { input: { ...deployment('x', { replics: 1 }), metadata: { name: 'wrong' } }, exit: 1 },
    );
  });

  it('applies from the server: with owners, conflicts and force', only, async () => {
    const apply = (more: string) => `apply --server-side -f - ${more}`;
    await k(apply(''), ['configmap/shared serverside-applied'], { input: configMap('shared', { a: '1', b: '1' }) });
    await k(apply('--field-manager=other'), ['configmap/shared serverside-applied'], {
      input: configMap('shared', { c: '1' }),
    });
    await k(
      apply('--field-manager=other'),
      new RegExp(`^error: Apply failed with 1 conflict: conflict with "kubectl": \\.data\\.a${CONFLICT_HELP}`),
      { input: configMap('shared', { a: '2' }), exit: 1 },
    );
    await k(
      apply('--field-manager=third'),
      new RegExp(
        `^error: Apply failed with 2 conflicts: conflicts with "kubectl":\\n- \\.data\\.a\\nconflicts with "other":\\n- \\.data\\.c${CONFLICT_HELP}`,
      ),
      { input: configMap('shared', { a: '2', c: '2' }), exit: 1 },
    );
    await k(apply('--field-manager=other --force-conflicts'), ['configmap/shared serverside-applied'], {
      input: configMap('shared', { a: '2' }),
    });
    await k("get configmap shared -o 'jsonpath={.data}'", '{"a":"2","b":"1"}');
    await k('diff --server-side --field-manager=other -f -', '', { input: configMap('shared', { a: '2' }) });
  });

  it('changes objects by label, annotation, patch, edit and replacement', only, async () => {
    await k('label configmap settings tier=front', ['configmap/settings labeled']);
    await k(
      'label configmap settings tier=back',
      ["error: 'tier' already has a value (front), and --overwrite is false"],
      { exit: 1 },
    );
    await k('label configmap settings tier=back --overwrite', ['configmap/settings labeled']);
    await k('label configmap settings tier-', ['configmap/settings unlabeled']);
    await k('annotate configmap settings note=hello', ['configmap/settings annotated']);
    await k('patch configmap settings --type=merge -p {"data":{"b":"2"}}', ['configmap/settings patched']);
    await k('patch configmap settings --type=json -p \'[{"op":"remove","path":"/data/b"}]\'', [
      'configmap/settings patched',
    ]);
    await k(
      'patch configmap settings --type=json -p \'[{"op":"remove","path":"/data/b"}]\'',
      /^The request is invalid/,
      { exit: 1 },
    );
    await k('patch deployment mine -p {"spec":{"template":{"spec":{"containers":[{"name":"c","image":"nginx:5"}]}}}}', [
      'deployment.apps/mine patched',
    ]);
    await k(
      "get deployment mine -o 'jsonpath={.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].env[0].name}'",
      'nginx:5 A',
    );
    await k('patch deployment mine --subresource=scale --type=merge -p {"spec":{"replicas":4}}', [
      'scale.autoscaling/mine patched',
    ]);
    const conditions = '{"status":{"conditions":[{"type":"Tested","status":"True"}]}}';
    await k(`patch pod p --subresource=status -p ${conditions}`, ['pod/p patched']);
    await k('wait pod/p --for=condition=Tested --timeout=10s', ['pod/p condition met']);
    await k("wait namespace/work '--for=jsonpath={.status.phase}=Active' --timeout=10s", [
      'namespace/work condition met',
    ]);
    await k('edit configmap settings', ['configmap/settings edited'], {
      env: { KUBE_EDITOR: "sed -i 's/hello/changed/'" },
    });
    await k("get configmap settings -o 'jsonpath={.metadata.annotations.note} {.data}'", 'changed {"a":"1"}');
    await k('replace -f -', ['configmap/settings replaced'], { input: configMap('settings', { z: '9' }) });
    await k("get configmap settings -o 'jsonpath={.data}'", '{"z":"9"}');
    await k(
      'replace -f -',
      ['Error from server (NotFound): error when replacing "STDIN": configmaps "none" not found'],
      {
        input: configMap('none', {}),
        exit: 1,
      },
    );
    await k('replace --force -f -', ['pod "p" deleted from work namespace', 'pod/p replaced'], {
      input: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'y' }] },
      },
    });
    await k('set selector service plain a=b', ['service/plain selector updated']);
    await k('set subject rolebinding reads --user=jim', [
      'rolebinding.rbac.authorization.k8s.io/reads subjects updated',
    ]);
  });

  it('explains built-in and custom types', only, async () => {
    await k(
      'explain pods',
      /^KIND: {7}Pod\nVERSION: {4}v1\n\nDESCRIPTION:\n {4}Containers that run together [\s\S]*\n {2}spec\t<PodSpec>\n/,
    );
    await k(
      'explain deployment.spec.template.spec.containers --recursive',
      /\n {2}ports\t<\[\]ContainerPort>\n {4}containerPort\t<integer> -required-\n/,
    );
    await k(
      'explain pods.spec.restartPolicy',
      /\nFIELD: restartPolicy <string>\nENUM:\n {4}Always\n {4}Never\n {4}OnFailure\n/,
    );
    await k('explain pods.spec.nonsense', ['error: field "nonsense" does not exist'], { exit: 1 });
    await k('apply -f -', ['customresourcedefinition.apiextensions.k8s.io/apples.fruit.example.com created'], {
      input: APPLES,
    });
    await k('wait crd/apples.fruit.example.com --for=condition=Established --timeout=10s', /condition met\n$/);
    await k(
      'explain apples.spec',
      /\nFIELD: spec <Object>\n[\s\S]*What it is like\.[\s\S]* {2}color\t<string> -required-\n {2}enum: red, green\n {4}Its skin\.\n/,
    );
    await k('apply -f -', ['apple.fruit.example.com/fuji created'], { input: apple('red') });
    await k(
      'apply -f -',
      /^The Apple "fuji" is invalid: .*spec.color: Unsupported value: "blue": supported values: "red", "green"\n$/,
      {
        input: apple('blue'),
        exit: 1,
      },
    );
    await k('get ap', /^NAME +COLOR\nfuji +red\n$/);
    await k('apply -f -', ['apple.fruit.example.com/fuji configured'], { input: apple('green') });
    await k('scale ap/fuji --replicas=5', ['apple.fruit.example.com/fuji scaled']);
    await k("get ap fuji -o 'jsonpath={.spec}'", '{"color":"green","count":5}');
    await k('patch ap fuji --subresource=status --type=merge -p {"status":{"count":2}}', [
      'apple.fruit.example.com/fuji patched',
    ]);
    await k('delete crd apples.fruit.example.com', [
      'customresourcedefinition.apiextensions.k8s.io "apples.fruit.example.com" deleted',
    ]);
    await k('get apples.fruit.example.com', /have a resource type "apples"|could not find the requested resource/, {
      exit: 1,
    });
  });

  it('asks who the user is and what it may do', only, async () => {
    const robot = '--as=system:serviceaccount:work:robot';
    await k(
      'auth whoami',
      /^ATTRIBUTE +VALUE\nUsername +admin\n.*\nGroups +\[system:masters system:authenticated\]\n$/,
    );
    await k('auth whoami --as=bob', /^ATTRIBUTE +VALUE\nUsername +bob\nGroups +\[system:authenticated\]\n$/);
    await k('auth can-i delete nodes', ['yes']);
    await k(`auth can-i list pods ${robot}`, ['yes']);
    expect(
      (await runKubectl(binary, ['--kubeconfig', kubeconfig, '-n', 'work', 'auth', 'can-i', 'delete', 'pods', robot]))
        .stdout,
    ).toBe('no\n');
    await k(`auth can-i --list ${robot}`, /\npods +\[\] +\[\] +\[get list\]\n/);
    await k(
      `get secrets ${robot}`,
      [
        'Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:work:robot" cannot list resource "secrets" in API group "" in the namespace "work"',
      ],
      { exit: 1 },
    );
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'kept', namespace: 'work' },
      rules,
    };
    await k('auth reconcile -f -', /^role.rbac.authorization.k8s.io\/kept reconciled\n$/, { input: role });
  });

  it('cordons, taints and drains a node', only, async () => {
    await k('cordon worker-1', ['node/worker-1 cordoned']);
    await k('get node worker-1 --no-headers', /^worker-1 +Ready,SchedulingDisabled /);
    await k('taint nodes worker-1 a=b:NoSchedule', ['node/worker-1 tainted']);
    await k('taint nodes worker-1 a:NoSchedule-', ['node/worker-1 untainted']);
    await k(
      'drain worker-1 --ignore-daemonsets --delete-emptydir-data --force --timeout=40s',
      /\nnode\/worker-1 drained\n$/,
    );
    await k("get pods -A --field-selector spec.nodeName=worker-1 -o 'jsonpath={.items[*].metadata.name}'", '');
    await k('uncordon worker-1', ['node/worker-1 uncordoned']);
  });

  it('deletes an object with its dependents, or without them', only, async () => {
    await k('rollout status deployment/mine --timeout=30s', /successfully rolled out\n$/);
    await k('delete deployment mine --cascade=orphan', ['deployment.apps "mine" deleted from work namespace']);
    await k('get replicasets -l app=mine -o name', /^(replicaset.apps\/mine-\w+\n)+$/);
    await k(
      'delete replicasets -l app=mine --cascade=foreground',
      /^(replicaset.apps "mine-\w+" deleted from work namespace\n)+$/,
    );
    await k('get replicasets,pods -l app=mine -o name', '');
    await k('create deployment back --image=nginx', ['deployment.apps/back created']);
    await k('wait pods -l app=back --for=create --timeout=20s', /^pod\/back-\w+-\w+ condition met\n$/);
    await k('delete deployment back --cascade=background', ['deployment.apps "back" deleted from work namespace']);
    await k('wait pods -l app=back --for=delete --timeout=20s', /^(pod\/back-\w+-\w+ condition met\n)?$/);
    const delayed = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'delayed', finalizers: ['example.com/hold'] },
    };
    await k('create -f -', ['configmap/delayed created'], { input: delayed });
    await k(
      'delete configmap delayed --timeout=1s',
      /error: timed out waiting for the condition on configmaps\/delayed\n$/,
      { exit: 1 },
    );
    await k("get configmap delayed -o 'jsonpath={.metadata.deletionTimestamp}'", /^20\d\d-/);
    await k('patch configmap delayed --type=json -p \'[{"op":"remove","path":"/metadata/finalizers"}]\'', [
      'configmap/delayed patched',
    ]);
    await k('get configmap delayed', ['Error from server (NotFound): configmaps "delayed" not found'], { exit: 1 });
    await k('run doomed --image=nginx', ['pod/doomed created']);
    await k('delete pod doomed --grace-period=0 --force', ['pod "doomed" force deleted from work namespace']);
    await k('delete secrets --all', [
      'secret "keys" deleted from work namespace',
      'secret "parts" deleted from work namespace',
      'secret "pull" deleted from work namespace',
    ]);
    await k('delete configmap none', ['Error from server (NotFound): configmaps "none" not found'], { exit: 1 });
    await k('delete configmap none --ignore-not-found', '');
  });

  it('gets an error for what does not exist', only, async () => {
    await k('run mute --image=nginx', ['pod/mute created']);
    await k('wait pod/mute --for=condition=Ready --timeout=20s', ['pod/mute condition met']);
    const not = (what: string) =>
      new RegExp(
        `Error from server \\(NotImplemented\\): the sandbox does not implement the ${what} subresource of pods\\n$`,
      );
    await k('logs mute', not('log'), { exit: 1 });
    await k('exec mute -- ls', not('exec'), { exit: 1 });
    await k(`cp mute:/etc/hosts ${folder}/hosts`, not('exec'), { exit: 1 });
    await k('attach mute', not('attach'), { exit: 1 });
    await k('debug mute --image=busybox', not('ephemeralcontainers'), { exit: 1 });
    await k('port-forward pod/mute 0:80', /the sandbox does not implement the portforward subresource of pods/, {
      exit: 1,
    });
    await k('top pods', ['error: Metrics API not available'], { exit: 1 });
    const plum = { apiVersion: 'stable.example.com/v1', kind: 'Plum', metadata: { name: 'a' } };
    for (const line of ['apply -f -', 'apply --server-side -f -', 'create -f -', 'delete -f -']) {
      const text =
        /^error: resource mapping not found for name: "a" namespace: "" from "STDIN": no matches for kind "Plum" in version "stable.example.com\/v1"\nensure CRDs are installed first\n$/;
      await k(line, text, { input: plum, exit: 1 });
    }
  });

  it('creates, applies and deletes the items of a List, and validates each', only, async () => {
    const item = (name: string, more: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more });
    const list = (...items: object[]) => ({ apiVersion: 'v1', kind: 'List', items });
    const input = list(item('listed-a', { data: { a: '1' } }), item('listed-b', {}));
    await k('create -f -', ['configmap/listed-a created', 'configmap/listed-b created'], { input });
    await k('apply --server-side --force-conflicts -f -', /^configmap\/listed-a serverside-applied\n/, { input });
    await k('create -f - --dry-run=server', /strict decoding error: unknown field "dota"/, {
      input: list(item('third', { dota: {} })),
      exit: 1,
    });
    await k(
      'delete -f -',
      ['configmap "listed-a" deleted from work namespace', 'configmap "listed-b" deleted from work namespace'],
      { input },
    );
  });

  it('reads the discovery that its commands need', only, async () => {
    await k('version', /\nServer Version: v1\.36\.2\n$/);
    await k('api-versions', /^admissionregistration.k8s.io\/v1\n[\s\S]*\nv1\n$/);
    await k('api-resources --namespaced=false -o name', /^componentstatuses\nnamespaces\nnodes\n/);
    await k('cluster-info', /is running at .*https:\/\/127\.0\.0\.1:/);
    await k(
      'events --types=Normal --for pod/mute',
      /Scheduled +Pod\/mute +Successfully assigned work\/mute to worker-/,
    );
    await k('describe pod mute', /^Name: +mute\nNamespace: +work\n[\s\S]*\n {2}Normal {2}Scheduled /);
    await k('delete namespace work', ['namespace "work" deleted']);
    await k('get namespace work', ['Error from server (NotFound): namespaces "work" not found'], { exit: 1 });
    expect(checked, 'commands whose output was checked').toBeGreaterThanOrEqual(60);
  });
});

const APPLES = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'apples.fruit.example.com' },
  spec: {
    group: 'fruit.example.com',
    scope: 'Namespaced',
    names: { plural: 'apples', singular: 'apple', kind: 'Apple', shortNames: ['ap'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' } },
        additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                description: 'What it is like.',
                required: ['color'],
                properties: {
                  color: { type: 'string', enum: ['red', 'green'], description: 'Its skin.' },
                  count: { type: 'integer' },
                },
              },
              status: { type: 'object', properties: { count: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};

const apple = (color: string) => ({
  apiVersion: 'fruit.example.com/v1',
  kind: 'Apple',
  metadata: { name: 'fuji' },
  spec: { color, count: 2 },
});
