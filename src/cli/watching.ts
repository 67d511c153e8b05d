import type { ResourceSelection } from '../client/resource-args.ts';
import type { ContinuityEvent } from '../informer/ledger.ts';
import type { OutputFormat } from '../output/output-format.ts';
import type { Printer } from '../output/printer.ts';
import { Enveloper, type EventType } from '../stream/envelope.ts';
import { streamEvents } from '../stream/event-stream.ts';
import { Redactor } from '../stream/redact.ts';
import { StreamSummary } from '../stream/summary.ts';
import { ContinuityNotices } from './continuity-notices.ts';
import { exitCodeOfEnd, isFailure, StreamEnd, wordsOfEnd } from './ending.ts';
import { EventWriter } from './event-writer.ts';
import { type ExitCode, isReaderGone } from './exit.ts';
import { createTargets, type InformerPlan, refuseUnsynced, runTargets, type Target } from './informers.ts';
import type { Session } from './session.ts';
import type { changeFilter } from './stream-filters.ts';

/** A `watch` with everything read, resolved and checked. */
export interface WatchPlan extends Omit<InformerPlan, 'onContinuity'> {
  readonly selections: readonly ResourceSelection[];
  readonly format: OutputFormat;
  readonly printer: Printer;
  readonly shows: ReturnType<typeof changeFilter>;
  readonly on: ReadonlySet<EventType> | undefined;
  readonly once: boolean;
  readonly strict: boolean;
  readonly withOld: boolean;
  readonly showSecrets: boolean;
  readonly limit: number | undefined;
}

/** Streams until something ends it, says on stderr how it went on and how it ended, and gives the exit code. */
export async function watch(session: Session, plan: WatchPlan): Promise<ExitCode> {
  const summary = new StreamSummary();
  const notices = new ContinuityNotices();
  const onContinuity = (event: ContinuityEvent, type: Target['type']) => heard(event, notices.textOf(event, type), session, plan);
  const targets = createTargets(session, plan.selections, { ...plan, onContinuity });
  const running = runTargets(targets, session);
  const isSynced = await stream(session, plan, targets, summary);
  session.end(new StreamEnd('done'));
  await running;
  const { reason } = session.signal;
  const elapsedMs = session.clock.monotonic() - session.startedAt;
  const isQuiet = plan.once || isFailure(reason) || isReaderGone(reason);
  if (!isQuiet) session.notice(summary.line(wordsOfEnd(reason), elapsedMs, continuityOf(targets)));
  if (!isSynced) refuseUnsynced(reason, targets);
  return exitCodeOfEnd(reason, { isSynced, isWaiting: plan.limit !== undefined && summary.total < plan.limit });
}

/** Whether every first state was shown before the end. */
async function stream(session: Session, plan: WatchPlan, targets: readonly Target[], summary: StreamSummary): Promise<boolean> {
  const { printer, limit, once } = plan;
  const names = new Map(targets.map((target) => [target.informer, target.names]));
  let synced = 0;
  const onLimit = () => session.end(new StreamEnd('limit'));
  const writer = new EventWriter({
    printer,
    sink: session.io.stdout,
    summary,
    gatherInitial: plan.format.kind === 'table',
    limit,
    onLimit,
  });
  const redactor = new Redactor({ showSecrets: plan.showSecrets });
  const enveloper = new Enveloper({
    clock: session.clock,
    redactor,
    showManagedFields: plan.keepManagedFields,
    withOld: plan.withOld,
    on: plan.on,
  });
  await streamEvents(
    {
      targets,
      enveloper,
      once,
      shows: (change, { informer }) => plan.shows(change, names.get(informer as Target['informer'])),
      print: (event, target) => orEnd(session, () => writer.print(event, target)),
      onSynced: () => {
        synced++;
        orEnd(session, () => writer.initialDone());
        if (synced === targets.length && targets.every(({ informer }) => informer.lister.size === 0)) session.notice(nothingFound(plan));
      },
    },
    session.signal,
  );
  return synced === targets.length;
}

/** An expression that fails on an object ends the stream with its error: going on would be to leave events out in silence. */
function orEnd<T>(session: Session, print: () => T): T | undefined {
  try {
    return print();
  } catch (error) {
    session.end(error);
    return undefined;
  }
}

function heard(event: ContinuityEvent, notice: string | undefined, session: Session, plan: WatchPlan): void {
  if (notice !== undefined && !session.signal.aborted) session.notice(notice);
  if (plan.strict && event.kind === 'gap') session.end(new StreamEnd('continuity', notice));
}

function continuityOf(targets: readonly Target[]): { relists: number; gaps: number; resumed: number } {
  const all = targets.flatMap(({ informer }) => informer.continuity);
  const sum = (count: (c: (typeof all)[number]) => number) => all.reduce((total, each) => total + count(each), 0);
  return { relists: sum((c) => c.relists), gaps: sum((c) => c.gapCount), resumed: sum((c) => c.resumes) };
}

/** kubectl's words for an empty answer. */
export function nothingFound({ namespaces, selections }: Pick<WatchPlan, 'namespaces' | 'selections'>): string {
  const isScoped = selections.some(({ type }) => type.namespaced) && !namespaces.includes('');
  return isScoped ? `No resources found in ${namespaces.join(', ')} namespace${namespaces.length > 1 ? 's' : ''}.` : 'No resources found';
}
