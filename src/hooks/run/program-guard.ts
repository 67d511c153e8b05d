import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock, Timer } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { oneFile } from '../../kit/one-file.ts';
import { guardProgram } from './guard-program.ts';
import { killGroup } from './process-group.ts';

/** How long what a program does is covered by a lease, ms; 0 when the lease may be another process's. */
export type LeaseLeft = () => number;

export interface ProgramGuardOptions {
  /** Returns the lease of the run that asks; undefined for what has none. */
  readonly leaseOfRun: () => LeaseLeft | undefined;
  readonly clock: Clock;
  /** Called with an error when programs cannot be guarded any more. */
  readonly onFailure: (error: InformerError) => void;
}

export interface GuardedProgram extends Disposable {
  /** Its work from now on belongs to the current run. Disposal ends that. */
  work(): Disposable;
}

/** How often the guard learns how long the leases last, ms. */
const UPDATE_MS = 250;

/**
 * Kills the programs of hooks with SIGKILL, each with its process group, in place of this process when it cannot: as
 * soon as it has ended, also by SIGKILL, and when it is frozen until the lease may be another process's. It is a process
 * of its own, which is started with the first program.
 *
 * Does not promise anything where that process is frozen or killed as well.
 */
export class ProgramGuard implements Disposable {
  readonly #options: ProgramGuardOptions;
  readonly #leases = new Map<number, LeaseLeft>();
  #child: ChildProcess | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: ProgramGuardOptions) {
    this.#options = options;
  }

  /** The id of its process; undefined before the first program. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Guards a program by the id of its process group. To be called directly after its start. */
  add(pid: number): GuardedProgram {
    this.#tell(`${pid}`);
    return {
      work: () => {
        const lease = this.#options.leaseOfRun();
        if (lease) this.#leases.set(pid, lease);
        this.#update();
        return {
          [Symbol.dispose]: () => {
            this.#leases.delete(pid);
            this.#tell(`${pid}`);
          },
        };
      },
      [Symbol.dispose]: () => {
        this.#leases.delete(pid);
        this.#tell(`${pid} ended`);
      },
    };
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#child?.stdin?.end();
  }

  #update(): void {
    this.#timer?.cancel();
    for (const [pid, leftMs] of this.#leases) {
      const now = process.hrtime.bigint(); // before the lease is asked: a freeze in between makes the end earlier
      this.#tell(`${pid} ${now + BigInt(Math.floor(leftMs() * 1e6))}`);
    }
    if (this.#leases.size > 0) this.#timer = this.#options.clock.after(UPDATE_MS, () => this.#update());
  }

  #tell(line: string): void {
    if (!this.#isClosed) this.#started().stdin?.write(`${line}\n`);
  }

  #started(): ChildProcess {
    if (this.#child) return this.#child;
    const child = spawn(process.execPath, oneFile?.executable?.guard ?? ['-e', `(${guardProgram})()`], {
      env: { SystemRoot: process.env.SystemRoot }, // none of the options of Node that are in the environment
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const failed = (cause?: unknown) => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      for (const pid of this.#leases.keys()) killGroup(pid, 'SIGKILL');
      const text = 'the process that ends the programs of the hook in time has ended';
      this.#options.onFailure(
        new InformerError('hook', text, {
          cause,
          hint: 'look for what ends processes here, such as a limit of memory',
        }),
      );
    };
    child.once('exit', () => failed()).once('error', failed);
    child.stdin?.on('error', () => {}); // EPIPE: it has ended
    child.unref();
    (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
    this.#child = child;
    return child;
  }
}
