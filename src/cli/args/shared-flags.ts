import { InformerError } from '../../kit/error.ts';
import { bool, choice, count, group, list, text, tristate } from './flag.ts';
import { shardFlags } from './shard-flags.ts';

/**
 * The value of `--idle-timeout`; undefined when it is not given. Throws `argument` for 0, by which every stream were
 * dead at once.
 */
export function idleMsOf(idleMs: number | undefined): number | undefined {
  if (idleMs === undefined || idleMs >= 1000) return idleMs;
  throw new InformerError('argument', '--idle-timeout must be at least 1s', {
    hint: 'a server sends a bookmark about every minute',
  });
}

/** Where defaults come from; on every command with defaults. */
export const configFlags = group('GENERAL', {
  config: text({
    summary:
      "file of defaults, named indexes and views (default: kubectl-informer/config.yaml in the user's config folder)",
    helpValue: 'FILE',
  }),
});

/** Which cluster: kubectl's own flags. Source: cli-runtime genericclioptions ConfigFlags. */
const clusterFlags = group('CLUSTER', {
  kubeconfig: text({
    summary: 'path of the kubeconfig file (default: KUBECONFIG, else ~/.kube/config)',
    helpValue: 'FILE',
  }),
  context: text({ summary: 'kubeconfig context to use', helpValue: 'NAME' }),
  cluster: text({ summary: 'kubeconfig cluster to use', helpValue: 'NAME' }),
  server: text({ char: 's', summary: 'address of the API server', helpValue: 'URL' }),
  'tls-server-name': text({ summary: "name that the server's certificate must have", helpValue: 'NAME' }),
  'certificate-authority': text({ summary: 'file with the certificate of the authority', helpValue: 'FILE' }),
  'insecure-skip-tls-verify': tristate({ summary: "do not check the server's certificate" }),
});

/** As which user: kubectl's own flags. */
const userFlags = group('USER', {
  user: text({ summary: 'kubeconfig user to use', helpValue: 'NAME' }),
  token: text({ summary: 'bearer token', helpValue: 'TOKEN', isCredential: true }),
  username: text({ summary: 'user name for basic authentication', helpValue: 'NAME', hidden: true }),
  password: text({
    summary: 'password for basic authentication',
    helpValue: 'PASSWORD',
    hidden: true,
    isCredential: true,
  }),
  'client-certificate': text({ summary: 'file with the client certificate', helpValue: 'FILE' }),
  'client-key': text({ summary: "file with the client certificate's key", helpValue: 'FILE' }),
  as: text({ summary: 'user to impersonate', helpValue: 'USER' }),
  'as-group': list({ summary: 'group to impersonate', helpValue: 'GROUP' }),
  'as-uid': text({ summary: 'uid to impersonate', helpValue: 'UID' }),
  'as-user-extra': list({ summary: 'extra field of the impersonated user', helpValue: 'KEY=VALUE' }),
});

/** Which cluster, and as whom: these change what the kubeconfig and the environment alone would lead to. */
export const loginFlags = { ...clusterFlags, ...userFlags };

const requestFlags = group('REQUEST', {
  'request-timeout': text({ summary: 'time limit of one request, watches excepted (0 = none)', helpValue: 'DURATION' }),
  qps: count({ summary: 'requests per second, watches excepted', default: 50, min: 1 }),
  burst: count({ summary: 'requests at once, watches excepted', default: 300, min: 1 }),
  'cache-dir': text({ summary: 'folder where discovery is kept', helpValue: 'DIR' }),
});

/** Flags about the embedded server; `--sandbox` or `--scenario` starts it. */
export const embeddedFlags = group('SANDBOX', {
  pods: count({ summary: 'number of pods in the scenario fleet or churn' }),
  rate: text({ summary: 'changes per second in these scenarios, such as 500/s', helpValue: 'N/s' }),
  seed: count({ summary: 'seed of the scenario: the same seed gives the same events' }),
  faults: text({ summary: 'faults that the server injects, such as cut@5:watch:pods', helpValue: 'FAULT[,…]' }),
});

const sandboxFlags = group('SANDBOX', {
  sandbox: bool({ summary: 'run against an embedded API server, started for this command' }),
  scenario: text({
    summary: 'what happens in that server (implies --sandbox)',
    helpValue: 'NAME',
    words: ['rollout', 'crashloop', 'churn', 'node-drain', 'fleet'],
  }),
  ...embeddedFlags,
});

/** How to reach the cluster. The same on every command that needs one; `options` lists them. */
export const connectionFlags = {
  ...loginFlags,
  ...requestFlags,
  ...sandboxFlags,
  ...configFlags,
  ...group('GENERAL', {
    v: count({ char: 'v', summary: 'verbosity of the log on stderr; 6 logs every request', default: 0 }),
  }),
};

/** Shared by the commands that take several clusters. */
export const clusterChoiceFlags = group('CLUSTER', {
  'all-contexts': bool({
    summary: 'every context of the kubeconfig; --context a,b takes several of them',
    yieldsTo: 'context',
  }),
});

/** Shared by the commands that a running serve can answer. */
export const serveChoiceFlags = group('GENERAL', {
  'no-serve': bool({ summary: 'ask the cluster even if a serve is running' }),
  quiet: bool({ char: 'q', summary: 'do not say that a running serve answers' }),
});

/** Which objects: shared by `watch`, `query` and `reconcile`. */
export const selectionFlags = group('SELECTION', {
  namespace: list({ char: 'n', summary: "namespaces (default: the context's)", helpValue: 'NAME[,…]', split: true }),
  'all-namespaces': bool({ char: 'A', summary: 'all namespaces', yieldsTo: 'namespace' }),
  selector: text({ char: 'l', summary: 'label selector, evaluated by the server', helpValue: 'SELECTOR' }),
  'field-selector': text({ summary: 'field selector, evaluated by the server', helpValue: 'SELECTOR' }),
  'wait-for-crd': bool({ summary: 'wait for types that the server does not have yet' }),
});

/** Which objects, perhaps a part of them: shared by `watch` and `query`. */
export const partSelectionFlags = { ...selectionFlags, ...shardFlags };

/** How what is found gets printed: shared by `watch` and `query`, each of which has formats of its own. */
export const outputFlags = group('OUTPUT', {
  output: text({ char: 'o', summary: 'output format', helpValue: 'FORMAT' }),
  'no-headers': bool({ summary: 'no headings above tables' }),
  'show-labels': bool({ summary: 'all labels as the last column' }),
  'label-columns': list({ char: 'L', summary: 'labels to show as columns', helpValue: 'KEY[,…]', split: true }),
  'show-kind': bool({ summary: 'the type before each name' }),
  'show-managed-fields': bool({ summary: 'keep metadata.managedFields' }),
  'show-secrets': bool({ summary: "show Secrets' values instead of hmac:… marks" }),
  color: choice(['auto', 'always', 'never'], { summary: 'when to use colour', default: 'auto' }),
});

/**
 * Flags that kubectl users type from habit. They have no effect, but for `--ignore-not-found`: with it a missing name
 * is no error of `query` and `watch --once`.
 */
export const habitFlags = {
  watch: bool({ char: 'w', summary: 'accepted for kubectl habits', hidden: true }),
  'output-watch-events': bool({ summary: 'accepted for kubectl habits', hidden: true }),
  'chunk-size': count({ summary: 'accepted for kubectl habits', hidden: true }),
  'ignore-not-found': bool({ summary: 'accepted for kubectl habits', hidden: true }),
  all: bool({ summary: 'accepted for kubectl habits', hidden: true }),
};
