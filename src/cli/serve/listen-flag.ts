import { isLoopback } from '../../client/http/connection-text.ts';
import { InformerError } from '../../kit/error.ts';
import { parseListenAddress } from '../../ops/ops-server.ts';
import type { ListenPlan } from '../../serve/api/listen-token.ts';

/**
 * Reads `--listen`. Throws `argument` for an address that other machines reach, unless `--allow-remote` says that this
 * is meant: what is sent is not encrypted.
 */
export function listenPlanOf(text: string | undefined, isRemoteAllowed: boolean): ListenPlan | undefined {
  if (text === undefined) {
    if (isRemoteAllowed)
      throw new InformerError('argument', '--allow-remote does nothing without --listen', {
        hint: 'a socket of the file system is reached from this machine only',
      });
    return undefined;
  }
  const at = parseListenAddress(text);
  if (isLoopback(at.host) || isRemoteAllowed) return at;
  throw new InformerError('argument', `--listen ${text}: other machines reach ${at.host}, and nothing is encrypted`, {
    hint: `--listen 127.0.0.1:${at.port} is reached from this machine only; --allow-remote listens there nevertheless`,
  });
}
