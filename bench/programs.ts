import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findKubectl } from '../test/support/kubectl.ts';
import type { Command } from './processes.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** A program that may not be there, and then why. */
export type OrReason = { readonly path: string } | { readonly missing: string };

/** What is measured: our built program and library, and the peers there are. */
export interface Programs {
  readonly library: string;
  readonly cli: string;
  readonly kubectl: OrReason;
  readonly clientGo: OrReason;
}

/**
 * Finds the built program under `root` (default this checkout), kubectl and client-go. Throws when nothing is built.
 */
export function findPrograms({
  root = ROOT,
  peers = true,
}: {
  root?: string | undefined;
  peers?: boolean;
} = {}): Programs {
  const library = path.join(root, 'dist', 'index.js');
  if (!existsSync(library)) throw new Error(`${library} is not there: run 'npm run build' first`);
  const left = { missing: 'left out as asked' };
  return {
    library,
    cli: path.join(root, 'bin', 'run.js'),
    kubectl: peers ? findKubectl() : left,
    clientGo: peers ? buildClientGo() : left,
  };
}

/** A program of bench/runners under this Node. */
export function runner(name: string, ...args: readonly (string | number)[]): Command {
  return node(path.join(ROOT, 'bench', 'runners', `${name}.mjs`), ...args);
}

export function node(script: string, ...args: readonly (string | number)[]): Command {
  return { command: process.execPath, args: [script, ...args.map(String)] };
}

/** Builds a program of bench/peers/client-go, once a process. */
export const buildClientGo = (program = '.') => buildGo('client-go', 'k8s.io/client-go', program);

/** Builds the controller of bench/peers/controller-runtime, once a process. */
export const buildControllerRuntime = () => buildGo('controller-runtime', 'sigs.k8s.io/controller-runtime');

/**
 * Builds a Go program of bench/peers into a folder of its own. Fetching its module takes minutes, so that is done only
 * when asked for.
 */
function buildGo(peer: string, module: string, program = '.'): OrReason {
  const source = path.join(ROOT, 'bench', 'peers', peer);
  const env = process.env.BENCH_GO === '1' ? process.env : { ...process.env, GOPROXY: 'off' };
  try {
    const cache = execFileSync('go', ['env', 'GOMODCACHE'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [, version] = new RegExp(`${module} (v\\S+)`).exec(readFileSync(path.join(source, 'go.mod'), 'utf8')) ?? [];
    if (process.env.BENCH_GO !== '1' && !existsSync(path.join(cache, `${module}@${version}`)))
      return { missing: `${peer} is not in the module cache; BENCH_GO=1 fetches it` };
  } catch {
    return { missing: 'there is no Go' };
  }
  const folder = mkdtempSync(path.join(tmpdir(), `bench-${peer}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  cpSync(source, folder, { recursive: true });
  try {
    execFileSync('go', ['build', '-mod=readonly', '-o', 'peer', program], {
      cwd: folder,
      env,
      stdio: 'pipe',
      timeout: 600_000,
    });
  } catch (error) {
    return {
      missing: `${peer} does not build: ${
        String((error as { stderr?: Buffer }).stderr)
          .trim()
          .split('\n')[0]
      }`,
    };
  }
  return { path: path.join(folder, 'peer') };
}
