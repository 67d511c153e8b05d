import { existsSync, readFileSync } from 'node:fs';
import type { Transport, TransportRequest, TransportResponse } from '../../src/client/transport.ts';

export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Instead of a body: what arrives, chunk by chunk. */
  chunks?: AsyncIterable<Uint8Array> | Iterable<string>;
}

/** A transport that answers from a function and remembers what it was asked. */
export function fakeTransport(answer: (request: TransportRequest) => FakeAnswer | undefined): Transport & { requests: TransportRequest[] } {
  const requests: TransportRequest[] = [];
  return {
    requests,
    async request(request) {
      requests.push(request);
      return responseOf(answer(request) ?? { status: 404, body: '404 page not found\n', headers: { 'content-type': 'text/plain' } });
    },
    async close() {},
  };
}

export function responseOf({ status = 200, headers = {}, body, chunks }: FakeAnswer): TransportResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  return { status, headers, body: bytes(chunks ?? [text]) };
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

export interface Exchange {
  title: string;
  request: { method: string; path: string; headers: Record<string, string>; body?: unknown };
  response: { status: number; headers: Record<string, string>; body?: unknown; stream?: { afterMs: number; event: unknown }[] };
}

/** Exchanges recorded from a real API server, where they lie beside the checkout; undefined elsewhere. */
export function recorded(file: string): Exchange[] | undefined {
  const url = new URL(`../../../shared/wire/${file}`, import.meta.url);
  return existsSync(url) ? (JSON.parse(readFileSync(url, 'utf8')) as Exchange[]) : undefined;
}
