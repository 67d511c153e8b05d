import type { Transport, TransportRequest, TransportResponse } from '../../src/client/http/transport.ts';

/** What one request is answered with. */
export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Instead of a body: what arrives, chunk by chunk. */
  chunks?: AsyncIterable<Uint8Array> | Iterable<string>;
  /** Instead of both: a body that is given out as it is, for a test that wants to see when its reader leaves. */
  raw?: AsyncIterable<Uint8Array>;
}

/**
 * A transport that gives back bytes a test wrote down, and remembers what it was asked.
 *
 * It knows nothing of Kubernetes, and is for what the sandbox cannot be made to send: bytes cut at an exact place,
 * answers that no server gives (a login page, half a discovery, a table that was not asked for), servers of other
 * versions, and answers recorded from a real one. Whatever expects an ordinary answer is tested on the sandbox.
 */
export function scriptedBytes(
  answer: (request: TransportRequest) => ScriptedAnswer | undefined,
): Transport & { requests: TransportRequest[] } {
  const requests: TransportRequest[] = [];
  return {
    requests,
    async request(request) {
      requests.push(request);
      return responseOf(
        answer(request) ?? { status: 404, body: '404 page not found\n', headers: { 'content-type': 'text/plain' } },
      );
    },
    async close() {},
  };
}

function responseOf({ status = 200, headers = {}, body, chunks, raw }: ScriptedAnswer): TransportResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  return { status, headers, body: raw ?? bytes(chunks ?? [text]) };
}

export async function* bytes(chunks: AsyncIterable<Uint8Array> | Iterable<string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** Cuts text into chunks of the given byte lengths, over and over. */
export function cut(text: string, lengths: readonly number[]): Buffer[] {
  const all = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0, i = 0; at < all.length; i++) {
    const length = lengths[i % lengths.length] ?? 1;
    chunks.push(all.subarray(at, at + length));
    at += length;
  }
  return chunks;
}
