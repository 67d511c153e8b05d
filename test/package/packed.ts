import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** The package as npm packs it, unpacked in the node_modules of an empty project. */
export interface Packed extends Disposable {
  /** The project that has the package installed. */
  readonly project: string;
  /** The package's own folder in it. */
  readonly folder: string;
}

/** Packs what `npm run build` has left in `dist`. Deleted when disposed. */
export function packed(): Packed {
  const project = mkdtempSync(path.join(tmpdir(), 'packed-'));
  const folder = path.join(project, 'node_modules', 'kubectl-informer');
  mkdirSync(folder, { recursive: true });
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', project];
  const tarball = execFileSync('npm', pack, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
  execFileSync('tar', ['-xzf', path.join(project, tarball), '-C', folder, '--strip-components=1']);
  return { project, folder, [Symbol.dispose]: () => rmSync(project, { recursive: true, force: true }) };
}
