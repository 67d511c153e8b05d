import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RandomSource, seededRandom } from '../../src/kit/random.ts';
import { Api } from './api.ts';
import type { Doubled } from './journal.ts';
import { Replica } from './replica.ts';
import { TYPE, World } from './world.ts';

export const KINDS = ['kill', 'freeze', 'reset', 'black hole', 'end', 'add or remove'] as const;
export type FaultKind = (typeof KINDS)[number];

export interface ChaosOptions {
  /** The built program. */
  readonly cli: string;
  /** Words of `reconcile` that say how the replicas work together: `--leader-elect`, or `--shards 8`. */
  readonly words: readonly string[];
  readonly replicas: number;
  readonly faults: number;
  readonly seed: number;
  /** Kinds of faults. Default: all, without `add or remove` where there are only two replicas. */
  readonly kinds?: readonly FaultKind[] | undefined;
  /** Whether the hook is a module or a program. */
  readonly hook: 'module' | 'program';
  readonly keys: number;
  readonly changesPerSecond: number;
  readonly leaseDurationMs: number;
  /** Words of `sandbox`, such as `--feature-gates`. */
  readonly sandbox?: readonly string[];
  /** The kubeconfig of a server that is there. Default: a sandbox of its own. */
  readonly kubeconfig?: string | undefined;
  readonly say?: (line: string) => void;
}

export interface ChaosReport {
  readonly faults: Readonly<Record<string, number>>;
  readonly changes: number;
  readonly runs: number;
  readonly completed: number;
  /** Keys that two processes had at once. */
  readonly doubled: readonly Doubled[];
  /** Keys whose last change no run saw to its end, when all faults were over. */
  readonly lost: readonly string[];
  /** From a fault until each key of the struck replica ran elsewhere, ms, by kind. */
  readonly takeovers: Readonly<Record<string, readonly number[]>>;
  /** From a change until the end of a run that had seen it, ms. */
  readonly waits: readonly number[];
  /** Ends of processes that nothing asked for, with what they said. */
  readonly ends: readonly string[];
  /** What ended it before all faults were over. */
  readonly failure: string | undefined;
}

/** How long keys may take to run elsewhere before that is given up and counted as it is, ms. */
const LONGEST_TAKEOVER_MS = 30_000;
/** How long all keys may take to be done after the last fault, ms. */
const LONGEST_QUIET_MS = 60_000;
const POLL_MS = 20;

/** Strikes replicas one after the other, while objects change, and reads from the server's record what they did. */
export async function strikeReplicas(options: ChaosOptions): Promise<ChaosReport> {
  const folder = mkdtempSync(path.join(tmpdir(), 'replicas-'));
  const ending = new AbortController();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const kubeconfig = options.kubeconfig ?? (await startSandbox(options, folder, stack));
  const api = new Api(kubeconfig);
  stack.defer(() => api.close());
  const chaos = new Chaos(options, { folder, kubeconfig, api });
  stack.defer(() => chaos.stop());
  stack.defer(() => ending.abort());
  return await chaos.run(ending.signal);
}

interface Place {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly api: Api;
}

class Chaos {
  readonly #options: ChaosOptions;
  readonly #place: Place;
  readonly #random: RandomSource;
  readonly #world: World;
  readonly #replicas: Replica[] = [];
  readonly #leaving: Promise<unknown>[] = [];
  readonly #takeovers: Record<string, number[]> = {};
  readonly #faults: Record<string, number> = {};
  readonly #ends: string[] = [];
  readonly #failed = Promise.withResolvers<never>();
  #started = 0;

  constructor(options: ChaosOptions, place: Place) {
    this.#options = options;
    this.#place = place;
    this.#random = seededRandom(options.seed);
    const { keys } = options;
    this.#world = new World(place.api, { keys, namespaces: 8, random: seededRandom(options.seed + 1) });
    this.#failed.promise.catch(() => {});
  }

  async run(signal: AbortSignal): Promise<ChaosReport> {
    try {
      await this.#strikeAll(signal);
    } catch (error) {
      return this.#report(String(error)); // what was seen until then counts
    }
    return this.#report(undefined);
  }

  async #strikeAll(signal: AbortSignal): Promise<void> {
    const { replicas, faults, changesPerSecond } = this.#options;
    await this.#world.begin(signal, this.#failed.reject);
    for (let i = 0; i < replicas; i++) await this.#add();
    await this.#until('all replicas to take part', () => this.#replicas.every(({ isReady }) => isReady));
    const calm = new AbortController();
    const changing = this.#world.change(changesPerSecond, calm.signal).catch(this.#failed.reject);
    for (let i = 0; i < faults; i++) {
      await this.#until('replicas that a fault may strike', () => this.#mayStrike);
      await this.#strike(i + 1, this.#kind(i));
    }
    await this.#until('the end of all faults', () => this.#replicas.every(({ isStruck }) => !isStruck));
    calm.abort();
    await changing;
    const from = performance.now();
    while (this.#world.unfinished().length > 0 && performance.now() - from < LONGEST_QUIET_MS) await sleep(POLL_MS);
  }

  async stop(): Promise<void> {
    for (const replica of this.#replicas) replica.signal('SIGCONT');
    await Promise.all([...this.#leaving, ...this.#replicas.map((each) => each.end('SIGKILL', { isRemoved: true }))]);
  }

  /** One replica may be under a fault while the next one is struck, if others are left. */
  get #mayStrike(): boolean {
    return this.#replicas.filter(({ isReady }) => isReady).length >= Math.max(2, this.#replicas.length - 1);
  }

  #kind(i: number): FaultKind {
    const { kinds = KINDS, replicas } = this.#options;
    const possible = kinds.filter((kind) => replicas > 2 || kind !== 'add or remove');
    // each kind once, in an order of its own, and then again
    const round = seededRandom(this.#options.seed * 1_000 + Math.floor(i / possible.length));
    const order = possible.map((kind) => ({ kind, at: round() })).sort((a, b) => a.at - b.at);
    return order[i % possible.length]?.kind ?? 'kill';
  }

  async #strike(number: number, kind: FaultKind): Promise<void> {
    const { say = () => {}, replicas } = this.#options;
    await sleep(this.#random() * 1_000);
    this.#faults[kind] = (this.#faults[kind] ?? 0) + 1;
    if (kind === 'add or remove' && this.#replicas.length <= replicas) {
      await this.#add();
      say(`${number} add: ${this.#replicas.length} replicas`);
      return;
    }
    const victim = this.#victim();
    const pid = String(victim.pid);
    const keys = new Set(this.#world.present(this.#world.journal.keysOf(pid)));
    const count = keys.size;
    const from = performance.now();
    let returned = 0;
    using _seen = this.#world.journal.follow(({ key, replica, what, at }) => {
      const isElsewhere = replica !== pid;
      // a replica that is back may get again what it lost
      if (what !== 'start' || !(isElsewhere || at - from > this.#options.leaseDurationMs)) return;
      if (keys.delete(key) && !isElsewhere) returned++;
    });
    victim.isStruck = true;
    const over = this.#apply(kind, victim).then(() => {
      victim.isStruck = false;
    });
    over.catch(this.#failed.reject);
    while (keys.size > 0 && performance.now() - from < LONGEST_TAKEOVER_MS) {
      await sleep(POLL_MS);
      const present = new Set(this.#world.present([...keys]));
      for (const key of keys) if (!present.has(key)) keys.delete(key);
    }
    const ms = Math.round(performance.now() - from);
    const back = returned === 0 ? '' : `, ${returned} of them there`;
    const rest = keys.size === 0 ? '' : `, and ${[...keys].join(', ')} did not`;
    say(`${number} ${kind} ${victim.name}: ${count} keys ran again after ${ms} ms${back}${rest}`);
    if (count > 0) this.#takeovers[kind] = [...(this.#takeovers[kind] ?? []), ms];
  }

  /** Begins a fault, and resolves when it is over. */
  async #apply(kind: FaultKind, victim: Replica): Promise<void> {
    const { leaseDurationMs } = this.#options;
    const lastsMs = leaseDurationMs * (1.2 + this.#random());
    if (kind === 'kill') await victim.end('SIGKILL');
    else if (kind === 'end') await victim.end('SIGTERM');
    else if (kind === 'add or remove') {
      this.#replicas.splice(this.#replicas.indexOf(victim), 1);
      await victim.end('SIGTERM', { isRemoved: true });
    } else if (kind === 'freeze') {
      victim.signal('SIGSTOP');
      await sleep(lastsMs);
      victim.signal('SIGCONT');
    } else {
      victim.proxy.cut(kind);
      await sleep(lastsMs);
      victim.proxy.heal();
    }
  }

  /** Mostly one that works; with one leader the others have nothing that could be taken over. */
  #victim(): Replica {
    const ready = this.#replicas.filter(({ isReady }) => isReady);
    const working = ready.filter(({ pid }) => this.#world.journal.keysOf(String(pid)).length > 0);
    const among = working.length > 0 && this.#random() < 0.8 ? working : ready;
    return among[Math.floor(this.#random() * among.length)] as Replica;
  }

  async #add(): Promise<void> {
    const { cli, words, hook, say = () => {} } = this.#options;
    const { folder, kubeconfig, api } = this.#place;
    const name = `replica-${++this.#started}`;
    const own = [TYPE, '-A', '--allow-write', '--max-writes', '100000/m', '--workers', '4', '--retry-max', '1s'];
    const lease = ['--leader-elect-namespace', 'journal', '--leader-elect-lease-name', 'chaos'];
    const file = hookFile(hook, { folder, name });
    const replica = await Replica.start({
      name,
      folder,
      kubeconfig,
      server: api.url,
      cli,
      words: [...own, '--hook', file, '--finalizer', 'example.com/chaos', ...lease, ...words],
      onUnexpectedEnd: ({ name: which }, reason) => {
        this.#ends.push(`${which} ended with ${reason}`);
        say(`  ${which} ended with ${reason}`);
        if (reason.startsWith('2:')) this.#failed.reject(new Error(reason)); // the words are wrong
      },
    });
    this.#replicas.push(replica);
  }

  #report(failure: string | undefined): ChaosReport {
    const { journal, changes, waits } = this.#world;
    const { runs, completed, doubled } = journal;
    const lost = this.#world.unfinished();
    const [takeovers, faults, ends] = [this.#takeovers, this.#faults, this.#ends];
    return { faults, changes, runs, completed, doubled, lost, takeovers, waits, ends, failure };
  }

  async #until(what: string, condition: () => boolean): Promise<void> {
    const from = performance.now();
    await Promise.race([this.#failed.promise, sleep(0)]);
    while (!condition()) {
      if (performance.now() - from > LONGEST_QUIET_MS) throw new Error(`waited for ${what} for too long`);
      await Promise.race([sleep(POLL_MS), this.#failed.promise]);
    }
  }
}

/** The hook of a replica. A program has the place of its kubeconfig in itself. */
function hookFile(hook: ChaosOptions['hook'], { folder, name }: { folder: string; name: string }): string {
  if (hook === 'module') return path.join(import.meta.dirname, 'hook.mjs');
  const program = path.join(folder, 'hook-program.mjs');
  if (!existsSync(program)) copyFileSync(path.join(import.meta.dirname, 'hook-program.mjs'), program);
  const file = path.join(folder, `${name}.sh`);
  const config = path.join(folder, `${name}.kubeconfig`);
  // exec: the process is the child of the replica
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' '${config}'\n`, { mode: 0o755 });
  return file;
}

async function startSandbox(options: ChaosOptions, folder: string, stack: AsyncDisposableStack): Promise<string> {
  const file = path.join(folder, 'kubeconfig');
  const words = ['sandbox', '-q', '--kubeconfig', file, ...(options.sandbox ?? [])];
  const child: ChildProcess = spawn(process.execPath, [options.cli, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let isOver = false;
  child.once('exit', (code, signal) => isOver || options.say?.(`the sandbox ended with ${code ?? signal}`));
  stack.defer(async () => {
    isOver = true;
    child.kill('SIGKILL');
    await ended;
  });
  await Promise.race([
    new Promise((resolve) => child.stdout?.once('data', resolve)),
    ended.then(() => Promise.reject(new Error('the sandbox has ended'))),
  ]);
  return file;
}
