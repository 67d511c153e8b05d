import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FaultProxy } from './fault-proxy.ts';

export interface ProgramOptions {
  readonly name: string;
  /** The built program. */
  readonly cli: string;
  readonly words: readonly string[];
  readonly folder: string;
  readonly proxy: FaultProxy;
  readonly ca: string;
  /** Whose token it has: of one whose rights come and go, or of the administrator, whose token changes. */
  readonly user: 'reader' | 'administrator';
  readonly env?: NodeJS.ProcessEnv;
  /** Whether it is started again when it ends by itself, as a Deployment does. */
  readonly isRestarted?: boolean;
  /** Words of a shell before the program is run, such as `ulimit -n 40`. */
  readonly shell?: string;
  /** Whether it has a terminal of its own, of this size, by script(1). */
  readonly terminal?: { readonly rows: number; readonly columns: number };
}

/** Memory and descriptors of a process at one moment. */
export interface Usage {
  readonly at: number;
  readonly rss: number;
  readonly descriptors: number;
}

/** The monotonic time that all processes of the machine share, ms. */
export function machineNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** How long a process that has ended is left alone before the next one is started, ms. */
const RESTART_MS = 300;

/** A process of the built program behind a network of its own. */
export class Program {
  readonly name: string;
  readonly proxy: FaultProxy;
  readonly user: ProgramOptions['user'];
  readonly #options: ProgramOptions;
  readonly #kubeconfig: string;
  readonly usage: Usage[] = [];
  /** When its processes ended, on the clock of the machine, by process id. */
  readonly ended = new Map<number, number>();
  /** Why processes ended by themselves that were started again. */
  readonly restarts: string[] = [];
  child: ChildProcess;
  stderr = '';
  exitCode: number | null = null;
  #closed: Promise<void> = Promise.resolve();
  #isWanted = true;
  #onStart: (child: ChildProcess) => void = () => {};

  constructor(options: ProgramOptions, token: string, onStart: (child: ChildProcess) => void = () => {}) {
    this.#options = options;
    this.name = options.name;
    this.proxy = options.proxy;
    this.user = options.user;
    this.#kubeconfig = path.join(options.folder, `${options.name}.kubeconfig`);
    this.#onStart = onStart;
    this.logIn(token);
    this.child = this.#start();
  }

  /** Writes a token into its kubeconfig, as a program that renews a login does. */
  logIn(token: string): void {
    const { ca, proxy } = this.#options;
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'soak',
          cluster: {
            server: `https://127.0.0.1:${proxy.port}`,
            'certificate-authority-data': Buffer.from(ca).toString('base64'),
          },
        },
      ],
      users: [{ name: 'soak', user: { token } }],
      contexts: [{ name: 'soak', context: { cluster: 'soak', user: 'soak' } }],
      'current-context': 'soak',
    };
    writeFileSync(`${this.#kubeconfig}.new`, JSON.stringify(config), { mode: 0o600 });
    renameSync(`${this.#kubeconfig}.new`, this.#kubeconfig);
  }

  get folder(): string {
    return this.#options.folder;
  }

  get kubeconfig(): string {
    return this.#kubeconfig;
  }

  /** Whether it ended, and nothing will start it again. */
  get isOver(): boolean {
    return !this.isRunning && !(this.#options.isRestarted && this.#isWanted);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Resolves when it has ended. */
  async end(signal: NodeJS.Signals = 'SIGINT', patienceMs = 15_000): Promise<void> {
    this.#isWanted = false;
    if (this.isRunning) this.child.kill(signal);
    const timer = setTimeout(() => this.child.kill('SIGKILL'), patienceMs);
    await this.#closed;
    clearTimeout(timer);
  }

  /** Kills it, and starts another one. */
  async replace(): Promise<void> {
    await this.end('SIGKILL');
    this.#isWanted = true;
    this.child = this.#start();
  }

  /** Notes what it uses now. Without /proc nothing is noted. */
  measure(): void {
    const { pid } = this.child;
    const usage = usageOf(this.#options.terminal ? childOf(pid) : pid);
    if (usage) this.usage.push(usage);
  }

  #start(): ChildProcess {
    const { cli, words, folder, env, terminal, shell } = this.#options;
    const own = [process.execPath, cli, ...words, '--kubeconfig', this.#kubeconfig];
    const limited = shell === undefined ? own : ['bash', '-c', `${shell}; exec ${quoted(own)}`];
    const [file = '', ...args] = terminal ? inTerminal(limited, terminal) : limited;
    const child = spawn(file, args, {
      env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder, NO_COLOR: '1', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-200_000);
      if (process.env.SOAK_TRACE) process.stderr.write(text.replaceAll(/^/gm, `  ${this.name}| `));
    });
    child.stdin?.on('error', () => {});
    this.#closed = new Promise((resolve) => {
      child.once('error', (error) => {
        this.stderr += String(error);
        resolve();
      });
      child.once('close', (code) => {
        this.exitCode = code;
        this.ended.set(child.pid ?? 0, machineNow());
        resolve();
        if (!this.#options.isRestarted || !this.#isWanted) return;
        this.restarts.push(/^error: .*/m.exec(this.stderr.slice(-1_000))?.[0] ?? `exit code ${code}`);
        setTimeout(() => {
          if (this.#isWanted) this.child = this.#start();
        }, RESTART_MS);
      });
    });
    this.#onStart(child);
    return child;
  }
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');

function inTerminal(words: readonly string[], { rows, columns }: { rows: number; columns: number }): string[] {
  const command = `stty rows ${rows} cols ${columns}; exec ${quoted(words)}`;
  return ['script', '--quiet', '--return', '--flush', '--command', command, '/dev/null'];
}

/** The process that script(1) runs. */
function childOf(pid: number | undefined): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]) || undefined;
  } catch {
    return undefined;
  }
}

function usageOf(pid: number | undefined): Usage | undefined {
  try {
    const rss = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (rss === undefined) return undefined;
    return { at: machineNow(), rss: Number(rss) * 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
}
