// Runs a command with the checkout's own Node and tools first on PATH:
//   node tools/run.mjs vitest run
// npm 10 leaves node_modules/.bin/node empty for platform packages, so the path is put together here.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const own = path.join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
const found = [own, path.join(root, 'node_modules', '.bin')].filter((dir) => existsSync(dir));
const [command, ...args] = process.argv.slice(2);
if (!command) {
  console.error('usage: node tools/run.mjs COMMAND [ARG ...]');
  process.exit(2);
}
const child = spawn(command, args, {
  stdio: 'inherit',
  env: { ...process.env, PATH: [...found, process.env.PATH].join(path.delimiter) },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`error: cannot start ${command}: ${error.message}\nhint: run 'npm ci' in ${root} first`);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + (constants.signals[signal] ?? 0) : (code ?? 1)));
