import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../kit/error.ts';
import { killChild } from '../../kit/kill-child.ts';
import type { Painter } from '../../output/painter.ts';
import { ENV_PREFIX } from '../args/argv.ts';
import { shellWord } from '../args/shell-word.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { type Key, type KeyInput, KeyReader } from '../terminal/keys.ts';
import { Interrupted } from '../terminal/signals.ts';
import { TOUR_STOPS, type TourCluster, type TourStop } from './stops.ts';

export interface TourOptions {
  readonly io: Io;
  readonly painter: Painter;
  /** Ends the tour. */
  readonly signal: AbortSignal;
  /** Steps that a second signal must still take. */
  readonly atOnce: Set<() => void>;
  readonly cluster: TourCluster;
  readonly kubeconfig: string;
  /** A folder of its own, where the commands run. */
  readonly folder: string;
  /** The name by which the user calls the program. */
  readonly called: string;
  /** The words that start this program. */
  readonly program: readonly string[];
  /** Where keys come from. With a terminal on both ends the tour waits for a key between its stops. */
  readonly input: KeyInput;
  /** Goes on by itself on a terminal too. */
  readonly goesOn?: boolean;
  readonly stops?: readonly TourStop[];
}

const CLEAR = '\x1b[2J\x1b[3J\x1b[H';
/** How long a command has for its own end, ms. */
const ENDING_MS = 5_000;

/** Shows one command after the other, each for real. */
export class Tour {
  readonly #options: TourOptions;
  readonly #isInteractive: boolean;
  readonly #end = new AbortController();
  #child: ChildProcess | undefined;
  #isSkipped = false;
  #onKey: (key: Key) => void = () => {};

  constructor(options: TourOptions) {
    const { io, input, goesOn = false } = options;
    this.#options = options;
    this.#isInteractive = !goesOn && io.stdout.isTerminal && input.isTTY === true && io.env.TERM !== 'dumb';
  }

  /** Resolves at the end: `failed` if a command did not do what the tour says. */
  async run(): Promise<ExitCode> {
    const { io, signal, atOnce, input, stops = TOUR_STOPS, called } = this.#options;
    const ending = AbortSignal.any([signal, io.stdout.closed, this.#end.signal]);
    ending.addEventListener('abort', () => this.#interrupt(), { once: true });
    atOnce.add(() => this.#child && killChild(this.#child, 'SIGKILL'));
    using keys = new KeyReader(input, ({ key }) => {
      if (key) this.#pressed(key);
    });
    if (this.#isInteractive) keys.start();
    let isRight = true;
    for (const [i, stop] of stops.entries()) {
      if (ending.aborted) break;
      isRight = (await this.#show(stop, `${i + 1}/${stops.length}`, ending)) && isRight;
      if (this.#isInteractive && !ending.aborted) await this.#pause(i + 1 < stops.length, ending);
    }
    const reason = ending.aborted ? ending.reason : undefined;
    if (reason instanceof Interrupted) return reason.exitCode;
    if (!ending.aborted) this.#say(`\nThat was it. On your own cluster: ${called} watch pods -A\n`);
    return isRight ? ExitCode.ok : ExitCode.failed;
  }

  async #show(stop: TourStop, place: string, signal: AbortSignal): Promise<boolean> {
    const { painter, folder, called, io } = this.#options;
    if (this.#isInteractive) io.stdout.draw(CLEAR);
    this.#say(`\n${painter.heading(`${place}  ${stop.title}`)}\n`);
    for (const line of stop.text) this.#say(`${painter.faint(line)}\n`);
    this.#isSkipped = false;
    for (const [name, text] of Object.entries(stop.files ?? {})) {
      await writeFile(path.join(folder, name), text, { mode: 0o600 });
      this.#say(`\n$ cat ${name}\n${text}`);
    }
    let isRight = true;
    for (const [i, words] of stop.commands.entries()) {
      if (signal.aborted || this.#isSkipped) break;
      const isLast = i === stop.commands.length - 1;
      this.#say(`\n${painter.heading(`$ ${called} ${words.map(shellWord).join(' ')}`)}\n`);
      const code = await this.#command(words, isLast ? stop : {});
      if (signal.aborted || this.#isSkipped) break;
      if (isLast && stop.showsCode) this.#say(`${painter.heading('$ echo $?')}\n${code}\n`);
      const expected = isLast ? (stop.code ?? 0) : 0;
      if (code === expected) continue;
      isRight = false;
      io.stderr.write(`the command above ended with ${code}; the tour expected ${expected}\n`);
    }
    return isRight;
  }

  /** Runs one command to its end, with the terminal as it is. Gives its exit code, or the signal that ended it. */
  async #command(
    words: readonly string[],
    { meanwhile = [], stopAfterMs }: Pick<TourStop, 'meanwhile' | 'stopAfterMs'>,
  ): Promise<number | string> {
    const { io, folder, kubeconfig, program, cluster } = this.#options;
    await io.stdout.drained();
    const [file = '', ...args] = [...program, ...words];
    // nothing of the user's own settings, and no running serve, takes part
    const own = Object.entries(io.env).filter(([name]) => !name.startsWith(ENV_PREFIX));
    const env = {
      ...Object.fromEntries(own),
      KUBECONFIG: kubeconfig,
      XDG_CONFIG_HOME: folder,
      XDG_RUNTIME_DIR: folder,
    };
    const child = spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] });
    this.#child = child;
    const timers = meanwhile.map(({ ms, act }) =>
      setTimeout(() => {
        act(cluster).catch((error) => io.stderr.write(`the tour could not go on as planned: ${messageOf(error)}\n`));
      }, ms),
    );
    if (stopAfterMs !== undefined) timers.push(setTimeout(() => killChild(child, 'SIGINT'), stopAfterMs));
    const code = await new Promise<number | string>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? signal ?? 0));
    });
    for (const timer of timers) clearTimeout(timer);
    this.#child = undefined;
    return code;
  }

  /** Waits for a key: the next stop, or the end. */
  async #pause(hasNext: boolean, signal: AbortSignal): Promise<void> {
    const { painter } = this.#options;
    const keys = hasNext ? 'Enter: go on   q: end' : 'Enter: end';
    this.#say(`\n${painter.faint(keys)}\n`);
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#onKey = (key) => {
        if (key === 'enter' || key === 'skip' || key === 'page-down') resolve();
      };
      if (signal.aborted) resolve();
    });
    this.#onKey = () => {};
  }

  #pressed(key: Key): void {
    if (key === 'interrupt') this.#end.abort(new Interrupted('SIGINT'));
    else if (key === 'quit') this.#end.abort();
    else if (this.#child && (key === 'skip' || key === 'enter')) {
      this.#isSkipped = true;
      this.#interrupt();
    } else this.#onKey(key);
  }

  #interrupt(): void {
    const child = this.#child;
    if (!child) return;
    killChild(child, 'SIGINT');
    const timer = setTimeout(() => killChild(child, 'SIGKILL'), ENDING_MS);
    child.once('exit', () => clearTimeout(timer));
  }

  #say(text: string): void {
    this.#options.io.stdout.writeNow(text);
  }
}
