import { basename } from 'node:path';
import type { StopError } from '../../controller/reconciler.ts';
import type { Clock } from '../../kit/clock.ts';
import { systemClock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import type { Hook, HookRun, HookStream } from '../hook.ts';
import type { ExecHookOptions } from './exec.ts';
import { hookEnvironment } from './hook-environment.ts';
import { exitError, HOOK_EXIT, type ProcessEnd } from './hook-exit.ts';
import { OutputLimit } from './output-limit.ts';
import { requestText } from './request-text.ts';
import { cannotRun } from './start-error.ts';
import { RequestUnread, WarmWorker } from './warm-worker.ts';

export interface WarmHookOptions extends Omit<ExecHookOptions, 'args' | 'variables'> {
  /** Its arguments, the same for all requests. */
  args?: readonly string[] | undefined;
  logger: Logger;
  /** Called with each line that a worker prints while it has no request. */
  onStrayLine?: ((line: string, stream: HookStream) => void) | undefined;
}

/** How long a worker's first reply may take before a line says that it is waited for. */
const FIRST_REPLY_MS = 10_000;
/** The delays before a worker is started after others ended without a reply. */
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 30_000;
/** How often a request is sent that a worker did not read. */
const MOST_SENDS = 4;

/**
 * A hook that is an executable whose processes are kept: each answers one request after the other, see
 * {@link WarmWorker}. A process is started when a run finds none that is free, so there are as many as there were runs
 * at once.
 *
 * Promises
 * - A worker that ends, hangs until its run's timeout, or breaks the protocol fails the run that it has, and no other.
 *   The next run starts another worker. If workers end without a valid reply, the next start waits: 100 ms, doubling
 *   to 30 s, and a line says so.
 * - A worker that ends with 0 between two requests costs nothing: a request that it did not read is sent to another.
 * - {@link Hook.close} ends all workers: their stdin is closed; after the grace SIGTERM, after another one SIGKILL.
 */
export function createWarmHook(options: WarmHookOptions): Hook {
  return new WarmHook(options);
}

class WarmHook implements Hook {
  readonly name: string;
  readonly #options: WarmHookOptions;
  readonly #clock: Clock;
  readonly #env: Readonly<Record<string, string>>;
  readonly #strays: Readonly<Record<HookStream, OutputLimit>>;
  readonly #workers = new Set<WarmWorker>();
  /** Workers that have a request, or are about to get one. */
  readonly #busy = new Set<WarmWorker>();
  #requests = 0;
  #hasStarted = false;
  #hasWarned = false;
  /** The workers in a row that ended by themselves without a reply. */
  #failures = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  /** The end that a worker without a request asked for by its exit code. */
  #stop: StopError | undefined;

  constructor(options: WarmHookOptions) {
    const { env: from, passCredentials = false, credentials, clock = systemClock, onStrayLine = () => {} } = options;
    this.#options = options;
    this.#clock = clock;
    this.#env = { ...hookEnvironment({ from, passCredentials, credentials }), INFORMER_HOOK_MODE: 'warm' };
    this.#strays = {
      stdout: new OutputLimit((line) => onStrayLine(line, 'stdout'), clock),
      stderr: new OutputLimit((line) => onStrayLine(line, 'stderr'), clock),
    };
    this.name = options.name ?? basename(options.command);
  }

  async run(request: Parameters<Hook['run']>[0], run: HookRun): Promise<unknown> {
    const id = String(++this.#requests);
    const text = requestText({ ...request, id });
    using stdout = new OutputLimit((line) => run.onOutput?.(line, 'stdout'), this.#clock);
    using stderr = new OutputLimit((line) => run.onOutput?.(line, 'stderr'), this.#clock);
    const onLine = (line: string, stream: HookStream) => (stream === 'stdout' ? stdout : stderr).line(line);
    for (let sends = 1; ; sends++) {
      using taken = await this.#worker(run);
      const { worker } = taken;
      using _slow = this.#noticeSlow(worker, run.logger);
      try {
        return await worker.request(id, text, { signal: run.signal, onLine });
      } catch (error) {
        if (!(error instanceof RequestUnread) || worker.answered === 0 || sends === MOST_SENDS) throw error;
      }
    }
  }

  kill(): void {
    for (const worker of this.#workers) worker.kill();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.close()));
    for (const limit of Object.values(this.#strays)) limit[Symbol.dispose]();
  }

  /** A worker that no other run has. Disposal sets it free. */
  async #worker(run: HookRun): Promise<{ worker: WarmWorker } & Disposable> {
    for (;;) {
      run.signal.throwIfAborted();
      if (this.#stop) throw this.#stop;
      const free = [...this.#workers].find((worker) => worker.isUsable && !this.#busy.has(worker));
      if (free) return this.#take(free);
      const waitMs = this.#notBefore - this.#clock.monotonic();
      if (waitMs <= 0) return this.#take(await this.#start(run.signal));
      await this.#clock.sleep(waitMs, { signal: run.signal }).catch((reason) => {
        const why = `no worker was started, because the last ${this.#failures} ended before they replied`;
        throw new InformerError('hook', `hook ${this.name}: ${why}`, { cause: reason });
      });
    }
  }

  #take(worker: WarmWorker): { worker: WarmWorker } & Disposable {
    this.#busy.add(worker);
    return { worker, [Symbol.dispose]: () => void this.#busy.delete(worker) };
  }

  async #start(signal: AbortSignal): Promise<WarmWorker> {
    const { command, args = [], cwd, graceMs = 5_000, logger } = this.#options;
    let lastLine = '';
    const worker = await WarmWorker.start({
      command,
      args,
      cwd,
      graceMs,
      env: this.#env,
      name: this.name,
      clock: this.#clock,
      guard: this.#options.guard,
      onStrayLine: (line, stream) => {
        lastLine = line;
        this.#strays[stream].line(line);
      },
      onStrayReply: (what) => logger.warn('a worker breaks the protocol', { hook: this.name, error: what }),
    }).catch((error) => cannotRun(command, error, { signal, hasStarted: this.#hasStarted }));
    this.#hasStarted = true;
    this.#workers.add(worker);
    this.#busy.add(worker);
    void worker.ended.then((end) => this.#ended(worker, end, lastLine));
    return worker;
  }

  #ended(worker: WarmWorker, end: ProcessEnd, lastLine: string): void {
    this.#workers.delete(worker);
    if (end.code === HOOK_EXIT.badConfiguration) this.#stop = exitError(this.name, end, lastLine) as StopError;
    if (worker.hasFailed && end.code !== 0 && !this.#busy.has(worker))
      this.#options.logger.warn('a worker ended between two requests', {
        hook: this.name,
        error: exitError(this.name, end, lastLine).message,
      });
    if (worker.answered > 0) this.#failures = 0;
    else if (worker.hasFailed) this.#failed();
  }

  #failed(): void {
    this.#failures++;
    const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failures - 1));
    this.#notBefore = this.#clock.monotonic() + delayMs;
    if (this.#failures === 1) return;
    const what = `${this.#failures} workers in a row ended without a valid reply; the next one starts in ${delayMs} ms`;
    this.#options.logger.warn(what, { hook: this.name });
  }

  /** A reply that stays in the buffer of a pipe looks like a hook that hangs, so that is said once. */
  #noticeSlow(worker: WarmWorker, logger: Logger): Disposable | undefined {
    if (worker.answered > 0 || this.#hasWarned) return undefined;
    return this.#clock.after(FIRST_REPLY_MS, () => {
      this.#hasWarned = true;
      logger.warn('no reply for 10s: in warm mode each reply is a line that must be flushed', { hook: this.name });
    });
  }
}
