import { Bell } from '../kit/bell.ts';
import type { Clock } from '../kit/clock.ts';
import { messageOf } from '../kit/error.ts';
import type { RandomSource } from '../kit/random.ts';
import { compacted, isJoinable, type Task } from './task.ts';

export interface TaskQueueOptions {
  readonly name: string;
  /** How many tasks of different objects may be worked on at once. */
  readonly workers: number;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Carries out a task. Resolves with the tasks that come next. Rejects if it is to be tried again. */
  readonly work: (task: Task, queue: TaskQueue) => Promise<readonly Task[]>;
  /** Called when a task fails, with the time until it is tried again. */
  readonly onFailure: (task: Task, error: unknown, retryMs: number) => void;
}

/** A hook with more waiting runs than this number has them joined, wherever they wait. */
const MANY = 100;

/**
 * Tasks in their order. One that fails is tried again, and those behind it wait, but for tasks of other objects.
 * Source: shell-operator pkg/task/queue.
 */
export class TaskQueue {
  readonly name: string;
  readonly #options: TaskQueueOptions;
  readonly #bell = new Bell();
  readonly #running = new Set<Task>();
  #tasks: Task[] = [];

  constructor(options: TaskQueueOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** The tasks, also those that are worked on, in their order. */
  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  isRunning(task: Task): boolean {
    return this.#running.has(task);
  }

  add(task: Task): void {
    this.#tasks.push(task);
    if (task.object === undefined && this.#tasks.length > MANY) this.#joinMany(task);
    this.#bell.wake();
  }

  /** Tries tasks at once that wait after a failure. */
  hurry(tasks: readonly Task[]): void {
    for (const task of tasks) task.dueAt = 0;
    this.#bell.wake();
  }

  /** Takes a waiting task out; false if it is worked on, or not there. */
  drop(task: Task): boolean {
    if (this.#running.has(task) || !this.#tasks.includes(task)) return false;
    this.#tasks = this.#tasks.filter((each) => each !== task);
    this.#bell.wake();
    return true;
  }

  /**
   * Takes the tasks behind a run that are runs of the same hook, up to another task, and joins their contexts to it. Those
   * of another object are left where each object has its own order.
   */
  joinNext(task: Task): void {
    if (!isJoinable(task)) return;
    const at = this.#tasks.indexOf(task);
    const joined: Task[] = [];
    for (const next of this.#tasks.slice(at + 1)) {
      if (task.object !== undefined && next.object !== undefined && next.object !== task.object) continue;
      if (next.hook !== task.hook || next.kind !== 'run' || !next.isNeeded) break;
      if (next.object !== task.object || this.#running.has(next)) break;
      joined.push(next);
    }
    this.#join(task, joined);
    task.contexts = compacted(task.contexts);
  }

  /** Works until the signal aborts, and then until the tasks that have begun are done. */
  async run(signal: AbortSignal): Promise<void> {
    const running = new Set<Promise<void>>();
    while (!signal.aborted) {
      for (let next = this.#next(); next && !signal.aborted; next = this.#next()) {
        const work: Promise<void> = this.#carryOut(next, signal).finally(() => running.delete(work));
        running.add(work);
      }
      await this.#changed(signal);
    }
    await Promise.all(running);
  }

  /** Resolves when there may be another task to begin. */
  async #changed(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const dueAt = Math.min(
      ...this.#tasks.filter((task) => !this.#running.has(task) && task.dueAt > 0).map((task) => task.dueAt),
    );
    using _timer = Number.isFinite(dueAt)
      ? clock.after(Math.max(0, dueAt - clock.monotonic()), () => this.#bell.wake())
      : undefined;
    await this.#bell.wait(signal).catch(() => {});
  }

  /** The first task that nothing before it holds up. */
  #next(): Task | undefined {
    if (this.#running.size >= this.#options.workers) return undefined;
    const now = this.#options.clock.monotonic();
    const before = new Set<string>();
    for (const [i, task] of this.#tasks.entries()) {
      const isFree = task.object === undefined ? i === 0 : !before.has(task.object);
      if (isFree && !this.#running.has(task) && task.dueAt <= now) return task;
      if (task.object === undefined) return undefined;
      before.add(task.object);
    }
    return undefined;
  }

  async #carryOut(task: Task, signal: AbortSignal): Promise<void> {
    const { work, onFailure, clock } = this.#options;
    this.#running.add(task);
    try {
      const next = await work(task, this);
      this.#tasks = this.#tasks.filter((each) => each !== task);
      this.#tasks.unshift(...next);
    } catch (error) {
      if (signal.aborted) return;
      const retryMs = retryDelay(task.failures++, this.#options.random);
      task.error = messageOf(error);
      task.dueAt = clock.monotonic() + retryMs;
      onFailure(task, error, retryMs);
    } finally {
      this.#running.delete(task);
      this.#bell.wake();
    }
  }

  #join(task: Task, others: readonly Task[]): void {
    if (others.length === 0) return;
    task.contexts = [...task.contexts, ...others.flatMap(({ contexts }) => contexts)];
    task.unlocks = [...task.unlocks, ...others.flatMap(({ unlocks }) => unlocks)];
    const gone = new Set(others);
    this.#tasks = this.#tasks.filter((each) => !gone.has(each));
  }

  /** Joins the many waiting runs of a hook to the first of them: of each group the last context, after those without one. */
  #joinMany({ hook }: Task): void {
    const waiting = this.#tasks.filter((each) => each.hook === hook && !this.#running.has(each) && isJoinable(each));
    const [first, ...others] = waiting;
    if (!first || waiting.length <= MANY) return;
    this.#join(first, others);
    const { contexts } = first;
    const ofGroups = new Map(contexts.filter(({ group }) => group !== '').map((each) => [each.group, each]));
    first.contexts = [...contexts.filter(({ group }) => group === ''), ...ofGroups.values()];
  }
}

const FIRST_MS = 5_000;
const LONGEST_MS = 32_000;

/** 5 s after the first failure, then 6, 7, 9, 13 and 21 s and up to a second more, and 32 s at last. */
function retryDelay(failures: number, random: RandomSource): number {
  if (failures === 0) return FIRST_MS;
  if (failures > 5) return LONGEST_MS;
  const ms = FIRST_MS + 1000 * 2 ** (failures - 1) + random() * 1000;
  return Math.min(LONGEST_MS, Math.floor(ms / 100) * 100);
}
