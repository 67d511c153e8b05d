/** Every `code` an {@link InformerError} can carry. The table with causes and next steps is docs/errors.md. */
export type ErrorCode =
  | 'argument' // a caller passed something that cannot work; thrown before anything starts
  | 'config' // kubeconfig, in-cluster files or credentials cannot be used
  | 'credentials' // an exec plugin or token source failed, or the server refused what it gave
  | 'api' // the server answered, and refused or failed: a StatusError
  | 'transport' // the connection failed: refused, reset, timed out, TLS; worth another try
  | 'decode' // bytes from the server are not what the protocol promises
  | 'discovery' // no such resource type, or discovery failed
  | 'list' // a LIST failed
  | 'watch' // a WATCH could not be started or ended in error
  | 'store' // a write to the local cache failed
  | 'closed' // used after it was stopped
  | 'sync' // a cache did not sync in time
  | 'hook' // a user's hook failed
  | 'terminal'; // a final failure: trying again, or waiting on, is of no use

export interface InformerErrorOptions {
  cause?: unknown;
  /** What the user can do next, as one sentence. Printed by the CLI as `hint: …`. */
  hint?: string | undefined;
}

/** The one error class of this package. `cause` keeps what happened below; `code` is stable across versions. */
export class InformerError extends Error {
  override readonly name: string = 'InformerError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: InformerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}

export function isInformerError(error: unknown, code?: ErrorCode): error is InformerError {
  return error instanceof InformerError && (code === undefined || error.code === code);
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The chain of an error and its causes, outermost first. */
export function* causesOf(error: unknown): Generator<unknown> {
  const seen = new Set<unknown>();
  for (let e = error; e !== undefined && e !== null && !seen.has(e); e = (e as { cause?: unknown }).cause) {
    seen.add(e);
    yield e;
    if (e instanceof AggregateError) for (const inner of e.errors) yield* causesOf(inner);
  }
}
