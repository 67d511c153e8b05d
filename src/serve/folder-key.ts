import type { ClusterConfig } from '../client/config/cluster-config.ts';
import { InformerError } from '../kit/error.ts';

/** Which cluster and user a serve belongs to. */
export interface ServeIdentity {
  /** 16 hexadecimal digits, the name of its folder. */
  readonly key: string;
  readonly server: string;
  readonly context: string | undefined;
  readonly user: string | undefined;
}

/** Enough that two clusters never share a folder, and little enough for the path of a socket. */
const KEY_LENGTH = 16;

/**
 * The identity of a config: one serve for each cluster and user. It reads no file, and no credential can be found from
 * it. Throws `config` for a config that does not know its own.
 */
export function serveIdentity({ identity, server, context, user }: ClusterConfig): ServeIdentity {
  if (identity === undefined)
    throw new InformerError('config', `it is not known as which user this connects to ${server}`);
  return { key: identity.slice(0, KEY_LENGTH), server, context, user };
}
