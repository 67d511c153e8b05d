import type { IncomingMessage } from 'node:http';

/**
 * The body of a request; undefined if it has more bytes than `limit`. It is read to its end, because a client reads no
 * answer before.
 */
export async function requestBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
    else chunks.length = 0;
  }
  return length > limit ? undefined : Buffer.concat(chunks);
}
