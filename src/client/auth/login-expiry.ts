import { X509Certificate } from 'node:crypto';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { isUnauthorized } from '../../model/status.ts';
import type { ClusterConfig, Credentials } from '../config/cluster-config.ts';
import { jwtExpiry } from './oidc.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Warns this long before a certificate ends, because an administrator has to issue another one. */
const CERTIFICATE_SOON_MS = 14 * DAY_MS;
/** Warns this long before a token ends that is not renewed by itself. */
const TOKEN_SOON_MS = 10 * 60 * 1000;

/** When a part of the credentials expires, and what to do about it. */
export interface Expiry {
  readonly what: string;
  readonly at: number;
  readonly soonMs: number;
  readonly fix: string;
}

const LOG_IN = 'log in again with the tool that wrote the kubeconfig';
const NEW_CERTIFICATE = 'have a new certificate issued (with kubeadm: kubeadm certs renew admin.conf), or log in again';

/** When the credentials expire, as they say themselves. */
export function expiriesOf({ headers: { authorization }, tls: { cert }, expiresAt }: Credentials): Expiry[] {
  const token = typeof authorization === 'string' ? jwtExpiry(authorization) : undefined;
  const end = cert === undefined ? undefined : certificateEnd(cert);
  return [
    ...(expiresAt === undefined ? [] : [{ what: 'the login', at: expiresAt, soonMs: TOKEN_SOON_MS, fix: LOG_IN }]),
    ...(token === undefined ? [] : [{ what: 'the token', at: token, soonMs: TOKEN_SOON_MS, fix: LOG_IN }]),
    ...(end === undefined
      ? []
      : [{ what: 'the client certificate', at: end, soonMs: CERTIFICATE_SOON_MS, fix: NEW_CERTIFICATE }]),
  ];
}

function certificateEnd(pem: string | Uint8Array): number | undefined {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return undefined; // the connection says what is wrong with it
  }
}

/** `expired at 2026-01-01T00:00:00Z, 3d ago`. */
export function expiryText(at: number, now: number): string {
  const when = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  return at <= now
    ? `expired at ${when}, ${humanDuration(now - at)} ago`
    : `expires at ${when}, in ${humanDuration(at - now)}`;
}

/** The part of the credentials that has expired, with the next step; undefined if none says that it has. */
export async function expiredHint(
  config: Pick<ClusterConfig, 'credentials'>,
  now: number,
): Promise<string | undefined> {
  const credentials = await config.credentials().catch(() => undefined);
  const expired = credentials && expiriesOf(credentials).filter(({ at }) => at <= now);
  return expired?.map(({ what, at, fix }) => `${what} ${expiryText(at, now)}: ${fix}`)[0];
}

/** A 401 with the part of the credentials that has expired. Any other error is returned as it is. */
export async function withExpiry(
  error: unknown,
  config: Pick<ClusterConfig, 'credentials'>,
  now: number,
): Promise<unknown> {
  const hint = isUnauthorized(error) ? await expiredHint(config, now) : undefined;
  return hint === undefined ? error : new InformerError('credentials', messageOf(error), { cause: error, hint });
}
