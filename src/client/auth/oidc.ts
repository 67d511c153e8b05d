import { readFile } from 'node:fs/promises';
import type { Clock } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { createConfig, type TlsMaterial } from '../config/cluster-config.ts';
import { createTransport } from '../http/http-transport.ts';
import { LARGEST_CREDENTIAL } from '../http/limits.ts';
import { proxyFromEnvironment } from '../http/proxy-environment.ts';
import { isSuccess, readWhole } from '../http/response.ts';

/**
 * The config of an auth provider `oidc` in a kubeconfig, with the names of the file.
 * Source: client-go plugin/pkg/client/auth/oidc.
 */
export interface OidcSettings {
  'idp-issuer-url'?: string;
  'client-id'?: string;
  'client-secret'?: string;
  'id-token'?: string;
  'refresh-token'?: string;
  /** The path of a PEM file. */
  'idp-certificate-authority'?: string;
  /** PEM in base64. It is preferred to the file. */
  'idp-certificate-authority-data'?: string;
}

/** The tokens of a refresh, which replace the previous ones. */
export interface OidcTokens {
  'id-token': string;
  /** The provider may have replaced it, and may refuse the previous one. */
  'refresh-token': string;
}

/** Options of {@link refreshOidcTokens}. */
export interface OidcOptions {
  clock: Clock;
  /** The environment that names the proxy. */
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
}

const LOG_IN = 'log in again with the tool that wrote the kubeconfig';

/**
 * Requests new tokens from the provider: one request for its metadata, one for the tokens. Rejects with `credentials`.
 * Source: OpenID Connect Core §12, RFC 6749 §2.3.1 and §6.
 */
export async function refreshOidcTokens(settings: OidcSettings, options: OidcOptions): Promise<OidcTokens> {
  const { 'idp-issuer-url': issuer, 'client-id': id, 'refresh-token': refreshToken } = settings;
  if (!refreshToken) throw failed('No valid id-token, and cannot refresh without refresh-token', LOG_IN);
  if (!issuer) throw failed('Must provide idp-issuer-url');
  if (!id) throw failed('Must provide client-id');
  try {
    const tls = await tlsOf(settings);
    const provider = await ask(
      { method: 'GET', url: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration` },
      tls,
      options,
    );
    const endpoint = provider.token_endpoint;
    if (typeof endpoint !== 'string') throw failed("oidc: discovery object doesn't contain a token_endpoint");
    const login = loginOf(id, settings['client-secret'], provider.token_endpoint_auth_methods_supported);
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...login.fields };
    const tokens = await ask({ method: 'POST', url: endpoint, form, headers: login.headers }, tls, options);
    return tokensIn(tokens, refreshToken);
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw failed(`failed to refresh token: ${messageOf(cause)}`, LOG_IN, cause);
  }
}

/** The expiry of a JWT, ms since the epoch. Undefined if it has none, or if the text is not a JWT. */
export function jwtExpiry(token: string): number | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as {
      exp?: unknown;
    };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

async function tlsOf({
  'idp-certificate-authority-data': data,
  'idp-certificate-authority': file,
}: OidcSettings): Promise<TlsMaterial> {
  if (data) return { ca: Buffer.from(data, 'base64') };
  return file ? { ca: await readFile(file) } : {};
}

/** The login of the client: in the header, which every provider must support, unless this one lists only the form. */
function loginOf(
  id: string,
  secret: string | undefined,
  methods: unknown,
): { headers: Record<string, string>; fields: Record<string, string> } {
  if (!secret) return { headers: {}, fields: { client_id: id } };
  const onlyPost =
    Array.isArray(methods) && methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
  if (onlyPost) return { headers: {}, fields: { client_id: id, client_secret: secret } };
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
  return { headers: { authorization: `Basic ${basic}` }, fields: {} };
}

interface Question {
  method: string;
  url: string;
  form?: Record<string, string>;
  headers?: Record<string, string>;
}

async function ask({ method, url, form, headers }: Question, tls: TlsMaterial, { clock, env, signal }: OidcOptions) {
  const { origin, pathname, search } = new URL(url);
  const config = { ...createConfig({ server: origin, tls }), proxyUrl: proxyFromEnvironment(origin, env) };
  const transport = createTransport(config, { clock });
  try {
    const body = form && new URLSearchParams(form).toString();
    const type = form ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
    const response = await transport.request({
      method,
      path: pathname + search,
      headers: { ...headers, ...type },
      body,
      signal,
    });
    const text = (await readWhole(response.body, `the answer of ${origin}${pathname}`, LARGEST_CREDENTIAL)).toString(
      'utf8',
    );
    if (!isSuccess(response)) throw failed(refusal(response.status, text));
    return objectIn(text, url);
  } finally {
    await transport.close();
  }
}

/** The error fields of the provider's response. No other part of the response is shown. Source: RFC 6749 §5.2. */
function refusal(status: number, text: string): string {
  try {
    const { error, error_description: more } = JSON.parse(text) as { error?: unknown; error_description?: unknown };
    if (typeof error === 'string') return typeof more === 'string' ? `${error}: ${more}` : error;
  } catch {
    // The response is not JSON, for example the page of a proxy. The status is enough.
  }
  return `the provider answered ${status}`;
}

function objectIn(text: string, url: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw failed(`${url} did not answer with JSON`); // no cause: it would quote the response
  }
}

function tokensIn(
  { id_token: idToken, refresh_token: next }: Record<string, unknown>,
  refreshToken: string,
): OidcTokens {
  if (typeof idToken === 'string')
    return { 'id-token': idToken, 'refresh-token': typeof next === 'string' ? next : refreshToken };
  throw failed(
    'token response did not contain an id_token, either the scope "openid" wasn\'t requested upon login, or the provider doesn\'t support id_tokens as part of the refresh response',
  );
}

function failed(message: string, hint?: string, cause?: unknown): InformerError {
  return new InformerError('credentials', message, { cause, hint });
}
