import type { ControllerPhase } from '../controller/explanation.ts';
import { onAbort, scope } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { shortDuration } from '../kit/duration.ts';
import { InformerError, isInformerError, messageOf } from '../kit/error.ts';
import type { Logger } from '../kit/logger.ts';
import type { BindingContext } from './binding-context.ts';
import { type BindingsOptions, HookBindings } from './bindings.ts';
import type { CrontabTimes } from './crontab.ts';
import type { KubernetesBinding, ScheduleBinding } from './hook-config.ts';
import type { HookWrites } from './hook-writes.ts';
import type { OperatorHook } from './load-hooks.ts';
import type { BindingEvent, Entry, Monitor } from './monitor.ts';
import { RunRate } from './rate.ts';
import { Schedules } from './schedules.ts';
import { newTask, type Task } from './task.ts';
import { TaskQueue } from './task-queue.ts';

export interface OperatorOptions extends Pick<BindingsOptions, 'client' | 'caches' | 'filters' | 'redact'> {
  readonly hooks: readonly OperatorHook[];
  readonly times: ReadonlyMap<string, CrontabTimes>;
  /** Runs a hook once with these causes. `objectsOf` gives the objects of its bindings. Rejects if it failed. */
  readonly call: (run: HookCall) => Promise<HookAnswers>;
  readonly ownWrites: HookWrites;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Tasks of different objects are worked on side by side, at most this number at once; undefined: each queue keeps its order. */
  readonly perObject: number | undefined;
  /** How long runs that are under way may take at the end, ms. */
  readonly graceMs: number;
  readonly hookTimeoutMs: number | undefined;
}

/** The responses that a hook wrote; '' for none. */
export interface HookAnswers {
  readonly validating: string;
  readonly conversion: string;
}

/** One call of a hook. */
export interface HookCall {
  readonly hook: OperatorHook;
  readonly binding: string;
  readonly contexts: readonly BindingContext[];
  readonly objectsOf: (binding: string) => readonly Entry[];
  readonly signal: AbortSignal;
}

const MAIN = 'main';

/**
 * Hooks at work. At the start the main queue has the hooks that run then, in their order, and after them for each hook
 * the start of its bindings: the whole state of each, then its events. Source: shell-operator
 * pkg/shell-operator/operator.go.
 */
export class Operator {
  readonly queues: ReadonlyMap<string, TaskQueue>;
  readonly #options: OperatorOptions;
  readonly #bindings = new Map<OperatorHook, HookBindings>();
  readonly #rates = new Map<OperatorHook, RunRate>();
  #schedules: Schedules | undefined;
  /** Ends the runs that are under way. */
  #runs = new AbortController();
  #phase: ControllerPhase = 'not started';
  readonly #ended = new Map<string, { at: number; error: string | undefined }>();
  #runCount = 0;
  #failureCount = 0;

  constructor(options: OperatorOptions) {
    this.#options = options;
    const { hooks, clock } = options;
    for (const hook of hooks) if (hook.config.rate) this.#rates.set(hook, new RunRate(hook.config.rate, clock));
    const bindings = hooks.flatMap(({ config }) => [...config.kubernetes, ...config.schedules]);
    const names = new Set([MAIN, ...bindings.map(({ queue }) => queue)]);
    this.queues = new Map([...names].map((name) => [name, this.#createQueue(name)]));
  }

  get phase(): ControllerPhase {
    return this.#phase;
  }

  /** The runs of hooks so far. */
  get runCount(): number {
    return this.#runCount;
  }

  get failureCount(): number {
    return this.#failureCount;
  }

  /** Whether every hook has seen the whole state of its bindings. */
  get hasStarted(): boolean {
    return (
      this.#phase === 'running' &&
      !(this.queues.get(MAIN)?.tasks ?? []).some(({ kind, unlocks }) => kind === 'watch' || unlocks.length > 0)
    );
  }

  /** Whether nothing is to be done, as far as the caches know. */
  get isIdle(): boolean {
    return this.hasStarted && [...this.queues.values()].every(({ tasks }) => tasks.length === 0) && !this.#isFiltering;
  }

  get #isFiltering(): boolean {
    return [...this.#bindings.values()].some(({ monitors }) => monitors.some(({ isBusy }) => isBusy));
  }

  /** The state of a binding, by `HOOK/BINDING`; undefined if there is none of this name. */
  known(key: string): string | undefined {
    const { hooks, clock } = this.#options;
    const hook = hooks.find(({ name }) => key.startsWith(`${name}/`));
    const binding = key.slice((hook?.name.length ?? 0) + 1);
    const { kubernetes = [], schedules = [], validating = [], mutating = [], conversions = [] } = hook?.config ?? {};
    const all = [...kubernetes, ...schedules, ...validating, ...mutating, ...conversions];
    const isThere = all.some(({ name }) => name === binding);
    if (!hook || (!isThere && (binding !== 'onStartup' || hook.config.onStartup === undefined))) return undefined;
    const last = this.#ended.get(key);
    const ended =
      last &&
      `its last run ${last.error === undefined ? 'succeeded' : 'failed'} ${shortDuration(clock.now() - last.at)} ago${last.error === undefined ? '' : `: ${last.error}`}`;
    const monitor = this.#bindings.get(hook)?.monitors.find(({ binding: { name } }) => name === binding);
    const objects = monitor && `it has ${monitor.size} object${monitor.size === 1 ? '' : 's'}`;
    return ['waits for nothing', ended ?? 'it has not run', objects].filter((text) => text !== undefined).join('; ');
  }

  /** Works until the signal aborts, and then until the runs under way are done, as long as the grace. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, times, graceMs } = this.#options;
    this.#runs = new AbortController();
    this.#phase = 'running';
    using _end = onAbort(signal, () => {
      this.#phase = 'draining';
      if (isInformerError(signal.reason, 'leadership')) this.#runs.abort(signal.reason);
      else clock.after(graceMs, () => this.#runs.abort(signal.reason));
    });
    this.#schedules = new Schedules({ times, clock, signal, onTime: (hook, binding) => this.atTime(hook, binding) });
    const main = this.queues.get(MAIN) as TaskQueue;
    for (const task of this.#startTasks(signal)) main.add(task);
    try {
      await Promise.all([...this.queues.values()].map((queue) => queue.run(signal)));
    } finally {
      this.#phase = 'ended';
      this.#runs.abort(signal.reason);
      for (const bindings of this.#bindings.values()) bindings[Symbol.dispose]();
      this.#bindings.clear();
    }
  }

  /** Runs a hook beside the queues, for a webhook. Rejects with `sync` before the objects that it is to get are there. */
  async review(hook: OperatorHook, context: BindingContext, signal: AbortSignal): Promise<HookAnswers> {
    const objectsOf = (name: string) => this.#objectsOf(hook, name);
    if (context.snapshots.length > 0 && !this.#bindings.has(hook))
      throw new InformerError(
        'sync',
        `the objects of ${context.snapshots.join(', ')} of ${hook.name} are not there yet`,
      );
    return await this.#call({ hook, binding: context.binding, contexts: [context], objectsOf, signal }, 'webhooks');
  }

  #startTasks(signal: AbortSignal): Task[] {
    const { hooks, clock } = this.#options;
    const queuedAt = clock.now();
    const orderOf = ({ config }: OperatorHook) => config.onStartup ?? 0;
    const first = hooks.filter(({ config }) => config.onStartup !== undefined).sort((a, b) => orderOf(a) - orderOf(b));
    signal.throwIfAborted();
    return [
      ...first.map((hook) => newTask({ kind: 'run', hook, binding: 'onStartup', contexts: [STARTUP], queuedAt })),
      ...hooks.flatMap((hook) => [
        ...(hook.config.kubernetes.length > 0
          ? [newTask({ kind: 'watch', hook, binding: 'kubernetes', queuedAt })]
          : []),
        ...(hook.config.schedules.length > 0
          ? [newTask({ kind: 'schedule', hook, binding: 'schedule', queuedAt })]
          : []),
      ]),
    ];
  }

  #createQueue(name: string): TaskQueue {
    const { clock, logger, perObject } = this.#options;
    return new TaskQueue({
      name,
      workers: perObject ?? 1,
      clock,
      random: Math.random,
      work: (task, queue) => this.#work(task, queue),
      onFailure: ({ hook, binding, failures }, error, retryMs) => {
        this.#failureCount++;
        logger.warn('failed; will retry', {
          key: `${hook.name}/${binding}`,
          queue: name,
          attempt: failures,
          retryMs,
          error,
        });
      },
    });
  }

  async #work(task: Task, queue: TaskQueue): Promise<readonly Task[]> {
    if (task.kind === 'watch') return await this.#watch(task);
    if (task.kind === 'schedule') this.#schedules?.add(task.hook);
    else await this.#runTask(task, queue);
    return [];
  }

  /** Starts the bindings of a hook. The whole state of each comes next, before everything else. */
  async #watch({ hook }: Task): Promise<readonly Task[]> {
    const { clock } = this.#options;
    const onEvent = (monitor: Monitor, event: BindingEvent) => this.#onEvent(hook, monitor, event);
    const onFailure = (error: Error) =>
      this.#options.logger.error('a jqFilter failed; the event is left out', { error });
    const bindings = new HookBindings({ ...this.#options, hook, onEvent, onFailure, signal: this.#runs.signal });
    await bindings.start();
    this.#bindings.set(hook, bindings);
    return bindings.monitors.map((monitor) => {
      const { name, runsOnSynchronization, allowFailure } = monitor.binding;
      const isNeeded = runsOnSynchronization && hook.config.version === 'v1';
      const context: BindingContext = {
        ...contextOf(monitor.binding, 'kubernetes'),
        objects: () => monitor.snapshot(),
      };
      const task = { kind: 'run', hook, binding: name, contexts: [context], allowFailure, isNeeded } as const;
      return newTask({ ...task, unlocks: [monitor], queuedAt: clock.now() });
    });
  }

  #onEvent(hook: OperatorHook, { binding }: Monitor, event: BindingEvent): void {
    const { namespace, name } = event.entry;
    const isAlone = this.#options.perObject !== undefined && binding.group === '';
    this.#add(binding, {
      hook,
      contexts: [{ ...contextOf(binding, 'kubernetes'), event }],
      ...(isAlone ? { object: `${hook.name} ${binding.name} ${namespace}/${name}` } : {}),
    });
  }

  /** Queues a run of a hook, for a schedule of it. */
  atTime(hook: OperatorHook, binding: ScheduleBinding): void {
    this.#add(binding, { hook, contexts: [contextOf(binding, 'schedule')] });
  }

  #add(
    { queue, name, allowFailure }: KubernetesBinding | ScheduleBinding,
    task: Pick<Task, 'hook' | 'contexts'> & Partial<Pick<Task, 'object'>>,
  ): void {
    const queuedAt = this.#options.clock.now();
    this.queues.get(queue)?.add(newTask({ kind: 'run', binding: name, allowFailure, queuedAt, ...task }));
  }

  async #runTask(task: Task, queue: TaskQueue): Promise<void> {
    const { ownWrites, logger } = this.#options;
    const { hook, binding } = task;
    const { signal } = this.#runs;
    if (task.isNeeded) {
      await this.#rates.get(hook)?.wait(signal);
      await ownWrites.shown(queue.name, signal);
      queue.joinNext(task);
      task.contexts = ownWrites.withoutLoops(hook.name, task.contexts);
      try {
        const objectsOf = (name: string) => this.#objectsOf(hook, name);
        if (task.contexts.length > 0)
          await this.#call({ hook, binding, contexts: task.contexts, objectsOf, signal }, queue.name);
      } catch (error) {
        if (!task.allowFailure || signal.aborted) throw error;
        logger.info('failed, which its binding allows', { key: `${hook.name}/${binding}`, error });
      }
    }
    for (const monitor of task.unlocks) monitor.unlock();
  }

  async #call(run: HookCall, queue: string): Promise<HookAnswers> {
    const { call, ownWrites, clock, hookTimeoutMs } = this.#options;
    this.#runCount++;
    using limited = scope(run.signal);
    using _timer =
      hookTimeoutMs === undefined
        ? undefined
        : clock.after(hookTimeoutMs, () =>
            limited.abort(new InformerError('hook', `the hook ${run.hook.name} took longer than --hook-timeout`)),
          );
    let error: string | undefined;
    try {
      return await ownWrites.observing(run.hook.name, queue, () => call({ ...run, signal: limited.signal }));
    } catch (caught) {
      error = messageOf(caught);
      throw caught;
    } finally {
      this.#ended.set(`${run.hook.name}/${run.binding}`, { at: clock.now(), error });
    }
  }

  #objectsOf(hook: OperatorHook, binding: string): readonly Entry[] {
    const monitors = this.#bindings.get(hook)?.monitors ?? [];
    return monitors.find((monitor) => monitor.binding.name === binding)?.snapshot() ?? [];
  }
}

const STARTUP: BindingContext = { sort: 'onStartup', binding: 'onStartup', group: '', snapshots: [] };

const contextOf = (
  { name, group, snapshots }: KubernetesBinding | ScheduleBinding,
  sort: BindingContext['sort'],
): BindingContext => ({ sort, binding: name, group, snapshots });
