import type { ActionRunner } from '../../hooks/action-runner.ts';
import { ActionJournal } from '../../hooks/journal/action-journal.ts';
import { Backoff } from '../../kit/backoff.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { formatGvr } from '../../model/gvr.ts';
import { statusOf } from '../../model/status.ts';
import type { Session } from '../session/session.ts';
import type { ReconcilePlan } from './reconcile-plan.ts';

/** Throws `argument` for a journal where nothing is written, because then it would have no effect. */
export function checkJournal({ journal, mode }: Pick<ReconcilePlan, 'journal' | 'mode'>): void {
  if (journal === undefined || mode === 'write') return;
  throw new InformerError('argument', '--journal has no effect without --allow-write', {
    hint: 'the journal is about writes that are sent',
  });
}

/** Opens the journal of `--journal`. Throws `argument` as {@link checkJournal}. */
export async function openJournal(
  session: Session,
  { journal: folder, hook, primary, mode }: ReconcilePlan,
): Promise<ActionJournal | undefined> {
  if (folder === undefined) return undefined;
  checkJournal({ journal: folder, mode });
  const owner = `hook ${hook.name} for ${formatGvr(primary.type.gvr)} on ${session.config.server}`;
  const journal = await ActionJournal.open({ folder, owner });
  const { unreadable } = journal;
  if (unreadable > 0)
    session.notice(
      `the journal ${folder} has ${unreadable} ${unreadable === 1 ? 'line that cannot be read and is' : 'lines that cannot be read and are'} left out: actions in it may be lost`,
    );
  return journal;
}

const RETRY = { initialMs: 500, factor: 2, jitter: 0.5, capMs: 30_000 };
/** Keys that are named of those with unfinished actions. */
const MOST_KEYS = 3;

/**
 * Carries out what an earlier process left in the journal, before caches are filled and hooks run. Waits for a server
 * that cannot be reached. What a server refuses is left to the hook; what it fails at stays in the journal, and is tried
 * again before the hook runs for that key.
 */
export async function completeJournal(
  session: Session,
  journal: ActionJournal,
  actions: ActionRunner,
  { logger }: ReconcilePlan,
): Promise<void> {
  const keys = [...new Set(journal.unfinished().map(({ key }) => key))];
  if (keys.length === 0) return;
  const more = keys.length > MOST_KEYS ? ` and ${keys.length - MOST_KEYS} more` : '';
  session.notice(
    `the journal has unfinished actions for ${keys.slice(0, MOST_KEYS).join(', ')}${more}: they are carried out before the hook runs`,
  );
  const backoff = new Backoff(RETRY);
  for (let key = keys.shift(); key !== undefined && !session.signal.aborted; key = keys.shift()) {
    try {
      await actions.resume({ signal: session.signal, logger }, key);
    } catch (error) {
      if (session.signal.aborted) return;
      const isLeft = journal.unfinished(key).length > 0;
      const next = isLeft ? 'it is tried again' : 'the hook decides again';
      session.notice(`the journal: an action for ${key} failed, ${next}: ${messageOf(error)}`);
      if (!isLeft || statusOf(error)) continue;
      keys.unshift(key);
      await session.clock.sleep(backoff.next(session.clock.monotonic()), { signal: session.signal }).catch(() => {});
    }
  }
}
