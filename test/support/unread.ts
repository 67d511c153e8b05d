import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { OWN_CACHE } from './own-cache.ts';

const RUN = path.resolve(import.meta.dirname, '../../bin/run.js');

/**
 * A built `watch` with a reader that does not read until asked to: what the pipe cannot hold has to wait in the
 * program, or before it.
 */
export class Unread implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #chunks: string[] = [];
  /** By text: the chunks in which it was looked for and not found. */
  readonly #searched = new Map<string, number>();
  #isReading = false;
  stderr = '';

  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [RUN, 'watch', ...args], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, XDG_CACHE_HOME: OWN_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stderr?.setEncoding('utf8').on('data', (more) => (this.stderr += more));
    this.#ended = once(this.child, 'close').then(([code]) => code as number | null);
  }

  /** Reads from now on. */
  start(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.child.stdout?.setEncoding('utf8').on('data', (text) => this.#chunks.push(text));
  }

  /** Whether a text is anywhere in what was read so far. What was searched once is not searched again. */
  hasRead(text: string): boolean {
    let at = this.#searched.get(text) ?? 0;
    while (at < this.#chunks.length) {
      const chunk = this.#chunks[at] ?? '';
      const seam = (this.#chunks[at - 1]?.slice(-text.length) ?? '') + chunk.slice(0, text.length);
      if (chunk.includes(text) || seam.includes(text)) return true;
      this.#searched.set(text, ++at);
    }
    return false;
  }

  /** Reads on until the end. A last line without an end is an error. */
  async read(): Promise<{ lines: string[]; code: number | null }> {
    this.start();
    const code = await this.#ended;
    const lines = this.#chunks.join('').split('\n');
    const rest = lines.pop();
    if (rest !== '') throw new Error(`the last line was cut: ${rest?.slice(-100)}`);
    return { lines, code };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    this.child.stdout?.resume();
    await this.#ended;
  }
}
