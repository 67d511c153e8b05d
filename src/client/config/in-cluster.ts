import { access, readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import path from 'node:path';
import type { Kubeconfig } from './kubeconfig-file.ts';

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The environment and the service account folder of a pod. */
export interface InClusterOptions {
  env?: Readonly<Record<string, string | undefined>> | undefined;
  serviceAccountDir?: string | undefined;
}

/**
 * The in-cluster configuration of a pod in the form of a kubeconfig. Undefined if this process does not run in a pod.
 * Source: client-go rest.InClusterConfig.
 */
export async function inClusterKubeconfig({
  env = process.env,
  serviceAccountDir = SERVICE_ACCOUNT_DIR,
}: InClusterOptions): Promise<Kubeconfig | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, POD_NAMESPACE } = env;
  const tokenFile = path.join(serviceAccountDir, 'token');
  if (!host || !port || !(await exists(tokenFile))) return undefined;
  const ca = path.join(serviceAccountDir, 'ca.crt');
  const namespace = POD_NAMESPACE || (await textIn(path.join(serviceAccountDir, 'namespace')));
  const cluster = {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    ...((await exists(ca)) ? { 'certificate-authority': ca } : {}),
  };
  return {
    clusters: new Map([['in-cluster', cluster]]),
    users: new Map([['service-account', { tokenFile }]]),
    contexts: new Map([
      ['in-cluster', { cluster: 'in-cluster', user: 'service-account', ...(namespace ? { namespace } : {}) }],
    ]),
    currentContext: 'in-cluster',
    files: [serviceAccountDir],
  };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function textIn(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').then(
    (text) => text.trim() || undefined,
    () => undefined,
  );
}
