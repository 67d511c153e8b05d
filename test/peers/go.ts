import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/** How long fetching and compiling may take. */
export const BUILD_MS = 600_000;

/** Fetching and compiling client-go takes minutes, so it is done when asked for, or where it was done before. */
export function reasonToSkip(source: string): string | undefined {
  if (process.env.SKIP_GO === '1') return 'SKIP_GO=1';
  let cache: string;
  try {
    cache = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'there is no Go';
  }
  const version = /k8s\.io\/client-go (v\S+)/.exec(readFileSync(path.join(source, 'go.mod'), 'utf8'))?.[1];
  if (process.env.TEST_GO === '1' || existsSync(path.join(cache, `k8s.io/client-go@${version}`))) return undefined;
  return 'client-go is not in the module cache; TEST_GO=1 fetches it';
}

/** Compiles the Go program of a folder in another one, and says where it is. */
export async function build(source: string, folder: string): Promise<string> {
  cpSync(source, folder, { recursive: true });
  await promisify(execFile)('go', ['build', '-mod=readonly', '-o', 'peer', '.'], { cwd: folder, timeout: BUILD_MS });
  return path.join(folder, 'peer');
}
