import { createClient, loadConfig } from '../../src/index.ts';
import type { Cluster } from '../cluster-rows.ts';

/**
 * The cluster of the kubeconfig in the environment, and how many pods it has. Throws with a sentence when there is no
 * KUBECONFIG: a bench must not load whatever cluster happens to be the current one.
 */
export async function realCluster(): Promise<Cluster & AsyncDisposable> {
  const kubeconfig = process.env.KUBECONFIG;
  if (!kubeconfig)
    throw new Error(
      '--server real takes the server of KUBECONFIG: set it to the kubeconfig of a server that is there to be measured',
    );
  const client = createClient(await loadConfig({ kubeconfig }));
  try {
    const pods = client.resource({ group: '', version: 'v1', resource: 'pods' });
    const { items, remainingItemCount = 0 } = await pods.list({ limit: 1 });
    return { kubeconfig, pods: items.length + remainingItemCount, async [Symbol.asyncDispose]() {} };
  } finally {
    await client.close();
  }
}
