/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of the program's environment that every hook gets. Others may contain a secret. */
const ALLOWED = /^(PATH|HOME|LANG|TZ|TMPDIR|INFORMER_.*)$/;
/** Variables that programs on Windows need to start. Their case varies. */
const ALLOWED_WINDOWS = /^(PATH|PATHEXT|SYSTEMROOT|WINDIR|COMSPEC|TEMP|TMP|USERPROFILE)$/i;
/**
 * Variables with which kubectl and the credential plugins of the large clouds find cluster and identity, and `query` a
 * running serve.
 */
const CREDENTIALS =
  /^(KUBECONFIG|KUBERNETES_.*|AWS_.*|AZURE_.*|GOOGLE_.*|CLOUDSDK_.*|USE_GKE_GCLOUD_AUTH_PLUGIN|(HTTPS?|NO)_PROXY|SSL_CERT_(FILE|DIR)|XDG_RUNTIME_DIR)$/i;

export interface HookEnvironmentOptions {
  from: Environment;
  /** Whether hooks also get the variables that lead to a cluster's credentials. */
  passCredentials: boolean;
  /** Variables that are set in addition with `passCredentials`, such as KUBECONFIG for the program's cluster. */
  credentials?: Environment | undefined;
  platform?: NodeJS.Platform | undefined;
}

/**
 * The environment of hooks. Without `passCredentials`, KUBECONFIG names an empty file. Otherwise a kubectl in the hook
 * would find `~/.kube/config` through HOME, and so perhaps a cluster that is not the watched one.
 */
export function hookEnvironment({
  from,
  passCredentials,
  credentials = {},
  platform = process.platform,
}: HookEnvironmentOptions): Record<string, string> {
  const isAllowed = (name: string) =>
    ALLOWED.test(name) ||
    (platform === 'win32' && ALLOWED_WINDOWS.test(name)) ||
    (passCredentials && CREDENTIALS.test(name));
  const kept = Object.entries(from).filter(([name]) => isAllowed(name));
  const extra = passCredentials
    ? Object.entries(credentials)
    : [['KUBECONFIG', platform === 'win32' ? 'NUL' : '/dev/null'] as const];
  const environment: Record<string, string> = {};
  for (const [name, value] of [...kept, ...extra]) if (value !== undefined) environment[name] = value;
  return environment;
}
