/** A signal for one block. Disposal at the end of the block aborts `signal` and removes the parent's listener. */
export interface Scope extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/**
 * Opens a scope whose signal follows `parent`: when the parent aborts, it aborts with the same reason. After disposal
 * the parent has no listener of it.
 */
export function scope(parent?: AbortSignal): Scope {
  const controller = new AbortController();
  const follow = () => controller.abort(parent?.reason);
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]() {
      parent?.removeEventListener('abort', follow);
      controller.abort(BLOCK_ENDED);
    },
  };
}

/** The reason of a signal whose block has ended. One for all: to make an error takes longer than most blocks. */
const BLOCK_ENDED = new DOMException('This operation was aborted', 'AbortError');

/** Calls `run` when the signal aborts, or at once if it has aborted. Disposal of the result removes the listener. */
export function onAbort(signal: AbortSignal, run: () => void): Disposable {
  if (signal.aborted) {
    run();
    return { [Symbol.dispose]() {} };
  }
  signal.addEventListener('abort', run, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', run) };
}

/** Whether an error only says that the signal has aborted. */
export function saysAborted(error: unknown, { aborted: hasAborted, reason }: AbortSignal): boolean {
  return hasAborted && (error === reason || (error instanceof Error && error.name === 'AbortError'));
}

/** Resolves when the signal aborts. Never rejects. The listener stays until then. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, () => resolve());
  });
}

/** Settles as `promise` does, or rejects with the signal's reason if the signal aborts first. Leaves no listener. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const listener = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(() => listener[Symbol.dispose]());
  });
}
