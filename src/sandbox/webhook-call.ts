import { request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { isIP } from 'node:net';
import type { Clock } from '../kit/clock.ts';
import { messageOf } from '../kit/error.ts';
import { isJsonMap, jsonText, parseJson } from '../kit/exact-json.ts';
import { isStatus } from '../model/status.ts';
import type { ClientConfig } from './types/api-type.ts';

/** A service that a webhook is reached by. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Where a service answers: `127.0.0.1:8443`. Undefined for one that is not there. */
export type ResolveService = (service: WebhookService) => string | undefined;

export interface WebhookCallOptions {
  readonly clock: Clock;
  readonly resolveService: ResolveService;
  /** Absent: as long as the request of the client. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** A failure in the words of a real server, behind `failed calling webhook "x": `. */
export class CallFailure extends Error {}

/**
 * Posts a review to a webhook, and returns the JSON that it answers with. Throws CallFailure with the text that a Go
 * client has for it.
 * Source: apiserver util/webhook client.go, client-go rest/request.go.
 */
export async function callWebhook(config: ClientConfig, body: object, options: WebhookCallOptions): Promise<unknown> {
  const target = targetOf(config, options);
  const { status, type, text } = await post(target, jsonText(body) ?? '', options);
  const answer = parsed(text);
  if (status < 200 || status > 299)
    throw new CallFailure(problemOf(status, answer, type.startsWith('text/') ? text : ''));
  if (text === '') throw new CallFailure(`0-length response with status code: ${status} and content type: ${type}`);
  if (!isJsonMap(answer)) throw new CallFailure(`couldn't get version/kind; json parse error: ${NO_OBJECT}`);
  return answer;
}

interface Target {
  readonly url: URL;
  /** The URL in messages. */
  readonly shown: string;
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  readonly ca: string | undefined;
}

function targetOf(
  { url, service, caBundle }: ClientConfig,
  { resolveService, timeoutSeconds }: WebhookCallOptions,
): Target {
  const ca = caBundle ? Buffer.from(caBundle, 'base64').toString('utf8') : undefined;
  const query = `?timeout=${timeoutSeconds}s`;
  if (!service) {
    const parsedUrl = new URL(url ?? '');
    const shown = `${parsedUrl.origin}${parsedUrl.pathname === '/' && !url?.endsWith('/') ? '' : parsedUrl.pathname}${query}`;
    const host = parsedUrl.hostname.replace(/^\[|\]$/g, '');
    return { url: new URL(shown), shown, host, port: Number(parsedUrl.port || 443), serverName: host, ca };
  }
  const { namespace, name, path = '/', port = 443 } = service;
  const serverName = `${name}.${namespace}.svc`;
  const shown = `https://${serverName}:${port}${path.startsWith('/') ? path : `/${path}`}${query}`;
  const address = resolveService({ namespace, name, port });
  if (!address) throw new CallFailure(`Post ${JSON.stringify(shown)}: service ${JSON.stringify(name)} not found`);
  const at = address.lastIndexOf(':');
  return {
    url: new URL(shown),
    shown,
    host: address.slice(0, at),
    port: Number(address.slice(at + 1)),
    serverName,
    ca,
  };
}

async function post(target: Target, body: string, { clock, timeoutSeconds, signal }: WebhookCallOptions) {
  const late = new AbortController();
  using _timer = clock.after(timeoutSeconds * 1000, () => late.abort(new CallFailure('context deadline exceeded')));
  const either = AbortSignal.any([late.signal, signal]);
  try {
    return await exchange(target, body, either);
  } catch (error) {
    const why = late.signal.aborted
      ? 'context deadline exceeded'
      : signal.aborted
        ? 'context canceled'
        : goText(error, target);
    throw new CallFailure(`Post ${JSON.stringify(target.shown)}: ${why}`, { cause: error });
  }
}

function exchange({ url, host, port, serverName, ca }: Target, body: string, signal: AbortSignal) {
  const isPlain = url.protocol === 'http:';
  const tls = {
    ca,
    servername: isIP(serverName) ? '' : serverName,
    agent: new Agent({ keepAlive: false, maxCachedSessions: 0 }),
  };
  const checked = isIP(serverName) ? tls : { ...tls, checkServerIdentity: undefined };
  const headers = {
    accept: 'application/json, */*',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    host: url.host,
    'user-agent': 'kube-apiserver-admission',
  };
  const path = `${url.pathname}${url.search}`;
  return new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
    const { checkServerIdentity: _none, ...secure } = { checkServerIdentity: undefined, ...checked };
    const options = { host, port, path, method: 'POST', headers, signal, ...(isPlain ? {} : secure) };
    const sent = (isPlain ? plainRequest : request)(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const {
          statusCode: status = 0,
          headers: { 'content-type': type = 'application/json' },
        } = response;
        resolve({ status, type, text: Buffer.concat(chunks).toString('utf8') });
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The text that a Go client has for a failed connection. */
function goText(error: unknown, { host, port, serverName }: Target): string {
  const { code = '', reason } = error as { code?: string; reason?: string };
  if (code === 'ECONNREFUSED')
    return `dial tcp ${isIP(host) === 6 ? `[${host}]` : host}:${port}: connect: connection refused`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'EOF';
  if (code === 'CERT_HAS_EXPIRED') return `${TLS}certificate has expired or is not yet valid`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `${TLS}certificate is not valid for ${serverName}${reason ? ` (${reason})` : ''}`;
  if (UNTRUSTED.has(code)) return `${TLS}certificate signed by unknown authority`;
  if (code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG' || code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO')
    return 'http: server gave HTTP response to HTTPS client';
  return messageOf(error);
}

const TLS = 'tls: failed to verify certificate: x509: ';
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The text for an answer that is no JSON: it is read as YAML, and so is a string. */
const NO_OBJECT =
  'json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The meaning of an answer with an HTTP error. Source: apimachinery api/errors NewGenericServerResponse. */
function problemOf(status: number, answer: unknown, text: string): string {
  if (isStatus(answer) && answer.message) return answer.message;
  const shown = text.trim().slice(0, 2048);
  const known = SERVER_ERRORS[status];
  if (known) return known;
  if (status >= 500)
    return `an error on the server (${JSON.stringify(shown || 'unknown')}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

const SERVER_ERRORS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  403: 'unknown',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
