#!/usr/bin/env node
// Written for any Node, old ones too: it must get as far as saying what is wrong.
const dist = new URL('../dist/', import.meta.url);
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) await onOldNode();
else if (!(await answeredAtOnce())) await (await import(new URL('main.js', dist))).main();

/** Nothing is imported before: that alone would take as long as the answer. */
async function answeredAtOnce() {
  try {
    return (await import(new URL('prebuilt-help.js', dist))).answerAtOnce(process.argv.slice(2));
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    fail(
      'it is not built yet',
      `run 'npm ci && npm run build' in ${(await import('node:url')).fileURLToPath(new URL('..', import.meta.url))}`,
    );
    return true;
  }
}

/** A checkout brings a newer Node; an installed package needs its user's. */
async function onOldNode() {
  try {
    const { runOnNewerNode } = await import(new URL('../tools/newer-node.mjs', import.meta.url));
    if (runOnNewerNode()) return;
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
  fail(`Node ${process.versions.node} is too old`, 'install Node 22.19 or newer (24 is best) and try again');
}

function fail(what, next) {
  process.stderr.write(`error: kubectl-informer cannot start: ${what}\nhint: ${next}\n`);
  process.exitCode = 1;
}
