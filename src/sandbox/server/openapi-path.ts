import type { Call } from '../api/call.ts';
import { type ApiResponse, once } from '../api/exchange.ts';
import { parseAccept } from '../api/negotiate.ts';
import { respondText } from '../api/respond.ts';
import type { Cluster } from '../cluster.ts';
import { openApiDocument, openApiIndex } from '../discovery/openapi.ts';

const ROOT = '/openapi/v3';
/** The media types in a request that a JSON document answers. */
export const JSON_TYPES = ['application/json', 'application/*', '*/*'];
const YEAR_MS = 365 * 86_400_000;

/**
 * Answers `/openapi/v3` and the paths below it; undefined for a document that is not served. A document that is
 * requested by its hash may be cached for a year; a request with an old hash is redirected to the present one.
 * Documents are JSON only.
 * Source: kube-openapi handler3.
 */
export function openApiPath(
  { types, clock }: Cluster,
  { query, headers }: Call,
  path: string,
): ApiResponse | undefined {
  // a real server sends the index without a JSON content type
  if (path === ROOT) return respondText(200, `${JSON.stringify(openApiIndex(types))}\n`);
  const name = path.slice(ROOT.length + 1);
  const document = openApiDocument(types, name);
  if (!document) return undefined;
  const { body, hash } = document;
  if (!parseAccept(headers.get('accept')).some(({ type }) => JSON_TYPES.includes(type))) return empty(406);
  const asked = query.get('hash');
  if (asked && asked !== hash) return empty(301, { location: `${ROOT}/${name}?hash=${hash}` });
  const expires = new Date(clock.now() + YEAR_MS).toUTCString();
  const kept = asked ? { vary: 'Accept', 'cache-control': 'public, immutable', expires } : {};
  const etag = `"${hash}"`;
  if (headers.get('if-none-match') === etag) return empty(304, { etag, ...kept });
  return { status: 200, headers: { 'content-type': 'application/json', etag, ...kept }, body: once(body) };
}

function empty(status: number, headers: Record<string, string> = {}): ApiResponse {
  return { status, headers, body: once(Buffer.alloc(0)) };
}
