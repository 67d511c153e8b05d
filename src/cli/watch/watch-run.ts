import type { ContinuityEvent } from '../../informer/watch/continuity-ledger.ts';
import { onAbort } from '../../kit/abort.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { Recorder } from '../../record/recorder.ts';
import { failureNotice } from '../../stream/conditions/condition.ts';
import { Waiter } from '../../stream/conditions/waiter.ts';
import { Enveloper, type EventEnvelope, eventWordOf } from '../../stream/envelope.ts';
import { streamEvents, type Unreported } from '../../stream/event-stream.ts';
import { createFilterGate } from '../../stream/filter-gate.ts';
import {
  clusterMarker,
  continuityMarker,
  endMarker,
  forbiddenMarker,
  lossMarker,
  lossText,
  type Marker,
  outageMarker,
} from '../../stream/markers.ts';
import { type Outage, outagesOf } from '../../stream/outage.ts';
import type { Loss } from '../../stream/overflow/backlog.ts';
import { Redactor } from '../../stream/redact.ts';
import { type ContinuityCounts, StreamSummary } from '../../stream/summary.ts';
import { continuityOf, isLoss } from '../outage/continuity-counts.ts';
import { outageText } from '../outage/outage-text.ts';
import { clusterText } from '../session/cluster-error.ts';
import { refuseUnsynced, type WatchTarget } from '../session/informers.ts';
import type { NewlyRefused } from '../session/left-out.ts';
import type { CommandSession, Session } from '../session/session.ts';
import { orEnd, type StreamOutlet, streamOutlet, unendedText } from '../session/stream-outlet.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { describeError } from '../terminal/error-text.ts';
import { exitCodeOfEnd, type StreamState } from '../terminal/exit-code-of-end.ts';
import { type ExitCode, exitCodeOf, isReaderGone, SeveralErrors } from '../terminal/exit-codes.ts';
import { canRedraw } from '../terminal/io.ts';
import { Interrupted } from '../terminal/signals.ts';
import { hasStaleType } from '../terminal/stale-type.ts';
import type { StatusDisplay } from '../terminal/status-line.ts';
import { decidedBy, goneNotice, isFailure, StreamEnd, wordsOfEnd } from '../terminal/stream-ending.ts';
import { EventWriter } from './event-writer.ts';
import { LiveView } from './live-view.ts';
import { errorLinesOf, isCutShort, partialCode, plainly } from './run-ending.ts';
import { type JoiningParts, StreamParts } from './stream-parts.ts';
import { UnprintedReports } from './unprinted.ts';
import { WaitProgressReporter } from './wait-progress.ts';
import { giveWatchHints } from './watch-hints.ts';
import { goesOnWithout, mayBeShown, type WatchPlan } from './watch-plan.ts';
import { WatchedPart } from './watched-part.ts';

/** Streams until something ends it, says on stderr how it went on and how it ended, and gives the exit code. */
export async function watch(session: Session, plan: WatchPlan): Promise<ExitCode> {
  const watching = new Watching(session, [[session, plan]]);
  return watching.run();
}

/** As {@link watch}, of several parts: those that have answered, and those that join later. */
export async function watchParts(
  session: CommandSession,
  parts: readonly [Session, WatchPlan][],
  others: JoiningParts,
): Promise<ExitCode> {
  const watching = new Watching(session, parts, others);
  return watching.run();
}

/** Where a stream prints. */
interface Shown {
  readonly outlet: StreamOutlet;
  readonly writer: EventWriter;
  /** With `--markers`. */
  readonly mark: ((text: string) => void | Promise<void>) | undefined;
}

class Watching implements Disposable {
  /** The part of the sessions that belongs to the command. */
  readonly #session: CommandSession;
  /** The plan of the first part. Those of the others differ only in types and namespaces. */
  readonly #plan: WatchPlan;
  readonly #summary = new StreamSummary();
  readonly #parts: StreamParts;
  readonly #running: Promise<void>[] = [];
  readonly #enveloper: Enveloper;
  #recorder: Recorder | undefined;
  #waiter: Waiter | undefined;
  #progress: WaitProgressReporter | undefined;
  readonly #unprinted: UnprintedReports;
  #outages: readonly Outage<WatchTarget>[] = [];
  #marks: ((text: string) => void) | undefined;
  #allShown: () => void = () => {};
  readonly #hints = new Map<WatchedPart, Promise<void>>();
  /** The events shown of each of several parts. */
  readonly #shown = new Map<string, number>();
  #join: (target: WatchTarget) => void = () => {};

  constructor(session: CommandSession, parts: readonly [Session, WatchPlan][], joining?: JoiningParts | undefined) {
    this.#session = session;
    this.#parts = new StreamParts(joining);
    this.#plan = (parts[0] as [Session, WatchPlan])[1];
    for (const [each, plan] of parts) this.#add(each, plan);
    this.#unprinted = new UnprintedReports({
      called: this.#plan.format.traits.called,
      summary: this.#summary,
      notice: (text) => session.notice(text),
    });
    const { showManagedFields, withOld, flags } = this.#plan;
    this.#enveloper = new Enveloper({
      clock: session.clock,
      redactor: new Redactor({ showSecrets: flags['show-secrets'] }),
      showManagedFields,
      withOld,
      withChanges: flags['with-changes'],
    });
  }

  async run(): Promise<ExitCode> {
    const session = this.#session;
    const { once } = this.#plan;
    using _end = onAbort(session.signal, () => this.#ending());
    if (this.#plan.flags.record !== undefined) {
      const { recorderOf } = await import('../record/recorder-of.ts');
      this.#recorder = recorderOf(this.#plan.flags, session, 'watch');
    }
    for (const part of this.#parts.all) this.#run(part);
    if (this.#recorder) this.#running.push(this.#recorder.run(session.signal));
    if (once) await this.#leaveOutRefused();
    using waiter = this.#createWaiter();
    this.#waiter = waiter;
    await this.#stream();
    session.end(new StreamEnd('done'));
    await Promise.all(this.#running);
    const { reason } = session.signal;
    const elapsedMs = session.clock.monotonic() - session.startedAt;
    const { dropped, coalesced, expressionErrors, unprintable } = this.#summary.losses;
    const isPlain = this.#plan.once && !waiter && dropped + coalesced + expressionErrors + unprintable === 0;
    const isQuiet = isPlain || isFailure(reason) || (isReaderGone(reason) && !this.#isWaiting);
    const isCut = this.#outages.length > 0;
    const line = () =>
      this.#summary.line(wordsOfEnd(reason), elapsedMs, this.#continuity()) + this.#parts.counted(this.#shown);
    const { leftOut } = this.#parts;
    const part = this.#plan.part ? `; ${this.#plan.part.text}` : '';
    if (!isQuiet || (isCut && !isFailure(reason)))
      session.notice(`${line()}${part}${isCut ? `; ${outageText(this.#outages, this.#targets)}` : ''}`);
    if (!this.#isSynced) refuseUnsynced(reason, this.#targets);
    if (hasStaleType(reason) && (this.#summary.total > 0 || this.#plan.flags.markers)) throw plainly(reason);
    for (const line of this.#errorLines(reason)) session.notice(line);
    const code = exitCodeOfEnd(reason, this.#state);
    const unanswered = this.#unanswered();
    if (unanswered !== undefined) throw unanswered;
    const absent = this.#absentTexts;
    if (!isReaderGone(reason)) {
      if (leftOut !== '') session.notice(`error: ${leftOut} could not be read (forbidden): not in this stream`);
      for (const text of absent) session.notice(`error: ${text}`);
    }
    return leftOut === '' && absent.length === 0 ? code : partialCode(code, reason, absent.length > 0);
  }

  [Symbol.dispose](): void {
    this.#parts[Symbol.dispose]();
  }

  get #targets(): readonly WatchTarget[] {
    return this.#parts.targets;
  }

  #add(session: Session, plan: WatchPlan): WatchedPart {
    const part = new WatchedPart(session, plan, {
      onContinuity: (event) => this.#observe(event),
      onLeftOut: (refused) => this.#goOnWithout(refused),
    });
    this.#parts.all.push(part);
    return part;
  }

  #run(part: WatchedPart): void {
    const { signal, notice } = part.session;
    for (const target of part.targets) this.#recorder?.follow(target, part.plan);
    this.#running.push(part.run());
    if (!this.#parts.isOfSeveral) return;
    onAbort(signal, () => {
      if (!this.#session.signal.aborted) this.#partEnded(part, signal.reason);
    });
    if (this.#plan.once) return;
    part.becomeLate(() => {
      if (this.#parts.all.length > 1) notice('no initial sync yet; the stream goes on without it meanwhile');
      if (this.#isSynced) this.#allShown();
    });
  }

  /** A part that answers after the start joins the stream. */
  #joined(session: Session, plan: WatchPlan): void {
    if (this.#session.signal.aborted) return;
    const part = this.#add(session, plan);
    this.#run(part);
    for (const target of part.targets) this.#join(target);
  }

  /** One of several parts has ended by an error: the others go on, unless the stream needs all of them. */
  #partEnded(part: WatchedPart, reason: unknown): void {
    const { isLast } = this.#parts.ended(part, reason);
    const isNeeded = !goesOnWithout(this.#plan) && !(this.#plan.once && !this.#plan.waits.rules);
    if (isNeeded || (isLast && !this.#plan.once) || (hasStaleType(reason) && this.#summary.total === 0)) {
      this.#session.end(isLast ? (this.#parts.endReason ?? reason) : reason);
      return;
    }
    if (!this.#plan.once) {
      for (const line of describeError(reason).trimEnd().split('\n')) this.#session.notice(line);
      const name = part.session.cluster ?? '';
      this.#session.notice(`not in this stream, which goes on without: ${clusterText(name)}`);
      this.#marks?.(
        this.#markerText(clusterMarker(this.#enveloper, name, part.isPartial ? 'forbidden' : 'unreachable')),
      );
    }
    part.targets = [];
    if (this.#isSynced) this.#allShown();
  }

  /** Marks the parts that may not be read in the stream. */
  #goOnWithout(refused: readonly NewlyRefused[]): void {
    for (const { target, namespaces } of refused)
      for (const namespace of namespaces)
        this.#marks?.(this.#markerText(forbiddenMarker(this.#enveloper, target, namespace)));
    if (this.#isSynced) this.#allShown();
  }

  get #absentTexts(): string[] {
    return this.#plan.once ? [] : this.#parts.absentTexts;
  }

  /** The error of a command that answers once: the names that do not exist, and the types that may not be read. */
  #unanswered(): unknown {
    const { once, ignoreNotFound } = this.#plan;
    const asksForNames = once && !this.#waiter && !ignoreNotFound && this.#isSynced;
    return once
      ? SeveralErrors.of(this.#parts.unanswered(asksForNames).filter((each) => each !== undefined))
      : undefined;
  }

  /** Waits until every type of every part is synced or refused. */
  async #leaveOutRefused(): Promise<void> {
    const session = this.#session;
    using _ = showSyncProgress(this.#syncing, session.status);
    await Promise.all(this.#parts.all.map((part) => part.leaveOutRefused()));
  }

  get #syncing() {
    const { clock, startedAt } = this.#session;
    const stats = () => this.#parts.all.flatMap(({ session }) => session.client.stats());
    return { clock, startedAt, client: { stats } };
  }

  /** Notes the sources without a connection when the end is decided; later the end itself would take them away. */
  #ending(): void {
    if (!this.#plan.once) this.#outages = outagesOf(this.#targets, this.#session.clock.now());
  }

  /** Records wait for an expression that was cut short. */
  #isUnprinted = false;

  get #state(): StreamState {
    const isCut = this.#plan.flags.strict && this.#outages.length > 0;
    const isWaiting = this.#isWaiting || (this.#plan.once && this.#isUnprinted);
    return { isSynced: this.#isSynced, isWaiting, isCut };
  }

  /** To end without a connection is a gap, where none is open already. */
  #continuity(): ContinuityCounts {
    const counts = continuityOf(this.#targets);
    return { ...counts, gaps: counts.gaps + this.#outages.filter(({ isGap }) => !isGap).length };
  }

  get #isSynced(): boolean {
    return this.#parts.isSynced;
  }

  /** Something was to happen that has not. */
  get #isWaiting(): boolean {
    const { flags: { limit }, waits, once } = this.#plan; // biome-ignore format: short
    if (waits.isGoal) return !this.#waiter?.settled;
    return limit !== undefined && !once && this.#summary.total < limit;
  }

  #errorLines(reason: unknown): string[] {
    const { once, flags, waits } = this.#plan;
    return errorLinesOf(reason, {
      isCut: this.#state.isCut,
      isMissing: this.#isWaiting,
      once,
      limit: flags.limit,
      total: this.#summary.total,
      cut: outageText(this.#outages, this.#targets),
      waiter: waits.isGoal ? this.#waiter : undefined,
    });
  }

  #createWaiter(): Waiter | undefined {
    const { rules } = this.#plan.waits;
    if (!rules) return undefined;
    const waiter: Waiter = new Waiter(rules, {
      clock: this.#session.clock,
      targets: this.#targets,
      onError: (error) => this.#failed(error),
      isComplete: () => this.#parts.isComplete,
      onGone: (gone) => this.#session.notice(goneNotice(gone)),
      ...(this.#plan.waits.isGoal ? { onProgress: () => this.#progress?.changed() } : {}),
    });
    return waiter;
  }

  async #stream(): Promise<void> {
    const session = this.#session;
    const { flags, once, format, rules, printer } = this.#plan;
    const sortInitial = this.#plan.sortInitial ?? (this.#targets.some(({ names }) => names) ? byGivenName : undefined);
    const { clock, io } = session;
    const summary = this.#summary;
    const onLimit = () => session.end(new StreamEnd('limit'));
    using live = this.#openLive(onLimit);
    const status = live ?? session.status;
    using progress = showSyncProgress(this.#syncing, status);
    using _waiting = this.#openProgress(live || canRedraw(io, io.stderr) ? status : undefined);
    const outlet = streamOutlet(session, this.#plan.output, (error, where, record) => {
      if (record.key === undefined) summary.losses.expressionErrors++;
      else summary.failed(eventWordOf(record as EventEnvelope));
      this.#unprinted.failed(error, where);
    });
    const writer = new EventWriter({
      printer,
      sink: outlet,
      settled: outlet.settled,
      summary,
      gatherInitial: format.traits.gathers,
      limit: flags.limit,
      onLimit,
      onFailure: (error, { event, type }) => this.#unprinted.failed(error, `${type.kind} ${event.key}`),
      ...(format.traits.needsObject ? { onUnprintable: (event) => this.#unprinted.unprintable(event) } : {}),
    });
    const show = live ?? writer;
    const mark = this.#plan.flags.markers
      ? (text: string) => (outlet.write(text) ? undefined : outlet.ready())
      : undefined;
    this.#marks = mark;
    let unreported: Unreported<WatchTarget> | undefined;
    const gate = createFilterGate({
      ...rules,
      clock,
      onError: (error) => this.#failed(error),
      onRemark: session.notice,
    });
    this.#allShown = () => {
      progress[Symbol.dispose]();
      live?.loaded();
      for (const part of this.#parts.all) if (part.isSynced) this.#giveHints(part);
    };
    if (mark)
      for (const { cluster, isFinal } of this.#parts.absent)
        mark(this.#markerText(clusterMarker(this.#enveloper, cluster, isFinal ? 'unserved' : 'unreachable')));
    const { isOfSeveral } = this.#parts;
    const outcome = await streamEvents<WatchTarget>(
      {
        targets: this.#targets,
        enveloper: this.#enveloper,
        once,
        gate,
        waiter: this.#waiter,
        overflow: { policy: flags.overflow, limit: flags['overflow-buffer'], clock },
        summary,
        sortInitial,
        print: (event, target) => {
          if (isOfSeveral) this.#countIn(event.cluster);
          return orEnd(session, () => show.print(event, target));
        },
        ...(mark ? { mark: (marker) => mark(this.#markerText(marker)) } : {}),
        onLoss: (loss) => this.#lost(loss),
        onLosing: (how) => this.#losing(how),
        onEnd: (last) => {
          unreported = last;
        },
        onJoinable: (join) => {
          this.#join = join;
          this.#parts.onReady((each, plan) => this.#joined(each, plan));
        },
        onSynced: (target) => {
          this.#parts.all.find(({ targets }) => targets.includes(target))?.synced(target);
          if (!(once && isOfSeveral)) orEnd(session, () => writer.initialDone(target));
          if (rules.watchOnly) printer.layOutFor?.(mayBeShown(this.#plan, target), target.type);
          if (this.#isSynced) this.#allShown();
        },
      },
      session.signal,
    );
    await this.#finish(outcome, unreported, { outlet, writer, mark });
  }

  /** Ends the command if the stream has ended by itself, and prints what is left. */
  async #finish(
    outcome: Awaited<ReturnType<typeof streamEvents>>,
    unreported: Unreported<WatchTarget> | undefined,
    { outlet, writer, mark }: Shown,
  ): Promise<void> {
    const [session, { losses }] = [this.#session, this.#summary];
    if (!outcome && !session.signal.aborted) await Promise.all(this.#hints.values());
    await outlet.settled?.();
    if (outcome)
      session.end(outcome.kind === 'error' ? outcome.error : new StreamEnd(outcome.kind, decidedBy(outcome)));
    else session.end(new StreamEnd('done'));
    if (!isFailure(session.signal.reason)) orEnd(session, () => writer.end());
    for (const loss of unreported?.losses ?? []) this.#lost(loss);
    if (isCutShort(session.signal.reason)) losses.unshown = unreported?.waiting ?? 0;
    const last = this.#lastMarkers(unreported).map((marker) => this.#markerText(marker));
    await mark?.(last.join(''));
    const left = await outlet.end(session.signal.reason instanceof Interrupted);
    losses.unshown += left;
    this.#isUnprinted = left > 0;
    if (left > 0) session.notice(unendedText(left));
  }

  /** Gives the hints on the initial lists of a part, once. */
  #giveHints(part: WatchedPart): void {
    if (this.#hints.has(part)) return;
    const { isOfSeveral } = this.#parts;
    const hints = giveWatchHints(part, {
      shown: () => (isOfSeveral ? (this.#shown.get(part.session.cluster ?? '') ?? 0) : this.#summary.total),
      isReportedElsewhere: this.#waiter !== undefined || this.#plan.live !== undefined,
    });
    this.#hints.set(part, hints);
  }

  #countIn(cluster = ''): void {
    this.#shown.set(cluster, (this.#shown.get(cluster) ?? 0) + 1);
  }

  /** Markers that the reader had not reached when the stream ended; END is the last. */
  #lastMarkers(unreported: Unreported<WatchTarget> | undefined): Marker[] {
    const stamper = this.#enveloper;
    return [
      ...(unreported?.continuity.map(({ target, event }) => continuityMarker(stamper, target, event)) ?? []),
      ...this.#outages.filter(({ isGap }) => !isGap).map((outage) => outageMarker(stamper, outage)),
      ...(unreported?.losses.map((loss) => lossMarker(stamper, loss)) ?? []),
      this.#endRecord(),
    ];
  }

  #lost(loss: Loss): void {
    this.#session.notice(`a slow reader: ${lossText(loss)} (--overflow ${this.#plan.flags.overflow})`);
  }

  #openProgress(status: StatusDisplay | undefined): Disposable | undefined {
    const { clock, notice } = this.#session;
    const waiter = this.#waiter;
    if (!waiter) return undefined;
    this.#progress = new WaitProgressReporter({ progress: () => waiter.progress(), clock, notice, status });
    return this.#progress;
  }

  #openLive(onLimit: () => void): LiveView | undefined {
    const { live: table, flags } = this.#plan;
    const { io, clock, atOnce } = this.#session;
    if (!table) return undefined;
    const onQuit = () => this.#session.end(new Interrupted('SIGINT'));
    const outages = () => outagesOf(this.#targets, clock.now());
    const view = new LiveView({
      table,
      io,
      clock,
      summary: this.#summary,
      outages,
      limit: flags.limit,
      onLimit,
      input: process.stdin,
      onQuit,
    });
    atOnce.add(() => view[Symbol.dispose]());
    return view;
  }

  #endRecord() {
    const { reason } = this.#session.signal;
    const error = isFailure(reason) ? reason : this.#unanswered();
    const ended = error === undefined ? exitCodeOfEnd(reason, this.#state) : exitCodeOf(error);
    const isAbsent = this.#absentTexts.length > 0;
    const isPartial = isAbsent || this.#parts.isPartial;
    const exitCode = isPartial ? partialCode(ended, reason, isAbsent) : ended;
    const summary = this.#summary.counts(this.#continuity());
    return endMarker(this.#enveloper, { reason: wordsOfEnd(reason), exitCode, summary, outages: this.#outages });
  }

  #observe(event: ContinuityEvent): void {
    const session = this.#session;
    this.#waiter?.setConnected(outagesOf(this.#targets, session.clock.now()).length === 0);
    if (this.#plan.flags.strict && isLoss(event)) session.end(new StreamEnd('continuity'));
  }

  #losing(how: 'coalesced' | 'dropped'): void {
    if (how !== 'dropped' || !this.#plan.flags.strict) return;
    const why = 'events were dropped for a slow reader';
    this.#session.notice(`${why} (--strict)`); // the end waits for that reader
    this.#session.end(new StreamEnd('continuity', why));
  }

  #markerText(marker: Marker): string {
    try {
      return this.#plan.printer.marker(marker);
    } catch (error) {
      this.#summary.losses.expressionErrors++;
      this.#unprinted.failed(error, `the marker ${marker.type}`);
      return '';
    }
  }

  #failed(error: Error): void {
    this.#session.notice(failureNotice(error));
  }
}

/** Objects asked for by name are shown in the order of the names. */
function byGivenName(a: ReadonlyObject, b: ReadonlyObject, { names }: WatchTarget): number {
  if (!names) return 0;
  const order = [...names];
  return order.indexOf(a.metadata.name ?? '') - order.indexOf(b.metadata.name ?? '');
}
