import { formatGroupResource } from '../../model/gvr.ts';
import { failure, isStatus, type Status, StatusError } from '../../model/status.ts';
import { LARGEST_ERROR_BODY, LARGEST_OBJECT, tooLarge } from './limits.ts';
import { retryAfterMs } from './retry-after.ts';
import type { TransportResponse } from './transport.ts';

/** The subject of a request, for the text of its error. */
export interface RequestSubject {
  verb: string;
  resource?: { group: string; resource: string } | undefined;
  name?: string | undefined;
}

/** Added to the message of an error whose body was longer than the limit. */
const CUT = `its text was cut after ${LARGEST_ERROR_BODY} bytes, the limit of an error`;

/** The answer of a Go server to plain HTTP on a TLS port. Source: net/http server.go. */
const WANTS_TLS = 'Client sent an HTTP request to an HTTPS server';

/** The hint of a 401. */
export const LOG_IN =
  'the server refused the credentials: log in again, or choose another user with `context` or `user`';

/**
 * Reads a whole body as bytes. If it has more than `limit` bytes, closes it and rejects with an {@link OversizedError}
 * that names the limit and `what`.
 */
export async function readWhole(body: AsyncIterable<Uint8Array>, what: string, limit: number): Promise<Buffer> {
  const { bytes, isWhole } = await readUpTo(body, limit);
  if (!isWhole) throw tooLarge(what, { limit });
  return bytes;
}

/** Reads a whole body of at most 64 MiB as text. */
export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  return (await readWhole(body, 'the answer', LARGEST_OBJECT)).toString('utf8');
}

/** Reads the first `limit` bytes of a body. A longer body is closed. */
async function readUpTo(body: AsyncIterable<Uint8Array>, limit: number): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    parts.push(chunk);
    length += chunk.length;
    if (length > limit) break;
  }
  return { bytes: Buffer.concat(parts, Math.min(length, limit)), isWhole: length <= limit };
}

/** Reads the text of an error, and whether it is whole or was cut at the limit. */
async function readErrorBody(body: AsyncIterable<Uint8Array>): Promise<{ text: string; isWhole: boolean }> {
  const { bytes, isWhole } = await readUpTo(body, LARGEST_ERROR_BODY);
  return { text: bytes.toString('utf8'), isWhole };
}

/** Reads a small body to its end, so that its connection can be used again, or closes a large one. Never rejects. */
export async function discard(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await readUpTo(body, 64 * 1024);
  } catch {
    // The response is not needed, so its error does not matter.
  }
}

/** Reads the body of an error response into memory. Gives its Status, if it has one, and a response to read again. */
export async function hold(
  answer: TransportResponse,
): Promise<{ response: TransportResponse; status: Status | undefined }> {
  const { text } = await readErrorBody(answer.body).catch(() => ({ text: '' })); // a broken body has no Status
  return { response: { ...answer, body: once(Buffer.from(text)) }, status: statusIn(text, answer.status) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

export function isSuccess(response: { status: number }): boolean {
  return response.status >= 200 && response.status < 300;
}

/**
 * The error for a response that is not 2xx: the server's own Status, or one made from the HTTP status code.
 * Source: apimachinery api/errors NewGenericServerResponse, client-go rest/request.go transformResponse.
 */
export async function statusErrorOf(response: TransportResponse, subject: RequestSubject): Promise<StatusError> {
  const { text, isWhole } = await readErrorBody(response.body);
  const status = statusIn(text, response.status) ?? genericStatus(response.status, text, subject);
  return new StatusError(isWhole ? status : { ...status, message: `${status.message} (${CUT})` }, {
    retryAfterMs: retryAfterMs(response.headers),
    ...hintFor(response.status, text),
  });
}

function hintFor(status: number, text: string): { hint?: string } {
  if (status === 400 && text.startsWith(WANTS_TLS)) return { hint: 'the server wants TLS: write it https://…' };
  return status === 401 ? { hint: LOG_IN } : {};
}

function statusIn(text: string, code: number): Status | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isStatus(body) ? { ...body, code: body.code ?? code } : undefined;
  } catch {
    return undefined;
  }
}

const BY_CODE: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', 'the server does not allow access to the requested resource'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  406: ['NotAcceptable', 'the server was unable to respond with a content type that the client supports'],
  409: ['Conflict', 'the server reported a conflict'],
  410: ['Gone', 'the requested resource is no longer available'],
  413: ['RequestEntityTooLarge', 'the request is too large'],
  415: ['UnsupportedMediaType', 'the server was unable to process the content type of the request body'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

function genericStatus(code: number, body: string, { verb, resource, name }: RequestSubject): Status {
  if (code === 400 && body.startsWith(WANTS_TLS))
    return failure(400, 'BadRequest', WANTS_TLS, { causes: [UNEXPECTED] });
  const [known, text] =
    BY_CODE[code] ?? (code >= 500 ? ['InternalError', internalError(body)] : ['Unknown', unknownAnswer(code)]);
  const reason = code === 409 && verb === 'create' ? 'AlreadyExists' : known;
  const about = resource ? ` (${[verb, formatGroupResource(resource), name].filter(Boolean).join(' ')})` : '';
  return failure(code, reason, text + about, {
    ...(name === undefined ? {} : { name }),
    ...(resource ? { group: resource.group, kind: resource.resource } : {}),
    causes: [{ reason: 'UnexpectedServerResponse', message: body.trim().slice(0, 2048) || 'unknown' }],
  });
}

const UNEXPECTED = { reason: 'UnexpectedServerResponse', message: 'no Status of the API' };

function internalError(body: string): string {
  return `an error on the server (${JSON.stringify(body.trim().slice(0, 512) || 'unknown')}) has prevented the request from succeeding`;
}

function unknownAnswer(code: number): string {
  return `the server responded with the status code ${code} but did not return more information`;
}
