// How `bin/run.js` of a checkout runs on the checkout's own Node where the system's is too old. Not a part of the
// package.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/**
 * Starts this process's command line again on the checkout's Node, and ends as that does. False when the checkout has
 * none for this platform.
 */
export function runOnNewerNode() {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  const own = path.join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (!existsSync(own)) return false;
  const endsWithParent = new URL('end-with-parent.mjs', import.meta.url).href;
  const child = spawn(own, ['--import', endsWithParent, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + (NUMBERS[signal] ?? 0) : (code ?? 1);
  });
  return true;
}
