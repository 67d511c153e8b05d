import { createClient } from '../../src/client/client.ts';
import type { Transport, TransportRequest } from '../../src/client/http/transport.ts';
import { ShardElector } from '../../src/controller/sharding/shard-elector.ts';
import type { HeldShard, ShardElectorOptions, ShardOverview } from '../../src/controller/sharding/shard-options.ts';
import { abortable } from '../../src/kit/abort.ts';
import type { Clock, Timer } from '../../src/kit/clock.ts';
import { InformerError } from '../../src/kit/error.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { type FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { inProcess } from './in-process.ts';

/** What nothing runs through while it is shut. */
class Gate {
  #open: PromiseWithResolvers<void> | undefined;
  readonly #waiting: (() => void)[] = [];

  get isShut(): boolean {
    return this.#open !== undefined;
  }

  shut(): void {
    this.#open ??= Promise.withResolvers();
  }

  open(): void {
    this.#open?.resolve();
    this.#open = undefined;
    for (const run of this.#waiting.splice(0)) run();
  }

  /** Now, or when it is open. */
  run(run: () => void): void {
    if (this.isShut) this.#waiting.push(run);
    else run();
  }

  async pass(): Promise<void> {
    while (this.#open) await this.#open.promise;
  }
}

/** The clock of a process that may be frozen: its timers fire late then, and its time goes on. */
function freezable(clock: Clock, process: Gate): Clock {
  const after = (ms: number, run: () => void): Timer => {
    let isCancelled = false;
    const timer = clock.after(ms, () => process.run(() => isCancelled || run()));
    const cancel = () => {
      isCancelled = true;
      timer.cancel();
    };
    return { cancel, [Symbol.dispose]: cancel };
  };
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after,
    sleep: (ms, options) =>
      new Promise((resolve, reject) => {
        const { signal } = options ?? {};
        if (signal?.aborted) return reject(signal.reason);
        const timer = after(ms, resolve);
        signal?.addEventListener('abort', () => {
          timer.cancel();
          reject(signal.reason);
        });
      }),
    yield: () => clock.yield(),
  };
}

/** A connection that may be cut, of a process that may be frozen. What was sent before a cut has arrived. */
function cuttable(transport: Transport, process: Gate, network: Gate, traffic: { count: number }): Transport {
  return {
    close: () => transport.close(),
    async request(init: TransportRequest) {
      const { signal } = init;
      traffic.count++;
      await process.pass();
      const ends = (promise: Promise<void>) => (signal ? abortable(promise, signal) : promise);
      if (network.isShut) {
        await ends(network.pass());
        throw new InformerError('transport', 'the connection was cut');
      }
      const response = await transport.request(init);
      traffic.count++;
      await ends(process.pass());
      if (network.isShut) await ends(network.pass());
      const body = response.body;
      async function* chunks() {
        for await (const chunk of body) {
          traffic.count++;
          await process.pass();
          if (network.isShut) {
            await ends(network.pass());
            throw new InformerError('transport', 'the connection was cut');
          }
          yield chunk;
        }
      }
      return { ...response, body: chunks() };
    },
  };
}

/** A replica as a process: what it does can be seen in the journal of the world only. */
export interface Replica {
  readonly name: string;
  readonly elector: ShardElector;
  readonly process: Gate;
  readonly network: Gate;
  readonly overviews: ShardOverview[];
  /** Asks it to end. */
  readonly abort: AbortController;
  /** Resolves when it has ended, with its error if it has one. */
  readonly ended: Promise<unknown>;
  isDead: boolean;
  /** Ends it without a word. */
  kill(): void;
}

export interface World extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly sandbox: Awaited<ReturnType<typeof inProcess>>['sandbox'];
  readonly replicas: Replica[];
  /** Each act of a replica for a shard, as the server has seen it. */
  readonly acts: { readonly at: number; readonly shard: number; readonly by: string }[];
  /** Two that acted for one shard while the work of the other had begun later. */
  readonly doubled: string[];
  start(name: string, options?: Partial<ShardElectorOptions>): Replica;
  pass(ms: number): Promise<void>;
  /** Who works on each shard, among those that run. */
  owners(): Record<number, string[]>;
}

/** Chunks of an answer are whole: how bytes are cut is a matter of the decoder's tests. */
const WHOLE = 1_000_000;
/** How long the work of a shard takes to end when it is given back, ms. */
const DRAIN_MS = 300;

export async function replicas(shards: number, seed = 1): Promise<World> {
  const place = await inProcess({ objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }] });
  const { sandbox, clock } = place;
  const random = seededRandom(seed);
  /** Whose work on each shard began last. */
  const latest = new Map<string, string>();
  /** Grows with each request, answer, and chunk of an answer. */
  const traffic = { count: 0 };
  /** A step in which nothing is sent and nothing comes is over at once. */
  const quiet = async () => {
    for (let before = -1; before !== traffic.count; ) {
      before = traffic.count;
      await settled();
    }
  };
  const world: World = {
    clock,
    sandbox,
    replicas: [],
    acts: [],
    doubled: [],
    start(name, options = {}) {
      const process = new Gate();
      const network = new Gate();
      const own = freezable(clock, process);
      const transport = cuttable(sandbox.transport({ chunkBytes: WHOLE }), process, network, traffic);
      const abort = new AbortController();
      const overviews: ShardOverview[] = [];
      const of = options.shards ?? shards;
      const act = (shard: number) => {
        const id = `${shard}`;
        if (latest.get(id) !== name)
          world.doubled.push(`${clock.monotonic()} shard ${id}: ${name} acts after ${latest.get(id)}`);
        world.acts.push({ at: clock.monotonic(), shard, by: name });
      };
      const onShard = async (held: HeldShard) => {
        const id = `${held.index}`;
        latest.set(id, name);
        while (!held.signal.aborted) {
          await process.pass();
          if (held.isHeld) act(held.index);
          await own.sleep(200, { signal: held.signal }).catch(() => {});
        }
        for (let left = DRAIN_MS; left > 0; left -= 100) {
          await own.sleep(100);
          if (held.isHeld) act(held.index);
        }
      };
      const elector = new ShardElector({
        client: createClient(transport, { clock: own }),
        clock: own,
        logger: silentLogger,
        random,
        name: 'op',
        namespace: 'shop',
        shards: of,
        identity: name,
        onShard,
        onChange: (overview) => overviews.push(overview),
        onError() {},
        ...options,
      });
      const replica: Replica = {
        name,
        elector,
        process,
        network,
        overviews,
        abort,
        isDead: false,
        ended: elector.run(abort.signal).then(
          () => undefined,
          (error: unknown) => error,
        ),
        kill() {
          replica.isDead = true;
          process.shut();
          network.shut();
        },
      };
      world.replicas.push(replica);
      return replica;
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= 100) {
        clock.tick(Math.min(100, left));
        await quiet();
      }
    },
    owners() {
      const running = world.replicas.filter(
        ({ isDead, process, network }) => !isDead && !process.isShut && !network.isShut,
      );
      return Object.fromEntries(
        Array.from({ length: shards }, (_, i) => [
          i,
          running.filter(({ elector }) => elector.held.includes(i)).map(({ name }) => name),
        ]),
      );
    },
    async [Symbol.asyncDispose]() {
      for (const replica of world.replicas) {
        replica.process.open();
        replica.network.open();
        replica.abort.abort();
      }
      const all = Promise.all(world.replicas.map(({ ended }) => ended));
      let haveEnded = false;
      void all.then(() => {
        haveEnded = true;
      });
      for (let left = 60_000; left > 0 && !haveEnded; left -= 1000) await world.pass(1000);
      await all;
      await sandbox.stop();
    },
  };
  return world;
}
