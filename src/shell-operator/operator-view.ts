import type { ControllerSnapshot } from '../controller/controller-snapshot.ts';
import type { ControllerFacts, KeyExplanation } from '../controller/explanation.ts';
import type { Parked } from '../controller/history/parked.ts';
import type { Clock } from '../kit/clock.ts';
import { shortDuration } from '../kit/duration.ts';
import type { InspectedController } from '../ops/inspected.ts';
import type { HookWrites } from './hook-writes.ts';
import type { Operator } from './operator.ts';
import type { Task } from './task.ts';
import type { TaskQueue } from './task-queue.ts';

interface Placed {
  readonly task: Task;
  readonly queue: TaskQueue;
  readonly key: string;
  readonly isRunning: boolean;
  /** How long until it is tried again, ms; 0 where nothing failed. */
  readonly dueInMs: number;
  readonly waitedMs: number;
  /** The tasks before it. */
  readonly ahead: number;
}

/** The queues of an operator for `queue list` and `reconcile explain`: a key is `HOOK/BINDING`. */
export class OperatorView implements InspectedController {
  readonly #name: string;
  readonly #operator: Operator;
  readonly #ownWrites: HookWrites;
  readonly #clock: Clock;

  constructor(name: string, operator: Operator, ownWrites: HookWrites, clock: Clock) {
    this.#name = name;
    this.#operator = operator;
    this.#ownWrites = ownWrites;
    this.#clock = clock;
  }

  snapshot(): ControllerSnapshot {
    const all = this.#placed();
    const row = ({ key, task }: Placed) => ({ key, priority: 0, failures: task.failures });
    const processing = all.filter(({ isRunning }) => isRunning);
    const delayed = all.filter(({ isRunning, dueInMs }) => !isRunning && dueInMs > 0);
    const queued = all.filter(({ isRunning, dueInMs }) => !isRunning && dueInMs === 0);
    const parked = this.#parked();
    return {
      processing: processing.map((each) => ({ ...row(each), heldMs: each.waitedMs, isDirty: false })),
      queued: queued.map((each) => ({ ...row(each), waitedMs: each.waitedMs })),
      delayed: delayed.map((each) => ({ ...row(each), dueInMs: each.dueInMs, why: 'back-off' as const })),
      parked,
      counts: {
        queued: queued.length,
        processing: processing.length,
        delayed: delayed.length,
        parked: parked.length,
        runs: this.#operator.runCount,
      },
      oldestWaitMs: Math.max(0, ...queued.map(({ waitedMs }) => waitedMs)),
      controller: this.#facts(processing.length),
    };
  }

  explain(key: string): KeyExplanation {
    const mine = this.#placed().filter((each) => each.key === key);
    const parked = this.#parked().find((each) => each.key === key);
    const [first] = mine;
    const rest = {
      key,
      at: this.#clock.now(),
      failures: first?.task.failures ?? 0,
      pending: [],
      history: [],
      droppedSteps: 0,
      isHistoryPartial: false,
      skippedElsewhere: [],
      controller: this.#facts(0),
    };
    if (parked) return { ...rest, state: 'parked', parked, summary: parked.error };
    if (!first) return { ...rest, ...this.#idle(key) };
    const { task, queue, isRunning, dueInMs, waitedMs, ahead } = first;
    const more = mine.length > 1 ? `; ${mine.length - 1} more of it wait behind it` : '';
    if (isRunning) {
      const processing = { sinceMs: waitedMs, attempt: task.failures + 1, runsAgain: mine.length > 1 };
      const summary = `is being worked on in the queue ${queue.name}, ${causesText(task)}${more}`;
      return { ...rest, state: 'processing', processing, summary };
    }
    if (dueInMs > 0) {
      const delayed = { dueInMs, dueAt: rest.at + dueInMs, priority: 0, why: 'back-off' as const };
      const summary = `failed ${task.failures} times in the queue ${queue.name}, which waits for it, and is tried again in ${shortDuration(dueInMs)}: ${task.error}${more}`;
      return { ...rest, state: 'delayed', delayed, summary };
    }
    const queued = { position: ahead + 1, of: queue.tasks.length, priority: 0, waitedMs };
    const behind =
      ahead === 0 ? 'is next' : `waits behind ${ahead} others, the first of ${keyOf(queue.tasks[0] as Task)},`;
    return {
      ...rest,
      state: 'queued',
      queued,
      summary: `${behind} in the queue ${queue.name}, ${causesText(task)}${more}`,
    };
  }

  enqueue(key: string): void {
    for (const { task, queue } of this.#placed()) if (keyOf(task) === key) queue.hurry([task]);
  }

  release(key: string): boolean {
    this.enqueue(key);
    return (
      this.#ownWrites.loops
        .filter((loop) => loop.key.startsWith(`${key} `))
        .map(({ key: one }) => this.#ownWrites.release(one)).length > 0
    );
  }

  /** Drops what waits, but not what shows a hook the whole state: without it no event would come. */
  drop(key: string): boolean {
    const droppable = this.#placed().filter(
      ({ task }) => keyOf(task) === key && task.kind === 'run' && task.unlocks.length === 0,
    );
    return droppable.filter(({ task, queue }) => queue.drop(task)).length > 0;
  }

  #placed(): Placed[] {
    const [now, since] = [this.#clock.now(), this.#clock.monotonic()];
    return [...this.#operator.queues.values()].flatMap((queue) =>
      queue.tasks.map((task, ahead) => ({
        task,
        queue,
        key: keyOf(task),
        isRunning: queue.isRunning(task),
        dueInMs: task.failures === 0 ? 0 : Math.max(0, task.dueAt - since),
        waitedMs: now - task.queuedAt,
        ahead,
      })),
    );
  }

  #parked(): Parked[] {
    return this.#ownWrites.loops.map(({ key, runs, since }) => {
      const [name = '', object = ''] = key.split(/ (?=[^ ]*$)/);
      const error = `${object} is not run again: only the hook's own writes changed it, ${runs} times in a row; the change of another writer ends that`;
      return { key: name, reason: 'hot-loop' as const, error, attempts: runs, since, causes: [] };
    });
  }

  #idle(key: string): Pick<KeyExplanation, 'state' | 'summary'> {
    const known = this.#operator.known(key);
    if (known === undefined) return { state: 'unknown', summary: 'no hook has a binding of this name' };
    return { state: 'idle', summary: known };
  }

  #facts(active: number): ControllerFacts {
    const workers = this.#operator.queues.size;
    return { name: this.#name, phase: this.#operator.phase, workers, active, sources: [] };
  }
}

const keyOf = ({ hook, binding }: Task) => `${hook.name}/${binding}`;

function causesText({ kind, contexts }: Task): string {
  if (kind !== 'run') return kind === 'watch' ? 'to read the objects of its bindings' : 'to begin its schedules';
  const [first] = contexts;
  const event = first?.event;
  const count = contexts.length === 1 ? '' : `${contexts.length} causes, the first: `;
  if (!event) return `${count}${first?.objects ? 'the whole state' : (first?.sort ?? '')}`;
  const { namespace, name } = event.entry;
  return `${count}${event.watchEvent} ${namespace === '' ? name : `${namespace}/${name}`}`;
}
