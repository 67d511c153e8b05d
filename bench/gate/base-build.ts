import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Not below node_modules: Node reads no TypeScript there, and a build does. */
const KEPT = path.join(ROOT, 'dist.base');
/** A build takes some 20 s; the next run of the gate has the same base. */
const KEPT_BUILDS = 3;

/**
 * The files of a commit, built with the packages of this checkout, in a folder that is kept for the next time. Throws
 * with the reason when git does not know the commit, or when it does not build.
 */
export function builtCommit(name: string): { commit: string; folder: string } {
  const commit = commitOf(name);
  const folder = path.join(KEPT, commit);
  if (existsSync(path.join(folder, 'dist', 'index.js'))) return { commit, folder };
  const part = `${folder}.${process.pid}`;
  mkdirSync(part, { recursive: true });
  try {
    const files = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', part], { input: files });
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(part, 'node_modules'));
    execFileSync(process.execPath, [path.join(part, 'tools', 'run.mjs'), 'node', 'tools/build.mjs'], {
      cwd: part,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    rmSync(folder, { recursive: true, force: true });
    renameSync(part, folder);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw new Error(`${name} does not build: ${messageOf(error)}; name another commit with --base`);
  }
  forgetOthers(commit);
  return { commit, folder };
}

/** The full name of a commit of a checkout. */
export function commitOf(name: string, checkout = ROOT): string {
  try {
    const found = execFileSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { cwd: checkout });
    return found.toString().trim();
  } catch {
    throw new Error(`git knows no commit ${name} in ${checkout}: fetch it, or name another one with --base`);
  }
}

function messageOf(error: unknown): string {
  const { stderr } = error as { stderr?: Buffer };
  return stderr?.toString().trim().split('\n').slice(-3).join(' ') || String(error);
}

function forgetOthers(commit: string): void {
  const kept = readdirSync(KEPT).filter((name) => name !== commit);
  for (const name of kept.slice(0, Math.max(0, kept.length - KEPT_BUILDS + 1))) {
    rmSync(path.join(KEPT, name), { recursive: true, force: true });
  }
}
