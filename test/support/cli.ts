import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { OWN_CACHE } from './own-cache.ts';

const RUN = path.resolve(import.meta.dirname, '../../bin/run.js');

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  env?: NodeJS.ProcessEnv | undefined;
  input?: string | undefined;
  cwd?: string | undefined;
  /** The script that runs the commands. Default: the program as it is installed. */
  script?: string | undefined;
  /** A program that is run in place of Node and the script. */
  program?: string | undefined;
}

/** The built program as a child process, with what it printed so far and a way to wait for more. */
export class Cli {
  readonly child: ChildProcess;
  readonly #ended: Promise<Finished>;
  #stdout = '';
  #stderr = '';
  readonly #watchers = new Set<() => void>();

  constructor(args: readonly string[], options: CliOptions = {}) {
    const line = options.program === undefined ? [process.execPath, options.script ?? RUN] : [options.program];
    const [program = '', ...words] = [...line, ...args];
    this.child = spawn(program, words, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, XDG_CACHE_HOME: OWN_CACHE, NO_COLOR: '1', ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      cwd: options.cwd,
    });
    this.child.stdin?.end(options.input);
    this.child.stdout?.setEncoding('utf8').on('data', (text) => this.#heard(() => (this.#stdout += text)));
    this.child.stderr?.setEncoding('utf8').on('data', (text) => this.#heard(() => (this.#stderr += text)));
    this.#ended = once(this.child, 'close').then(([code, signal]) => {
      this.#heard(() => {});
      return { code, signal, stdout: this.#stdout, stderr: this.#stderr };
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get lines(): string[] {
    return this.#stdout.split('\n').slice(0, -1);
  }

  /** The JSON lines printed so far. */
  events<T = Record<string, unknown>>(): T[] {
    return this.lines.map((line) => JSON.parse(line) as T);
  }

  /**
   * Resolves when `condition` holds, which is asked after each output, and now and then for what it reads elsewhere;
   * rejects, with all output, when the program ends first.
   */
  async until(condition: (cli: Cli) => boolean, what = 'the condition'): Promise<void> {
    while (!condition(this)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        const { code, signal, stdout, stderr } = await this.#ended;
        if (condition(this)) return;
        throw new Error(`ended (${code ?? signal}) before ${what}\n--- stdout\n${stdout}\n--- stderr\n${stderr}`);
      }
      await new Promise<void>((resolve) => {
        const heard = () => {
          this.#watchers.delete(heard);
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(heard, 100);
        this.#watchers.add(heard);
      });
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  ended(): Promise<Finished> {
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.#ended;
  }

  #heard(take: () => void): void {
    take();
    for (const watcher of [...this.#watchers]) watcher();
  }
}

/** Runs the built program to its end. */
export async function run(args: readonly string[], options?: CliOptions): Promise<Finished> {
  await using cli = new Cli(args, options);
  return await cli.ended();
}
