// `npm run docs:picture`: writes docs/images/session-light.svg and session-dark.svg, the picture of the README, from a
// session on a seeded sandbox. Needs the built program, and `script` (util-linux) for the terminal.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '../dist/index.js';
import { Sandbox } from '../dist/sandbox.js';
import { THEMES, terminalSvg } from './terminal-svg.mjs';

const COLUMNS = 112;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const ROW = /^(?:\x1b\[\d+m)*(?:ADDED|MODIFIED|DELETED|LEFT)\b/;
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = await mkdtemp(path.join(tmpdir(), 'informer-picture-'));
const kubeconfig = path.join(folder, 'kubeconfig');

await using sandbox = await Sandbox.start({ scenario: 'rollout', seed: 7 });
const client = createClient(sandbox.transport());
const deployments = client.resource({ group: 'apps', version: 'v1', resource: 'deployments' }, { namespace: 'shop' });

const release = (tag) => {
  const containers = [{ name: 'web', image: `nginx:${tag}` }];
  return deployments.patch(
    'web',
    { spec: { template: { spec: { containers } } } },
    { type: 'strategic', fieldManager: 'alice' },
  );
};

/** What is typed, and what happens meanwhile, ms after its start. */
const SESSION = [
  {
    type: 'watch deploy/web -n shop -o changes --watch-only --limit 3 --changed .spec,.status.replicas',
    meanwhile: [[1_000, () => release('1.29.0')]],
  },
  {
    type: `watch pods -n shop -l app=web --where 'STATUS != "Running"' --timeout 5s`,
    meanwhile: [
      [500, () => release('1.29.1')],
      [2_500, () => sandbox.restart({ downMs: 700, keepHistory: true })],
    ],
    most: 5,
  },
  { type: 'query pods -n shop --values image' },
];

try {
  await writeFile(kubeconfig, sandbox.kubeconfig(), { mode: 0o600 });
  await sleep(2_000); // something goes on
  const lines = [];
  for (const { type, meanwhile = [], most = Number.POSITIVE_INFINITY } of SESSION) {
    process.stdout.write(`$ kubectl informer ${type}\n`);
    if (lines.length > 0) lines.push('');
    lines.push(`\x1b[1m$ kubectl informer ${type}\x1b[0m`, ...shortened(await run(type, meanwhile), most));
  }
  await mkdir(path.join(root, 'docs', 'images'), { recursive: true });
  for (const theme of Object.keys(THEMES)) {
    const file = path.join(root, 'docs', 'images', `session-${theme}.svg`);
    const title = 'kubectl informer: who changed which field, a filtered stream that survives a restart, an index';
    await writeFile(file, terminalSvg(lines, { theme, columns: COLUMNS, title }));
  }
} finally {
  await client.close();
  await rm(folder, { recursive: true });
}

/** The lines that a command prints on a terminal, with its colours. */
async function run(type, meanwhile) {
  const line = `stty rows 60 cols ${COLUMNS}; exec "${process.execPath}" "${path.join(root, 'bin', 'run.js')}" ${type}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, KUBECONFIG: kubeconfig, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const timers = meanwhile.map(([ms, act]) => setTimeout(act, ms));
  await new Promise((resolve) => child.once('close', resolve));
  for (const timer of timers) clearTimeout(timer);
  return text.trimEnd().split(/\r?\n/);
}

/** The lines with a mark in place of rows beyond a number, in each run of rows. */
function shortened(lines, most) {
  let run = 0;
  return lines.flatMap((line) => {
    run = ROW.test(line) ? run + 1 : 0;
    return run <= most ? [line] : run === most + 1 ? ['\x1b[2m…\x1b[0m'] : [];
  });
}
