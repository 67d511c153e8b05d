import type { BindingContext } from './binding-context.ts';
import type { OperatorHook } from './load-hooks.ts';
import type { Monitor } from './monitor.ts';

/** A step of a queue: a run of a hook, or the start of what leads to its runs. */
export interface Task {
  readonly kind: 'run' | 'watch' | 'schedule';
  readonly hook: OperatorHook;
  /** The binding that it is for; the first one where several were combined. */
  readonly binding: string;
  contexts: readonly BindingContext[];
  readonly allowFailure: boolean;
  /** The bindings whose events come when the run has succeeded: it shows the hook their whole state. */
  unlocks: readonly Monitor[];
  /** False for a run that is left out: only its `unlocks` count. */
  readonly isNeeded: boolean;
  /** The object whose tasks alone wait for it; undefined for a task that waits for all before it, and all after it for it. */
  readonly object?: string | undefined;
  readonly queuedAt: number;
  failures: number;
  /** When it is tried again, monotonic ms. */
  dueAt: number;
  error: string | undefined;
}

/** A task without failures. */
export const newTask = (
  task: Pick<Task, 'kind' | 'hook' | 'binding' | 'queuedAt'> &
    Partial<Pick<Task, 'contexts' | 'allowFailure' | 'unlocks' | 'isNeeded' | 'object'>>,
): Task => ({
  contexts: [],
  allowFailure: false,
  unlocks: [],
  isNeeded: true,
  failures: 0,
  dueAt: 0,
  error: undefined,
  ...task,
});

/**
 * Whether the tasks behind it are joined to a run: not to one that shows a hook the whole state of a binding by itself,
 * and not for hooks of version v0.
 */
export function isJoinable({ kind, hook, contexts, isNeeded }: Task): boolean {
  const [first] = contexts;
  if (kind !== 'run' || !isNeeded || hook.config.version !== 'v1' || !first) return false;
  return first.sort !== 'kubernetes' || first.event !== undefined || first.group !== '';
}

/** Contexts of a group that follow each other are one, the last. */
export function compacted(contexts: readonly BindingContext[]): BindingContext[] {
  return contexts.filter(({ group }, i) => group === '' || contexts[i + 1]?.group !== group);
}
