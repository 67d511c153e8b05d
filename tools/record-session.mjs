// `npm run docs:session`: writes docs/watch-session.md, the transcript of a session on a seeded sandbox. About a minute
// and a half; needs the built program, and `script` (util-linux) for the one command that draws on a terminal. What
// goes on follows from the seed, when it is seen from the clock.
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Sandbox } from '../dist/sandbox.js';
import { Terminal } from '../test/output/terminal.ts';

const SEED = 3;
const SCREEN = { columns: 120, rows: 16 };
/** Longer lines are cut: a page is narrower than a terminal. */
const WIDEST = 200;

const JOBS = { group: 'batch', version: 'v1', resource: 'jobs' };

/**
 * What is typed, what was typed before it, and what happens meanwhile. `interrupt`: Ctrl-C after this number of ms;
 * `code`: show the exit status.
 */
const SESSION = [
  {
    title: 'Watching',
    steps: [
      {
        say: 'The usual command, with one other word. A separate column says what happened; the other columns are the server’s.',
        before: 'kubectl get pods -n shop -w',
        type: 'kubectl informer watch pods -n shop',
        interrupt: 4000,
      },
      {
        say: 'Several types at once. `kubectl get deploy,rs,pods -w` says `error: you may only specify a single resource type`.',
        before: 'three terminals',
        type: 'kubectl informer watch deploy,rs,pods -n shop -l app=web --timestamps=relative --limit 16',
      },
      {
        say: 'Only deletions: with `kubectl get -w`, the row of a deleted object looks like any other.',
        before: 'nothing: the rows of a deletion and of a change are alike',
        type: 'kubectl informer watch pods -n shop --on deleted --limit 2',
      },
      {
        say: 'A filter over the columns of the table. A pod that stops matching is shown as `LEFT`, in its new state.',
        before: 'kubectl get pods -n shop -w | grep -v Running',
        type: `kubectl informer watch pods -n shop --where 'STATUS != "Running"' --watch-only --limit 8`,
      },
      {
        say: 'For a script: one event a line, and which fields changed. (`-o json | jq` is the same, with all of the object.)',
        before: 'kubectl get pods -n shop -w -o json --output-watch-events | jq -c …',
        type: `kubectl informer watch pods -n shop --watch-only --limit 4 -o jq='[.type, .key, .changed[0]]'`,
      },
    ],
  },
  {
    title: 'What changed, and who did it',
    steps: [
      {
        say: 'A change of the spec, and its consequences.',
        before: 'kubespy changes apps/v1 Deployment shop/web',
        type: 'kubectl informer watch deploy/web -n shop --watch-only -o diff --limit 5',
        meanwhile: [[800, 'kubectl set image deploy/web web=nginx:1.29.0 -n shop', (sandbox) => setImage(sandbox)]],
      },
      {
        say: 'One line for every changed field, with the field manager that wrote it; only events that change the replicas.',
        before: 'kubespy status apps/v1 Deployment shop/web, and reading',
        type: 'kubectl informer watch deploy -n shop --watch-only -o changes --changed .spec.replicas,.status.readyReplicas --limit 4',
      },
    ],
  },
  {
    title: 'Waiting',
    steps: [
      {
        say: 'The flags of `kubectl wait`; the events during the wait are shown. Progress and the last line are on stderr.',
        before: 'kubectl wait pods -n shop -l app=web --for=condition=Ready --timeout=60s',
        type: 'kubectl informer watch pods -n shop -l app=web --for=condition=Ready --timeout=60s',
        code: true,
      },
      {
        say: 'The job does not exist yet: `kubectl wait` ends with `Error from server (NotFound): jobs.batch "report" not found`. This waits for complete or failed, whichever comes first, with a different exit code for each.',
        before: 'a loop around kubectl wait',
        type: `kubectl informer watch job/report -n shop --for=condition=Complete --fail-if 'object.status.conditions.exists(c, c.type == "Failed" && c.status == "True")' --timeout 60s`,
        meanwhile: [
          [1500, 'kubectl create job report --image=busybox -n shop', (sandbox) => sandbox.apply(job())],
          [3000, undefined, (sandbox) => endJob(sandbox, 'Failed')],
        ],
        code: true,
      },
      {
        say: 'Wait until the rollout is complete, and stays complete for three seconds.',
        before: 'kubectl rollout status deploy/api -n shop, sleep, and again',
        type: `kubectl informer watch deploy/api -n shop --until 'rolledOut(object)' --stays 3s --timeout 2m`,
        code: true,
      },
      {
        say: 'The time runs out: the exit code is 3, and the last line names the objects.',
        before: 'kubectl wait pods -n shop -l app=checkout --for=delete --timeout=2s',
        type: 'kubectl informer watch pods -n shop -l app=checkout --for=delete --timeout=2s -o name',
        code: true,
      },
    ],
  },
  {
    title: 'Events',
    steps: [
      {
        say: 'Events are a type like any other.',
        before: 'kubectl events -n shop --types=Warning -w',
        type: 'kubectl informer watch events -n shop --field-selector type=Warning --watch-only --on added --limit 3',
      },
    ],
  },
  {
    title: 'A table that stays in place',
    steps: [
      {
        say: `The last screen of five seconds, ${SCREEN.rows} lines high. Added, changed and deleted rows are marked \`+\`, \`~\` and \`-\`, on a terminal also by colour.`,
        before: 'kubectl klock pods -n shop -l tier=back, and another for the deployments',
        type: 'kubectl informer watch deploy,pods -n shop -l tier=back --live --timeout 5s',
        screen: true,
      },
    ],
  },
  {
    title: 'When the server goes away',
    steps: [
      {
        say: 'The API server restarts and keeps its history: nothing is missed, and stderr says so. `kubectl get -w` ends here without a message, with status 0.',
        before: 'kubectl get deploy -n shop -w -o name',
        type: 'kubectl informer watch deploy -n shop -o name --watch-only',
        meanwhile: [[1000, undefined, (sandbox) => sandbox.restart({ downMs: 800, keepHistory: true })]],
        interrupt: 5000,
        code: true,
      },
      {
        say: 'The API server restarts without its history: intermediate changes are lost, and only the final state is known. A script that must not continue then uses `--strict`.',
        before: 'kubectl get deploy -n shop -w -o name',
        type: 'kubectl informer watch deploy -n shop -o name --watch-only --strict',
        meanwhile: [[1000, undefined, (sandbox) => sandbox.restart({ downMs: 800, keepHistory: false })]],
        code: true,
      },
    ],
  },
];

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = await mkdtemp(path.join(tmpdir(), 'informer-session-'));
await using sandbox = await Sandbox.start({ scenario: 'rollout', seed: SEED });
try {
  await writeFile(path.join(folder, 'kubeconfig'), sandbox.kubeconfig(), { mode: 0o600 });
  await putKubectl();
  await sleep(3000); // something goes on
  await writeFile(path.join(root, 'docs', 'watch-session.md'), await page());
} finally {
  await rm(folder, { recursive: true });
}

/** `kubectl informer …` as it is typed, without a kubectl: all it does with a plugin is start it. */
async function putKubectl() {
  const file = path.join(folder, 'kubectl');
  await writeFile(file, `#!/bin/sh\nshift\nexec "${process.execPath}" "${path.join(root, 'bin', 'run.js')}" "$@"\n`);
  await chmod(file, 0o755);
}

async function page() {
  const parts = [];
  for (const { title, steps } of SESSION) {
    parts.push(`## ${title}`);
    for (const step of steps) parts.push(`${step.say}\n\n${await transcript(step)}`);
  }
  return `# A session

After reading this page you can use \`watch\` in place of \`kubectl get -w\`, \`kubectl wait\` and \`kubectl events -w\`: each step has the command that you would have typed before.

This session shows a user who knows \`kubectl get -w\`, \`kubectl wait\`, \`kubectl events -w\`, kubespy and kubectl-klock, and has read no documentation. It runs on the sandbox's shop during a rollout. After each \`#\` is the command that the user would have typed before.
This page is what \`npm run docs:session\` recorded; the same seed gives the same events, but not the same times. The guide is [watch.md](watch.md).

${parts.join('\n\n')}
`;
}

async function transcript(step) {
  const { before, type, meanwhile = [], interrupt, screen, code } = step;
  const notes = meanwhile.flatMap(([, typed]) => (typed ? [`$ ${typed}   # meanwhile, elsewhere`] : []));
  process.stdout.write(`$ ${type}\n`);
  const { text, status } = await run(screen ? onTerminal(type) : type, { meanwhile, interrupt });
  const shown = screen ? screenOf(text) : text;
  const lines = shown
    .trimEnd()
    .split('\n')
    .map((line) => (line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line).trimEnd());
  const end = code ? ['$ echo $?', String(status)] : [];
  return ['```', `# before: ${before}`, `$ ${type}`, ...notes, ...lines, ...end, '```'].join('\n');
}

/** What a command prints on stdout and stderr, as they come, and its exit status. */
async function run(line, { meanwhile, interrupt }) {
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    KUBECONFIG: path.join(folder, 'kubeconfig'),
    NO_COLOR: '1',
    TERM: 'xterm',
  };
  const child = spawn('/bin/sh', ['-c', `exec 2>&1; exec ${line}`], {
    env,
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  const timers = meanwhile.map(([ms, , act]) => setTimeout(() => act(sandbox), ms));
  if (interrupt) timers.push(setTimeout(() => process.kill(-child.pid, 'SIGINT'), interrupt));
  const status = await ended;
  for (const timer of timers) clearTimeout(timer);
  return {
    text: interrupt && !text.includes('\x1b') ? text.replace(/(^|\n)(ended by SIGINT)/, '$1^C\n$2') : text,
    status,
  };
}

function onTerminal(line) {
  return `script -qefc "stty rows ${SCREEN.rows} cols ${SCREEN.columns}; sleep 0.2; exec ${line}" /dev/null`;
}

function screenOf(text) {
  const terminal = new Terminal(SCREEN.columns, SCREEN.rows + 4);
  terminal.write(text);
  return terminal.screen.join('\n');
}

function setImage(sandbox) {
  const web = sandbox.get({ group: 'apps', version: 'v1', resource: 'deployments' }, 'shop/web');
  const { spec } = web.spec.template;
  const containers = spec.containers.map((each) => ({ ...each, image: 'nginx:1.29.0' }));
  sandbox.apply({ ...web, spec: { ...web.spec, template: { ...web.spec.template, spec: { ...spec, containers } } } });
}

function job() {
  const containers = [{ name: 'report', image: 'busybox' }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'report', namespace: 'shop' },
    spec: { template: { spec: { containers, restartPolicy: 'Never' } } },
  };
}

function endJob(sandbox, type) {
  const report = sandbox.get(JOBS, 'shop/report');
  sandbox.apply({
    ...report,
    status: { failed: 1, conditions: [{ type, status: 'True', reason: 'BackoffLimitExceeded' }] },
  });
}
