#!/usr/bin/env node
// Written for any Node, old ones too: it must get as far as saying what is wrong.
const dist = new URL('../dist/', import.meta.url);
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) await withNewerNode();
else {
  if (process.env.INFORMER_RESTARTED) endWithParent();
  if (!(await answeredAtOnce())) await (await import(new URL('main.js', dist))).main();
}

/** Nothing is imported before: that alone would take as long as the answer. */
async function answeredAtOnce() {
  try {
    return (await import(new URL('quick-answer.js', dist))).answerAtOnce(process.argv.slice(2));
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    fail(
      'it is not built yet',
      `run 'npm ci && npm run build' in ${(await import('node:url')).fileURLToPath(new URL('..', import.meta.url))}`,
    );
    return true;
  }
}

/** A checkout brings a Node of its own; an installed package needs its user's. */
async function withNewerNode() {
  const [{ existsSync }, path, { fileURLToPath }] = await Promise.all([import('node:fs'), import('node:path'), import('node:url')]);
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  const own = path.join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (!existsSync(own)) return fail(`Node ${process.versions.node} is too old`, 'install Node 22.19 or newer (24 is best) and try again');
  const { spawn } = await import('node:child_process');
  const child = spawn(own, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, INFORMER_RESTARTED: '1' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + ({ SIGINT: 2, SIGTERM: 15, SIGHUP: 1, SIGKILL: 9 }[signal] ?? 0) : (code ?? 1);
  });
}

/** Whoever kills the old Node outright means this one too. */
function endWithParent() {
  delete process.env.INFORMER_RESTARTED;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}

function fail(what, next) {
  process.stderr.write(`error: kubectl-informer cannot start: ${what}\nhint: ${next}\n`);
  process.exitCode = 1;
}
