import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { node, type Programs } from './programs.ts';

/** A sandbox with a fleet of pods, and a serve that has synced them. */
export interface Served extends AsyncDisposable {
  readonly kubeconfig: string;
  /** The socket of the serve. */
  readonly socket: string;
  /** The environment in which a program finds the serve. */
  readonly env: Readonly<Record<string, string>>;
  /** The pods' names, each once. */
  readonly names: readonly string[];
  namespaceOf(name: string): string;
}

/** How long the server and the serve may take to be ready, ms. */
const READY_MS = 300_000;

/** Starts both as processes. Pods are indexed by name. */
export async function serveFleet({ cli }: Programs, pods: number): Promise<Served> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-query-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  const env = { HOME: folder, XDG_RUNTIME_DIR: folder };
  const children: ChildProcess[] = [];
  const start = (...args: (string | number)[]) => {
    const { command, args: words } = node(cli, ...args);
    const child = spawn(command, [...words], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    return child;
  };
  const end = async () => {
    await Promise.all(children.map(ended));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await says(
      start('sandbox', '--scenario', 'fleet', '--pods', pods, '--rate', '0/s', '-q', '--kubeconfig', kubeconfig),
      /./,
    );
    const place = ['--kubeconfig', kubeconfig];
    await says(start('serve', 'pods', '-A', '--index', 'name=.metadata.name', ...place), /^ready/m);
    const list = node(
      cli,
      'query',
      'pods',
      '-A',
      '-o',
      'jsonpath={.metadata.namespace} {.metadata.name}{"\\n"}',
      ...place,
    );
    const text = await outputOf(list.command, list.args, env);
    const places = new Map(
      text
        .trim()
        .split('\n')
        .map((line) => line.split(' ').reverse() as [string, string]),
    );
    if (places.size !== pods) throw new Error(`the serve has ${places.size} of ${pods} pods`);
    return {
      kubeconfig,
      socket: socketIn(folder),
      env,
      names: [...places.keys()],
      namespaceOf: (name) => places.get(name) ?? '',
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function says(child: ChildProcess, what: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`not ready: ${text}`)), READY_MS);
    const take = (chunk: Buffer) => {
      text += String(chunk);
      if (!what.test(text)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${text}`)));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exit;
}

function outputOf(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('close', (code) =>
      code === 0 ? resolve(Buffer.concat(chunks).toString()) : reject(new Error(`exit code ${code}`)),
    );
  });
}

/** The socket of the only serve of a runtime folder. */
function socketIn(folder: string): string {
  const serves = path.join(folder, 'kubectl-informer', 'serve');
  const [key = ''] = readdirSync(serves).filter((name) => /^[0-9a-f]{16}$/.test(name));
  return path.join(serves, key, 'socket');
}
