import { onAbort } from '../../kit/abort.ts';
import { Bell } from '../../kit/bell.ts';
import type { Clock } from '../../kit/clock.ts';
import { parseJson } from '../../kit/exact-json.ts';
import type { UnknownObject } from '../../model/object.ts';
import { failure, StatusError } from '../../model/status.ts';
import type { ApiRequest, ApiResponse } from '../api/exchange.ts';
import { respondStatus } from '../api/respond.ts';
import { parseRoute } from '../api/route.ts';
import { staleWrite } from '../status/statuses.ts';
import type { Fault } from './fault.ts';
import { isWatchRequest } from './fault-script.ts';
import { reordered } from './reordered.ts';

type Serve = (request: ApiRequest) => Promise<ApiResponse>;
type Body = AsyncGenerator<Uint8Array, void, void>;

/** The error by which Node reports a connection that breaks or is refused. */
export function connectionError(code: 'ECONNRESET' | 'ECONNREFUSED'): Error {
  return Object.assign(new Error(code === 'ECONNRESET' ? 'socket hang up' : 'connect ECONNREFUSED'), { code });
}

/** Serves a request with a fault. Where a real connection would break, it rejects, or reading the body does. */
export async function inject(fault: Fault, request: ApiRequest, serve: Serve, clock: Clock): Promise<ApiResponse> {
  const { signal } = request;
  if (fault.kind === 'refuse') throw connectionError('ECONNREFUSED');
  if (fault.kind === 'status') return respondStatus(statusOf(fault, request));
  if (fault.kind === 'gone' && !isWatchRequest(request)) return respondStatus(expired());
  if (fault.kind === 'delay') await clock.sleep(fault.ms, { signal });
  const response = await serve(fault.kind === 'reorder' ? uncompressed(request) : request);
  return fault.kind === 'delay' ? response : { ...response, body: withFault(fault, response.body, signal, clock) };
}

function uncompressed(request: ApiRequest): ApiRequest {
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => name.toLowerCase() !== 'accept-encoding');
  return { ...request, headers: Object.fromEntries(headers) };
}

function statusOf(
  { code, retryAfterSeconds }: Extract<Fault, { kind: 'status' }>,
  request: ApiRequest,
): ReturnType<typeof failure> {
  if (code === 409) return staleWriteStatus(request);
  const [reason, message] = REASONS[code];
  return failure(code, reason, message, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds });
}

/** The conflict of a write whose object another client has changed, in the words of a real server. */
function staleWriteStatus({ path, body }: ApiRequest): ReturnType<typeof failure> {
  const route = parseRoute(path.split('?')[0] ?? '');
  const { gvr, name = nameIn(body) } =
    route.kind === 'resource' ? route.resource : { gvr: { group: '', resource: '' } };
  try {
    return staleWrite(gvr, name);
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
}

/** The name of a new object, which is in its body. */
function nameIn(body: ApiRequest['body']): string {
  try {
    return String((parseJson(Buffer.from(body ?? '').toString()) as UnknownObject).metadata.name ?? '');
  } catch {
    return '';
  }
}

const REASONS = {
  401: ['Unauthorized', 'Unauthorized'],
  403: ['Forbidden', 'forbidden by a fault of the sandbox'],
  429: ['TooManyRequests', 'too many requests, please try again later'],
  500: ['InternalError', 'Internal error occurred: a fault of the sandbox'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'request did not complete within the allotted timeout'],
} as const;

function expired(): ReturnType<typeof failure> {
  return failure(410, 'Expired', 'too old resource version: a fault of the sandbox');
}

type StreamFault = Exclude<Fault, { kind: 'refuse' | 'status' | 'delay' }>;

function withFault(
  fault: StreamFault,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  clock: Clock,
): Body {
  if (fault.kind === 'cut' && fault.bytes !== undefined) return cutAtByte(body, fault.bytes);
  if (fault.kind === 'slow' && fault.bytes !== undefined)
    return trickle(body, fault.bytes, () => clock.sleep(fault.ms, { signal }));
  if (fault.kind === 'lag') return later(body, fault.ms, signal, clock);
  return withFaultByLine(fault, body, signal, clock);
}

/** The body, each piece `ms` after it was sent. Pieces are read meanwhile, so that none waits for another. */
async function* later(
  body: AsyncIterable<Uint8Array>,
  ms: number,
  signal: AbortSignal | undefined,
  clock: Clock,
): Body {
  const pieces = body[Symbol.asyncIterator]();
  const sent: { piece: Promise<IteratorResult<Uint8Array>>; at: number }[] = [];
  const more = new Bell();
  const read = () => {
    const piece = pieces.next();
    const settled = (isLast: boolean) => {
      sent.push({ piece, at: clock.monotonic() });
      more.wake();
      if (!isLast) read();
    };
    piece.then(({ done = false }) => settled(done)).catch(() => settled(true));
  };
  read();
  try {
    for (;;) {
      while (sent.length === 0) await more.wait(signal);
      const { piece, at } = sent.shift() as (typeof sent)[number];
      await clock.sleep(Math.max(0, at + ms - clock.monotonic()), { signal });
      const { done, value } = await piece;
      if (done) return;
      yield value;
    }
  } finally {
    void pieces.return?.();
  }
}

async function* cutAtByte(body: AsyncIterable<Uint8Array>, bytes: number): Body {
  let left = bytes;
  for await (const chunk of body) {
    if (chunk.length >= left) {
      if (left > 0) yield chunk.subarray(0, left);
      throw connectionError('ECONNRESET');
    }
    left -= chunk.length;
    yield chunk;
  }
}

async function* trickle(body: AsyncIterable<Uint8Array>, bytes: number, pause: () => Promise<void>): Body {
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += bytes) {
      await pause();
      yield chunk.subarray(at, at + bytes);
    }
  }
}

async function* withFaultByLine(
  fault: StreamFault,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  clock: Clock,
): Body {
  const after = 'after' in fault ? (fault.after ?? 0) : 0;
  if (after === 0 && STRIKES.has(fault.kind)) {
    yield* strike(fault, signal);
    return;
  }
  let count = 0;
  for await (const line of lines(body)) {
    if (fault.kind === 'slow') await clock.sleep(fault.ms, { signal });
    if (fault.kind === 'truncate' && count === after) {
      yield line.subarray(0, Math.max(1, line.length >> 1));
      return;
    }
    yield fault.kind === 'reorder' && count >= after ? reordered(line) : line;
    if (fault.kind === 'duplicate' && count === after) yield line;
    if (++count === after) yield* strike(fault, signal);
    if (count === after && ENDINGS.has(fault.kind)) return;
  }
}

/** The faults that happen between two lines. */
const STRIKES: ReadonlySet<Fault['kind']> = new Set(['cut', 'empty', 'gone', 'stall']);
/** Those after which nothing more comes. */
const ENDINGS: ReadonlySet<Fault['kind']> = new Set(['empty', 'gone', 'stall']);

/** Carries out a fault that happens between two lines. Does nothing for other faults. */
async function* strike(fault: StreamFault, signal: AbortSignal | undefined): Body {
  if (fault.kind === 'cut') throw connectionError('ECONNRESET');
  if (fault.kind === 'gone') yield Buffer.from(`${JSON.stringify({ type: 'ERROR', object: expired() })}\n`);
  if (fault.kind === 'stall') await silence(signal);
}

function silence(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal) onAbort(signal, resolve);
  });
}

const NEWLINE = 0x0a;

/** The lines of a body, each with its line feed. The last line is complete or not, as it is in the body. */
async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      yield rest.subarray(0, end + 1);
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) yield rest;
}
