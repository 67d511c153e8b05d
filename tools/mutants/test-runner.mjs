// Starts the project's test runner over entries that are written for it, in a folder that is removed again.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const running = new Map();

/** A folder in which the test runner finds the packages, for as long as `use` takes. */
export async function inScratch(use) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'mutants-'));
  symlinkSync(path.join(root, 'node_modules'), path.join(scratch, 'node_modules'));
  writeFileSync(path.join(scratch, 'package.json'), '{"type":"module"}\n');
  try {
    return await use(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * One run over `entries`, `[name, (log) => text]`, with `plan` for vitest.config.mjs. Gives the lines that they wrote to
 * the log. A run that writes nothing for `plan.silence` ms is ended, and one that has written a line with `plan.last`:
 * what edits have left open would keep it.
 */
export async function runEntries(scratch, entries, plan) {
  const log = path.join(scratch, 'log.ndjson');
  const planFile = path.join(scratch, 'plan.json');
  writeFileSync(log, '');
  const include = entries.map(([name]) => name);
  writeFileSync(planFile, JSON.stringify({ ...plan, root, scratch, include }));
  for (const [name, textOf] of entries) writeFileSync(path.join(scratch, name), textOf(log));
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = path.join(root, 'tools', 'mutants', 'vitest.config.mjs');
  // A group of its own, so that the test runner's workers end with it; ending this tool ends that group.
  const child = spawn(process.execPath, [vitest, 'run', '--config', config, '--root', scratch], {
    cwd: scratch,
    stdio: ['ignore', process.env.MUTANTS_SHOW ? 'inherit' : 'ignore', 'inherit'],
    env: { ...process.env, MUTANTS_PLAN: planFile },
    detached: true,
  });
  running.set(child, scratch);
  if (running.size === 1) for (const signal of ENDINGS) process.on(signal, endAll);
  await ended(child, log, plan);
  running.delete(child);
  if (running.size === 0) for (const signal of ENDINGS) process.off(signal, endAll);
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function ended(child, log, { silence, last }) {
  return new Promise((resolve) => {
    let [size, since] = [0, Date.now()];
    const watchdog = setInterval(() => {
      const { size: now } = statSync(log);
      const isOver = now !== size && last && hasFrom(log, size, last);
      if (now !== size) [size, since] = [now, Date.now()];
      if (isOver || Date.now() - since > silence) endGroup(child);
    }, 500);
    child.on('exit', () => {
      clearInterval(watchdog);
      resolve();
    });
  });
}

/** Whether a file has a text behind its first `from` bytes. */
export const hasFrom = (file, from, text) => readFileSync(file).includes(text, from);

function endGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {} // has ended by itself
}

function endAll(signal) {
  for (const [child, scratch] of running) {
    endGroup(child);
    rmSync(scratch, { recursive: true, force: true });
  }
  process.exit(128 + constants.signals[signal]);
}
