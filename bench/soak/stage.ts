import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { FaultProxy } from './fault-proxy.ts';
import { type Authority, createAuthority, type Identity } from './identities.ts';
import { machineNow, Program, type ProgramOptions } from './program.ts';
import type { Answer, Order } from './protocol.ts';
import { RealServer } from './real-server.ts';
import { type ServerOptions, SoakServer } from './soak-server.ts';

export interface StageOptions extends Omit<ServerOptions, 'library'> {
  /** The folder of the package, built. */
  readonly root: string;
  /** Of a cluster that takes the place of the sandbox. */
  readonly kubeconfig?: string | undefined;
}

type AddOptions = Partial<Pick<ProgramOptions, 'user' | 'env' | 'terminal' | 'isRestarted' | 'shell'>> & {
  /** Takes what the program prints. */
  readonly take?: (text: string) => void;
};

/** A server, and programs that use it, each behind a network of its own. All of it ends with `stop`. */
export class Stage implements AsyncDisposable {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'soak-'));
  readonly programs: Program[] = [];
  readonly server: SoakServer | RealServer;
  readonly authority: Authority;
  readonly cli: string;
  readonly #identity: Identity;
  #answer: Answer = { tokens: { administrator: '', reader: '' }, port: 0, version: 0 };

  private constructor(root: string, server: Stage['server'], authority: Authority, identity: Identity) {
    this.server = server;
    this.cli = path.join(root, 'bin', 'run.js');
    this.authority = authority;
    this.#identity = identity;
  }

  static async start(options: StageOptions): Promise<Stage> {
    const { root, kubeconfig, seed } = options;
    const authority = await createAuthority();
    const server = kubeconfig
      ? await RealServer.start(kubeconfig, seed)
      : new SoakServer({ ...options, library: path.join(root, 'dist', 'sandbox.js') });
    const stage = new Stage(root, server, authority, await authority.issue());
    await stage.ask({ do: 'report' });
    return stage;
  }

  get tokens(): Answer['tokens'] {
    return this.#answer.tokens;
  }

  async ask(order: Order): Promise<void> {
    this.#answer = await this.server.ask(order);
  }

  /** Writes that many changes a second for a time, and then nothing. Resolves when all of them are known here. */
  async write(perSecond: number, ms: number): Promise<void> {
    await this.ask({ do: 'write', perSecond });
    await sleep(ms);
    await this.ask({ do: 'write', perSecond: 0 });
    await sleep(100);
    await this.ask({ do: 'report' });
  }

  /** Starts a program in a home of its own, with a wall clock that {@link jumpClock} moves. */
  async add(name: string, words: readonly string[], { take, ...options }: AddOptions = {}): Promise<Program> {
    const target =
      this.server instanceof RealServer ? this.server.target : { host: '127.0.0.1', port: this.#answer.port };
    const proxy = await FaultProxy.start(target, this.#identity);
    const home = this.homeOf(name);
    mkdirSync(home, { mode: 0o700, recursive: true });
    const clock = pathToFileURL(path.join(import.meta.dirname, 'clock-jump.mjs')).href;
    const env = { ...options.env, SOAK_CLOCK: this.#clockFile, NODE_OPTIONS: `--import=${clock}` };
    const user = options.user ?? 'administrator';
    const all = { ...options, user, name, cli: this.cli, words, folder: home, proxy, ca: this.authority.ca, env };
    const program = new Program(all, this.tokens[user], (child) => {
      if (take) child.stdout?.setEncoding('utf8').on('data', take);
      else child.stdout?.resume();
    });
    this.programs.push(program);
    return program;
  }

  program(name: string): Program {
    const found = this.programs.find((program) => program.name === name);
    if (!found) throw new Error(`there is no program ${name}`);
    return found;
  }

  homeOf(name: string): string {
    return path.join(this.folder, name);
  }

  /** The wall clock of all programs is that far ahead of the machine's from now on. */
  jumpClock(ms: number): void {
    writeFileSync(this.#clockFile, String(ms));
  }

  get #clockFile(): string {
    return path.join(this.folder, 'clock');
  }

  /** Rejects when it takes longer than `ms`, and when a program has ended that `mayEnd` does not name. */
  async until(
    what: string,
    condition: () => boolean | Promise<boolean>,
    ms: number,
    mayEnd: (program: Program) => boolean = () => false,
  ): Promise<void> {
    const from = machineNow();
    while (!(await condition())) {
      if (machineNow() - from > ms) throw new Error(`waited for ${what} for longer than ${ms} ms`);
      const ended = this.programs.find((program) => program.isOver && !mayEnd(program));
      if (ended) throw new Error(`${ended.name} has ended: ${ended.stderr.slice(-2_000)}`);
      await sleep(250);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.programs) program.signal('SIGCONT');
    await Promise.all(this.programs.map((program) => program.end('SIGKILL')));
    await Promise.all(this.programs.map(({ proxy }) => proxy.stop()));
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
