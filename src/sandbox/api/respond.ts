import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { dump } from 'js-yaml';
import { jsonText, parseJson } from '../../kit/exact-json.ts';
import type { Status } from '../../model/status.ts';
import { EXACT_DUMP_SCHEMA } from './exact-yaml.ts';
import { type ApiResponse, once } from './exchange.ts';
import type { AnswerFormat } from './negotiate.ts';

type Headers = Record<string, string>;
type Syntax = Pick<AnswerFormat, 'syntax' | 'pretty'>;

const PLAIN_JSON: Syntax = { syntax: 'json', pretty: false };

/** An answer with one value as its body. JSON ends with a line feed unless it is pretty, as on a real server. */
export function respond(
  status: number,
  value: unknown,
  { syntax, pretty }: Syntax = PLAIN_JSON,
  headers: Headers = {},
): ApiResponse {
  const yaml = syntax === 'yaml';
  const text = yaml
    ? dump(value, { lineWidth: -1, noRefs: true, schema: EXACT_DUMP_SCHEMA })
    : pretty
      ? jsonText(value, 2)
      : `${jsonText(value)}\n`;
  return {
    status,
    headers: { 'content-type': yaml ? 'application/yaml' : 'application/json', ...headers },
    body: once(Buffer.from(text)),
  };
}

/** An answer whose body is already encoded as JSON. For YAML and pretty output the JSON is parsed again. */
export function respondEncoded(status: number, json: Buffer, syntax: Syntax, headers: Headers = {}): ApiResponse {
  if (syntax.syntax === 'yaml' || syntax.pretty)
    return respond(status, parseJson(json.toString('utf8')), syntax, headers);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: once(json) };
}

export function respondText(status: number, text: string): ApiResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: once(Buffer.from(text)) };
}

/** An answer that is a Status. It has a Retry-After header when the Status has `retryAfterSeconds`. */
export function respondStatus(status: Status, syntax: Syntax = PLAIN_JSON): ApiResponse {
  const wait = status.details?.retryAfterSeconds;
  return respond(status.code ?? 500, status, syntax, wait ? { 'retry-after': String(wait) } : {});
}

/**
 * Bodies of at least this size are compressed. Source: apiserver endpoints/handlers/responsewriters
 * defaultGzipThresholdBytes.
 */
const GZIP_FROM_BYTES = 128 * 1024;

/**
 * Compresses a large body for a client that accepts gzip. The size of the first chunk decides: the first chunk of a
 * list is at least as large as the threshold, unless the whole list is smaller.
 */
export async function compress(response: ApiResponse, acceptEncoding: string | undefined): Promise<ApiResponse> {
  if (!acceptsGzip(acceptEncoding)) return response;
  const chunks = response.body[Symbol.asyncIterator]();
  const first = await chunks.next();
  const body = resume(first, chunks);
  if (first.done || first.value.length < GZIP_FROM_BYTES) return { ...response, body };
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  // an error reaches the reader through `gzip`; a reader that leaves ends the source
  pipeline(Readable.from(body), gzip, () => {});
  return { ...response, headers: { ...response.headers, ...GZIP }, body: gzip };
}

const GZIP = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };

const acceptsGzip = (acceptEncoding: string | undefined): boolean =>
  acceptEncoding?.split(',').some((each) => each.trim().startsWith('gzip')) ?? false;

/** Compresses a stream for a client that accepts gzip. What follows each chunk is flushed, so no event waits for more. */
export function compressStream(response: ApiResponse, acceptEncoding: string | undefined): ApiResponse {
  if (!acceptsGzip(acceptEncoding)) return response;
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });
  pipeline(Readable.from(response.body), gzip, () => {});
  return { ...response, headers: { ...response.headers, ...GZIP }, body: gzip };
}

async function* resume(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
