import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { node, type Programs } from './programs.ts';
import { ended, type ShardServer, startShardServer } from './shard-server.ts';

export interface SharedWorkOptions {
  readonly keys: number;
  readonly replicas: number;
  readonly shards: number;
  readonly workers: number;
  /** How long the hook waits for each key, ms. */
  readonly hookMs: number;
}

/** What replicas that share the keys did. */
export interface SharedWork {
  /** Keys a second of one replica, and of all of them together. */
  readonly alone: number;
  readonly together: number;
  /** From the kill of a replica to the first and to the last run of its keys elsewhere, seconds. */
  readonly takenFirst: number;
  readonly takenAll: number;
  /** How many keys it had. */
  readonly taken: number;
}

/** Measures `reconcile --shards` as processes: the rate of one replica and of several, and a replica that is killed. */
export async function sharedWork(programs: Programs, options: SharedWorkOptions): Promise<SharedWork> {
  await using server = await startShardServer(programs, { pods: options.keys, isSharding: true });
  const alone = await rateOf(programs, server, { ...options, replicas: 1 }, 'alone');
  const together = await rateOf(programs, server, options, 'together');
  return { alone: alone.rate, together: together.rate, ...together.takeover };
}

interface Rate {
  readonly rate: number;
  readonly takeover: Pick<SharedWork, 'takenFirst' | 'takenAll' | 'taken'>;
}

async function rateOf(
  { cli }: Programs,
  server: ShardServer,
  { keys, replicas, shards, workers, hookMs }: SharedWorkOptions,
  name: string,
): Promise<Rate> {
  const runs = new Runs(server.folder, name);
  const hook = path.join(import.meta.dirname, 'runners', 'shard-hook.mjs');
  const lease = ['--leader-elect-namespace', 'default', '--leader-elect-lease-name', name];
  const { command, args } = node(
    cli,
    ...['reconcile', 'pods', '-A', '--hook', hook, '--shards', shards, '--workers', workers, ...lease],
  );
  const env = {
    PATH: process.env.PATH,
    HOME: server.folder,
    KUBECONFIG: server.kubeconfig,
    KUBECTL_INFORMER_BENCH_RUNS: runs.prefix,
    KUBECTL_INFORMER_BENCH_WAIT_MS: String(hookMs),
  };
  const all = Array.from({ length: replicas }, () => new Replica(command, args, env));
  try {
    await until(() => all.every(({ held }) => held === shards / replicas), 'each replica has its shards');
    await until(() => new Set(runs.all().map(({ key }) => key)).size === keys && runs.isQuiet, 'all keys have run');
    const at = Date.now();
    await server.change(keys);
    const since = () => runs.all().filter((run) => run.at >= at);
    await until(() => new Set(since().map(({ key }) => key)).size === keys, 'all changes have run');
    const last = Math.max(...since().map((run) => run.at));
    const rate = keys / ((last - at) / 1000);
    return { rate, takeover: replicas === 1 ? NOTHING : await takeover(all, runs) };
  } finally {
    await Promise.all(all.map(({ child }) => ended(child)));
  }
}

const NOTHING = { takenFirst: Number.NaN, takenAll: Number.NaN, taken: 0 };

/** Kills the first replica, and waits until others have run each of its keys. */
async function takeover([first]: readonly Replica[], runs: Runs): Promise<Rate['takeover']> {
  if (!first) return NOTHING;
  await until(() => runs.isQuiet, 'nothing runs');
  const owners = new Map(runs.all().map(({ key, pid }) => [key, pid]));
  const own = new Set([...owners].filter(([, pid]) => pid === first.child.pid).map(([key]) => key));
  const at = Date.now();
  await ended(first.child, 'SIGKILL');
  const since = () => runs.all().filter((run) => run.at >= at && own.has(run.key) && run.pid !== first.child.pid);
  await until(() => new Set(since().map(({ key }) => key)).size === own.size, 'its keys have run elsewhere');
  const firstRuns = new Map<string, number>();
  for (const run of since()) if (!firstRuns.has(run.key)) firstRuns.set(run.key, run.at);
  const times = [...firstRuns.values()].map((each) => (each - at) / 1000);
  return { takenFirst: Math.min(...times), takenAll: Math.max(...times), taken: own.size };
}

/** A process of `reconcile --shards`, and how many shards it last said that it has. */
class Replica {
  readonly child: ChildProcess;
  #stderr = '';

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(command, [...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.child.once('exit', (code) => {
      if (code !== null && code !== 0) console.error(`a replica ended with ${code}:\n${this.#stderr}`);
    });
  }

  get held(): number {
    const words = [...this.#stderr.matchAll(/has (?:all|shards?) ([\d, -]+) of \d+/g)].at(-1)?.[1] ?? '';
    return words.split(',').reduce((sum, range) => {
      const [from, to = from] = range.trim().split('-').map(Number);
      return from === undefined || to === undefined || Number.isNaN(from) ? sum : sum + to - from + 1;
    }, 0);
  }
}

interface Run {
  readonly at: number;
  readonly key: string;
  readonly pid: number;
}

/** How long nothing has run when all is done, ms. */
const QUIET_MS = 1500;

/** What the hooks of all replicas have written, in the order of time. */
class Runs {
  readonly prefix: string;
  readonly #folder: string;
  readonly #name: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
    this.prefix = path.join(folder, name);
  }

  all(): Run[] {
    const files = readdirSync(this.#folder).filter((file) => new RegExp(`^${this.#name}-\\d+$`).test(file));
    return files
      .flatMap((file) => {
        const pid = Number(file.split('-').at(-1));
        const lines = readFileSync(path.join(this.#folder, file), 'utf8').split('\n').slice(0, -1);
        return lines.map((line) => {
          const [at = '', key = ''] = line.split(' ');
          return { at: Number(at), key, pid };
        });
      })
      .sort((a, b) => a.at - b.at);
  }

  get isQuiet(): boolean {
    return Date.now() - (this.all().at(-1)?.at ?? Date.now()) > QUIET_MS;
  }
}

/** How long one step may take, ms. */
const PATIENCE_MS = 180_000;

async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
