import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { Backoff } from '../../kit/backoff.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { statusOf } from '../../model/status.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';
import type { Session } from './session.ts';

/** How often the server is asked whether it has a type by now: soon at first, then every few seconds. */
const POLL = { initialMs: 500, factor: 1.5, jitter: 0, capMs: 5_000 };

/**
 * Resolves the words of a command line, waiting for types that the server does not have yet (a CustomResourceDefinition
 * to come). Says once what is waited for. Rejects with anything else that is wrong, and with the signal's reason.
 */
export async function resolveWhenThere(words: readonly string[], session: Session): Promise<ResourceSelection[]> {
  const pauses = new Backoff(POLL);
  for (let reported = ''; ; ) {
    try {
      return await session.resolve(words);
    } catch (error) {
      if (!isInformerError(error, 'discovery') || statusOf(error)) throw error;
      const what = messageOf(error);
      if (what !== reported) session.notice(`${what}; waiting for it (--wait-for-crd)`);
      reported = what;
    }
    await session.clock
      .sleep(pauses.next(session.clock.monotonic()), { signal: session.signal })
      .catch((reason) => outOfTime(reason, reported));
    await session.client.discovery.invalidate();
  }
}

function outOfTime(reason: unknown, reported: string): never {
  if (!(reason instanceof StreamEnd)) throw reason;
  throw new InformerError('sync', `${reported}, and did not get it within --timeout`, {
    cause: reason,
    hint: 'a longer --timeout waits longer',
  });
}
