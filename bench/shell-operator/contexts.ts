/**
 * Runs a folder of hooks by shell-operator and by this program, at the same time and on the same server, changes objects,
 * and compares what the hooks read:
 *
 *   SHELL_OPERATOR=BINARY [KUBECONFIG=FILE] node bench/shell-operator/contexts.ts
 *
 * Without KUBECONFIG the server is a sandbox, and no hook converts: shell-operator writes definitions as protobuf, which
 * the sandbox does not take.
 *
 * It needs a build, and on PATH kubectl, jq and bash. See README.md for the binary.
 */
import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeCertificate } from '../../src/kit/certificate.ts';

const CLI = path.join(import.meta.dirname, '../../bin/run.js');
const binary = process.env.SHELL_OPERATOR;
if (binary === undefined) throw new Error('SHELL_OPERATOR must name the program');

const NAMESPACE = 'contexts-test';

const HOOKS: Readonly<Record<string, object>> = {
  'plain.sh': {
    configVersion: 'v1',
    onStartup: 1,
    kubernetes: [{ name: 'maps', apiVersion: 'v1', kind: 'ConfigMap', namespace: only(NAMESPACE) }],
  },
  'filtered.sh': {
    configVersion: 'v1',
    kubernetes: [
      {
        name: 'labels',
        kind: 'cm',
        namespace: only(NAMESPACE),
        jqFilter: '.metadata.labels, .data',
        keepFullObjectsInMemory: false,
        executeHookOnEvent: ['Modified', 'Deleted'],
      },
    ],
  },
  'grouped.sh': {
    configVersion: 'v1',
    kubernetes: [
      {
        name: 'a',
        kind: 'ConfigMap',
        namespace: only(NAMESPACE),
        group: 'g',
        labelSelector: { matchLabels: { a: 'b' } },
      },
      { name: 'n', kind: 'Namespace', nameSelector: { matchNames: [NAMESPACE] }, group: 'g' },
    ],
  },
  'snapshots.sh': {
    configVersion: 'v1',
    kubernetes: [
      {
        name: 'ns',
        kind: 'namespace',
        executeHookOnSynchronization: false,
        executeHookOnEvent: [],
        jqFilter: '.metadata.name',
      },
      {
        name: 'one',
        kind: 'ConfigMap',
        namespace: only(NAMESPACE),
        nameSelector: { matchNames: ['one'] },
        queue: 'q',
        includeSnapshotsFrom: ['ns'],
      },
    ],
  },
  // shell-operator of c8d19cb panics at each event of a hook of v0 (MapV0: its object is nil), and its queue ends there
  'old.sh': { onStartup: 5 },
  'convert.sh': {
    configVersion: 'v1',
    kubernetes: [
      {
        name: 'ns',
        kind: 'Namespace',
        executeHookOnSynchronization: false,
        executeHookOnEvent: [],
        jqFilter: '.metadata.name',
      },
    ],
    kubernetesCustomResourceConversion: [
      {
        name: 'crontabs',
        crdName: 'crontabs.example.com',
        includeSnapshotsFrom: ['ns'],
        conversions: [
          { fromVersion: 'v1', toVersion: 'v2' },
          { fromVersion: 'example.com/v2', toVersion: 'example.com/v3' },
        ],
      },
    ],
  },
};

function only(name: string) {
  return { nameSelector: { matchNames: [name] } };
}

const scriptOf = (name: string, config: object) => `#!/bin/bash
if [ "$1" = --config ]; then cat <<'EOF'
${JSON.stringify(config)}
EOF
exit; fi
jq -c '.[]' "$BINDING_CONTEXT_PATH" >> "$RECORD/${name}"
if jq -e '.[0].type == "Conversion"' "$BINDING_CONTEXT_PATH" > /dev/null; then
  jq '.[0] as $c | {convertedObjects: ($c.review.request.objects | map(.apiVersion = (if $c.toVersion | test("/") then $c.toVersion else "example.com/" + $c.toVersion end)))}' "$BINDING_CONTEXT_PATH" > "$CONVERSION_RESPONSE_PATH"
fi
`;

const versions = ['v1', 'v2', 'v3'].map((name) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
}));
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
    versions,
  },
};

const scratch = await mkdtemp(path.join(tmpdir(), 'contexts-'));
const isReal = process.env.KUBECONFIG !== undefined;
const kubeconfig = process.env.KUBECONFIG ?? path.join(scratch, 'kubeconfig');
const env = { ...process.env, KUBECONFIG: kubeconfig };
const execute = promisify(execFile);
const kubectl = async (...words: string[]) => (await execute('kubectl', words, { env })).stdout;

async function until(what: string, isMet: () => Promise<boolean>): Promise<void> {
  for (const endsAt = Date.now() + 180_000; !(await isMet().catch(() => false)); await sleep(200))
    if (Date.now() > endsAt) throw new Error(`not within 180 s: ${what}`);
}

/** What a program's hooks read: the contexts of each hook in their order. */
async function contextsOf(name: string): Promise<Record<string, unknown[]>> {
  const folder = path.join(scratch, name);
  const found: Record<string, unknown[]> = {};
  for (const file of (await readdir(folder)).sort()) {
    const lines = (await readFile(path.join(folder, file), 'utf8')).split('\n').filter((line) => line !== '');
    found[file] = lines.map((line) => JSON.parse(line) as unknown);
  }
  return found;
}

async function review(port: number, ca: string): Promise<unknown> {
  const body = JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: {
      uid: 'u',
      desiredAPIVersion: 'example.com/v3',
      objects: ['a', 'b'].map((name) => ({
        apiVersion: 'example.com/v1',
        kind: 'CronTab',
        metadata: { name, namespace: NAMESPACE },
      })),
    },
  });
  return await new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    request(
      {
        host: '127.0.0.1',
        port,
        path: '/crontabs.example.com?timeout=30s',
        method: 'POST',
        ca,
        headers,
        servername: 'localhost',
      },
      (response) => text(response).then((answer) => resolve(JSON.parse(answer)), reject),
    )
      .on('error', reject)
      .end(body);
  });
}

const children: ReturnType<typeof spawn>[] = [];
let isSame = true;
try {
  const hooks = path.join(scratch, 'hooks');
  await mkdir(hooks);
  for (const [name, config] of Object.entries(HOOKS)) {
    if (name === 'convert.sh' && !isReal) continue;
    await writeFile(path.join(hooks, name), scriptOf(name, config));
    await chmod(path.join(hooks, name), 0o755);
  }
  const { cert, key } = await makeCertificate('localhost', Date.now());
  for (const [name, content] of Object.entries({ 'tls.crt': cert, 'ca.crt': cert, 'tls.key': key }))
    await writeFile(path.join(scratch, name), content);
  if (!isReal)
    children.push(spawn(process.execPath, [CLI, 'sandbox', '--kubeconfig', kubeconfig], { stdio: 'ignore' }));
  await until('the sandbox', async () => Boolean(await kubectl('get', 'ns')));
  await kubectl('create', 'namespace', NAMESPACE);
  await kubectl('create', 'configmap', 'one', '-n', NAMESPACE, '--from-literal=x=1');
  if (isReal) await writeFile(path.join(scratch, 'crd.json'), JSON.stringify(DEFINITION));
  if (isReal) await kubectl('apply', '-f', path.join(scratch, 'crd.json'));
  const ports = { theirs: 29_681, ours: 29_682 };
  const surroundings = (name: 'theirs' | 'ours') => ({
    ...env,
    RECORD: path.join(scratch, name),
    SHELL_OPERATOR_NAMESPACE: NAMESPACE,
    SHELL_OPERATOR_LISTEN_PORT: '29683',
    SHELL_OPERATOR_TMP_DIR: path.join(scratch, 'tmp'),
    DEBUG_UNIX_SOCKET: path.join(scratch, 'debug.socket'),
    CONVERSION_WEBHOOK_SERVER_CERT: path.join(scratch, 'tls.crt'),
    CONVERSION_WEBHOOK_SERVER_KEY: path.join(scratch, 'tls.key'),
    CONVERSION_WEBHOOK_CA: path.join(scratch, 'ca.crt'),
    CONVERSION_WEBHOOK_LISTEN_PORT: String(ports[name]),
  });
  for (const name of ['theirs', 'ours', 'tmp']) await mkdir(path.join(scratch, name));
  const logs = { theirs: '', ours: '' };
  const start = (name: 'theirs' | 'ours', file: string, words: string[]) => {
    const child = spawn(file, words, { env: surroundings(name), cwd: scratch });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (logs[name] += String(chunk)));
    children.push(child);
  };
  start('theirs', binary, ['start', '--hooks-dir', hooks, '--kube-config', kubeconfig]);
  start('ours', process.execPath, [
    CLI,
    'reconcile',
    '--shell-operator',
    hooks,
    '--allow-write',
    '--pass-env',
    'RECORD',
  ]);
  const names = ['theirs', 'ours'] as const;
  const bothHave = (what: string, count: (found: Record<string, unknown[]>) => boolean) =>
    until(what, async () => (await Promise.all(names.map(contextsOf))).every(count)).catch((error) => {
      throw new Error(
        `${String(error)}\n${logs.theirs.replace(/^Usage:.*/ms, '').slice(-4000)}\n${logs.ours.slice(-4000)}`,
      );
    });
  // of the hooks of v0 the first run is at the start; the whole state of the others is one context each
  await bothHave('the start', (found) =>
    [
      ['plain.sh', 2],
      ['filtered.sh', 1],
      ['grouped.sh', 1],
      ['snapshots.sh', 1],
      ['old.sh', 1],
    ].every(([name, count]) => (found[name as string]?.length ?? 0) >= (count as number)),
  );
  await sleep(3_000);
  const steps = [
    ['create', 'configmap', 'two', '-n', NAMESPACE, '--from-literal=y=1'],
    ['label', 'configmap', 'two', '-n', NAMESPACE, 'a=b'],
    ['patch', 'configmap', 'one', '-n', NAMESPACE, '--type=merge', '-p', '{"data":{"x":"2"}}'],
    ['annotate', 'configmap', 'one', '-n', NAMESPACE, 'seen=yes'],
    ['label', 'namespace', NAMESPACE, 'c=d'],
    ['patch', 'configmap', 'two', '-n', NAMESPACE, '--type=merge', '-p', '{"data":{"y":"2"}}'],
    ['delete', 'configmap', 'two', '-n', NAMESPACE],
  ];
  let wanted = 2;
  for (const step of steps) {
    await kubectl(...step);
    if (step.includes('configmap')) wanted++;
    await bothHave(step.join(' '), (found) => (found['plain.sh']?.length ?? 0) >= wanted);
    await sleep(2_000);
  }
  const answers = [];
  for (const name of isReal ? names : []) answers.push(await review(ports[name], cert));
  const [theirs, ours] = (await Promise.all(names.map(contextsOf))) as [
    Record<string, unknown[]>,
    Record<string, unknown[]>,
  ];
  for (const hook of Object.keys(HOOKS)) {
    const [a = [], b = []] = [theirs[hook], ours[hook]];
    const equal = a.filter((each, i) => JSON.stringify(sorted(each)) === JSON.stringify(sorted(b[i]))).length;
    if (equal < Math.max(a.length, b.length)) {
      isSame = false;
      console.log(`OTHER ${hook}: ${equal} of ${a.length} (theirs) and ${b.length} (ours) contexts are equal`);
      for (let i = 0; i < Math.max(a.length, b.length); i++)
        if (JSON.stringify(sorted(a[i])) !== JSON.stringify(sorted(b[i])))
          console.log(`  theirs ${JSON.stringify(sorted(a[i]))}\n  ours   ${JSON.stringify(sorted(b[i]))}`);
    } else console.log(`same ${hook}: ${equal} contexts`);
  }
  // a Go program writes an empty `metadata` into the result
  const [first, second] = answers.map((each) => JSON.stringify(sorted(each)).replace('"metadata":{},', ''));
  const isAnswered = first === second;
  if (!isAnswered) isSame = false;
  if (isReal)
    console.log(isAnswered ? 'same response to a conversion' : `OTHER responses ${JSON.stringify(answers, null, 1)}`);
} finally {
  if (isReal) {
    await kubectl('delete', 'namespace', NAMESPACE, '--wait=false').catch(() => {});
    await kubectl('delete', 'crd', 'crontabs.example.com', '--ignore-not-found').catch(() => {});
  }
  for (const child of children.reverse()) child.kill('SIGTERM');
  await sleep(1_000);
  await rm(scratch, { recursive: true, force: true });
}
process.exitCode = isSame ? 0 : 1;

/** With the members of maps in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}
