/**
 * Runs the examples of shell-operator's repository, unchanged, on the sandbox and on the server of KUBECONFIG, and compares
 * what they did:
 *
 *   SHELL_OPERATOR_SOURCE=CLONE [KUBECONFIG=FILE] node bench/shell-operator/examples.ts [NAME…]
 *
 * It needs a build, and on PATH kubectl, jq, bash and python3. It makes and removes namespaces, CronTabs, a Secret in
 * every namespace and webhooks: use a cluster that may be changed.
 */
import { execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const CLI = path.join(import.meta.dirname, '../../bin/run.js');
const clone = process.env.SHELL_OPERATOR_SOURCE;
if (clone === undefined) throw new Error('SHELL_OPERATOR_SOURCE must name a clone of shell-operator');
const EXAMPLES = path.join(clone, 'examples');
const WITHIN_MS = 300_000;

type Kubectl = (...words: string[]) => Promise<string>;

/** A step: a command, or a line that the program must print. */
type Step = readonly string[] | RegExp;

interface Example {
  readonly folder: string;
  readonly namespace?: string;
  /** Files to apply before the start. */
  readonly before?: readonly string[];
  readonly words?: readonly string[];
  readonly steps: readonly Step[];
  /** The objects that are compared. */
  readonly objects?: readonly (readonly string[])[];
  readonly after?: readonly (readonly string[])[];
  /** Whether a ConfigMap makes its hooks executable. */
  readonly isMounted?: boolean;
  /** The exit code, where the program ends by itself. */
  readonly code?: number;
}

const WRITING = ['--allow-write', '--pass-credentials'];
const crd = (folder: string) => path.join(EXAMPLES, folder, 'templates/crd/crontab.yaml');
const NO_CRD = [['delete', 'crd', 'crontabs.stable.example.com', '--ignore-not-found']];
const NAMESPACES: Step[] = [
  /Synchronization/,
  ['create', 'namespace', 'example-made'],
  /Namespace example-made was created/,
  ['label', 'namespace', 'example-made', 'a=b'],
  /Namespace example-made labels were modified/,
  ['delete', 'namespace', 'example-made', '--wait=false'],
];

const EXAMPLE_LIST: readonly Example[] = [
  { folder: '001-startup-shell', steps: [/OnStartup shell hook/] },
  { folder: '002-startup-python', steps: [/OnStartup Python powered hook/] },
  { folder: '003-common-library', steps: [/hook::trigger function is called!/] },
  {
    folder: '101-monitor-pods',
    steps: [/1 hook of/, ['run', 'added', '--image=nginx', '-n', 'example-101'], /Pod 'added' added/],
    namespace: 'example-101',
  },
  { folder: '102-monitor-namespaces', steps: NAMESPACES },
  {
    folder: '103-schedule',
    steps: [
      /6 fields crontab: \[\{"binding":"every (5|10) sec","type":"Schedule"\}/,
      /5 fields crontab: .*every 1 min/,
    ],
  },
  {
    folder: '104-secret-copier',
    namespace: 'example-104',
    words: WRITING,
    steps: [
      /delete_secret \| Got Synchronization event/,
      [
        'create',
        'secret',
        'generic',
        'copied',
        '-n',
        'default',
        '--from-literal=a=b',
        '--dry-run=client',
        '-o',
        'yaml',
      ],
      ['create', 'secret', 'generic', 'copied', '-n', 'default', '--from-literal=a=b'],
      ['label', 'secret', 'copied', '-n', 'default', 'secret-copier=yes'],
      ['wait', '--for=create', 'secret/copied', '-n', 'example-104', '--timeout=300s'],
      ['create', 'namespace', 'example-made-104'],
      ['wait', '--for=create', 'secret/copied', '-n', 'example-made-104', '--timeout=300s'],
    ],
    objects: [
      ['get', 'secret', 'copied', '-n', 'example-104'],
      ['get', 'secret', 'copied', '-n', 'example-made-104'],
    ],
    after: [
      ['delete', 'secret', 'copied', '-n', 'default'],
      ['wait', '--for=delete', 'secret/copied', '-n', 'example-104', '--timeout=300s'],
      ['delete', 'namespace', 'example-made-104', '--wait=false'],
    ],
  },
  {
    folder: '105-crd-simple',
    namespace: 'example-105',
    before: [path.join(EXAMPLES, '105-crd-simple/crd-simple.yaml')],
    steps: [
      /1 hook of/,
      ['apply', '-n', 'example-105', '-f', path.join(EXAMPLES, '105-crd-simple/cr-crontab.yaml')],
      /CronTab\/crontab object is added/,
    ],
    after: NO_CRD,
  },
  // events.k8s.io/v1beta1 is gone since Kubernetes 1.25
  { folder: '106-monitor-events', steps: [/the server has no kind Event in events.k8s.io\/v1beta1/], code: 143 },
  {
    folder: '200-advanced',
    steps: [
      /007-onstartup-2 hook is triggered/,
      /namespace-hook is triggered on startup/,
      /001-onstartup-10 hook is triggered/,
      ...NAMESPACES,
    ],
  },
  { folder: '201-install-with-helm-chart', steps: NAMESPACES, isMounted: true },
  { folder: '202-repack-build', steps: [/OnStartup shell hook/] },
  {
    folder: '204-validating-webhook',
    namespace: 'example-204',
    before: [crd('204-validating-webhook')],
    words: WRITING,
    steps: [
      /1 hook of/,
      ['wait', '--for=create', 'validatingwebhookconfiguration/shell-operator-hooks-hooks', '--timeout=60s'],
      ['!', 'apply', '-n', 'example-204', '-f', path.join(EXAMPLES, '204-validating-webhook/crontab-non-valid.yaml')],
      ['apply', '-n', 'example-204', '-f', path.join(EXAMPLES, '204-validating-webhook/crontab-valid.yaml')],
      /Got image: repo.example.com/,
    ],
    objects: [['get', 'crontabs.v1.stable.example.com', '-n', 'example-204']],
    after: NO_CRD,
  },
  {
    folder: '206-mutating-webhook',
    namespace: 'example-206',
    before: [crd('206-mutating-webhook')],
    words: WRITING,
    steps: [
      /1 hook of/,
      ['wait', '--for=create', 'mutatingwebhookconfiguration/shell-operator-hooks-hooks', '--timeout=60s'],
      ['apply', '-n', 'example-206', '-f', path.join(EXAMPLES, '206-mutating-webhook/crontab-valid.yaml')],
    ],
    objects: [['get', 'crontabs.v1.stable.example.com', '-n', 'example-206']],
    after: NO_CRD,
  },
  {
    folder: '210-conversion-webhook',
    namespace: 'example-210',
    before: [crd('210-conversion-webhook')],
    words: WRITING,
    steps: [
      /1 hook of/,
      [
        'wait',
        'crd/crontabs.stable.example.com',
        '--for=jsonpath={.spec.conversion.strategy}=Webhook',
        '--timeout=60s',
      ],
      ['apply', '-n', 'example-210', '-f', path.join(EXAMPLES, '210-conversion-webhook/crontab-v1alpha1.yaml')],
    ],
    objects: [
      ['get', 'crontabs.v1alpha1.stable.example.com', '-n', 'example-210'],
      ['get', 'crontabs.v1alpha2.stable.example.com', '-n', 'example-210'],
    ],
    after: NO_CRD,
  },
  {
    folder: '220-execution-rate',
    namespace: 'example-220',
    before: [path.join(EXAMPLES, '105-crd-simple/crd-simple.yaml')], // its own definition lacks the version of its hook
    steps: [
      /RateLimitedHook binding contexts: 1/,
      ['apply', '-n', 'example-220', '-f', path.join(EXAMPLES, '105-crd-simple/cr-crontab.yaml')],
      /RateLimitedHook binding contexts: 1/,
    ],
    after: NO_CRD,
  },
  // `import kubernetes import client` is no Python
  {
    folder: '230-configmap-python',
    steps: [/00-hook.py gives no configuration: it exited with 1.*SyntaxError/s],
    code: 2,
  },
];

const execute = promisify(execFile);

function kubectlOf(kubeconfig: string): Kubectl {
  return async (...words) => {
    const isRefused = words[0] === '!';
    const result = execute('kubectl', isRefused ? words.slice(1) : words, {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      maxBuffer: 1 << 26,
    });
    if (!isRefused) return (await result).stdout;
    return await result.then(
      () => Promise.reject(new Error(`not refused: ${words.join(' ')}`)),
      (error: { stderr: string }) => error.stderr,
    );
  };
}

/** A copy whose files may all be executed. */
async function mounted(folder: string): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'mounted-'));
  await cp(folder, copy, { recursive: true });
  for (const name of await readdir(copy)) await chmod(path.join(copy, name), 0o755);
  return copy;
}

/** Runs one example, and returns what it did. */
async function run(example: Example, kubeconfig: string): Promise<unknown[]> {
  const kubectl = kubectlOf(kubeconfig);
  const { namespace, before = [], words = [], steps, objects = [], after = [], code } = example;
  if (namespace !== undefined) {
    await kubectl('create', 'namespace', namespace).catch(() => {});
    await kubectl('label', 'namespace', namespace, `name=${namespace}`, '--overwrite');
  }
  for (const file of before) await kubectl('apply', '-f', file);
  for (const file of before) await kubectl('wait', '--for=condition=Established', '--timeout=60s', '-f', file);
  const source = path.join(EXAMPLES, example.folder, 'hooks');
  const folder = example.isMounted ? await mounted(source) : source;
  const child = spawn(process.execPath, [CLI, 'reconcile', '--shell-operator', folder, ...words], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
  const effects: unknown[] = [];
  try {
    for (const step of steps) {
      if (!(step instanceof RegExp)) {
        const answer = await kubectl(...step);
        if (step[0] === '!') effects.push(normal(answer));
        continue;
      }
      for (const endsAt = Date.now() + WITHIN_MS; ; await sleep(50)) {
        const found = step.exec(printed)?.[0];
        if (found !== undefined) {
          effects.push(String(step));
          break;
        }
        if (Date.now() > endsAt) throw new Error(`no line ${step} in:\n${printed}`);
      }
    }
    for (const each of objects) effects.push(normal(JSON.parse(await kubectl(...each, '-o', 'json'))));
    for (const each of after.slice(0, -1)) await kubectl(...each);
  } finally {
    if (code !== 2) child.kill('SIGTERM');
    const ending = await ended;
    if (ending !== (code ?? 0)) effects.push(`the exit code is ${ending}:\n${printed}`);
    for (const each of after.slice(-1)) await kubectl(...each).catch(() => {});
    if (namespace !== undefined) await kubectl('delete', 'namespace', namespace, '--wait=false').catch(() => {});
  }
  return effects;
}

/** Without what differs from one server to the next. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  const {
    uid: _u,
    resourceVersion: _r,
    creationTimestamp: _c,
    managedFields: _m,
    ...rest
  } = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, normal(each)]));
}

async function main(): Promise<void> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'examples-'));
  const file = path.join(scratch, 'kubeconfig');
  await writeFile(file, '');
  const sandbox = spawn(process.execPath, [CLI, 'sandbox', '--kubeconfig', file], { stdio: 'ignore' });
  const real = process.env.KUBECONFIG;
  const asked = process.argv.slice(2);
  let failures = 0;
  try {
    for (const endsAt = Date.now() + 30_000; ; await sleep(100)) {
      if (await kubectlOf(file)('get', 'ns').then(Boolean, () => false)) break;
      if (Date.now() > endsAt) throw new Error('the sandbox does not begin');
    }
    for (const example of EXAMPLE_LIST) {
      if (asked.length > 0 && !asked.some((name) => example.folder.startsWith(name))) continue;
      const results: string[] = [];
      for (const kubeconfig of real === undefined ? [file] : [file, real]) {
        const effects = await run(example, kubeconfig).catch((error: Error) => [`FAILED ${error.message}`]);
        results.push(JSON.stringify(effects, null, 1));
      }
      const isFailed = results.some((text) => /"(FAILED|the exit code is)/.test(text));
      const isSame = results.every((text) => text === results[0]);
      if (isFailed || !isSame) failures++;
      const where = real === undefined ? 'sandbox' : 'sandbox and cluster';
      console.log(`${isFailed ? 'FAILED' : isSame ? 'same' : 'OTHER'} ${example.folder} (${where})`);
      if (isFailed || !isSame || process.env.SHOW) console.log(results.join('\n'));
    }
  } finally {
    sandbox.kill('SIGTERM');
    await rm(scratch, { recursive: true, force: true });
  }
  process.exitCode = failures === 0 ? 0 : 1;
}

await main();
