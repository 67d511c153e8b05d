import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Transport } from '../../src/client/http/transport.ts';
import { type Controller, createController } from '../../src/controller/controller.ts';
import { markLeading } from '../../src/controller/election/leading-work.ts';
import { dynamicInformerFactory, type InformerFactory } from '../../src/informer/informer-factory.ts';
import type { SharedInformer } from '../../src/informer/shared-informer.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { noMetrics } from '../../src/kit/metrics.ts';
import { seededRandom } from '../../src/kit/random.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { type Fault, Sandbox, type SandboxSnapshot } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { CONFIG_MAPS, through } from '../support/in-process.ts';
import { unordered } from '../support/unordered.ts';
import {
  childOf,
  childrenOf,
  childSource,
  lagging,
  PARENTS,
  parentOf,
  parentSource,
} from '../support/wanted-children.ts';
import { pick, type RandomSource } from './random.ts';

const WANTED = 4;
const NAMESPACES = ['shop', 'bank'];
const NAMES = ['a', 'b', 'c'];

/** How far the caches are behind, ms. */
export const LAGS = [0, 20, 100, 500, 1_500];

export interface OwnWriteSimulation {
  readonly seed: number;
  readonly lagMs: number;
  /** Whether anything but the lag disturbed the caches. */
  readonly isDisturbed: boolean;
  readonly isUnordered: boolean;
  /** How long runs waited, ms. */
  readonly waits: readonly number[];
  readonly givenUp: number;
  readonly runs: number;
  /** How often another process came to lead. */
  readonly terms: number;
  /** The answers to writes that were lost. */
  readonly lost: number;
  /** Of all requests and runs, with their times: the same for each run of a seed. */
  readonly digest: string;
  /** What the caches saw: how often they were listed again, went on after a cut, or lost their place, and restored servers. */
  readonly seen: Readonly<Record<'relists' | 'resumes' | 'gone' | 'restores', number>>;
}

/** A process that may lead. */
interface Replica {
  lead(isElected: boolean): Term;
  leave(): Promise<void>;
}

/** The time in which a process leads. */
interface Term {
  readonly controller: Controller;
  end(): Promise<void>;
}

/**
 * Runs a controller that wants some children for each parent, over caches that lag, break, are listed again and come
 * from a restored server, with versions that may have no order. Answers of writes may be lost, and other processes come
 * to lead. Rejects with the seed if a parent ever has a child too
 * many, or one too few at the end. Uses no socket and no real time: a seed always gives the same run. Another `jitter`
 * gives the same plan with other pauses of the clients.
 */
export async function simulateOwnWrites(seed: number, steps: number, jitter = seed): Promise<OwnWriteSimulation> {
  const simulation = new Simulation(seed, jitter);
  try {
    return await simulation.run(steps);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new Error(`seed ${seed}: ${text}\n${simulation.trace.slice(-30).join('\n')}`, { cause: error });
  }
}

class Simulation {
  readonly trace: string[] = [];
  readonly #seed: number;
  readonly #random: RandomSource;
  /** Of the pauses of the clients. */
  readonly #jitter: RandomSource;
  readonly #digest = createHash('sha256');
  readonly #clock = new FakeClock();
  readonly #lagMs: number;
  readonly #isDisturbed: boolean;
  readonly #isUnordered: boolean;
  readonly #hasReplicas: boolean;
  readonly #isLossy: boolean;
  readonly #waits: number[] = [];
  #givenUp = 0;
  #runs = 0;
  #terms = 0;
  #lost = 0;
  readonly #seen = { relists: 0, resumes: 0, gone: 0, restores: 0 };
  #change = 0;
  #isCalm = false;
  #snapshot: SandboxSnapshot | undefined;

  constructor(seed: number, jitter: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    this.#jitter = seededRandom(jitter + 1);
    this.#lagMs = pick(this.#random, LAGS);
    this.#isDisturbed = this.#random() < 0.6;
    this.#isUnordered = this.#random() < 0.3;
    this.#hasReplicas = this.#random() < 0.5;
    this.#isLossy = this.#random() < 0.5;
  }

  async run(steps: number): Promise<OwnWriteSimulation> {
    const clock = this.#clock;
    await using sandbox = await Sandbox.start({ socket: false, clock, seed: this.#seed });
    for (const namespace of NAMESPACES) for (const name of NAMES) this.#touch(sandbox, namespace, name);
    const replicas = Array.from({ length: this.#hasReplicas ? 2 : 1 }, () => this.#replica(sandbox));
    let leader = 0;
    const lead = () => (replicas[leader] as Replica).lead(this.#hasReplicas);
    let term = lead();
    let faults = this.#faults(sandbox);
    for (let step = 0; step < steps; step++) {
      for (const fault of faults) fault[Symbol.dispose]();
      if (this.#hasReplicas && this.#random() < 0.2) {
        await term.end();
        this.trace.push(`${clock.monotonic()} another leads`);
        this.#terms++;
        leader = (leader + 1) % replicas.length;
        term = lead();
      }
      this.#act(sandbox, term.controller);
      faults = this.#faults(sandbox);
      await clock.advance(Math.floor(this.#random() ** 2 * 1_500));
      this.#check(sandbox, false);
    }
    this.#isCalm = true;
    for (const namespace of NAMESPACES) for (const name of NAMES) this.#touch(sandbox, namespace, name);
    await clock.advance(900_000);
    this.#check(sandbox, true);
    await term.end();
    for (const replica of replicas) await replica.leave();
    const [lagMs, isDisturbed, isUnordered] = [this.#lagMs, this.#isDisturbed, this.#isUnordered];
    return {
      seed: this.#seed,
      lagMs,
      isDisturbed,
      isUnordered,
      waits: this.#waits,
      givenUp: this.#givenUp,
      runs: this.#runs,
      terms: this.#terms,
      lost: this.#lost,
      digest: this.#digest.update(this.trace.join('\n')).digest('hex'),
      seen: this.#seen,
    };
  }

  /** A process with caches that follow the server, and that may lead. */
  #replica(sandbox: Sandbox): Replica {
    const clock = this.#clock;
    const inOrder = this.#noting(sandbox.transport());
    const transport = this.#isUnordered ? unordered(inOrder) : inOrder;
    const random = seededRandom(this.#jitter() * 2 ** 32);
    const client = createClient(this.#losing(transport), { clock, random, logger: silentLogger });
    const factory = dynamicInformerFactory(client, {
      random,
      logger: silentLogger,
      namespaces: this.#random() < 0.5 ? NAMESPACES : [],
      store: pick(this.#random, ['objects', 'compact']),
      sync: pick(this.#random, ['stream', 'list', 'pages']),
    });
    factory.forResource<KubeObject>(PARENTS);
    factory.forResource<KubeObject>(CONFIG_MAPS);
    const stop = new AbortController();
    factory.start(stop.signal);
    return {
      lead: (isElected) => this.#lead(client, factory, isElected),
      leave: async () => {
        for (const gvr of [PARENTS, CONFIG_MAPS]) this.#look(factory.forResource(gvr).informer);
        stop.abort();
        await clock.advance(0);
        await factory.shutdown();
      },
    };
  }

  #look({ continuity }: Pick<SharedInformer<KubeObject>, 'continuity'>): void {
    for (const { relists, resumes, gaps } of continuity) {
      this.#seen.relists += relists;
      this.#seen.resumes += resumes;
      this.#seen.gone += gaps.filter(({ why }) => why === 'gone').length;
    }
  }

  #lead(client: Client, factory: InformerFactory, isElected: boolean): Term {
    const clock = this.#clock;
    const { informer: parents } = factory.forResource<KubeObject>(PARENTS);
    const { informer: children } = factory.forResource<KubeObject>(CONFIG_MAPS);
    const controller = createController({
      name: 'simulated',
      workers: pick(this.#random, [1, 3]),
      logger: silentLogger,
      hotLoopRuns: 0,
      metrics: { ...noMetrics, histogram: (name, { result }) => this.#histogram(name, result) },
      sources: [parentSource(parents), childSource(children)],
      reconcile: async ({ key, namespace }) => {
        this.#runs++;
        const parent = parents.lister.get(key);
        if (!parent) return {};
        const have = childrenOf({ children }, parent);
        const missing = WANTED - have.length;
        if (missing < 0) throw new Error('too many, as the cache says');
        const count = this.#random() < 0.5 ? Math.min(1, missing) : missing;
        for (let i = 0; i < count; i++) await client.resource(CONFIG_MAPS, { namespace }).create(childOf(parent));
        this.trace.push(`${clock.monotonic()} ${key} had ${have.length} made ${count}`);
        const [first] = have;
        if (!this.#isCalm && first && missing === 0 && this.#random() < 0.3)
          await client
            .resource(CONFIG_MAPS, { namespace })
            .delete(first.metadata.name ?? '')
            .catch(() => {});
        if (!this.#isCalm && this.#random() < 0.2) throw new Error('not yet');
        return this.#random() < 0.5 ? { requeueAfterMs: 1 + Math.floor(this.#random() * 400) } : {};
      },
    });
    const stop = new AbortController();
    const running = controller.run(isElected ? markLeading(stop.signal) : stop.signal);
    running.catch(() => {});
    return {
      controller,
      end: async () => {
        stop.abort();
        await clock.advance(0);
        await running;
      },
    };
  }

  /** Puts all requests into the digest. */
  #noting(transport: Transport): Transport {
    return through(transport, async (request, send) => {
      this.#digest.update(`${this.#clock.monotonic()} ${request.method} ${request.path} ${request.body ?? ''}\n`);
      return send(request);
    });
  }

  /** Loses the answers of some writes that the server has stored. */
  #losing(transport: Transport): Transport {
    if (!this.#isLossy) return transport;
    return through(transport, async (request, send) => {
      const response = await send(request);
      if (this.#isCalm || request.method === 'GET' || this.#random() > 0.15) return response;
      this.trace.push(`${this.#clock.monotonic()} the answer to a ${request.method} is lost`);
      this.#lost++;
      for await (const _ of response.body);
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    });
  }

  #histogram(name: string, result: string | undefined) {
    if (!name.includes('consistency')) return { observe() {} };
    return {
      observe: (seconds: number) => {
        if (result === 'timeout') this.#givenUp++;
        else this.#waits.push(seconds * 1000);
      },
    };
  }

  #act(sandbox: Sandbox, controller: Controller): void {
    const random = this.#random;
    const [namespace, name] = [pick(random, NAMESPACES), pick(random, NAMES)];
    const what = pick(random, ['touch', 'touch', 'enqueue', 'disturb', 'disturb', 'nothing']);
    if (what === 'touch') this.#touch(sandbox, namespace, name);
    if (what === 'enqueue') controller.enqueue(`${namespace}/${name}`);
    if (what === 'disturb' && this.#isDisturbed) this.#disturb(sandbox);
  }

  #disturb(sandbox: Sandbox): void {
    const random = this.#random;
    const what = pick(random, ['cut', 'gone', 'status', 'refuse', 'compact', 'restart', 'snapshot', 'restore']);
    this.trace.push(`${this.#clock.monotonic()} ${what}`);
    if (what === 'compact') sandbox.compact();
    else if (what === 'restart')
      void sandbox.restart({ keepHistory: random() < 0.5, downMs: Math.floor(random() * 3_000) });
    else if (what === 'snapshot') this.#snapshot = sandbox.snapshot();
    else if (what === 'restore') {
      if (!this.#snapshot) return;
      this.#seen.restores++;
      void sandbox.restore(this.#snapshot, { downMs: Math.floor(random() * 1_000) });
    } else {
      const after = Math.floor(random() * 4);
      const fault =
        what === 'status' ? { kind: what, code: 500 } : what === 'refuse' ? { kind: what } : { kind: what, after };
      sandbox.faults.add({ fault: fault as Fault, match: { method: 'GET' }, times: 1 + Math.floor(random() * 3) });
    }
  }

  #touch(sandbox: Sandbox, namespace: string, name: string): void {
    const labels = { change: String(++this.#change) };
    sandbox.apply(parentOf(name, { labels }, namespace));
  }

  #faults(sandbox: Sandbox): Disposable[] {
    return [lagging(sandbox, this.#lagMs)];
  }

  #check(sandbox: Sandbox, isEnd: boolean): void {
    for (const parent of sandbox.list(PARENTS)) {
      if (!NAMES.includes(parent.metadata.name ?? '')) continue;
      const uids = sandbox
        .list(CONFIG_MAPS)
        .flatMap(({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? []);
      const count = uids.filter((uid) => uid === parent.metadata.uid).length;
      const of = `${parent.metadata.namespace}/${parent.metadata.name}`;
      assert.ok(count <= WANTED, `${of} has ${count} children`);
      if (isEnd) assert.equal(count, WANTED, `${of} has ${count} children at the end`);
    }
  }
}
