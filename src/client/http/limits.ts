import { InformerError } from '../../kit/error.ts';

const MIB = 1024 * 1024;

/**
 * Largest text of one object, in bytes: a line of a watch, an item of a list, the response to a GET, a discovery
 * document. An API server accepts request bodies of at most 3 MB, and etcd values of at most 1.5 MB, so no object of
 * a working API server is that large.
 * Source: apiserver server/config.go (MaxRequestBodyBytes), etcd --max-request-bytes.
 */
export const LARGEST_OBJECT = 64 * MIB;

/** A watch line that is too large is read and dropped until the next line, but at most for this many bytes. */
export const LONGEST_SKIPPED = 16 * LARGEST_OBJECT;

/**
 * Largest output of an exec plugin, response of an OIDC provider, and version document, in bytes.
 * A token is sent in a header, and a Go server accepts 1 MiB of headers. Source: net/http DefaultMaxHeaderBytes.
 */
export const LARGEST_CREDENTIAL = MIB;

/** The most bytes that are read of an error response. A Status has a few hundred, but a proxy may send anything. */
export const LARGEST_ERROR_BODY = MIB;

/**
 * The error for a response, or a part of one, that is larger than its limit, or than the memory that is left. Its code is
 * `decode`. Its text names the limit, and the byte offset if that is known.
 */
export class OversizedError extends InformerError {
  constructor(message: string, { hint = HINT }: { hint?: string } = {}) {
    super('decode', message, { hint });
  }
}

const HINT =
  'no object of a Kubernetes API server is that large: is something else answering, or an aggregated API out of order?';

/** The error for a part of a response, `what`, that begins at byte `offset` and has more than `limit` bytes. */
export function tooLarge(
  what: string,
  { offset, limit }: { offset?: number | undefined; limit: number },
): OversizedError {
  const where = offset === undefined ? '' : `, from byte ${offset} of the response,`;
  const size = limit % MIB === 0 ? ` (${limit / MIB} MiB)` : '';
  return new OversizedError(`${what}${where} is longer than the limit of ${limit} bytes${size}`);
}

/** The error for a collection, `what`, that does not fit into the memory of this process. `full` says what is full. */
export function tooMuch(what: string, { full, read }: { full: string; read: string }): OversizedError {
  return new OversizedError(`${what} does not fit into the memory of this process: ${full} after ${read}`, {
    hint: 'read less (a namespace, a selector), or give Node more memory (NODE_OPTIONS=--max-old-space-size=8192, in MiB); if the cluster has fewer objects than that, the server or a proxy sends an answer without an end',
  });
}

/** Whether an error, or one of its causes, is an {@link OversizedError}. */
export function isOversized(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) if (e instanceof OversizedError) return true;
  return false;
}
