import { X509Certificate } from 'node:crypto';
import { jwtExpiry } from '../../client/auth/oidc.ts';
import type { ClusterConfig, Credentials } from '../../client/config/cluster-config.ts';
import type { PluginPolicy } from '../../client/config/kuberc.ts';
import { humanDuration } from '../../kit/duration.ts';
import { type CheckResult, ok, problem, warning } from './finding.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Warns this long before a certificate ends, because an administrator has to issue another one. */
const CERTIFICATE_SOON_MS = 14 * DAY_MS;
/** Warns this long before a token ends that is not renewed by itself. */
const TOKEN_SOON_MS = 10 * 60 * 1000;

/** How this user logs in. It says nothing of any value. */
export function loginFound(
  { login, user }: ClusterConfig,
  { headers, tls }: Credentials,
  policy?: PluginPolicy | undefined,
): CheckResult {
  const acts = headers['impersonate-user'];
  const as = acts === undefined ? '' : `; requests are made as ${JSON.stringify(acts)} (impersonation)`;
  const who = user === undefined ? '' : ` of user ${JSON.stringify(user)}`;
  const allowed = login?.kind === 'exec' && policy ? ` (allowed by ${policy.file}: ${policy.kind})` : '';
  const found = `${kindOf(login, headers.authorization, tls.cert !== undefined)}${who}${allowed}${as}`;
  if (headers.authorization !== undefined || tls.cert !== undefined) return ok(found);
  return warning(
    `${found}: the server takes this for system:anonymous`,
    'log in with the tool that wrote the kubeconfig, or choose a user with --user or --context',
  );
}

function kindOf(login: ClusterConfig['login'], header: unknown, hasCertificate: boolean): string {
  const { kind, of } = login ?? {};
  switch (kind) {
    case 'exec':
      return `login plugin ${of}`;
    case 'provider':
      return `auth provider ${of}`;
    case 'token-file':
      return `token in the file ${of}`;
    case 'password':
      return 'name and password';
    case 'token':
      return hasCertificate ? 'token and client certificate' : 'token';
    case 'flag':
      return 'credentials of flags';
    case 'certificate':
      return 'client certificate';
    default:
      if (header !== undefined) return 'token';
      return hasCertificate ? 'client certificate' : 'no credentials';
  }
}

interface Expiry {
  readonly what: string;
  readonly at: number;
  readonly soonMs: number;
  readonly fix: string;
}

const LOG_IN = 'log in again with the tool that wrote the kubeconfig';
const NEW_CERTIFICATE = 'have a new certificate issued (with kubeadm: kubeadm certs renew admin.conf), or log in again';

/** When the credentials expire: a certificate by its notAfter, a token by its exp, a plugin by what it says. */
export function expiryFound({ login }: ClusterConfig, credentials: Credentials, now: number): CheckResult {
  const renews = login?.kind === 'exec' || login?.kind === 'provider' || login?.kind === 'token-file';
  const ends = expiriesOf(credentials).sort((a, b) => a.at - b.at);
  const [first] = ends;
  if (!first) return ok('they do not say when they expire; the server decides');
  const texts = ends.map(({ what, at }) => `${what} ${expiryText(at, now)}`).join('; ');
  if (first.at <= now) return problem(texts, first.fix);
  if (renews) return ok(`${texts}; renewed by itself`);
  if (first.at - now < first.soonMs) return warning(texts, first.fix);
  return ok(texts);
}

function expiriesOf({ headers: { authorization }, tls: { cert }, expiresAt }: Credentials): Expiry[] {
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

function expiryText(at: number, now: number): string {
  const when = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  return at <= now
    ? `expired at ${when}, ${humanDuration(now - at)} ago`
    : `expires at ${when}, in ${humanDuration(at - now)}`;
}
