export type Environment = Readonly<Record<string, string | undefined>>;

/** What every hook gets of the program's environment. Anything else may hold a secret. */
const ALLOWED = /^(PATH|HOME|LANG|TZ|TMPDIR|INFORMER_.*)$/;
/** Without these nothing starts on Windows, where names come in any case. */
const ALLOWED_WINDOWS = /^(PATH|PATHEXT|SYSTEMROOT|WINDIR|COMSPEC|TEMP|TMP|USERPROFILE)$/i;
/** How kubectl and the credential plugins of the large clouds find cluster and identity. */
const CREDENTIALS =
  /^(KUBECONFIG|KUBERNETES_.*|AWS_.*|AZURE_.*|GOOGLE_.*|CLOUDSDK_.*|USE_GKE_GCLOUD_AUTH_PLUGIN|(HTTPS?|NO)_PROXY|SSL_CERT_(FILE|DIR))$/i;

export interface HookEnvironmentOptions {
  /** The program's own environment. */
  from: Environment;
  /** Also what leads to a cluster's credentials. */
  passCredentials: boolean;
  /** Set on top, such as a KUBECONFIG for the very cluster the program works on; only with `passCredentials`. */
  credentials?: Environment | undefined;
  platform?: NodeJS.Platform | undefined;
}

/**
 * The environment of hooks. Without `passCredentials` KUBECONFIG names an empty file: HOME would otherwise lead a kubectl inside the hook to
 * `~/.kube/config`, and so to a cluster that need not even be the one being watched.
 */
export function hookEnvironment({
  from,
  passCredentials,
  credentials = {},
  platform = process.platform,
}: HookEnvironmentOptions): Record<string, string> {
  const isAllowed = (name: string) =>
    ALLOWED.test(name) || (platform === 'win32' && ALLOWED_WINDOWS.test(name)) || (passCredentials && CREDENTIALS.test(name));
  const kept = Object.entries(from).filter(([name]) => isAllowed(name));
  const extra = passCredentials ? Object.entries(credentials) : [['KUBECONFIG', platform === 'win32' ? 'NUL' : '/dev/null'] as const];
  const environment: Record<string, string> = {};
  for (const [name, value] of [...kept, ...extra]) if (value !== undefined) environment[name] = value;
  return environment;
}
