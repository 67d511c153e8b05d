import { InformerError } from '../../kit/error.ts';

const MIB = 1024 * 1024;

/**
 * Largest text of one object, in bytes: a line of a watch, an item of a list, the answer to a GET, a discovery document.
 * An API server takes request bodies of at most 3 MB, and etcd values of at most 1.5 MB, so an object of this size has no honest origin.
 * Source: apiserver server/config.go (MaxRequestBodyBytes), etcd --max-request-bytes.
 */
export const LARGEST_OBJECT = 64 * MIB;

/** Bytes of a watch line beyond {@link LARGEST_OBJECT} that are read and dropped, to find the next line, before the stream is given up. */
export const LONGEST_SKIPPED = 16 * LARGEST_OBJECT;

/**
 * Largest answer of whoever gives out credentials (an exec plugin, an OIDC provider) and largest version document, in bytes.
 * A token is sent in a header, and a Go server takes 1 MiB of headers. Source: net/http DefaultMaxHeaderBytes.
 */
export const LARGEST_CREDENTIAL = MIB;

/** Bytes read of the body of an error: a Status has some hundred, and a proxy may send anything. */
export const LARGEST_ERROR_BODY = MIB;

/** How many times its compressed size a body may have. API servers compress lists ten to thirty times; a gzip bomb has a thousand. */
export const LARGEST_EXPANSION = 400;

/** An answer, or a part of one, that is larger than its limit. A `decode` error; its text names the limit, and where there is one the byte offset. */
export class OversizedError extends InformerError {
  constructor(message: string, { hint = HINT }: { hint?: string } = {}) {
    super('decode', message, { hint });
  }
}

const HINT = 'no object of a Kubernetes API server is that large: is something else answering, or an aggregated API out of order?';

/** The error about something that has more than `limit` bytes. It begins at byte `offset` of the response, unless that is undefined. */
export function tooLarge(what: string, { offset, limit }: { offset?: number | undefined; limit: number }): OversizedError {
  const where = offset === undefined ? '' : `, from byte ${offset} of the response,`;
  const size = limit % MIB === 0 ? ` (${limit / MIB} MiB)` : '';
  return new OversizedError(`${what}${where} is longer than the limit of ${limit} bytes${size}`);
}

/** Whether an error, or one of its causes, is an {@link OversizedError}. */
export function isOversized(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) if (e instanceof OversizedError) return true;
  return false;
}
