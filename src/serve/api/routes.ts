import type { Writable } from 'node:stream';
import { isInformerError, messageOf } from '../../kit/error.ts';
import type { ServerRequest, StreamedAnswer, WholeAnswer } from '../../kit/http-listener.ts';
import { PROTOCOL_HEADER, PROTOCOL_VERSION } from '../protocol.ts';

/** Who asks: the user of the private socket, or a program with the token that came over a port. */
export type CallerAccess = 'private' | 'token';

/** The answer of a serve at one path. */
export interface ServeRoute {
  readonly methods: readonly ('GET' | 'POST' | 'DELETE')[];
  /** Who may ask. Default: both. */
  readonly access?: CallerAccess | undefined;
  answer(
    request: ServerRequest,
    url: URL,
    access: CallerAccess,
  ): Promise<WholeAnswer | StreamedAnswer> | WholeAnswer | StreamedAnswer;
}

export type ServeRoutes = Readonly<Record<string, ServeRoute>>;

/** The header that every answer has. */
export const PROTOCOL = { [PROTOCOL_HEADER]: String(PROTOCOL_VERSION) };

export const json = (value: unknown, status = 200): WholeAnswer => ({
  status,
  type: 'application/json',
  body: `${JSON.stringify(value)}\n`,
  headers: PROTOCOL,
});

/** An error as JSON, for programs. */
export const jsonError = (status: number, message: string, hint?: string): WholeAnswer =>
  json({ error: { message, ...(hint === undefined ? {} : { hint }) } }, status);

/** Lines that are written while they are made. */
export const ndjson = (stream: (body: Writable) => Promise<void>): StreamedAnswer => ({
  status: 200,
  type: 'application/x-ndjson',
  headers: PROTOCOL,
  stream,
});

/**
 * Answers a request by the route of its path; `other` answers paths without one. An error of a route is an answer with
 * status 500: the connection goes on.
 */
export async function routed(
  routes: ServeRoutes,
  access: CallerAccess,
  request: ServerRequest,
  other: (request: ServerRequest) => Promise<WholeAnswer>,
): Promise<WholeAnswer | StreamedAnswer> {
  const url = new URL(request.url, 'http://serve');
  const route = Object.hasOwn(routes, url.pathname) ? routes[url.pathname] : undefined;
  if (!route) return other(request);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (!route.methods.some((each) => each === method))
    return { ...jsonError(405, `${url.pathname} takes ${route.methods.join(' and ')}`), headers: allowed(route) };
  if (route.access === 'private' && access !== 'private')
    return jsonError(403, `${url.pathname} is answered on the private socket only`);
  try {
    return await route.answer(request, url, access);
  } catch (error) {
    const status = isInformerError(error, 'argument') ? 400 : 500;
    return jsonError(status, messageOf(error), isInformerError(error) ? error.hint : undefined);
  }
}

const allowed = ({ methods }: ServeRoute) => ({ ...PROTOCOL, allow: methods.join(', ') });
