/** A child of a signal that ends with its block: leaving the block aborts `signal` and unhooks it from the parent. */
export interface Scope extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/**
 * Opens a scope below `parent`.
 *
 * Promises: when the parent aborts, the child aborts with the same reason; after disposal the parent holds no listener of it.
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
      controller.abort();
    },
  };
}

/** Calls `run` when the signal aborts, at once if it already has. Disposing the result takes the listener away. */
export function onAbort(signal: AbortSignal, run: () => void): Disposable {
  if (signal.aborted) {
    run();
    return { [Symbol.dispose]() {} };
  }
  signal.addEventListener('abort', run, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', run) };
}

/** Resolves when the signal aborts. Never rejects. The listener stays until then. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, () => resolve());
  });
}

/** Settles as `promise` does, or rejects with the signal's reason if that comes first. Leaves no listener behind. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const listener = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(() => listener[Symbol.dispose]());
  });
}
