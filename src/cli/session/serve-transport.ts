import type { ClusterConfig } from '../../client/config/cluster-config.ts';
import type { Transport } from '../../client/http/transport.ts';
import { systemClock } from '../../kit/clock.ts';
import { messageOf } from '../../kit/error.ts';
import { serveTransport } from '../../serve/client/serve-transport.ts';
import { type FoundServe, serveWithKey } from '../../serve/find.ts';
import { serveIdentity } from '../../serve/folder-key.ts';
import { isThisProtocol, protocolError } from '../../serve/protocol.ts';
import type { Io } from '../terminal/io.ts';
import { writeNotice } from '../terminal/notice.ts';
import { forgetKilled } from './killed-serve.ts';

/** How a session uses a running serve for its lists and watches. */
export interface ServeUse {
  readonly needsManagedFields: boolean;
  /** Does not say that the serve answers; what it does not answer is said. */
  readonly isQuiet: boolean;
}

/**
 * A wrapper for the transport of this config, with which a running serve answers what it holds; undefined if there is
 * no serve. Its notices begin with `about`.
 */
export function throughServeOf(
  config: ClusterConfig,
  io: Io,
  { needsManagedFields, isQuiet }: ServeUse,
  about: string,
): ((direct: Transport) => Transport) | undefined {
  const notice = (text: string) => writeNotice(io, about + text);
  let serve: FoundServe | undefined;
  try {
    serve = serveWithKey(io.env, serveIdentity(config).key);
    if (!serve) return undefined;
    const { pid, protocol } = serve.about;
    if (!isThisProtocol(protocol)) throw protocolError(String(protocol), `the serve with pid ${pid}`);
  } catch (error) {
    notice(`a running serve is not used: ${messageOf(error)}`);
    return undefined;
  }
  const found = serve;
  return (direct) =>
    serveTransport({ serve: found, direct, clock: systemClock, needsManagedFields, isQuiet, notice, forgetKilled });
}
