/** The programs that do nothing without credentials: in any word of a command line, and as a command of a script. */
const CLUSTER_TOOLS = '(kubectl|helm|oc|kustomize|flux|argocd)(?=\\s|$)';
const CLUSTER_WORD = new RegExp(`(?:^|[\\s;&|(/'"])${CLUSTER_TOOLS}`);
const BEFORE_COMMAND = '(?:^|[;&|(`]|\\b(?:then|do|else|if|while|until|time)\\s|!\\s)';
const CLUSTER_COMMAND = new RegExp(`${BEFORE_COMMAND}[ \\t]*${CLUSTER_TOOLS}`, 'm');

/** Tools that find their cluster only in the kubeconfig. */
const OF_KUBECONFIG = new Set(['kubectl', 'helm', 'oc', 'flux']);
/** A line that names a cluster by itself. */
const OWN_CLUSTER = /\bKUBECONFIG=|(?:^|\s)(?:--kubeconfig|--server|--kube-apiserver|-s)(?:=|\s|$)/;

/** The first program in a command line that needs a cluster; undefined if there is none. */
export const toolInLine = (line: string): string | undefined => CLUSTER_WORD.exec(line)?.[1];

/** The first command of a shell script that needs a cluster; undefined if there is none. */
export const toolInScript = (script: string): string | undefined => CLUSTER_COMMAND.exec(script)?.[1];

/**
 * The program of a command line that certainly fails without credentials; undefined if there is none. `program` is
 * what a line without a shell runs. A line with a KUBECONFIG or a server of its own is left alone.
 */
export function needsCluster(line: string, program: string | undefined): string | undefined {
  if (OWN_CLUSTER.test(line)) return undefined;
  const tool = program ?? toolInScript(line);
  return tool !== undefined && OF_KUBECONFIG.has(tool) ? tool : undefined;
}
