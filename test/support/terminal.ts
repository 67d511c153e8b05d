import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { OWN_CACHE } from './own-cache.ts';

const RUN = path.resolve(import.meta.dirname, '../../bin/run.js');

/**
 * Where util-linux's script(1) lies, which makes pseudo-terminals; Node cannot. BSD's (macOS) takes other arguments.
 */
export const PTY_MAKER =
  process.platform === 'linux' ? ['/usr/bin/script', '/bin/script'].find((file) => existsSync(file)) : undefined;

/** Why tests that need a pseudo-terminal are skipped; undefined when they are not. */
export const NO_PTY = PTY_MAKER === undefined ? 'no script(1) of util-linux here to make a pseudo-terminal' : undefined;

export interface TerminalOptions {
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly columns?: number;
  readonly rows?: number;
}

/** The built program on a pseudo-terminal, on which stdout and stderr are one, as a person has it. */
export class Terminal {
  readonly child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #watchers = new Set<() => void>();
  #text = '';

  constructor(args: readonly string[], { env, columns = 80, rows = 24 }: TerminalOptions = {}) {
    const quoted = [process.execPath, RUN, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const command = `stty rows ${rows} cols ${columns}; echo "on $(tty) as $$"; exec ${quoted}`;
    this.child = spawn(PTY_MAKER ?? 'script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        XDG_CACHE_HOME: OWN_CACHE,
        TERM: 'xterm-256color',
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.#text += text;
      for (const watcher of [...this.#watchers]) watcher();
    });
    this.#ended = once(this.child, 'close').then(([code]) => {
      for (const watcher of [...this.#watchers]) watcher();
      return code;
    });
  }

  /** All that came, control sequences included, after the line that names the terminal. */
  get text(): string {
    return this.#text.replace(/^on \S+ as \d+\r?\n/, '');
  }

  /** Resolves when what came satisfies `condition`; rejects when the program ends first. */
  async until(condition: (text: string) => boolean, what: string): Promise<void> {
    while (!condition(this.text)) {
      if (this.child.exitCode !== null) throw new Error(`ended (${this.child.exitCode}) before ${what}\n${this.#text}`);
      await new Promise<void>((resolve) => {
        const heard = () => {
          this.#watchers.delete(heard);
          resolve();
        };
        this.#watchers.add(heard);
      });
    }
  }

  /** Types: `\x03` is Ctrl-C. */
  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** Sends the program a signal that no key makes. */
  kill(signal: NodeJS.Signals): void {
    process.kill(Number(/^on \S+ as (\d+)/.exec(this.#text)?.[1]), signal);
  }

  /** Whether the program is stopped, and script(1) with it. */
  get isStopped(): boolean {
    const pid = /^on \S+ as (\d+)/.exec(this.#text)?.[1];
    const state = (of: string | number | undefined) =>
      /^State:\s+(\w)/m.exec(readFileSync(`/proc/${of}/status`, 'utf8'))?.[1];
    return state(pid) === 'T' && state(this.child.pid) === 'T';
  }

  /** Lets a stopped program go on. script(1) stops with it, and wakes it. */
  goOn(): void {
    this.child.kill('SIGCONT');
  }

  async resize(columns: number, rows: number): Promise<void> {
    const device = /^on (\S+)/.exec(this.#text)?.[1] ?? '';
    await promisify(execFile)('stty', ['-F', device, 'rows', String(rows), 'cols', String(columns)]);
  }

  /** The exit code. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null) this.child.kill('SIGKILL');
    await this.#ended;
  }
}
