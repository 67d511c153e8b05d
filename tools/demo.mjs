// `npm run demo`: the main job on the embedded sandbox, about 20 s, nothing needed but this checkout. Shows each
// command line it runs.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const informer = path.join(root, 'bin', 'run.js');
const folder = await mkdtemp(path.join(tmpdir(), 'informer-demo-'));
const kubeconfig = path.join(folder, 'kubeconfig');
const bold = process.stdout.isTTY && !process.env.NO_COLOR ? (text) => `\x1b[1m${text}\x1b[0m` : (text) => text;

let failed = 0;
const sandbox = start(['sandbox', '--scenario', 'rollout', '--seed', '7', '--kubeconfig', kubeconfig], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const stopped = new Promise((resolve) => sandbox.once('exit', resolve));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(130));

try {
  say('A cluster of our own: an in-memory API server on this machine, where a rollout goes on.');
  show(['sandbox', '--scenario', 'rollout', '--kubeconfig', '$KUBECONFIG', '&']);
  await firstLine(sandbox);

  say('Every change in it becomes a row: several types in one stream, with the columns the server prints.');
  await run(['watch', 'pods,deployments', '-n', 'shop', '--timeout', '7s']);

  say('The same cache answers indexed questions: which node runs how many pods, and which pods run on one of them.');
  await run(['query', 'pods', '-n', 'shop', '--index', 'node=.spec.nodeName', '--values', 'node']);
  await run(['query', 'pods', '-n', 'shop', '--index', 'node=.spec.nodeName', '--eq', 'node=worker-1']);

  say(
    'And your hook reconciles what changed, key by key, from a work queue. Nothing is written without --allow-write.',
  );
  await run(['reconcile', 'deployments', '-n', 'shop', '--hook', 'examples/hooks/scale-guard.ts', '--workers', '2'], {
    stopAfterMs: 5000,
  });

  say("That was it. 'kubectl informer watch pods -A' does the same on your own cluster; see README.md.");
} finally {
  await end(failed);
}

function start(args, options) {
  return spawn(process.execPath, [informer, ...args], { cwd: root, ...options });
}

/** Runs one command to its end, its output ours. A stream without an end of its own is stopped as by Ctrl-C. */
function run(args, { stopAfterMs } = {}) {
  show(args);
  return new Promise((resolve) => {
    const child = start(args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, KUBECONFIG: kubeconfig },
    });
    const timer = stopAfterMs && setTimeout(() => child.kill('SIGINT'), stopAfterMs);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      if (code !== 0) {
        console.error(`\nthe command above ended with ${code ?? signal}`);
        failed = 1;
      }
      resolve();
    });
  });
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code} before it was ready`)));
  });
}

function say(text) {
  console.log(`\n# ${text}`);
}

function show(args) {
  console.log(bold(`$ kubectl informer ${args.join(' ')}`));
}

async function end(code) {
  sandbox.kill('SIGTERM');
  await stopped;
  await rm(folder, { recursive: true, force: true });
  process.exitCode = code;
}
