import type { ContinuityEvent, OrderedContinuity } from '../../informer/watch/continuity-ledger.ts';
import { abortable, onAbort } from '../../kit/abort.ts';
import { Bell } from '../../kit/bell.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { answerCatalog } from '../../query/answer/answer-catalog.ts';
import { findIn } from '../../query/answer/found.ts';
import { matcherOf } from '../../query/answer/matcher.ts';
import { asksForObjects, usedIndexes } from '../../query/answer/query.ts';
import { representationFor } from '../../query/answer/representation.ts';
import type { IndexCatalog } from '../../query/index/index-catalog.ts';
import { LiveResult } from '../../query/live/continuous-result.ts';
import { changeHandler } from '../../stream/change-handler.ts';
import { replacementParts } from '../../stream/envelope.ts';
import { continuityMarker, endMarker, forbiddenMarker, outageMarker, syncedMarker } from '../../stream/markers.ts';
import { type Outage, outagesOf } from '../../stream/outage.ts';
import { Redactor } from '../../stream/redact.ts';
import { StreamSummary } from '../../stream/summary.ts';
import { idleMsOf } from '../args/shared-flags.ts';
import { giveHints } from '../hints/hint.ts';
import { QUERY_WATCH } from '../hints/lists.ts';
import { continuityOf, isLoss } from '../outage/continuity-counts.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { outageText } from '../outage/outage-text.ts';
import { createTargets, refuseUnsynced, runTargets, type WatchTarget } from '../session/informers.ts';
import { LeavingOut, leftOutText, type NewlyRefused } from '../session/left-out.ts';
import type { Session } from '../session/session.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { ExitCode, exitCodeOf, hasStaleType, isReaderGone } from '../terminal/exit-codes.ts';
import { exitCodeOfEnd, isFailure, StreamEnd, wordsOfEnd } from '../terminal/stream-ending.ts';
import { ContinuousWriter, type MarkerOf } from './continuous-writer.ts';
import { LiveOwners } from './live-owners.ts';
import { looksSameIn } from './print-found.ts';
import type { QueryPlan } from './read-query.ts';

/** How long changes are gathered before the rows that changed are printed, ms. */
const DEFAULT_MERGE_MS = 100;

/**
 * Conditions on the time are judged again after this time, ms, or after {@link TIME_SHARE} times the duration of that.
 */
const TIME_EVERY_MS = 1000;
const TIME_SHARE = 20;

/** Prints the result of a question, and then how it changes, until something ends it. */
export async function queryContinuously(session: Session, plan: QueryPlan): Promise<ExitCode> {
  const summary = new StreamSummary(WORDS);
  const writer = await ContinuousWriter.create(session, plan, summary);
  await using running = new ContinuousQuery(session, plan, { summary, writer });
  return await running.run();
}

const WORDS = { one: 'row change', kinds: { ADDED: '+', MODIFIED: '~', DELETED: '-', LEFT: '-' } } as const;

class ContinuousQuery implements AsyncDisposable {
  readonly #session: Session;
  readonly #plan: QueryPlan;
  /** The targets that were asked for, also those that may not be read. */
  readonly #asked: readonly WatchTarget[];
  /** The targets that may be read. */
  #targets: readonly WatchTarget[] = [];
  readonly #reporter: ContinuityReporter;
  readonly #leavingOut: LeavingOut | undefined;
  readonly #owners: LiveOwners | undefined;
  readonly #summary: StreamSummary;
  readonly #writer: ContinuousWriter;
  readonly #changed = new Bell();
  #hasChanged = false;
  #mustReconsider = false;
  #isSynced = false;
  /** Gaps and outages that have no marker yet. */
  readonly #unmarked = new Map<OrderedContinuity, WatchTarget>();
  /** How long the last look at every object took, ms. */
  #reconsiderMs = 0;
  #outages: readonly Outage<WatchTarget>[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(
    session: Session,
    plan: QueryPlan,
    { summary, writer }: { summary: StreamSummary; writer: ContinuousWriter },
  ) {
    this.#summary = summary;
    this.#writer = writer;
    this.#session = session;
    this.#plan = plan;
    this.#reporter = new ContinuityReporter(session, () => this.#targets);
    const goesOn = asksForObjects(plan) && !plan.flags.strict; // a number that leaves a type out would be a wrong one
    const informers = {
      ...plan,
      idleMs: idleMsOf(plan.flags['idle-timeout']),
      followsVersions: true,
      onContinuity: (event: ContinuityEvent, type: ResourceType) => this.#observe(event, type),
    };
    this.#asked = createTargets(session, plan.selections, {
      ...informers,
      as: representationFor(plan),
      ...(goesOn ? { onRefused: () => this.#leavingOut?.changed() } : {}),
    });
    this.#targets = this.#asked;
    if (goesOn) this.#leavingOut = new LeavingOut(session, this.#asked, (refused) => this.#goOnWithout(refused));
    if (usedIndexes(plan).includes('owner'))
      this.#owners = new LiveOwners(session, informers, () => this.#wake({ reconsider: true }));
  }

  async run(): Promise<ExitCode> {
    const session = this.#session;
    const { signal } = session;
    using _reporter = this.#reporter;
    using _end = onAbort(signal, () => {
      this.#outages = outagesOf([...this.#targets, ...(this.#owners?.targets ?? [])], session.clock.now());
      this.#changed.wake();
    });
    this.#running = runTargets(this.#asked, session, { endsWhenRefused: this.#leavingOut === undefined });
    await this.#stream();
    await this.#running;
    await this.#owners?.ended;
    return this.#end(signal.reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#session.end(new StreamEnd('done'));
    await this.#running;
    await this.#owners?.ended;
  }

  async #stream(): Promise<void> {
    const session = this.#session;
    let result: LiveResult | undefined;
    try {
      await this.#sync();
      const catalog = await this.#catalog();
      result = this.#createResult(catalog);
      for (const target of this.#targets) await this.#feed(target, result);
      await this.#first(result, catalog);
      await this.#follow(result);
    } catch (error) {
      if (!session.signal.aborted) session.end(error);
    }
    await this.#writer.end(
      this.#isSynced && !isReaderGone(session.signal.reason) ? result : undefined,
      this.#lastMarkers(),
    );
  }

  async #sync(): Promise<void> {
    const session = this.#session;
    const { signal } = session;
    using _progress = showSyncProgress(session, session.status);
    await Promise.all(this.#asked.map((target) => target.settled(signal)));
    this.#targets = this.#asked.filter(({ refusal }) => refusal === undefined);
    // refused as a whole: the session ends with the error that names all of it
    if (this.#targets.length === 0) await abortable(new Promise(() => {}), signal);
  }

  async #catalog(): Promise<IndexCatalog> {
    const { client, signal } = this.#session;
    await this.#owners?.follow(this.#objects());
    const context = { client, signal, isWhole: () => false, resolve: this.#owners?.resolve };
    return answerCatalog(context, this.#plan, this.#targets);
  }

  *#objects() {
    for (const { informer } of this.#targets) yield* informer.lister.view();
  }

  #createResult(catalog: IndexCatalog): LiveResult {
    const { clock, notice } = this.#session;
    const redactor = new Redactor({ showSecrets: this.#plan.showSecrets });
    const noticed = new Set<string>();
    const once = (text: string) => {
      if (noticed.has(text)) return;
      noticed.add(text);
      notice(text);
    };
    return new LiveResult({
      plan: this.#plan,
      targets: this.#targets,
      catalog,
      matches: matcherOf(this.#plan, { notice, clock }, () => clock.now()),
      redactor,
      looksSame: looksSameIn(this.#plan, redactor, clock),
      isReadable: !this.#plan.format.traits.records,
      onUnsorted: (error) => once(`${messageOf(error)}; the rows are in the order of the server`),
    });
  }

  /** Passes every change of a type to the result. Resolves when what is there has been passed. */
  async #feed(target: WatchTarget, result: LiveResult): Promise<void> {
    const handler = changeHandler(
      (change) => {
        for (const part of replacementParts(change) ?? [change]) result.put(part, target);
        this.#owners?.look(change.object);
        this.#wake();
      },
      (object) => {
        // a relist found the same version, which another history may have given to another state
        result.put({ type: 'updated', object, cause: 'relist' }, target);
        this.#wake();
      },
    );
    const registration = target.informer.addHandler({
      ...handler,
      continuity: (event) => {
        this.#unmarked.delete(event);
        this.#writer.mark((stamper) => continuityMarker(stamper, target, event));
        this.#wake();
      },
    });
    await registration.whenSynced(this.#session.signal);
  }

  #wake({ reconsider = false } = {}): void {
    this.#hasChanged = true;
    this.#mustReconsider ||= reconsider;
    this.#changed.wake();
  }

  /** Prints the first result, and what a person should know of it. */
  async #first(result: LiveResult, catalog: IndexCatalog): Promise<void> {
    const session = this.#session;
    const { signal, clock, notice } = session;
    const plan = this.#plan;
    if (plan.explain)
      for (const target of this.#targets)
        findIn(plan, target, { catalog, matches: () => true, sink: { clock, notice } });
    const ready = this.#writer.print(result);
    const finding = {
      plan,
      targets: this.#targets,
      catalog,
      isEmpty: result.shown === 0 && asksForObjects(plan),
      isReportedElsewhere: this.#asked.some(({ forbidden }) => forbidden.length > 0),
    };
    this.#isSynced = true;
    for (const target of this.#targets)
      this.#writer.mark((stamper) => syncedMarker(stamper, target, target.informer.lister.size));
    const hints = giveHints(QUERY_WATCH, finding, session);
    await abortable(Promise.all([ready, this.#writer.print(result), hints]), signal);
  }

  async #follow(result: LiveResult): Promise<void> {
    const { clock, signal } = this.#session;
    const mergeMs = this.#plan.flags.merge ?? DEFAULT_MERGE_MS;
    using _time = this.#judgeByTime();
    while (!signal.aborted) {
      if (!this.#hasChanged) await this.#changed.wait(signal);
      if (mergeMs > 0) await clock.sleep(mergeMs, { signal });
      this.#hasChanged = false;
      if (await this.#owners?.followNew(() => this.#objects(), signal)) this.#mustReconsider = true;
      if (this.#mustReconsider) this.#reconsider(result);
      await abortable(this.#writer.print(result), signal);
    }
  }

  #reconsider(result: LiveResult): void {
    this.#mustReconsider = false;
    const { clock } = this.#session;
    const startedAt = clock.monotonic();
    for (const target of this.#targets)
      for (const object of target.informer.lister.view()) result.reconsider(object, target);
    this.#reconsiderMs = clock.monotonic() - startedAt;
  }

  /** Where an expression reads the time, every object is judged again from time to time. */
  #judgeByTime(): Disposable | undefined {
    const { conditions, wheres } = this.#plan;
    const readsTime =
      conditions.some((each) => each.readsTime) ||
      wheres.some(({ variables }) => TIME_COLUMNS.some((name) => variables.has(name)));
    if (!readsTime) return undefined;
    const { clock } = this.#session;
    const judge = () => {
      this.#wake({ reconsider: true });
      timer = clock.after(Math.max(TIME_EVERY_MS, TIME_SHARE * this.#reconsiderMs), judge);
    };
    let timer = clock.after(TIME_EVERY_MS, judge);
    return { [Symbol.dispose]: () => timer.cancel() };
  }

  #goOnWithout(refused: readonly NewlyRefused[]): void {
    this.#targets = this.#targets.filter(({ refusal }) => refusal === undefined);
    for (const { target, namespaces } of refused)
      for (const namespace of namespaces) this.#writer.mark((stamper) => forbiddenMarker(stamper, target, namespace));
    this.#wake();
  }

  #observe(event: ContinuityEvent, type: ResourceType): void {
    const session = this.#session;
    if (session.signal.aborted) return;
    this.#reporter.observe(event, type);
    this.#remember(event, type);
    if (this.#plan.flags.strict && isLoss(event)) session.end(new StreamEnd('continuity'));
  }

  #lastMarkers(): MarkerOf[] {
    const { reason } = this.#session.signal;
    const outages = this.#outages;
    const exitCode = this.#exitCode(reason);
    const unmarked = [...this.#unmarked];
    return [
      ...unmarked.map(
        ([event, target]): MarkerOf =>
          (stamper) =>
            continuityMarker(stamper, target, event),
      ),
      ...outages
        .filter(({ isGap }) => !isGap)
        .map(
          (outage): MarkerOf =>
            (stamper) =>
              outageMarker(stamper, outage),
        ),
      (stamper) => {
        const summary = this.#summary.counts(this.#continuity); // with the rows printed before it
        return endMarker(stamper, { reason: wordsOfEnd(reason), exitCode, summary, outages });
      },
    ];
  }

  /** To end without a connection is a gap, where none is open already. */
  get #continuity() {
    const counts = continuityOf(this.#targets);
    return { ...counts, gaps: counts.gaps + this.#outages.filter(({ isGap }) => !isGap).length };
  }

  #exitCode(reason: unknown): ExitCode {
    if (isFailure(reason)) return exitCodeOf(reason);
    const code = exitCodeOfEnd(reason, this.#state);
    return code === ExitCode.ok && this.#leftOut !== '' ? ExitCode.failed : code;
  }

  get #leftOut(): string {
    return this.#leavingOut ? leftOutText(this.#asked) : '';
  }

  /** Markers that the result had not reached when it ended. */
  #remember(event: ContinuityEvent, type: ResourceType): void {
    const target = this.#targets.find((each) => each.type === type);
    if (!target) return;
    if (event.kind === 'gap' || event.kind === 'disconnected') this.#unmarked.set(event, target);
    if (event.kind !== 'connected') return;
    for (const [lost, of] of this.#unmarked)
      if (lost.kind === 'disconnected' && of === target && lost.scope === event.scope) this.#unmarked.delete(lost);
  }

  get #state() {
    return {
      isSynced: this.#isSynced,
      isWaiting: false,
      isCut: this.#plan.flags.strict && this.#outages.length > 0,
    };
  }

  #end(reason: unknown): ExitCode {
    const session = this.#session;
    const elapsedMs = session.clock.monotonic() - session.startedAt;
    const cut = outageText(this.#outages, this.#targets);
    const isQuiet = isReaderGone(reason) || (isFailure(reason) && cut === '');
    const line = () => this.#summary.line(wordsOfEnd(reason), elapsedMs, this.#continuity);
    const part = this.#plan.part ? `; ${this.#plan.part.text}` : '';
    if (!isQuiet) session.notice(`${line()}${part}${cut === '' ? '' : `; ${cut}`}`);
    if (!this.#isSynced) refuseUnsynced(reason, this.#targets);
    // rows that were printed cannot be printed again by a second try
    if (hasStaleType(reason) && this.#isSynced)
      throw new InformerError('discovery', messageOf(reason), { hint: (reason as { hint?: string }).hint });
    if (isFailure(reason)) throw reason;
    if (this.#state.isCut) session.notice(`error: continuity lost (--strict): ${cut}`);
    if (this.#leftOut !== '' && !isReaderGone(reason))
      session.notice(`error: ${this.#leftOut} could not be read (forbidden): not in this result`);
    return this.#exitCode(reason);
  }
}

/** Columns that change with the time alone. */
const TIME_COLUMNS = ['AGE', 'LAST_SEEN', 'DURATION', 'cells'] as const;
