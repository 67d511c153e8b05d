import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { type Controller, createController } from '../../src/controller/controller.ts';
import type { ReconcileContext, ReconcileRequest, Result } from '../../src/controller/reconciler.ts';
import { TerminalError } from '../../src/controller/reconciler.ts';
import type { ResourceEvent } from '../../src/controller/resource-event.ts';
import type { EmitKey, Source, SourceContext } from '../../src/controller/sources/source.ts';
import { createEventSource } from '../../src/controller/sources/source.ts';
import { isInformerError } from '../../src/kit/error.ts';
import { Latch } from '../../src/kit/latch.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { ItemExponentialFailureRateLimiter } from '../../src/workqueue/rate-limiter.ts';
import { ControllerModel, type Ending, RETRY } from './controller-model.ts';
import { pick, type RandomSource } from './random.ts';

export interface ControllerSimulation {
  readonly seed: number;
  readonly trace: readonly string[];
  readonly runs: number;
  readonly retries: number;
  readonly parkings: number;
  readonly longestWaitMs: number;
}

const KEYS = ['a/0', 'a/1', 'a/2', 'b/0', 'b/1', 'b/2', 'c', 'd'];
const LONGEST_RUN_MS = 2_000;

/** With ageing, each key of the line is served before the oldest one at most `agedShare` (5) times. */
const LONGEST_WAIT_MS = 10_000 + 6 * KEYS.length * LONGEST_RUN_MS;

/**
 * Runs a controller with random sources, failures, requeues, priorities, releases, drops and a shutdown, under a fake
 * clock, beside {@link ControllerModel}. Rejects with the seed when they differ.
 */
export async function simulateController(seed: number, steps: number): Promise<ControllerSimulation> {
  const simulation = new Simulation(seed);
  try {
    await simulation.run(steps);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const tail = simulation.trace.slice(-25).join('\n');
    throw new Error(`${what}\n${tail}\nreplay: npm run simulate -- --controller --seed ${seed} --steps ${steps}`, {
      cause: error,
    });
  }
  const { trace, model } = simulation;
  const { runs, retries, parkings, longestWaitMs } = model;
  return { seed, trace, runs, retries, parkings, longestWaitMs };
}

class Simulation {
  readonly trace: string[] = [];
  readonly model: ControllerModel;
  readonly #random: RandomSource;
  readonly #clock = new FakeClock();
  readonly #abort = new AbortController();
  readonly #controller: Controller;
  readonly #sync = new Latch();
  readonly #feeds: ((event: ResourceEvent) => void)[] = [];
  #version = 1;
  #isCalm = false;
  #failure: unknown;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    const workers = pick(this.#random, [1, 1, 2, 4]);
    const maxRetries = pick(this.#random, [0, 2, 5, 12]);
    this.model = new ControllerModel({ workers, maxRetries, now: () => this.#clock.monotonic() });
    this.#controller = createController({
      name: 'simulated',
      workers,
      maxRetries,
      clock: this.#clock,
      logger: silentLogger,
      rateLimiter: new ItemExponentialFailureRateLimiter(RETRY.baseMs, RETRY.maxMs),
      reconcile: (request, context) => this.#reconcile(request, context),
      sources: [this.#source('primary', true), this.#source('other', false), this.#plainSource()],
    });
  }

  async run(steps: number): Promise<void> {
    const ended = this.#controller.run(this.#abort.signal);
    const outcome = ended.then(
      () => undefined,
      (error: unknown) => error,
    );
    const syncAt = Math.floor(this.#random() * 10);
    const endAt = this.#random() < 0.3 ? Math.floor(this.#random() * steps) : steps;
    for (let step = 0; step < endAt; step++) {
      if (step === syncAt) this.#sync.open();
      this.#act(step <= syncAt);
      await this.#advance(this.#random() < 0.5 ? 0 : Math.floor(this.#random() ** 3 * 20_000));
      if (step < syncAt) assert.equal(this.model.runs, 0, 'a run began before the initial sync');
    }
    this.#sync.open();
    if (endAt === steps) await this.#finish();
    await this.#shutDown(outcome);
  }

  /** All work ends when nothing fails any more: no key is lost. */
  async #finish(): Promise<void> {
    this.#isCalm = true;
    this.#note('calm');
    await this.#advance(LONGEST_WAIT_MS + 200_000);
    assert.deepEqual(this.model.unfinished, [], 'keys were lost');
    const { counts } = this.#controller.snapshot();
    assert.deepEqual([counts.queued, counts.processing, counts.delayed], [0, 0, 0], 'keys are left');
    assert.ok(this.model.longestWaitMs <= LONGEST_WAIT_MS, `a key starved: it waited ${this.model.longestWaitMs}ms`);
  }

  async #shutDown(outcome: Promise<unknown>): Promise<void> {
    const running = this.#controller.snapshot().counts.processing;
    this.#note(`shutdown with ${running} runs`);
    this.#abort.abort();
    const { runs } = this.model;
    for (const feed of this.#feeds) feed(this.#event(pick(this.#random, KEYS), 'updated'));
    await this.#advance(25_000, false);
    const error = await outcome;
    assert.ok(error === undefined || isInformerError(error, 'closed'), String(error));
    assert.equal(this.model.runs, runs, 'a run began after the shutdown');
    const { counts, controller } = this.#controller.snapshot();
    assert.deepEqual([counts.processing, controller.phase, controller.active], [0, 'ended', 0]);
    assert.equal(this.#clock.pending, 0, 'timers are left');
    assert.equal(getEventListeners(this.#abort.signal, 'abort').length, 0, 'listeners are left');
    if (this.#failure) throw this.#failure;
  }

  async #advance(ms: number, isChecked = true): Promise<void> {
    await this.#clock.advance(ms);
    if (this.#failure) throw this.#failure;
    if (isChecked) this.#check();
  }

  /** The controller says of each key what the model knows. */
  #check(): void {
    for (const key of KEYS) this.model.check(key, this.#controller.explain(key));
    const parked = this.#controller.parked.map(({ key }) => key);
    assert.deepEqual(parked.sort(), this.model.parked.sort(), 'the parked keys');
    const { queued } = this.#controller.snapshot();
    for (const [i, { key }] of queued.entries()) {
      const said = this.#controller.explain(key).queued;
      if (said) assert.deepEqual([said.position, said.of], [i + 1, queued.length], `the position of ${key}`);
    }
  }

  #act(isStart: boolean): void {
    const random = this.#random;
    const key = pick(random, KEYS);
    const what = pick(random, [
      ...['change', 'change', 'change', 'change', 'resync', 'skipped', 'mapped'],
      ...['enqueue', 'later', 'release', 'drop', 'plain', 'nothing'],
    ]);
    this.#note(`${what} ${key}`);
    if (what === 'change') {
      this.model.event(key, true);
      this.#feeds[0]?.(this.#event(key, isStart ? 'initial' : 'updated'));
    } else if (what === 'resync') {
      this.model.event(key, false);
      this.#feeds[0]?.(this.#event(key, 'resync'));
    } else if (what === 'skipped') {
      this.model.skipped(key);
      this.#feeds[0]?.(this.#event(key, 'deleted'));
    } else if (what === 'mapped') {
      const keys = KEYS.filter((each) => each[0] === key[0]);
      for (const each of keys) this.model.event(each, true);
      this.#feeds[1]?.(this.#event(key, 'updated'));
    } else if (what === 'plain') {
      this.model.event(key, true);
      this.#emitPlain?.(
        key,
        { cause: { reason: 'generic', source: 'plain' }, isChange: true },
        pick(random, [-7, 0, 9]),
      );
    } else if (what === 'enqueue' || what === 'later') {
      const after = what === 'later' ? 1 + Math.floor(random() * 9_000) : 0;
      this.model.enqueue(key, after);
      this.#controller.enqueue(key, { after, priority: pick(random, [-100, 0, 0, 50]) });
    } else if (what === 'release') {
      assert.equal(this.#controller.release(key), this.model.release(key), 'the answer of release');
    } else if (what === 'drop') {
      assert.equal(this.#controller.drop(key), this.model.drop(key), 'the answer of drop');
    }
  }

  async #reconcile({ key, attempt, causes }: ReconcileRequest, { signal }: ReconcileContext): Promise<Result> {
    try {
      this.#note(`run ${key} attempt ${attempt}`);
      assert.ok(causes.length > 0, 'a run without a cause');
      this.model.begin(key, attempt);
    } catch (error) {
      this.#failure ??= error;
    }
    const random = this.#random;
    const takesMs = pick(random, [0, 0, 3, 40, LONGEST_RUN_MS]);
    const ending: Ending = this.#isCalm
      ? 'success'
      : pick(random, ['success', 'success', 'requeue', 'error', 'error', 'terminal'] as const);
    const requeueAfterMs = pick(random, [1, 5, 700, 30_000]);
    if (takesMs > 0) await this.#clock.sleep(takesMs, { signal }).catch(() => {});
    this.#note(`end ${key} ${ending}`);
    this.model.end(key, ending, requeueAfterMs);
    if (ending === 'error') throw new Error('not yet');
    if (ending === 'terminal') throw new TerminalError(new Error('never'));
    return ending === 'requeue' ? { requeueAfterMs, keepCauses: random() < 0.3 } : {};
  }

  #source(name: string, isPrimary: boolean): Source {
    const events = {
      subscribe: (listener: (event: ResourceEvent) => void) => {
        this.#feeds.push(listener);
        return { whenSynced: (signal?: AbortSignal) => this.#sync.wait(signal), [Symbol.dispose]() {} };
      },
    };
    const enqueue = ({ key }: ResourceEvent) => KEYS.filter((each) => each[0] === key[0]);
    const predicate = ({ type }: ResourceEvent) => type !== 'deleted';
    return createEventSource(events, isPrimary ? { name, isPrimary, predicate } : { name, enqueue });
  }

  #emitPlain: EmitKey | undefined;

  #plainSource(): Source {
    const start = async (emit: EmitKey, _: SourceContext) => {
      this.#emitPlain = emit;
    };
    return { name: 'plain', start };
  }

  #event(key: string, kind: 'updated' | 'initial' | 'resync' | 'deleted'): ResourceEvent {
    const at = (version: number) => ({ metadata: { name: key, resourceVersion: String(version) } });
    if (kind === 'resync') {
      const object = at(this.#version);
      return { type: 'updated', key, cause: 'resync', object, oldObject: object };
    }
    const oldObject = at(this.#version);
    const object = at(++this.#version);
    if (kind === 'updated') return { type: 'updated', key, cause: 'watch', object, oldObject };
    return {
      type: kind === 'initial' ? 'added' : 'deleted',
      key,
      cause: kind === 'initial' ? 'initial' : 'watch',
      object,
    };
  }

  #note(line: string): void {
    this.trace.push(`${(this.#clock.monotonic() / 1000).toFixed(3)} ${line}`);
  }
}
