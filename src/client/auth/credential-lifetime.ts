import type { CredentialHeaders } from '../config/cluster-config.ts';
import type { ClusterEntry, UserEntry } from '../config/kubeconfig-entries.ts';
import type { Identity } from './base-credentials.ts';
import { jwtExpiry } from './oidc.ts';

/** Files (tokens, certificates) are read again after this time, ms. Source: client-go transport/token_source.go. */
const FILES_FRESH_MS = 60_000;
/** Credentials are renewed before they expire: by a tenth of their remaining life, but at most by this, ms. */
const MOST_SLACK_MS = 30_000;

/** Until when credentials that expire at this time are used, ms since the epoch: their files may change, too. */
export function validUntil(
  { user, cluster }: Pick<Identity, 'user' | 'cluster'>,
  expiresAt: number | undefined,
  now: number,
): number {
  const ends = [Number.POSITIVE_INFINITY];
  if (readsFiles(user, cluster)) ends.push(now + FILES_FRESH_MS);
  if (expiresAt !== undefined) ends.push(withSlack(expiresAt, now));
  return Math.min(...ends);
}

function readsFiles(user: UserEntry, cluster: ClusterEntry): boolean {
  return [user.tokenFile, user['client-certificate'], user['client-key'], cluster['certificate-authority']].some(
    Boolean,
  );
}

function withSlack(expiresAt: number, now: number): number {
  return expiresAt - Math.min(MOST_SLACK_MS, Math.max(0, expiresAt - now) / 10);
}

/** The expiry of the token of another auth provider, ms since the epoch. A token without one counts for a minute. */
export function providerExpiry(user: UserEntry, { authorization }: CredentialHeaders, now: number): number | undefined {
  if (user['auth-provider'] === undefined || typeof authorization !== 'string') return undefined;
  return jwtExpiry(authorization) ?? now + FILES_FRESH_MS;
}
