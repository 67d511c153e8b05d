import { abortable } from '../../kit/abort.ts';
import type { AnswerSink } from '../../query/answer/answer-sink.ts';
import { NarrowedCaches } from '../../query/answer/narrowed-caches.ts';
import { pushedDownOf, withdrawSelectors } from '../../query/answer/push-down.ts';
import { asksForObjects, usedIndexes } from '../../query/answer/query.ts';
import { representationFor } from '../../query/answer/representation.ts';
import { samplesOf } from '../../query/answer/samples.ts';
import { keptFieldsOf } from '../../query/answer/search.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import { indexersOf } from '../../query/index/stored-index.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { absentNamespaces } from '../session/absent-namespaces.ts';
import { createTargets, refusalOf, refuseUnsynced, runTargets, type WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { shardNotice } from '../session/shard-choice.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { ExitCode, hasStaleType, isReaderGone, SeveralErrors } from '../terminal/exit-codes.ts';
import { exitCodeOfEnd, StreamEnd } from '../terminal/stream-ending.ts';
import { answer } from './answer.ts';
import type { QueryPlan } from './read-query.ts';

/** Syncs caches of its own, answers from them, and ends. */
export async function query(session: Session, plan: QueryPlan): Promise<ExitCode> {
  const catalog = new IndexCatalog(plan.declared);
  const indexers = indexersOf(usedIndexes(plan).map((name) => catalog.get(name)));
  using reporter = new ContinuityReporter(session, () => targets, { isOneShot: true });
  const narrowings = await pushedDownOf(plan, plan.selections);
  const targets: readonly WatchTarget[] = createTargets(session, plan.selections, {
    ...plan,
    narrowings,
    onTooNarrow: (type) => withdrawSelectors(narrowings, type),
    as: representationFor(plan),
    once: true,
    indexers: indexers as never,
    fields: await keptFieldsOf(plan),
    onContinuity: (event, type) => reporter.observe(event, type),
  });
  const running = runTargets(targets, session, { once: true });
  using progress = showSyncProgress(session, session.status);
  try {
    await Promise.all(targets.map((target) => target.settled(session.signal)));
    progress[Symbol.dispose]();
    const readable = targets.filter(({ refusal }) => refusal === undefined);
    const refusal = await refusalOf(targets, session);
    if (hasStaleType(refusal)) throw refusal; // before anything is printed: the command is run again
    // a number that leaves a type out would be a wrong one; objects that leave one out are still objects
    if (refusal !== undefined && (readable.length === 0 || !asksForObjects(plan))) throw refusal;
    const { client, clock, signal } = session;
    if (plan.shard) session.notice(shardNotice(plan.shard, readable.map(samplesOf)));
    const narrowed = narrowings.size === 0 ? undefined : new NarrowedCaches(narrowings, plan, session);
    const context = {
      client,
      clock,
      signal,
      narrowed,
      follows: false,
      limitMs: limitOf(session, plan),
      sink: sinkOf(session),
      isPartial: refusal !== undefined,
    };
    const missing = await abortable(answer(plan, readable, context), signal);
    const absent = await absentNamespaces(plan, readable.map(samplesOf), session);
    for (const line of absent) session.notice(line);
    const errors = [missing, refusal].filter((error) => error !== undefined);
    if (errors.length > 0) throw SeveralErrors.of(errors);
    return ExitCode.ok;
  } catch (error) {
    if (!session.signal.aborted) throw error;
    refuseUnsynced(session.signal.reason, targets);
    return exitCodeOfEnd(session.signal.reason, { isSynced: false, isWaiting: !isReaderGone(session.signal.reason) });
  } finally {
    session.end(new StreamEnd('done'));
    await running;
  }
}

/** What is left of `--timeout` for a wait, which ends a little before it, to say what it waited for. */
function limitOf({ clock, startedAt }: Session, { flags: { timeout } }: QueryPlan): number | undefined {
  return timeout === undefined ? undefined : Math.max(1, timeout - (clock.monotonic() - startedAt) - 100);
}

/** Answers to the terminal of this process. */
function sinkOf({ io: { stdout }, clock, notice }: Session): AnswerSink {
  return {
    clock,
    notice: (text) => notice(text),
    async write(text) {
      if (!stdout.write(text)) await stdout.ready();
    },
  };
}
