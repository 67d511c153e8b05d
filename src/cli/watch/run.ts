import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { FieldReads } from '../../expr/field-path.ts';
import type { ContinuityEvent } from '../../informer/watch/continuity-ledger.ts';
import { onAbort } from '../../kit/abort.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { Shard } from '../../model/shard.ts';
import { needsOf, type OutputFormat } from '../../output/output-format.ts';
import type { Printer } from '../../output/printer.ts';
import type { LiveTable } from '../../output/tables/live-table.ts';
import { createChangeGate } from '../../stream/change-gate.ts';
import { Waiter } from '../../stream/conditions/waiter.ts';
import { Enveloper, type EventEnvelope } from '../../stream/envelope.ts';
import { streamEvents, type Unreported } from '../../stream/event-stream.ts';
import {
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
import type { OverflowPolicy } from '../../stream/overflow/overflow.ts';
import { Redactor } from '../../stream/redact.ts';
import { type ContinuityCounts, StreamSummary } from '../../stream/summary.ts';
import { continuityOf, isLoss } from '../outage/continuity-counts.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { outageText } from '../outage/outage-text.ts';
import {
  createTargets,
  type InformerPlan,
  refusalOf,
  refuseUnsynced,
  runTargets,
  type WatchTarget,
} from '../session/informers.ts';
import { InitialListAdvice } from '../session/initial-list-advice.ts';
import { LeavingOut, leftOutText, type NewlyRefused } from '../session/left-out.ts';
import { missingNames } from '../session/missing-names.ts';
import { failureNotice, nothingFound, unprintableNotice } from '../session/object-notices.ts';
import type { Session } from '../session/session.ts';
import { shardSuffix } from '../session/shard-choice.ts';
import type { StreamFilters } from '../session/stream-filters.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { ExitCode, exitCodeOf, hasStaleType, isReaderGone, SeveralErrors } from '../terminal/exit-codes.ts';
import { canRedraw } from '../terminal/io.ts';
import { Interrupted } from '../terminal/signals.ts';
import type { StatusDisplay } from '../terminal/status-line.ts';
import {
  decidedBy,
  exitCodeOfEnd,
  isFailure,
  StreamEnd,
  type StreamState,
  wordsOfEnd,
} from '../terminal/stream-ending.ts';
import { EventWriter } from './event-writer.ts';
import { LiveView } from './live-view.ts';
import type { Waits } from './wait-flags.ts';
import { WaitProgressReporter } from './wait-progress.ts';

/** A `watch` with everything read, resolved and checked. */
export interface WatchPlan extends Omit<InformerPlan, 'onContinuity' | 'shard'> {
  readonly shard: Shard | undefined;
  readonly selections: readonly ResourceSelection[];
  readonly format: OutputFormat;
  readonly printer: Printer;
  /** Redraws in place instead of printing line by line. */
  readonly live: LiveTable | undefined;
  readonly rules: StreamFilters['rules'];
  /** The fields that expressions and paths of the command line look at. */
  readonly reads: readonly FieldReads[];
  readonly waits: Waits;
  readonly sortInitial: ((a: ReadonlyObject, b: ReadonlyObject) => number) | undefined;
  readonly once: boolean;
  /** Names that are not there are no error. */
  readonly ignoreNotFound: boolean;
  readonly strict: boolean;
  readonly markers: boolean;
  readonly withOld: boolean;
  readonly withChanges: boolean;
  readonly showManagedFields: boolean;
  readonly showSecrets: boolean;
  readonly limit: number | undefined;
  readonly overflow: OverflowPolicy;
  readonly overflowBuffer: number | undefined;
}

/** Streams until something ends it, says on stderr how it went on and how it ended, and gives the exit code. */
export async function watch(session: Session, plan: WatchPlan): Promise<ExitCode> {
  const watching = new Watching(session, plan);
  return watching.run();
}

class Watching {
  readonly #session: Session;
  readonly #plan: WatchPlan;
  readonly #summary = new StreamSummary();
  /** Those that may be read, once that is known. */
  #targets: readonly WatchTarget[];
  readonly #enveloper: Enveloper;
  /** Why types of a command that answers once may not be read. */
  #refusal: unknown;
  #waiter: Waiter | undefined;
  #progress: WaitProgressReporter | undefined;
  readonly #unprintables = new Set<string>();
  readonly #reporter: ContinuityReporter;
  #outages: readonly Outage<WatchTarget>[] = [];
  #synced = 0;
  readonly #reported = new Set<string>();
  /** All that was asked for, also what may not be read. */
  readonly #asked: readonly WatchTarget[];
  readonly #leavingOut: LeavingOut | undefined;
  #marks: ((text: string) => void) | undefined;
  #allShown: () => void = () => {};

  constructor(session: Session, plan: WatchPlan) {
    this.#session = session;
    this.#plan = plan;
    this.#reporter = new ContinuityReporter(session, () => this.#targets ?? [], { isOneShot: plan.once });
    this.#targets = createTargets(session, plan.selections, {
      ...plan,
      followsVersions: true,
      onContinuity: (event, type) => this.#observe(event, type),
      ...(goesOnWithout(plan) ? { onRefused: () => this.#leavingOut?.changed() } : {}),
    });
    this.#asked = this.#targets;
    if (goesOnWithout(plan))
      this.#leavingOut = new LeavingOut(session, this.#asked, (refused) => this.#goOnWithout(refused));
    const { showManagedFields, withOld, withChanges, showSecrets } = plan;
    this.#enveloper = new Enveloper({
      clock: session.clock,
      redactor: new Redactor({ showSecrets }),
      showManagedFields,
      withOld,
      withChanges,
    });
  }

  async run(): Promise<ExitCode> {
    const session = this.#session;
    const { once } = this.#plan;
    using _reporter = this.#reporter;
    using _end = onAbort(session.signal, () => this.#ending());
    const running = runTargets(this.#targets, session, { once, endsWhenRefused: this.#leavingOut === undefined });
    if (once) this.#refusal = await this.#leaveOutRefused();
    using waiter = this.#createWaiter();
    this.#waiter = waiter;
    await this.#stream();
    session.end(new StreamEnd('done'));
    await running;
    const { reason } = session.signal;
    const elapsedMs = session.clock.monotonic() - session.startedAt;
    const { dropped, coalesced, expressionErrors, unprintable } = this.#summary.losses;
    const isPlain = this.#plan.once && !waiter && dropped + coalesced + expressionErrors + unprintable === 0;
    const isQuiet = isPlain || isFailure(reason) || (isReaderGone(reason) && !this.#isWaiting);
    const isCut = this.#outages.length > 0;
    const line = () => this.#summary.line(wordsOfEnd(reason), elapsedMs, this.#continuity());
    const leftOut = this.#leavingOut ? leftOutText(this.#asked) : '';
    const part = shardSuffix(this.#plan.shard);
    if (!isQuiet || (isCut && !isFailure(reason)))
      session.notice(`${line()}${part}${isCut ? `; ${outageText(this.#outages, this.#targets)}` : ''}`);
    if (!this.#isSynced) refuseUnsynced(reason, this.#targets);
    if (hasStaleType(reason) && (this.#summary.total > 0 || this.#plan.markers)) throw plainly(reason);
    for (const line of this.#errorLines(reason)) session.notice(line);
    const code = exitCodeOfEnd(reason, this.#state);
    const unanswered = this.#unanswered();
    if (unanswered !== undefined) throw unanswered;
    if (leftOut === '') return code;
    if (!isReaderGone(reason)) session.notice(`error: ${leftOut} could not be read (forbidden): not in this stream`);
    return code === ExitCode.ok ? ExitCode.failed : code;
  }

  /** What may not be read is reported at once, marked in the stream, and left out of it. */
  #goOnWithout(refused: readonly NewlyRefused[]): void {
    const lost = new Set(refused.filter(({ target }) => target.refusal !== undefined).map(({ target }) => target));
    this.#targets = this.#targets.filter((target) => !lost.has(target));
    for (const { target, namespaces } of refused)
      for (const namespace of namespaces)
        this.#marks?.(this.#markerText(forbiddenMarker(this.#enveloper, target, namespace)));
    if (this.#isSynced) this.#allShown();
  }

  /** Of what was to be shown once: the names that are not there, and the types that may not be read. */
  #unanswered(): unknown {
    const { once, ignoreNotFound } = this.#plan;
    const asksForNames = once && !this.#waiter && !ignoreNotFound && this.#isSynced;
    const missing = asksForNames ? missingNames(this.#targets, this.#plan) : undefined;
    return SeveralErrors.of([missing, this.#refusal].filter((each) => each !== undefined));
  }

  /**
   * Waits until every type is synced or refused. Gives the refusals; where nothing is left, or something waits, they
   * end the session.
   */
  async #leaveOutRefused(): Promise<unknown> {
    const session = this.#session;
    const { signal } = session;
    using _ = showSyncProgress(session, session.status);
    await Promise.all(this.#targets.map((target) => target.settled(signal))).catch(() => {}); // the session has ended
    const refusal = signal.aborted ? undefined : await refusalOf(this.#targets, session);
    if (refusal === undefined) return undefined;
    const readable = this.#targets.filter((target) => target.refusal === undefined);
    if (readable.length === 0 || this.#plan.waits.rules || hasStaleType(refusal)) session.end(refusal);
    else this.#targets = readable;
    return refusal;
  }

  /** What has no connection when the end is decided; later the end itself would take it away. */
  #ending(): void {
    if (!this.#plan.once) this.#outages = outagesOf(this.#targets, this.#session.clock.now());
  }

  get #state(): StreamState {
    const isCut = this.#plan.strict && this.#outages.length > 0;
    return { isSynced: this.#isSynced, isWaiting: this.#isWaiting, isCut };
  }

  /** To end without a connection is a gap, where none is open already. */
  #continuity(): ContinuityCounts {
    const counts = continuityOf(this.#targets);
    return { ...counts, gaps: counts.gaps + this.#outages.filter(({ isGap }) => !isGap).length };
  }

  get #isSynced(): boolean {
    return this.#synced === this.#targets.length;
  }

  /** The plan with the namespaces of which something may be read. */
  get #readable(): WatchPlan {
    const isRead = (namespace: string) =>
      !this.#targets.every(({ forbidden }) => forbidden.some((each) => each.namespaces.includes(namespace)));
    return { ...this.#plan, namespaces: this.#plan.namespaces.filter(isRead) };
  }

  /**
   * kubectl says so of tables alone; a watch that goes on says it in every format. What is missing or refused is an
   * error instead.
   */
  get #isWorthSayingEmpty(): boolean {
    const { once, ignoreNotFound, format, selections } = this.#plan;
    if (ignoreNotFound || this.#targets.some(({ informer }) => informer.lister.size > 0)) return false;
    if (!once) return true; // with what may be read
    const isRefused =
      this.#targets.length < selections.length || this.#targets.some(({ forbidden }) => forbidden.length > 0);
    const isAnswered = isRefused || missingNames(this.#targets, this.#plan) !== undefined;
    return !isAnswered && FOR_PEOPLE.has(format.kind);
  }

  /** Something was to happen that has not. */
  get #isWaiting(): boolean {
    const { limit, waits, once } = this.#plan;
    if (waits.isGoal) return !this.#waiter?.settled;
    return limit !== undefined && !once && this.#summary.total < limit;
  }

  /**
   * What did not come, or what should not have come, in an error's words, with the next step; none when neither is so.
   */
  #errorLines(reason: unknown): string[] {
    const { once, limit } = this.#plan;
    if (reason instanceof StreamEnd && reason.kind === 'fail-if')
      return [`error: --fail-if is met${by(reason.message)}`];
    const cut = outageText(this.#outages, this.#targets);
    if (!this.#isWaiting || !isOutOfTime(reason))
      return this.#state.isCut ? [`error: continuity lost (--strict): ${cut}`] : [];
    const unseen = cut === '' ? '' : `; ${cut}`;
    if (this.#plan.waits.isGoal && this.#waiter) return [`error: ${this.#waiter.timeoutText(once)}${unseen}`];
    const text = `error: timed out with ${this.#summary.total} of the ${limit} events of --limit${unseen}`;
    return [text, 'hint: a longer --timeout waits longer'];
  }

  #createWaiter(): Waiter | undefined {
    const { rules } = this.#plan.waits;
    if (!rules) return undefined;
    const waiter: Waiter = new Waiter(rules, {
      clock: this.#session.clock,
      targets: this.#targets,
      onError: (error) => this.#failed(error),
      ...(this.#plan.waits.isGoal ? { onProgress: () => this.#progress?.changed() } : {}),
    });
    return waiter;
  }

  async #stream(): Promise<void> {
    const session = this.#session;
    const { limit, once, overflow, overflowBuffer, format, rules, printer } = this.#plan;
    const sortInitial = this.#plan.sortInitial ?? (this.#targets.some(({ names }) => names) ? byGivenName : undefined);
    const { clock, io } = session;
    const summary = this.#summary;
    const onLimit = () => session.end(new StreamEnd('limit'));
    using live = this.#openLive(onLimit);
    const status = live ?? session.status;
    using progress = showSyncProgress(session, status);
    using _waiting = this.#openProgress(live || canRedraw(io, io.stderr) ? status : undefined);
    const writer = new EventWriter({
      printer,
      sink: io.stdout,
      summary,
      gatherInitial: GATHERED.includes(format.kind),
      limit,
      onLimit,
      onFailure: (error, { event, type }) => this.#unprinted(error, `${type.kind} ${event.key}`),
      ...(needsOf(format).object ? { onUnprintable: (event) => this.#unprintable(event) } : {}),
    });
    const show = live ?? writer;
    const mark = this.#plan.markers
      ? (text: string) => (io.stdout.write(text) ? undefined : io.stdout.ready())
      : undefined;
    this.#marks = mark;
    const watching = this;
    let unreported: Unreported<WatchTarget> | undefined;
    const look = new InitialListAdvice(session, {
      plan: this.#plan,
      get targets() {
        return watching.#targets;
      },
      nothingFound: () => (this.#isWorthSayingEmpty ? nothingFound(this.#readable) : undefined),
      shown: () => summary.total,
      isReportedElsewhere: this.#waiter !== undefined || this.#plan.live !== undefined,
    });
    this.#allShown = () => {
      progress[Symbol.dispose]();
      live?.loaded();
      look.synced();
    };
    const outcome = await streamEvents<WatchTarget>(
      {
        targets: this.#targets,
        enveloper: this.#enveloper,
        once,
        gate: look.watching(
          createChangeGate({ ...rules, clock, onError: (error) => this.#failed(error), onRemark: session.notice }),
        ),
        waiter: this.#waiter,
        overflow: { policy: overflow, limit: overflowBuffer, clock },
        summary,
        sortInitial,
        print: (event, target) => orEnd(session, () => show.print(event, target)),
        ...(mark ? { mark: (marker) => mark(this.#markerText(marker)) } : {}),
        onLoss: (loss) => this.#lost(loss),
        onLosing: (how) => this.#losing(how),
        onEnd: (last) => {
          unreported = last;
        },
        onSynced: (target) => {
          this.#synced++;
          orEnd(session, () => writer.initialDone(target));
          if (this.#isSynced) this.#allShown();
        },
      },
      session.signal,
    );
    if (!outcome && !session.signal.aborted) await look.settled;
    if (outcome)
      session.end(outcome.kind === 'error' ? outcome.error : new StreamEnd(outcome.kind, decidedBy(outcome)));
    else session.end(new StreamEnd('done'));
    if (!isFailure(session.signal.reason)) orEnd(session, () => writer.end());
    for (const loss of unreported?.losses ?? []) this.#lost(loss);
    if (isCutShort(session.signal.reason)) summary.losses.unshown = unreported?.waiting ?? 0;
    if (mark)
      await mark(
        this.#lastMarkers(unreported)
          .map((marker) => this.#markerText(marker))
          .join(''),
      );
  }

  /** What its place has not come for, because the stream ended before; END is the last. */
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
    this.#session.notice(`a slow reader: ${lossText(loss)} (--overflow ${this.#plan.overflow})`);
  }

  #openProgress(status: StatusDisplay | undefined): Disposable | undefined {
    const { clock, notice } = this.#session;
    const waiter = this.#waiter;
    if (!waiter) return undefined;
    this.#progress = new WaitProgressReporter({ progress: () => waiter.progress(), clock, notice, status });
    return this.#progress;
  }

  #openLive(onLimit: () => void): LiveView | undefined {
    const { live: table, limit } = this.#plan;
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
      limit,
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
    const isPartial = this.#leavingOut !== undefined && this.#asked.some(({ forbidden }) => forbidden.length > 0);
    const exitCode = ended === ExitCode.ok && isPartial ? ExitCode.failed : ended;
    const summary = this.#summary.counts(this.#continuity());
    return endMarker(this.#enveloper, { reason: wordsOfEnd(reason), exitCode, summary, outages: this.#outages });
  }

  #observe(event: ContinuityEvent, type: ResourceType): void {
    const session = this.#session;
    if (session.signal.aborted) return;
    this.#reporter.observe(event, type);
    this.#waiter?.setConnected(outagesOf(this.#targets, session.clock.now()).length === 0);
    if (this.#plan.strict && isLoss(event)) session.end(new StreamEnd('continuity'));
  }

  #losing(how: 'coalesced' | 'dropped'): void {
    if (how !== 'dropped' || !this.#plan.strict) return;
    const why = 'events were dropped for a slow reader';
    this.#session.notice(`${why} (--strict)`); // the end waits for that reader
    this.#session.end(new StreamEnd('continuity', why));
  }

  /**
   * One object, or a record that is no event, that the format cannot print: reported once for each thing that goes
   * wrong, and counted.
   */
  #unprinted(error: unknown, what: string): void {
    const text = messageOf(error);
    const kind = text.replaceAll(what, '').replace(/\d+/g, 'N');
    if (this.#reported.has(kind)) return;
    this.#reported.add(kind);
    const where = text.includes(what) ? text : `${what}: ${text}`;
    this.#session.notice(`-o ${this.#plan.format.kind}: ${where}; it is left out (reported once)`);
  }

  #markerText(marker: Marker): string {
    try {
      return this.#plan.printer.marker(marker);
    } catch (error) {
      this.#summary.losses.expressionErrors++;
      this.#unprinted(error, `the marker ${marker.type}`);
      return '';
    }
  }

  /** Reported once for each object, counted each time. */
  #unprintable({ key, gvr, object }: EventEnvelope): void {
    this.#summary.losses.unprintable++;
    const id = `${gvr} ${key}`;
    if (this.#unprintables.has(id)) return;
    if (this.#unprintables.size < MOST_NAMED) this.#unprintables.add(id);
    this.#session.notice(unprintableNotice(id, object));
  }

  #failed(error: Error): void {
    this.#session.notice(failureNotice(error));
  }
}

/**
 * Whether the stream is useful without the part that may not be read: not when it waits for all objects, or must be
 * complete.
 */
const goesOnWithout = ({ once, waits, strict }: WatchPlan) => !once && !waits.rules && !strict;

/** The same error for a stream that has shown something already, and cannot be begun again. */
function plainly(reason: unknown): InformerError {
  const { hint } = reason as { hint?: string };
  return new InformerError('discovery', messageOf(reason), { hint });
}

/** Objects asked for by name are shown in the order of the names. */
function byGivenName(a: ReadonlyObject, b: ReadonlyObject, { names }: WatchTarget): number {
  if (!names) return 0;
  const order = [...names];
  return order.indexOf(a.metadata.name ?? '') - order.indexOf(b.metadata.name ?? '');
}

/** Formats in which an empty answer is put into words on stderr. */
const FOR_PEOPLE: ReadonlySet<OutputFormat['kind']> = new Set(['table', 'diff', 'changes']);

/** How many objects are remembered as reported; above that number an object may be reported again. */
const MOST_NAMED = 1_000;

/** Formats that lay out, or process, an initial list as a whole. */
const GATHERED: readonly OutputFormat['kind'][] = ['table', 'changes', 'jq', 'custom-columns', 'custom-columns-file'];

/** It could have gone on: what waits for its reader is missing from it. */
const isCutShort = (reason: unknown) =>
  reason instanceof Interrupted ||
  (reason instanceof StreamEnd && (reason.kind === 'timeout' || reason.kind === 'continuity'));

const by = (objects: string) => (objects === '' ? '' : ` by ${objects}`);

const isOutOfTime = (reason: unknown) =>
  reason instanceof StreamEnd && (reason.kind === 'timeout' || reason.kind === 'done');

/**
 * An expression that fails on an object ends the stream with its error: going on would be to leave events out in
 * silence.
 */
function orEnd<T>(session: Session, print: () => T): T | undefined {
  try {
    return print();
  } catch (error) {
    session.end(error);
    return undefined;
  }
}
