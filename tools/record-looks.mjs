// `npm run docs:looks`: writes the pictures of docs/looks.md: how the output looks in a dark and a light terminal, 80 and
// 160 columns wide. Needs the built program, and tmux, which is a real terminal that says what is on its screen.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '../dist/index.js';
import { Sandbox } from '../dist/sandbox.js';
import { THEMES, terminalSvg } from './terminal-svg.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const images = path.join(root, 'docs', 'images');
const folder = await mkdtemp(path.join(tmpdir(), 'informer-looks-'));
const only = process.argv[2];

const FAILING = `let runs = 0;
export default ({ key, log }) => {
  log.info('looked at', { key, runs: ++runs });
  if (key === 'shop/web') throw new Error('no such budget');
};
`;

/** What is typed, for how long it runs, and the rows that are shown. */
const SCENES = [
  {
    name: 'table',
    type: 'watch deploy,pods -n shop -l app=web',
    ms: 4_000,
    rows: 22,
    act: (web) => web.release('1.29.0'),
  },
  { name: 'live', type: 'watch deploy,pods -n shop --live', ms: 4_000, rows: 28, act: (web) => web.release('1.29.1') },
  {
    name: 'changes',
    type: 'watch deploy/web -n shop -o changes --watch-only',
    ms: 4_000,
    rows: 16,
    act: (web) => web.release('1.29.2'),
  },
  {
    name: 'diff',
    type: 'watch deploy/web -n shop -o diff --watch-only',
    ms: 4_000,
    rows: 22,
    act: (web) => web.release('1.29.3'),
  },
  {
    name: 'outage',
    type: 'watch pods -n shop --where \'STATUS != "Running"\'',
    ms: 7_000,
    rows: 22,
    act: (web) => web.restart(),
  },
  { name: 'tree', type: 'query deploy/web -n shop --tree', ms: 1_500, rows: 12 },
  { name: 'values', type: 'query pods -n shop --values image', ms: 1_500, rows: 12 },
  {
    name: 'reconcile',
    type: 'reconcile deployments -n shop --hook hook.mjs --max-retries 2',
    ms: 5_000,
    rows: 26,
    interrupt: true,
  },
  { name: 'help', type: 'watch --help | head -40', ms: 1_500, rows: 42 },
  { name: 'error', type: 'watch podz -n shop', ms: 1_500, rows: 6 },
];

await using sandbox = await Sandbox.start({ scenario: 'rollout', seed: 7 });
const client = createClient(sandbox.transport());
const deployments = client.resource({ group: 'apps', version: 'v1', resource: 'deployments' }, { namespace: 'shop' });
const web = {
  release(tag) {
    const containers = [{ name: 'web', image: `nginx:${tag}` }];
    const patch = { spec: { template: { spec: { containers } } } };
    return deployments.patch('web', patch, { type: 'strategic', fieldManager: 'alice' });
  },
  restart: () => sandbox.restart({ downMs: 1_500, keepHistory: true }),
};

try {
  await writeFile(path.join(folder, 'kubeconfig'), sandbox.kubeconfig(), { mode: 0o600 });
  await writeFile(path.join(folder, 'hook.mjs'), FAILING);
  await mkdir(images, { recursive: true });
  for (const scene of SCENES.filter(({ name }) => only === undefined || name === only))
    for (const columns of [80, 160]) await record(scene, columns);
} finally {
  await client.close();
  await rm(folder, { recursive: true });
}

async function record({ name, type, ms, rows, act, interrupt }, columns) {
  process.stdout.write(`${columns} columns: kubectl informer ${type}\n`);
  const line = `trap : INT; "${process.execPath}" "${path.join(root, 'bin', 'run.js')}" ${type}; sleep 60`;
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    KUBECONFIG: path.join(folder, 'kubeconfig'),
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
  };
  const tmux = (...words) =>
    execFileSync('tmux', ['-S', path.join(folder, `${name}-${columns}`), '-f', '/dev/null', ...words], {
      env,
      cwd: folder,
      encoding: 'utf8',
    });
  tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), line);
  try {
    if (act) {
      await sleep(1_200);
      await act(web);
    }
    await sleep(ms);
    if (interrupt) {
      tmux('send-keys', 'C-c');
      await sleep(1_000);
    }
    const lines = tmux('capture-pane', '-e', '-p').replaceAll(folder, '/home/me').trimEnd().split('\n');
    const all = [`\x1b[1m$ kubectl informer ${type}\x1b[0m`, ...lines];
    for (const theme of Object.keys(THEMES)) {
      const title = `kubectl informer ${type}, ${columns} columns, ${theme}`;
      await writeFile(
        path.join(images, `${name}-${columns}-${theme}.svg`),
        terminalSvg(all, { theme, columns, title }),
      );
    }
  } finally {
    tmux('kill-server');
  }
}
