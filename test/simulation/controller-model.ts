import assert from 'node:assert/strict';
import type { KeyExplanation } from '../../src/controller/explanation.ts';

/** How a run is to end. */
export type Ending = 'success' | 'requeue' | 'error' | 'terminal';

export const RETRY = { baseMs: 5, maxMs: 5_000 };

interface KeyModel {
  /** Whether it waits in line, or runs again after the present run; and since when. */
  pendingSince: number | undefined;
  /** When it comes into line by itself. */
  dueAt: number | undefined;
  failures: number;
  /** Whether a change came since the last run began. */
  hasChange: boolean;
  isRunning: boolean;
  isParked: boolean;
  hasHistory: boolean;
}

export interface ModelOptions {
  readonly workers: number;
  readonly maxRetries: number;
  readonly now: () => number;
}

/**
 * What must be true of a controller: a second, plain model of its keys. It knows each key's place, but not the order of
 * the line, because that decides only when a run begins, not whether.
 */
export class ControllerModel {
  readonly #options: ModelOptions;
  readonly #keys = new Map<string, KeyModel>();
  #running = 0;
  runs = 0;
  longestWaitMs = 0;
  parkings = 0;
  retries = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  /** An event that led to the key. */
  event(key: string, isChange: boolean): void {
    const model = this.#of(key);
    model.hasHistory = true;
    if (model.isParked && !isChange) return;
    this.#unpark(model);
    model.hasChange ||= isChange;
    this.#add(model);
  }

  /** An event that a predicate did not pass. */
  skipped(key: string): void {
    this.#of(key).hasHistory = true;
  }

  enqueue(key: string, afterMs: number): void {
    const model = this.#of(key);
    model.hasHistory = true;
    this.#unpark(model);
    model.hasChange = true;
    if (afterMs > 0) this.#addLater(model, afterMs);
    else this.#add(model);
  }

  release(key: string): boolean {
    const model = this.#of(key);
    if (!model.isParked) return false;
    this.event(key, true);
    return true;
  }

  drop(key: string): boolean {
    const model = this.#of(key);
    this.#fall(model);
    if (!model.isParked && model.pendingSince === undefined && model.dueAt === undefined) return false;
    model.isParked = false;
    model.pendingSince = undefined;
    model.dueAt = undefined;
    model.failures = 0;
    model.hasChange = false;
    model.hasHistory = true;
    return true;
  }

  /** A run begins. */
  begin(key: string, attempt: number): void {
    const model = this.#of(key);
    this.#fall(model);
    assert.equal(model.isRunning, false, `two runs of ${key} at once`);
    assert.equal(model.isParked, false, `a run of the parked key ${key}`);
    assert.notEqual(model.pendingSince, undefined, `a run of ${key}, which did not wait`);
    assert.equal(attempt, model.failures + 1, `the attempt of ${key}`);
    this.longestWaitMs = Math.max(this.longestWaitMs, this.#options.now() - (model.pendingSince ?? 0));
    model.isRunning = true;
    model.pendingSince = undefined;
    model.hasChange = false;
    model.hasHistory = true;
    this.runs++;
    this.#running++;
    assert.ok(this.#running <= this.#options.workers, `${this.#running} runs at once`);
  }

  /** A run ends. */
  end(key: string, ending: Ending, requeueAfterMs: number): void {
    const model = this.#of(key);
    this.#fall(model);
    model.isRunning = false;
    this.#running--;
    if (ending === 'success' || ending === 'requeue') {
      model.failures = 0;
      if (ending === 'requeue') this.#addLater(model, requeueAfterMs);
      return;
    }
    if (ending === 'error' && model.failures < this.#options.maxRetries) {
      this.retries++;
      this.#addLater(model, Math.min(RETRY.maxMs, RETRY.baseMs * 2 ** model.failures++));
      return;
    }
    model.failures = 0;
    if (model.hasChange) return;
    model.isParked = true;
    model.pendingSince = undefined; // a resync that came during the run
    this.parkings++;
  }

  /** The keys that a run must still begin for. */
  get unfinished(): string[] {
    return [...this.#keys]
      .filter(([, { pendingSince, dueAt }]) => pendingSince !== undefined || dueAt !== undefined)
      .map(([key]) => key);
  }

  get keys(): string[] {
    return [...this.#keys.keys()];
  }

  get parked(): string[] {
    return [...this.#keys].filter(([, { isParked }]) => isParked).map(([key]) => key);
  }

  /** Compares what the controller says of a key with what is true. */
  check(key: string, said: KeyExplanation): void {
    const model = this.#of(key);
    this.#fall(model);
    assert.equal(said.state, stateOf(model), `the state of ${key}`);
    assert.equal(said.failures, model.failures, `the failures of ${key}`);
    if (model.isRunning) {
      assert.equal(said.processing?.runsAgain, model.pendingSince !== undefined, `whether ${key} runs again`);
      assert.equal(said.processing?.attempt, model.failures + 1, `the attempt of the present run of ${key}`);
    }
    if (said.queued)
      assert.equal(said.queued.waitedMs, this.#options.now() - (model.pendingSince ?? 0), `the wait of ${key}`);
    if (said.delayed)
      assert.equal(said.delayed.dueInMs, (model.dueAt ?? 0) - this.#options.now(), `the due time of ${key}`);
    if (model.hasHistory) assert.ok((said.history?.length ?? 0) > 0, `the history of ${key} is empty`);
    const { failures } = model;
    if (failures > 0 && !model.isRunning) {
      const runs = said.history?.filter((entry) => entry.kind === 'run') ?? [];
      if (runs.length > 0) assert.equal(runs.at(-1)?.outcome, 'error', `the last outcome of ${key}`);
    }
  }

  #of(key: string): KeyModel {
    let model = this.#keys.get(key);
    if (!model) {
      model = {
        pendingSince: undefined,
        dueAt: undefined,
        failures: 0,
        hasChange: false,
        isRunning: false,
        isParked: false,
        hasHistory: false,
      };
      this.#keys.set(key, model);
    }
    return model;
  }

  /** Moves a key into line when its delay is over. */
  #fall(model: KeyModel): void {
    if (model.dueAt === undefined || model.dueAt > this.#options.now()) return;
    const since = model.dueAt;
    model.dueAt = undefined;
    if (!model.isParked) model.pendingSince ??= since;
  }

  #unpark(model: KeyModel): void {
    if (!model.isParked) return;
    model.isParked = false;
    model.failures = 0;
  }

  #add(model: KeyModel): void {
    this.#fall(model);
    model.dueAt = undefined;
    model.pendingSince ??= this.#options.now();
  }

  #addLater(model: KeyModel, ms: number): void {
    this.#fall(model);
    if (model.pendingSince !== undefined) return;
    model.dueAt = Math.min(model.dueAt ?? Number.POSITIVE_INFINITY, this.#options.now() + ms);
  }
}

function stateOf({ isRunning, isParked, pendingSince, dueAt, hasHistory }: KeyModel): KeyExplanation['state'] {
  if (isRunning) return 'processing';
  if (isParked) return 'parked';
  if (pendingSince !== undefined) return 'queued';
  if (dueAt !== undefined) return 'delayed';
  return hasHistory ? 'idle' : 'unknown';
}
