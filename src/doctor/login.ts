import { expiriesOf, expiryText } from '../client/auth/login-expiry.ts';
import type { ClusterConfig, Credentials } from '../client/config/cluster-config.ts';
import type { PluginPolicy } from '../client/config/kuberc.ts';
import { type CheckResult, ok, problem, warning } from './finding.ts';

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
