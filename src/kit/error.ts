/** The codes of an {@link InformerError}. docs/errors.md has a table with causes and next steps. */
export type ErrorCode =
  | 'argument' // a wrong argument; thrown before anything starts
  | 'config' // kubeconfig, in-cluster files or credentials cannot be used
  | 'credentials' // an exec plugin or token source failed, or the server refused its credentials
  | 'api' // an error response of the server: a StatusError
  | 'transport' // the connection failed: refused, reset, timed out, TLS; can be retried
  | 'decode' // bytes from the server that break the protocol
  | 'discovery' // no such resource type, or discovery failed
  | 'list' // a LIST failed
  | 'watch' // a WATCH could not be started or ended in error
  | 'store' // a write to the local cache failed
  | 'closed' // used after its end
  | 'sync' // a cache did not sync in time
  | 'stale' // a cache is older than what was asked for
  | 'hook' // a user's hook failed
  | 'leadership' // the lease of an election does not belong to this process, or not any more
  | 'terminal'; // a final failure: neither a retry nor a longer wait helps

/** Options of an {@link InformerError}. */
export interface InformerErrorOptions {
  cause?: unknown;
  /** The next step for the user, as one sentence. The CLI prints it as `hint: …`. */
  hint?: string | undefined;
}

/** The base class of all errors of this package. `cause` is the error below; `code` is stable across versions. */
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

/** Whether a value is an {@link InformerError}, with this code if one is given. */
export function isInformerError(error: unknown, code?: ErrorCode): error is InformerError {
  return error instanceof InformerError && (code === undefined || error.code === code);
}

/** The message of an error, or the text of any other thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The longest path of a system call is 4,096 bytes, and `rename` has two of them. */
const LONGEST_SYSTEM_ERROR = 10_000;

/** A message without the code and the call that Node puts around it: `ENOENT: no such file or directory, stat '/x'`. */
export function withoutCall(message: string): string {
  if (message.length > LONGEST_SYSTEM_ERROR) return message;
  return message.replace(/^E[A-Z]+: (.+), \w+( '.*')?$/, '$1');
}

/** An error and all its causes, outermost first, with the errors of an AggregateError. */
export function* causesOf(error: unknown): Generator<unknown> {
  const seen = new Set<unknown>();
  for (let e = error; e !== undefined && e !== null && !seen.has(e); e = (e as { cause?: unknown }).cause) {
    seen.add(e);
    yield e;
    if (e instanceof AggregateError) for (const inner of e.errors) yield* causesOf(inner);
  }
}
