import type { WriteLimit } from '../../controller/hooks/manifest.ts';
import { createWriteBudget, unlimitedWrites, type WriteBudget } from '../../controller/hooks/write-budget.ts';
import { onAbort, scope } from '../../kit/abort.ts';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import type { Session } from '../session/session.ts';
import type { ReconcilePlan } from './plan.ts';

/** No hook that does its work needs more; one that is run again by its own writes does. */
const DEFAULT_WRITES: WriteLimit = { writes: 600, perMs: 60_000 };

/** The budget of writes. Writes that wait for it are reported once a minute, and given up when the command ends. */
export function budgetOf(session: Session, { maxWrites, mode }: ReconcilePlan): WriteBudget {
  if (mode !== 'write') return unlimitedWrites;
  const { writes, perMs } = maxWrites ?? DEFAULT_WRITES;
  const { clock } = session;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const budget = createWriteBudget({ writes, perMs }, clock, (waitMs) => {
    if (clock.monotonic() - reportedAt < 60_000) return;
    reportedAt = clock.monotonic();
    const limit = `${writes} in ${humanDuration(perMs)}`;
    const why = maxWrites
      ? '--max-writes'
      : 'the default of --max-writes; a key that only its own writes run is parked, see --hot-loop';
    session.notice(`writes are delayed: more than ${limit} (${why}); the next one is sent in ${humanDuration(waitMs)}`);
  });
  return {
    async take(signal) {
      using held = scope(signal);
      using _ = onAbort(session.signal, () =>
        held.abort(
          new InformerError('closed', 'the write was delayed, and given up when the program was asked to end'),
        ),
      );
      await budget.take(held.signal);
    },
  };
}
