import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { Shape } from './generator.ts';
import { statusBytes } from './processes.ts';

export interface ReplayOptions extends Shape {
  objects: number;
  /** Serve over TLS, with a certificate made for this start. */
  tls?: boolean | undefined;
  /**
   * No LIST is sent faster than this, 10⁶ bytes a second: as an API server has to make it first. Default: as fast as it
   * is taken.
   */
  megabytesPerSecond?: number | undefined;
}

/** What a watch brings after the initial list. */
export type WatchPlan =
  | { readonly kind: 'quiet' }
  /** A number of MODIFIED events, as fast as they are taken. */
  | { readonly kind: 'burst'; readonly events: number }
  | { readonly kind: 'rate'; readonly events: number; readonly perSecond: number };

/** Changes of objects on the watches that are open. */
export interface Storm {
  readonly perSecond: number;
  readonly seconds: number;
  /** The number of objects that change. Default: all. */
  readonly objects?: number | undefined;
}

export type ReplayRequest =
  | { readonly storm: Storm }
  | { readonly watch: WatchPlan }
  | { readonly prepare: { readonly accept: string; readonly limit: number } };
export type ReplayReport =
  | { readonly kind: 'listening'; readonly url: string; readonly ca?: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'calm'; readonly changes: number }
  | { readonly kind: 'written'; readonly at: readonly number[] };

/** The server of replay-server.ts at work, in a process of its own. */
export class ReplayServer {
  readonly #child: ChildProcess;
  readonly url: string;
  /** The certificate to trust, of a server over TLS. */
  readonly ca: string | undefined;
  readonly objects: number;

  private constructor(child: ChildProcess, { url, ca }: ReplayReport & { kind: 'listening' }, objects: number) {
    this.#child = child;
    this.url = url;
    this.ca = ca;
    this.objects = objects;
  }

  static async start(options: ReplayOptions): Promise<ReplayServer> {
    const script = path.join(import.meta.dirname, 'replay-server.ts');
    const child = fork(script, [JSON.stringify(options)], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return new ReplayServer(child, await heard(child, 'listening'), options.objects);
  }

  /** What watches opened from now on bring. */
  async plan(watch: WatchPlan): Promise<void> {
    await this.#ask({ watch });
  }

  /**
   * Compresses the answers to a LIST that will be asked for in this way, so that no program waits for it. `limit` 0:
   * unpaged.
   */
  async prepare(accept: string, limit: number): Promise<void> {
    await this.#ask({ prepare: { accept, limit } });
  }

  /** Changes objects on the watches that are open. Resolves with their number when the last change was sent. */
  async storm(storm: Storm): Promise<number> {
    const calm = heard(this.#child, 'calm');
    this.#child.send({ storm });
    return (await calm).changes;
  }

  /** The most memory that the server has had, bytes; undefined where the system does not report it. */
  get peakRss(): number | undefined {
    return statusBytes(this.#child.pid, 'VmHWM');
  }

  /** When each event of the paced watch that ends next was written, ms of `process.hrtime`. */
  async written(): Promise<readonly number[]> {
    return (await heard(this.#child, 'written')).at;
  }

  /** Resolves when the process has ended. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #ask(request: ReplayRequest): Promise<void> {
    const done = heard(this.#child, 'done');
    this.#child.send(request);
    await done;
  }
}

function heard<K extends ReplayReport['kind']>(child: ChildProcess, kind: K): Promise<ReplayReport & { kind: K }> {
  return new Promise((resolve, reject) => {
    const stop = () => child.off('message', onMessage).off('exit', onExit);
    const onMessage = (message: unknown) => {
      if ((message as ReplayReport).kind !== kind) return;
      stop();
      resolve(message as ReplayReport & { kind: K });
    };
    const onExit = (code: number | null) => {
      stop();
      reject(new Error(`the replay server ended (${code})`));
    };
    child.on('message', onMessage).on('exit', onExit);
  });
}
