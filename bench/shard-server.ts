import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Programs } from './programs.ts';

/** A sandbox with a fleet of pods, in a process of its own. */
export interface ShardServer extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly folder: string;
  /** CPU time of the process since its start, ms. */
  cpuMs(): Promise<number>;
  /** Changes that number of pods, one after another. */
  change(count: number): Promise<void>;
}

export async function startShardServer(
  { library }: Pick<Programs, 'library'>,
  { pods, isSharding }: { readonly pods: number; readonly isSharding: boolean },
): Promise<ShardServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-shards-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  const script = path.join(import.meta.dirname, 'runners', 'shard-server.mjs');
  const sandbox = path.join(path.dirname(library), 'sandbox.js');
  const child = fork(script, [sandbox, String(pods), String(isSharding), kubeconfig], {
    execArgv: ['--max-old-space-size=12000'],
  });
  const end = async () => {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const ask = async (word: string) => {
    child.send(word);
    return (await messageOf(child)) as { cpuMs: number };
  };
  try {
    await messageOf(child);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    kubeconfig,
    folder,
    cpuMs: async () => (await ask('usage')).cpuMs,
    change: async (count) => void (await ask(`change ${count}`)),
    [Symbol.asyncDispose]: end,
  };
}

function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const exit = (code: number | null) => reject(new Error(`the server ended with ${code}`));
    child.once('exit', exit).once('message', (message) => {
      child.off('exit', exit);
      resolve(message);
    });
  });
}

/** Ends a process, and resolves when it has ended. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}
