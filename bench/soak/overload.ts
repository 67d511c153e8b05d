import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { machineNow, type Program } from './program.ts';
import { judgeRuns, readJournal } from './run-journal.ts';
import { Stage } from './stage.ts';
import { differences, type ObjectState } from './truth.ts';
import { lastStates, StreamReader, type Verdict } from './watchers.ts';

export interface OverloadOptions {
  readonly root: string;
  readonly seed: number;
  /** The part of the full size: 1, or less for a short run. */
  readonly size: number;
}

/** A load beyond what is usual. Rejects when it could not be tried; `skipped` says why a machine cannot try it. */
export type Overload = (options: OverloadOptions) => Promise<Verdict & { readonly skipped?: string }>;

const CONFIG_MAPS = 'v1/configmaps';
const WATCH = ['watch', 'configmaps,secrets', '-A', '-o', 'json', '--markers', '--no-serve'];
const isSynced = ({ type }: { type: string }) => type === 'SYNCED';
const megabytes = (bytes: number) => Math.round(bytes / 1e6);
const peakOf = ({ usage }: Program) => Math.max(0, ...usage.map(({ rss }) => rss));

/** 2,000 changes a second for a minute, into a reader that stops for five seconds of every six. */
function slowReader(policy: 'block' | 'coalesce' | 'drop'): Overload {
  return async ({ root, seed, size }) => {
    await using stage = await Stage.start({ root, seed, names: 500 });
    const reader = new StreamReader(machineNow);
    const program = await stage.add('stream', [...WATCH, '--overflow', policy], { take: reader.take });
    await stage.until('the initial lists', () => reader.records.filter(isSynced).length === 2, 60_000);
    const pausing = setInterval(() => {
      program.child.stdout?.pause();
      setTimeout(() => program.child.stdout?.resume(), 5_000);
    }, 6_000);
    using _measured = measuring(program);
    await stage.write(2_000, 60_000 * size);
    clearInterval(pausing);
    await sleep(5_000);
    program.child.stdout?.resume();
    const { truths } = stage.server;
    const all = () => [...truths.values()].reduce((sum, { transitions }) => sum + transitions.length, 0);
    const left = () =>
      reader.records.reduce((sum, { type, lost }) => sum + (type === 'GAP' ? (lost?.events ?? 0) : 0), 0);
    const events = () => reader.records.filter(({ cause }) => cause === 'watch').length;
    const isWhole = () => events() + left() === all();
    await stage.until('the reader to catch up', isWhole, 120_000).catch(() => {});
    await program.end('SIGINT');
    const verdict =
      policy === 'block'
        ? reader.judgeAll(truths, program.exitCode)
        : reader.judgeCoalesced(truths, program.exitCode, { isWhole: policy === 'coalesce' });
    const difference = all() - events() - left();
    const uncounted = difference === 0 ? [] : [`${difference} changes are neither printed nor reported as left out`];
    const figures = {
      changes: all(),
      events: events(),
      'reported as left out': left(),
      'peak MB': megabytes(peakOf(program)),
    };
    return { problems: [...verdict.problems, ...uncounted], figures };
  };
}

/** The server forgets its history while 50,000 objects are watched and change. */
const relistUnderChurn: Overload = async ({ root, seed, size }) => {
  const names = Math.ceil((50_000 * size) / 3 / 2);
  await using stage = await Stage.start({ root, seed, names, deleted: 0 });
  await stage.ask({ do: 'fill' });
  const reader = new StreamReader(machineNow);
  const program = await stage.add('stream', WATCH, { take: reader.take });
  await stage.until('the initial lists', () => reader.records.filter(isSynced).length === 2, 120_000);
  using _measured = measuring(program);
  await stage.ask({ do: 'write', perSecond: 200 });
  const relists: number[] = [];
  for (let i = 0; i < 3; i++) {
    await sleep(3_000);
    const before = reader.records.filter(({ type }) => type === 'RELISTED').length;
    const from = machineNow();
    program.proxy.break('reset');
    await sleep(1_000);
    await stage.ask({ do: 'compact' }); // what happened meanwhile cannot be watched any more
    program.proxy.heal();
    const isListed = () => reader.records.filter(({ type }) => type === 'RELISTED').length >= before + 2;
    await stage.until('the new lists', isListed, 60_000);
    relists.push(machineNow() - from);
  }
  await stage.write(200, 2_000);
  const { truths } = stage.server;
  await stage.until('the last change', () => reader.isAtEnd(truths), 60_000).catch(() => {});
  await program.end('SIGINT');
  const { problems, figures } = reader.judgeAll(truths, program.exitCode);
  const objects = names * 6;
  const longest = Math.round(Math.max(...relists));
  return {
    problems,
    figures: { objects, ...figures, 'longest relist ms': longest, 'peak MB': megabytes(peakOf(program)) },
  };
};

/** A program that is stopped for a minute while everything changes. */
const frozenForAMinute: Overload = async ({ root, seed, size }) => {
  await using stage = await Stage.start({ root, seed });
  const reader = new StreamReader(machineNow);
  const program = await stage.add('stream', WATCH, { take: reader.take });
  await stage.until('the initial lists', () => reader.records.filter(isSynced).length === 2, 60_000);
  await stage.write(100, 2_000);
  program.signal('SIGSTOP');
  await stage.write(100, 60_000 * size);
  program.signal('SIGCONT');
  await stage.write(100, 5_000);
  const { truths } = stage.server;
  await stage.until('the last change', () => reader.isAtEnd(truths), 60_000).catch(() => {});
  await program.end('SIGINT');
  return reader.judgeAll(truths, program.exitCode);
};

/** All keys are due at the same moment, each for a program that takes its time. */
const thousandHooks: Overload = async ({ root, seed, size }) => {
  const names = Math.ceil((1_000 * size) / 3);
  await using stage = await Stage.start({ root, seed, names, deleted: 0 });
  await stage.ask({ do: 'fill' });
  const journal = path.join(stage.folder, 'journal.jsonl');
  writeFileSync(journal, '');
  const hook = path.join(stage.folder, 'hook.sh');
  const line =
    '{\\"group\\":\\"g\\",\\"pid\\":0,\\"key\\":\\"%s\\",\\"run\\":%s,\\"what\\":\\"%s\\",\\"mark\\":\\"x\\",\\"at\\":0}\\n';
  const note = (what: string) => `printf "${line}" "$INFORMER_KEY" $$ ${what} >> '${journal}'`;
  writeFileSync(hook, `#!/bin/sh\n${note('start')}\nsleep 0.02\n${note('end')}\n`, { mode: 0o755 });
  const words = ['reconcile', 'configmaps', '-A', '--hook', hook, '--workers', '8'];
  const from = machineNow();
  const program = await stage.add('reconcile', words);
  using _measured = measuring(program);
  const truth = stage.server.truths.get(CONFIG_MAPS);
  const marks = new Map([...(truth ? lastStates(truth) : [])].map(([key]) => [key, 'x']));
  const judged = () => judgeRuns(readJournal(journal), { marks, endedAt: new Map(), seesDeletions: false });
  await stage.until('all hooks', () => judged().problems.length === 0, 180_000).catch(() => {});
  const seconds = Math.round((machineNow() - from) / 1000);
  const most = mostAtOnce(journal);
  await program.end('SIGINT');
  const tooMany = most > 8 ? [`${most} hooks ran at once, and there are 8 workers`] : [];
  const problems = [...judged().problems, ...tooMany];
  return {
    problems,
    figures: { hooks: judged().runs, seconds, 'most at once': most, 'peak MB': megabytes(peakOf(program)) },
  };
};

function mostAtOnce(journal: string): number {
  let open = 0;
  let most = 0;
  for (const { what } of readJournal(journal)) {
    open += what === 'start' ? 1 : -1;
    most = Math.max(most, open);
  }
  return most;
}

/** A serve that has fewer descriptors than clients, and is asked by all of them at once. */
const fewDescriptors: Overload = async ({ root, seed }) => {
  await using stage = await Stage.start({ root, seed });
  await stage.write(300, 500);
  const serve = await stage.add('serve', ['serve', 'configmaps', '-A'], { shell: 'ulimit -n 48' });
  await stage.until('the serve', () => /ready:/.test(serve.stderr), 60_000);
  const clients = await Promise.all(Array.from({ length: 12 }, () => heldConnections(stage.homeOf('serve'), 8)));
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask(stage, serve)));
  for (const client of clients) client.kill('SIGKILL');
  await sleep(1_000);
  const last = await ask(stage, serve);
  const right = lastStates(stage.server.truths.get(CONFIG_MAPS) as never);
  const wrong = answers.filter(({ states }) => states && differences(states, right).length > 0).length;
  const problems = [
    ...(wrong > 0 ? [`${wrong} answers were wrong`] : []),
    ...answers.filter(({ states, text }) => !states && !/^error: /m.test(text)).map(({ text }) => `no reason: ${text}`),
    ...(last.states ? differences(last.states, right) : [`afterwards it does not answer: ${last.text}`]),
    ...(serve.isRunning ? [] : [`the serve has ended: ${serve.stderr.slice(-500)}`]),
  ];
  return {
    problems,
    figures: { answered: answers.filter(({ states }) => states).length, 'of questions': answers.length },
  };
};

/** A process that keeps connections to the socket of a serve open. */
async function heldConnections(home: string, count: number): Promise<ChildProcess> {
  const script = `
    const { connect } = require('node:net');
    const { readdirSync } = require('node:fs');
    const path = require('node:path');
    const find = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const file = path.join(folder, entry.name);
      return entry.isDirectory() ? find(file) : entry.isSocket() ? [file] : [];
    });
    for (const socket of find(process.argv[1]).slice(0, 1))
      for (let i = 0; i < ${count}; i++) connect(socket).on('error', () => {});
    setInterval(() => {}, 1000);
    console.log('ready');`;
  const child = spawn(process.execPath, ['-e', script, home], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child;
}

/** The disk is full while a serve keeps its caches: it says so, and goes on. */
const fullDisk: Overload = async ({ root, seed }) => {
  await using stage = await Stage.start({ root, seed, names: 400 });
  await stage.ask({ do: 'fill' });
  const home = stage.homeOf('serve');
  const disk = path.join(home, 'disk');
  mkdirSync(disk, { recursive: true, mode: 0o700 });
  const run = promisify(execFile);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=200k,mode=0700', 'tmpfs', disk]);
  } catch (error) {
    return { problems: [], figures: {}, skipped: `a small disk cannot be made here: ${String(error).split('\n')[0]}` };
  }
  try {
    const words = ['serve', 'configmaps', '-A', '--persist', '--cache-dir', disk];
    const serve = await stage.add('serve', words);
    await stage.until('the serve', () => /ready:/.test(serve.stderr), 60_000);
    await stage.write(200, 5_000);
    await sleep(2_000);
    const right = lastStates(stage.server.truths.get(CONFIG_MAPS) as never);
    const { states, text } = await ask(stage, serve);
    const isTold = /full|ENOSPC|no space|cannot be (?:kept|written|stored)/i.test(serve.stderr);
    const problems = [
      ...(states ? differences(states, right) : [`it does not answer: ${text}`]),
      ...(isTold ? [] : [`it does not say that the disk is full: ${serve.stderr.slice(-400)}`]),
    ];
    await serve.end('SIGINT');
    return { problems, figures: { objects: right.size } };
  } finally {
    await run('umount', ['-l', disk]).catch(() => {});
  }
};

/** A serve with caches on disk is killed at random moments, and started again. */
const killedAgain: Overload = async ({ root, seed, size }) => {
  await using stage = await Stage.start({ root, seed });
  await stage.write(300, 500);
  const words = ['serve', 'configmaps', '-A', '--persist', '--idle-exit', '10h'];
  const serve = await stage.add('serve', words, { isRestarted: true });
  const kills = Math.ceil(20 * size);
  await stage.ask({ do: 'write', perSecond: 50 });
  let resumed = 0;
  for (let i = 0; i < kills; i++) {
    await sleep(300 + ((i * 7919) % 2_500));
    await serve.replace();
  }
  await stage.write(50, 3_000);
  resumed += serve.stderr.match(/resumed [\d,]+ objects/g)?.length ?? 0;
  await sleep(1_000);
  const right = lastStates(stage.server.truths.get(CONFIG_MAPS) as never);
  let problems = ['it was not asked'];
  const from = machineNow();
  while (problems.length > 0 && machineNow() - from < 30_000) {
    const { states, text } = await ask(stage, serve);
    problems = states ? differences(states, right) : [`it does not answer: ${text}`];
  }
  const isDamaged = /damaged|set aside/.test(serve.stderr) ? ['a stored state was damaged'] : [];
  const files = readdirSync(serve.folder, { recursive: true }).length;
  return { problems: [...problems, ...isDamaged], figures: { kills, 'began with stored objects': resumed, files } };
};

async function ask(
  stage: Stage,
  serve: Program,
): Promise<{ readonly states?: Map<string, ObjectState>; readonly text: string }> {
  const words = [stage.cli, 'query', 'configmaps', '-A', '-o', 'json', '--kubeconfig', serve.kubeconfig];
  const home = stage.homeOf(serve.name);
  const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home, NO_COLOR: '1' };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, words, {
      env,
      maxBuffer: 1e9,
      timeout: 60_000,
    });
    const states = new Map<string, ObjectState>();
    for (const { metadata } of JSON.parse(stdout).items) {
      const { namespace, name, uid, resourceVersion, annotations } = metadata;
      states.set(`${namespace}/${name}`, { uid, version: Number(resourceVersion), mark: annotations?.mark });
    }
    return { states, text: stderr };
  } catch (error) {
    return { text: String((error as { stderr?: string }).stderr ?? error) };
  }
}

function measuring(program: Program): Disposable {
  const timer = setInterval(() => program.measure(), 250);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

export const OVERLOADS: Readonly<Record<string, Overload>> = {
  'a slow reader, --overflow block': slowReader('block'),
  'a slow reader, --overflow coalesce': slowReader('coalesce'),
  'a slow reader, --overflow drop': slowReader('drop'),
  'a relist of 50,000 objects under churn': relistUnderChurn,
  'stopped for a minute (SIGSTOP)': frozenForAMinute,
  '1,000 hooks due at once': thousandHooks,
  'no descriptors left (EMFILE)': fewDescriptors,
  'a full disk': fullDisk,
  'killed and started again (SIGKILL)': killedAgain,
};
