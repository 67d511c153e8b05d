import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CuttingProxy } from './cutting-proxy.ts';

export interface ReplicaOptions {
  readonly name: string;
  readonly folder: string;
  /** The kubeconfig of the server. */
  readonly kubeconfig: string;
  readonly server: URL;
  /** The built program. */
  readonly cli: string;
  /** The words after `reconcile`; `KUBECONFIG` stands for the file of this replica. */
  readonly words: readonly string[];
  /** Called with the reason when the process ends and was not asked to. */
  onUnexpectedEnd(replica: Replica, reason: string): void;
}

/** How long a process that has ended is left alone before the next one is started, ms. */
const RESTART_MS = 300;
const READY = /leads: has the lease|waits for the lease|has (?:no )?shards? /;

/** One replica: a process that is started again when it ends, behind a network of its own. */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly proxy: CuttingProxy;
  readonly #kubeconfig: string;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #said = '';
  #isReady = false;
  #isWanted = true;
  #isExpected = false;
  /** Whether a fault is under way. */
  isStruck = false;

  private constructor(options: ReplicaOptions, proxy: CuttingProxy) {
    this.#options = options;
    this.proxy = proxy;
    this.#kubeconfig = path.join(options.folder, `${options.name}.kubeconfig`);
    const text = readFileSync(options.kubeconfig, 'utf8');
    writeFileSync(this.#kubeconfig, text.replace(options.server.host, `127.0.0.1:${proxy.port}`), { mode: 0o600 });
  }

  static async start(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(options, await CuttingProxy.start(options.server));
    replica.#run();
    return replica;
  }

  get name(): string {
    return this.#options.name;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Whether it takes part, and no fault is under way. */
  get isReady(): boolean {
    return this.#isReady && !this.isStruck;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Ends it with a signal, and waits for the end. It is started again unless it is removed. */
  async end(signal: 'SIGKILL' | 'SIGTERM', { isRemoved = false } = {}): Promise<void> {
    this.#isExpected = true;
    this.#isWanted &&= !isRemoved;
    this.signal(signal);
    await this.#ended;
    if (isRemoved) await this.proxy.stop();
  }

  #run(): void {
    const { cli, words } = this.#options;
    const args = words.map((word) => word.replaceAll('KUBECONFIG', this.#kubeconfig));
    const child = spawn(process.execPath, [cli, 'reconcile', ...args, '--kubeconfig', this.#kubeconfig], {
      env: { PATH: process.env.PATH, HOME: this.#options.folder, NO_COLOR: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    this.#said = '';
    this.#isReady = false;
    this.#isExpected = false;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-4_000);
      this.#isReady ||= READY.test(this.#said);
      if (process.env.REPLICAS_TRACE) process.stderr.write(text.replaceAll(/^/gm, `  ${this.name}| `));
    });
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#isReady = false;
        resolve();
        const last = /^error: .*/m.exec(this.#said)?.[0] ?? this.#said.trim().split('\n').at(-1) ?? '';
        if (!this.#isExpected) this.#options.onUnexpectedEnd(this, `${code ?? signal}: ${last}`);
        void setTimeout(RESTART_MS).then(() => this.#isWanted && this.#run());
      });
    });
  }
}
