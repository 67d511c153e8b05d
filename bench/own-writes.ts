// node bench/own-writes.ts [--lags 0,50,200,500,1000]: how many children a controller makes where ten are wanted, over
// caches that are behind: this library, and controller-runtime (peers/controller-runtime) with its option
// EnableReadYourWritesConsistency and as it is by default, if Go and its modules are there; BENCH_GO=1 downloads them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Sandbox } from '../src/sandbox/index.ts';
import { childrenOn, lagging, parentOf } from '../test/support/wanted-children.ts';
import type { Command } from './processes.ts';
import { buildControllerRuntime, findPrograms, runner } from './programs.ts';
import { textOf } from './text-table.ts';

const WANTED = 10;
/** The parent changes so often, at this interval, ms. */
const CHANGES = 40;
const EVERY_MS = 100;
/** How long the caches may take to sync, ms. */
const READY_MS = 60_000;

const { values } = parseArgs({ options: { lags: { type: 'string', default: '0,50,200,500,1000' } } });
const lags = values.lags.split(',').map(Number);
const { library } = findPrograms({ peers: false });
const peer = buildControllerRuntime();
if ('missing' in peer) console.error(`without controller-runtime: ${peer.missing}`);

const programs: (readonly [name: string, command: Command])[] = [
  ['this library', runner('children', library, 'own writes', WANTED)],
  ["this library, consistency: 'none'", runner('children', library, 'none', WANTED)],
];
if ('path' in peer) {
  const ofPeer = (isConsistent: boolean) => ({ command: peer.path, args: [String(isConsistent), String(WANTED)] });
  programs.push(
    ['controller-runtime 0.25, EnableReadYourWritesConsistency', ofPeer(true)],
    ['controller-runtime 0.25, default', ofPeer(false)],
  );
}
const rows: string[][] = programs.map(([name]) => [name]);
for (const lagMs of lags)
  for (const [i, [, command]] of programs.entries()) rows[i]?.push(String(await childrenMade(command, lagMs)));
const head = ['controller', ...lags.map((ms) => `${ms} ms`)];
console.log(
  textOf({ title: `children made where ${WANTED} are wanted, by how far the caches are behind`, head, rows }),
);

/** Runs a controller while its parent changes, and counts the children. */
async function childrenMade({ command, args }: Command, lagMs: number): Promise<number> {
  await using sandbox = await Sandbox.start({});
  sandbox.apply(parentOf());
  lagging(sandbox, lagMs);
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-own-writes-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, sandbox.kubeconfig(), { mode: 0o600 });
  const env = { PATH: process.env.PATH, HOME: folder, KUBECONFIG: kubeconfig };
  const child = spawn(command, [...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await ready(child);
    for (let change = 1; change <= CHANGES; change++) {
      sandbox.apply(parentOf('parent', { labels: { change: String(change) } }));
      await pause(EVERY_MS);
    }
    await pause(2_000 + (WANTED + 2) * lagMs);
    return childrenOn(sandbox).length;
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ready({ stdout }: ChildProcess): Promise<void> {
  const [text] = (await once(stdout as NodeJS.ReadableStream, 'data', { signal: AbortSignal.timeout(READY_MS) })) as [
    Buffer,
  ];
  if (!text.toString().includes('ready')) throw new Error(`the controller said ${text}`);
}
