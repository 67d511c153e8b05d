import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { StoreMemory } from '../src/informer/compact/compact-store.ts';
import { type Programs, runner } from './programs.ts';
import type { ReplayServer } from './replay.ts';

/** The memory of a process when there is nothing more to collect, bytes. */
export interface Settled {
  readonly rss: number;
  readonly heap: number;
  readonly heapTotal: number;
  readonly external: number;
}

/** A cache after its initial list. */
export interface SyncedCache extends Settled {
  readonly objects: number;
  readonly ms: number;
  /** CPU of the process from the start of the informer to its sync, ms. */
  readonly cpuMs: number;
  /** The longest block of the event loop until then. */
  readonly blockMs: number;
  /** Before the list. */
  readonly base: Settled;
  readonly peakRss: number;
  readonly memory: StoreMemory;
}

/** Times of reads. The scans are CEL filters over all objects, for each of them. */
export interface ReadTimes {
  readonly coldMs: number;
  readonly coldP99Ms: number;
  readonly hotUs: number;
  /** Of a filter for a text that few objects have. */
  readonly fewUs: number;
  /** Of a filter that no text decides. */
  readonly scanUs: number;
  /** Of the same, when their fields had been looked at before. */
  readonly fewAgainUs: number;
  readonly scanAgainUs: number;
}

/** What happened since the cache was last asked. */
export interface Followed extends Settled {
  readonly ms: number;
  readonly cpuMs: number;
  readonly changes: number;
  readonly blockMs: number;
  /** RSS before anything was collected. */
  readonly unsettled: number;
  readonly memory: StoreMemory;
}

export interface CacheOptions {
  readonly store: 'objects' | 'compact' | 'auto';
  readonly indexes?: readonly ('node' | 'app' | 'uid')[];
  readonly sync?: 'auto' | 'list' | 'watch-list';
  readonly reads?: boolean;
  /** Keeps the fields of the filters from the start. */
  readonly keeps?: boolean;
  /** With a handler that counts changes. */
  readonly handler?: boolean;
  readonly resource?: string;
  /** The pause after each garbage collection. Default 100. */
  readonly pauseMs?: number | undefined;
}

/** An informer of the library as built, in a process of its own. */
export class CacheProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly synced: SyncedCache & Partial<ReadTimes>;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>, synced: SyncedCache & Partial<ReadTimes>) {
    this.#child = child;
    this.#lines = lines;
    this.synced = synced;
  }

  /** Resolves when it has synced, and with `reads` has read. Rejects when it ends before, or has too few objects. */
  static async start({ library }: Programs, server: ReplayServer, options: CacheOptions): Promise<CacheProcess> {
    const { command, args } = runner('cache', JSON.stringify({ library, url: server.url, ...options }));
    const child = spawn(command, ['--expose-gc', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = (createInterface({ input: child.stdout }) as Interface)[Symbol.asyncIterator]();
    const synced = await next<SyncedCache & Partial<ReadTimes>>(lines, `a cache with ${JSON.stringify(options)}`);
    if (synced.objects === server.objects) return new CacheProcess(child, lines, synced);
    child.kill('SIGKILL');
    throw new Error(`a cache has ${synced.objects} of ${server.objects} objects`);
  }

  /** Waits some seconds at most until the cache has followed this number of changes since its sync. */
  async followed(changes: number): Promise<Followed> {
    this.#child.stdin?.write(`${changes}\n`);
    return await next<Followed>(this.#lines, 'a cache that follows changes');
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
}

async function next<T>(lines: AsyncIterator<string>, what: string): Promise<T> {
  const { value, done } = await lines.next();
  if (done) throw new Error(`${what} ended without a result`);
  return JSON.parse(value) as T;
}
