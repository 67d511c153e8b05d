import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../../src/testing/index.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * A folder with a `kubectl` on the PATH that finds the built program as its plugin `informer`, for lines that are run
 * by a shell as they are typed.
 */
export class RecipeShell implements AsyncDisposable {
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #running: TypedLine[] = [];

  constructor(folder: string, kubectl: string, env: NodeJS.ProcessEnv) {
    this.folder = folder;
    const bin = path.join(folder, 'bin');
    this.#env = { ...env, HOME: folder, XDG_RUNTIME_DIR: folder, NO_COLOR: '1', PATH: `${bin}:${process.env.PATH}` };
    mkdirSync(bin);
    symlinkSync(path.join(ROOT, 'examples'), path.join(folder, 'examples'));
    mkdirSync(path.join(folder, 'real'));
    symlinkSync(kubectl, path.join(folder, 'real/kubectl')); // its field manager is the name of its file
    this.file('bin/kubectl', [
      '#!/bin/sh',
      `[ "$1" = informer ] || exec "${path.join(folder, 'real/kubectl')}" "$@"`,
      'shift; echo $$ >>"$INFORMER_PIDS"',
      `exec "${process.execPath}" "${path.join(ROOT, 'bin/run.js')}" "$@"`,
    ]);
  }

  /** Writes an executable file. */
  file(name: string, lines: readonly string[]): void {
    writeFileSync(path.join(this.folder, name), `${lines.join('\n')}\n`);
    chmodSync(path.join(this.folder, name), 0o755);
  }

  type(line: string): TypedLine {
    const typed = new TypedLine(line, this.folder, this.#env, this.#running.length);
    this.#running.push(typed);
    return typed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const typed of this.#running) await typed.kill();
  }
}

/** A line that a shell runs, with what it printed so far. */
export class TypedLine {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #pids: string;
  stdout = '';
  stderr = '';

  constructor(line: string, folder: string, env: NodeJS.ProcessEnv, number: number) {
    this.#pids = path.join(folder, `pids-${number}`);
    writeFileSync(this.#pids, '');
    this.#child = spawn('/bin/sh', ['-c', line], {
      cwd: folder,
      env: { ...env, INFORMER_PIDS: this.#pids },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text) => (this.stdout += text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text) => (this.stderr += text));
    this.#ended = once(this.#child, 'close');
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Waits until a condition holds; fails, with all output, when the line ends before, or after a minute. */
  async until(condition: () => boolean, what: string): Promise<void> {
    const seen = () => `before ${what}\n--- stdout\n${this.stdout}\n--- stderr\n${this.stderr}`;
    const check = () => {
      if (condition() || this.hasEnded) return true;
      throw new Error(seen());
    };
    await eventually(check, { timeoutMs: 60_000 });
    if (this.hasEnded) await this.#ended;
    if (!condition()) throw new Error(`ended (${this.#child.exitCode}) ${seen()}`);
  }

  /** Ends the program as Ctrl-C does. Programs that it is piped into read on to the end. */
  interrupt(): void {
    for (const pid of readFileSync(this.#pids, 'utf8').split('\n').filter(Boolean)) process.kill(Number(pid), 'SIGINT');
  }

  /** The exit code of the line. */
  async ended(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  async kill(): Promise<void> {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // all of its processes have ended
    }
    await this.#ended;
  }
}
