import type { ContinuityEvent } from '../../informer/watch/continuity-ledger.ts';
import { onAbort } from '../../kit/abort.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { Recorder } from '../../record/recorder.ts';
import { createChangeGate } from '../../stream/change-gate.ts';
import { failureNotice } from '../../stream/conditions/condition.ts';
import { Waiter } from '../../stream/conditions/waiter.ts';
import { Enveloper, type EventEnvelope, eventWordOf } from '../../stream/envelope.ts';
import { streamEvents, type Unreported } from '../../stream/event-stream.ts';
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
import type { ClusterSession } from '../session/clusters.ts';
import { refuseUnsynced, type WatchTarget } from '../session/informers.ts';
import type { NewlyRefused } from '../session/left-out.ts';
import { orEnd } from '../session/or-end.ts';
import type { CommandSession, Session } from '../session/session.ts';
import { type StreamOutlet, streamOutlet, unendedText } from '../session/stream-outlet.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import {
  describeError,
  type ExitCode,
  errorTexts,
  exitCodeOf,
  hasStaleType,
  isReaderGone,
  SeveralErrors,
} from '../terminal/exit-codes.ts';
import { canRedraw } from '../terminal/io.ts';
import { Interrupted } from '../terminal/signals.ts';
import type { StatusDisplay } from '../terminal/status-line.ts';
import {
  decidedBy,
  exitCodeOfEnd,
  goneNotice,
  isFailure,
  StreamEnd,
  type StreamState,
  wordsOfEnd,
} from '../terminal/stream-ending.ts';
import type { ClusterStart } from './cluster-start.ts';
import { EventWriter } from './event-writer.ts';
import { LiveView } from './live-view.ts';
import { goesOnWithout, mayBeShown, type WatchPlan } from './plan.ts';
import { errorLinesOf, isCutShort, partialCode, plainly } from './run-ending.ts';
import { UnprintedReports } from './unprinted.ts';
import { WaitProgressReporter } from './wait-progress.ts';
import { giveWatchHints } from './watch-hints.ts';
import { WatchedCluster } from './watched-cluster.ts';

/** The clusters that are not in a stream at its start. */
export interface JoiningClusters extends Pick<ClusterStart<WatchPlan>, 'absent' | 'isComplete'> {
  /** Passes on the clusters that join later. */
  onReady(take: (session: ClusterSession, plan: WatchPlan) => void): void;
}

/** Streams until something ends it, says on stderr how it went on and how it ended, and gives the exit code. */
export async function watch(session: Session, plan: WatchPlan): Promise<ExitCode> {
  const watching = new Watching(session, [[session, plan]]);
  return watching.run();
}

/** As {@link watch}, for several clusters in one stream: those that have answered, and those that join later. */
export async function watchParts(
  session: CommandSession,
  parts: readonly [ClusterSession, WatchPlan][],
  others: JoiningClusters,
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
  /** The plan of the first cluster. Those of the others differ only in types and namespaces. */
  readonly #plan: WatchPlan;
  readonly #summary = new StreamSummary();
  readonly #clusters: WatchedCluster[];
  /** The start of several clusters; undefined with one cluster. */
  readonly #start: JoiningClusters | undefined;
  /** Clusters that ended before the stream, and why. */
  readonly #ended = new Map<WatchedCluster, unknown>();
  readonly #running: Promise<void>[] = [];
  readonly #enveloper: Enveloper;
  #recorder: Recorder | undefined;
  #waiter: Waiter | undefined;
  #progress: WaitProgressReporter | undefined;
  readonly #unprinted: UnprintedReports;
  #outages: readonly Outage<WatchTarget>[] = [];
  #marks: ((text: string) => void) | undefined;
  #allShown: () => void = () => {};
  readonly #hints = new Map<WatchedCluster, Promise<void>>();
  /** The events shown of each of several clusters. */
  readonly #shown = new Map<string | undefined, number>();
  #join: (target: WatchTarget) => void = () => {};

  constructor(session: CommandSession, parts: readonly [Session, WatchPlan][], start?: JoiningClusters | undefined) {
    this.#session = session;
    this.#start = start;
    this.#plan = (parts[0] as [Session, WatchPlan])[1];
    this.#clusters = parts.map(([each, plan]) => this.#clusterOf(each, plan));
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
    for (const cluster of this.#clusters) this.#run(cluster);
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
    const line = () => this.#summary.line(wordsOfEnd(reason), elapsedMs, this.#continuity()) + this.#byCluster();
    const leftOut = this.#leftOut;
    const part = this.#plan.part ? `; ${this.#plan.part.text}` : '';
    if (!isQuiet || (isCut && !isFailure(reason)))
      session.notice(`${line()}${part}${isCut ? `; ${outageText(this.#outages, this.#targets)}` : ''}`);
    if (!this.#isSynced) refuseUnsynced(reason, this.#targets);
    if (hasStaleType(reason) && (this.#summary.total > 0 || this.#plan.flags.markers)) throw plainly(reason);
    for (const line of this.#errorLines(reason)) session.notice(line);
    const code = exitCodeOfEnd(reason, this.#state);
    const unanswered = this.#unanswered();
    if (unanswered !== undefined) throw unanswered;
    const absent = this.#absentTexts();
    if (!isReaderGone(reason)) {
      if (leftOut !== '') session.notice(`error: ${leftOut} could not be read (forbidden): not in this stream`);
      for (const text of absent) session.notice(`error: ${text}`);
    }
    return leftOut === '' && absent.length === 0 ? code : partialCode(code, reason, absent.length > 0);
  }

  [Symbol.dispose](): void {
    for (const cluster of this.#clusters) cluster[Symbol.dispose]();
  }

  get #targets(): readonly WatchTarget[] {
    const [only, ...more] = this.#clusters;
    return only && more.length === 0 ? only.targets : this.#clusters.flatMap(({ targets }) => targets);
  }

  /** `; by cluster: east 3, west 0`. */
  #byCluster(): string {
    if (!this.#start) return '';
    const absent = this.#start.absent.map(({ cluster }) => `${cluster} absent`);
    const counts = this.#clusters.map(({ session: { cluster = '' } }) => `${cluster} ${this.#shown.get(cluster) ?? 0}`);
    return `; by cluster: ${[...counts, ...absent].join(', ')}`;
  }

  #clusterOf(session: Session, plan: WatchPlan): WatchedCluster {
    const cluster: WatchedCluster = new WatchedCluster(session, plan, {
      onContinuity: (event) => this.#observe(event),
      onLeftOut: (refused) => this.#goOnWithout(refused),
    });
    return cluster;
  }

  #run(cluster: WatchedCluster): void {
    const { signal } = cluster.session;
    for (const target of cluster.targets) this.#recorder?.follow(target, cluster.plan);
    this.#running.push(cluster.run());
    if (!this.#start) return;
    onAbort(signal, () => {
      if (!this.#session.signal.aborted) this.#clusterEnded(cluster, signal.reason);
    });
    if (this.#plan.once) return;
    cluster.becomeLate(() => {
      if (this.#clusters.length > 1)
        cluster.session.notice('no initial sync yet; the stream goes on without it meanwhile');
      if (this.#isSynced) this.#allShown();
    });
  }

  /** A cluster that answers after the start joins the stream. */
  #joined(session: ClusterSession, plan: WatchPlan): void {
    if (this.#session.signal.aborted) return;
    const cluster = this.#clusterOf(session, plan);
    this.#clusters.push(cluster);
    this.#run(cluster);
    for (const target of cluster.targets) this.#join(target);
  }

  /** One of several clusters has ended by an error: the others go on, unless the stream needs all of them. */
  #clusterEnded(cluster: WatchedCluster, reason: unknown): void {
    this.#ended.set(cluster, reason);
    cluster.refusal ??= reason;
    const isLast = this.#ended.size === this.#clusters.length && (this.#start?.isComplete ?? true);
    const isNeeded = !goesOnWithout(this.#plan) && !(this.#plan.once && !this.#plan.waits.rules);
    if (isNeeded || (isLast && !this.#plan.once) || (hasStaleType(reason) && this.#summary.total === 0)) {
      this.#session.end(isLast ? (SeveralErrors.of([...this.#ended.values()]) ?? reason) : reason);
      return;
    }
    if (!this.#plan.once) {
      for (const line of describeError(reason).trimEnd().split('\n')) this.#session.notice(line);
      const name = cluster.session.cluster ?? '';
      this.#session.notice(`not in this stream, which goes on without: ${clusterText(name)}`);
      this.#marks?.(
        this.#markerText(clusterMarker(this.#enveloper, name, cluster.isPartial ? 'forbidden' : 'unreachable')),
      );
    }
    cluster.targets = [];
    if (this.#isSynced) this.#allShown();
  }

  /** Marks the parts that may not be read in the stream. */
  #goOnWithout(refused: readonly NewlyRefused[]): void {
    for (const { target, namespaces } of refused)
      for (const namespace of namespaces)
        this.#marks?.(this.#markerText(forbiddenMarker(this.#enveloper, target, namespace)));
    if (this.#isSynced) this.#allShown();
  }

  /** The parts left out of the clusters that are in the stream. */
  get #leftOut(): string {
    return this.#clusters
      .filter((cluster) => !this.#ended.has(cluster) && cluster.leftOut !== '')
      .map(({ leftOut, session: { cluster } }) =>
        cluster === undefined ? leftOut : `${clusterText(cluster)}: ${leftOut}`,
      )
      .join('; ');
  }

  /**
   * With several clusters: the clusters that are missing from the stream, and the types that a cluster does not have.
   */
  #absentTexts(): string[] {
    if (!this.#start || this.#plan.once) return [];
    const absent = this.#start.absent.map(({ cluster, error }) =>
      error === undefined ? `${clusterText(cluster)}: no answer` : errorTexts(error).message,
    );
    const ended = [...this.#ended.values()].map((reason) => errorTexts(reason).message);
    const late = this.#clusters
      .filter((cluster) => cluster.isLate && !this.#ended.has(cluster))
      .map(({ session }) => `${clusterText(session.cluster ?? '')}: no initial sync`);
    const unserved = this.#clusters.flatMap(({ plan }) => plan.unserved ?? []).map((each) => errorTexts(each).message);
    return [...absent, ...ended, ...late, ...unserved].map((text) => `${text}: not in this stream`);
  }

  /** The error of a command that answers once: the names that do not exist, and the types that may not be read. */
  #unanswered(): unknown {
    const { once, ignoreNotFound } = this.#plan;
    const asksForNames = once && !this.#waiter && !ignoreNotFound && this.#isSynced;
    const missing = asksForNames ? this.#clusters.map((each) => each.session.named(each.missing())) : [];
    const absent = once ? (this.#start?.absent ?? []).map(({ error }) => error) : [];
    const refusals = this.#clusters.flatMap(({ refusal, plan, session }) =>
      once ? [session.named(refusal), ...(plan.unserved ?? [])] : [],
    );
    return SeveralErrors.of([...missing, ...refusals, ...absent].filter((each) => each !== undefined));
  }

  /** Waits until every type of every cluster is synced or refused. */
  async #leaveOutRefused(): Promise<void> {
    const session = this.#session;
    using _ = showSyncProgress(this.#syncing, session.status);
    await Promise.all(this.#clusters.map((cluster) => cluster.leaveOutRefused()));
  }

  get #syncing() {
    const { clock, startedAt } = this.#session;
    const stats = () => this.#clusters.flatMap(({ session }) => session.client.stats());
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
    return this.#clusters.every((cluster) => cluster.isSynced || cluster.isLate);
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
      isComplete: () => this.#start?.isComplete ?? true,
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
    const gate = createChangeGate({
      ...rules,
      clock,
      onError: (error) => this.#failed(error),
      onRemark: session.notice,
    });
    this.#allShown = () => {
      progress[Symbol.dispose]();
      live?.loaded();
      for (const cluster of this.#clusters) if (cluster.isSynced) this.#giveHints(cluster);
    };
    if (mark)
      for (const { cluster, isFinal } of this.#start?.absent ?? [])
        mark(this.#markerText(clusterMarker(this.#enveloper, cluster, isFinal ? 'unserved' : 'unreachable')));
    const isOneTable = once && this.#start !== undefined;
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
          this.#countIn(event.cluster);
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
          this.#start?.onReady((each, plan) => this.#joined(each, plan));
        },
        onSynced: (target) => {
          this.#clusters.find(({ targets }) => targets.includes(target))?.synced(target);
          if (!isOneTable) orEnd(session, () => writer.initialDone(target));
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

  /** Gives the hints on the initial lists of a cluster, once. */
  #giveHints(cluster: WatchedCluster): void {
    if (this.#hints.has(cluster)) return;
    const hints = giveWatchHints(cluster, {
      shown: () => (this.#start ? (this.#shown.get(cluster.session.cluster) ?? 0) : this.#summary.total),
      isReportedElsewhere: this.#waiter !== undefined || this.#plan.live !== undefined,
    });
    this.#hints.set(cluster, hints);
  }

  #countIn(cluster: string | undefined): void {
    if (this.#start) this.#shown.set(cluster, (this.#shown.get(cluster) ?? 0) + 1);
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
    const isAbsent = this.#absentTexts().length > 0;
    const isPartial = isAbsent || this.#clusters.some((cluster) => cluster.isPartial && !this.#ended.has(cluster));
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
