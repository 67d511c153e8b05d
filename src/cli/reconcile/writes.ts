import {
  createWriteBudget,
  DEFAULT_WRITES,
  unlimitedWrites,
  type WriteBudget,
} from '../../hooks/actions/write-budget.ts';
import { onAbort, scope } from '../../kit/abort.ts';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError } from '../../kit/error.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { Session } from '../session/session.ts';
import type { ReconcilePlan } from './reconcile-plan.ts';

/** The budget of a reconcile's writes, and the runs that wait for it. */
export interface ReconcileBudget extends WriteBudget {
  /** The keys of the runs whose next write waits. */
  readonly waiting: ReadonlySet<ObjectKey>;
}

/**
 * The budget of writes. Writes that wait for it are reported once a minute. When the command is asked to end, those that
 * wait are given up, which is reported at once; runs that are under way may still write what does not have to wait.
 */
export function budgetOf(
  session: Session,
  { maxWrites, mode, journal }: Pick<ReconcilePlan, 'maxWrites' | 'mode' | 'journal'>,
): ReconcileBudget {
  const waiting = new Set<ObjectKey>();
  if (mode !== 'write') return { ...unlimitedWrites, waiting };
  const { writes, perMs } = maxWrites ?? DEFAULT_WRITES;
  const { clock } = session;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let delayed = 0;
  const report = (waitMs: number) => {
    if (clock.monotonic() - reportedAt < 60_000) return;
    reportedAt = clock.monotonic();
    const limit = `${writes} in ${humanDuration(perMs)}`;
    const why = maxWrites
      ? '--max-writes'
      : 'the default of --max-writes; a key that only its own writes run is parked, see --hot-loop';
    session.notice(`writes are delayed: more than ${limit} (${why}); the next one is sent in ${humanDuration(waitMs)}`);
  };
  onAbort(session.signal, () => {
    if (delayed === 0) return;
    const what = delayed === 1 ? '1 delayed write is' : `${delayed} delayed writes are`;
    const next = journal === undefined ? 'nothing of it was sent' : 'the next start sends what --journal keeps';
    session.notice(`${what} given up, because the program is asked to end; ${next}`);
  });
  const budget = createWriteBudget({ writes, perMs }, clock, async (waitMs, signal, key) => {
    if (session.signal.aborted) throw givenUp();
    report(waitMs);
    using held = scope(signal);
    using _ = onAbort(session.signal, () => held.abort(givenUp()));
    delayed++;
    if (key !== undefined) waiting.add(key);
    try {
      await clock.sleep(waitMs, { signal: held.signal });
    } finally {
      delayed--;
      if (key !== undefined) waiting.delete(key);
    }
  });
  return { ...budget, waiting };
}

const givenUp = () =>
  new InformerError('closed', 'the write had to wait for --max-writes, and is given up because the program ends');
