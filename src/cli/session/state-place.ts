import path from 'node:path';
import { hashOf } from '../../client/config/same-cluster-and-user.ts';
import { InformerError } from '../../kit/error.ts';
import { isForbidden, isNotFound } from '../../model/status.ts';
import { stateFolder } from '../../serve/persist/state-folder.ts';
import { removeUnused } from '../../serve/persist/unused-states.ts';
import type { Session } from './session.ts';

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };
const KEY_LENGTH = 32;

/**
 * The file in which states of this cluster and user are stored for a purpose. The cluster is known by its address, CA
 * and the uid of its namespace kube-system, if that may be read: a cluster that was built again is another one. Throws
 * `config` when the folder is not safe, or the user not known.
 */
export async function statePlace(session: Session, cacheFolder: string, purpose: string): Promise<string> {
  const { config, clock } = session;
  if (config.identity === undefined)
    throw new InformerError('config', `it is not known as which user this connects to ${config.server}`);
  const key = hashOf([config.identity, await clusterUid(session)]).slice(0, KEY_LENGTH);
  const folder = stateFolder(cacheFolder);
  removeUnused(folder, clock.now());
  return path.join(folder, `${purpose}-${key}.db`);
}

/** '' if it may not be read. Any other failure is one: another answer would lead to another file. */
async function clusterUid({ client, signal }: Session): Promise<string> {
  try {
    const { metadata } = await client.resource(NAMESPACES, { as: 'metadata' }).get('kube-system', { signal });
    return metadata.uid ?? '';
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return '';
    throw error;
  }
}
