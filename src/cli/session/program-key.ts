import type { ClusterConfig } from '../../client/config/cluster-config.ts';
import { loadConfig } from '../../client/kubeconfig.ts';
import { serveIdentity } from '../../serve/folder-key.ts';
import type { Io } from '../terminal/io.ts';
import { stderrLogger } from '../terminal/logging.ts';
import { type LoginFlagValues, loadOptionsOf } from './load-options.ts';

/**
 * The key of the programs that belong to the cluster and the user of these flags, a serve for example, and the namespace of their context.
 * Undefined for flags that lead nowhere, which the command itself reports.
 */
export async function serveKeyOf(
  flags: LoginFlagValues,
  io: Io,
): Promise<{ key: string; namespace: string } | undefined> {
  let config: ClusterConfig;
  try {
    config = await loadConfig(loadOptionsOf(flags, io, stderrLogger(io, 0)));
  } catch {
    return undefined;
  }
  return { key: serveIdentity(config).key, namespace: config.namespace };
}
