import type { ContinuityEvent, OrderedContinuity } from '../../informer/watch/continuity-ledger.ts';
import { abortable, onAbort } from '../../kit/abort.ts';
import { Bell } from '../../kit/bell.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { SINCE_VARIABLES } from '../../model/cell-ages.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { findIn } from '../../query/answer/found.ts';
import { matcherOf } from '../../query/answer/matcher.ts';
import { asksForObjects } from '../../query/answer/query.ts';
import { type ContinuousTarget, LiveResult } from '../../query/live/continuous-result.ts';
import { changeHandler, replacementParts } from '../../stream/envelope.ts';
import { continuityMarker, endMarker, forbiddenMarker, outageMarker, syncedMarker } from '../../stream/markers.ts';
import { type Outage, outagesOf } from '../../stream/outage.ts';
import { Redactor } from '../../stream/redact.ts';
import { StreamSummary } from '../../stream/summary.ts';
import { giveHints } from '../hints/hint.ts';
import { QUERY_WATCH } from '../hints/lists.ts';
import { continuityOf, isLoss } from '../outage/continuity-counts.ts';
import { outageText } from '../outage/outage-text.ts';
import { refuseUnsynced, type WatchTarget } from '../session/informers.ts';
import type { NewlyRefused } from '../session/left-out.ts';
import type { CommandSession } from '../session/session.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { exitCodeOfEnd } from '../terminal/exit-code-of-end.ts';
import { ExitCode, exitCodeOf, isReaderGone } from '../terminal/exit-codes.ts';
import { hasStaleType } from '../terminal/stale-type.ts';
import { isFailure, StreamEnd, wordsOfEnd } from '../terminal/stream-ending.ts';
import { ContinuousWriter, type MarkerOf } from './continuous-writer.ts';
import type { QueryPart } from './filled-parts.ts';
import { LivePart } from './live-part.ts';
import { looksSameIn } from './print-found.ts';
import type { QueryPlan } from './read-query.ts';

/** How long changes are gathered before the rows that changed are printed, ms. */
const DEFAULT_MERGE_MS = 100;

/**
 * Conditions on the time are judged again after this time, ms, or after {@link TIME_SHARE} times the duration of that.
 */
const TIME_EVERY_MS = 1000;
const TIME_SHARE = 20;

/**
 * Prints the result of a question, and then how it changes, until something ends it. A cluster that ends by an error
 * ends the result: without it the rows would be wrong.
 */
export async function queryContinuously(
  session: CommandSession,
  parts: readonly QueryPart[],
  plan: QueryPlan,
): Promise<ExitCode> {
  const summary = new StreamSummary(WORDS);
  const writer = await ContinuousWriter.create(session, plan, summary);
  await using running = new ContinuousQuery(session, { parts, plan, summary, writer });
  return await running.run();
}

const WORDS = { one: 'row change', kinds: { ADDED: '+', MODIFIED: '~', DELETED: '-', LEFT: '-' } } as const;

class ContinuousQuery implements AsyncDisposable {
  readonly #session: CommandSession;
  readonly #plan: QueryPlan;
  readonly #parts: readonly LivePart[];
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
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    session: CommandSession,
    {
      parts,
      plan,
      summary,
      writer,
    }: { parts: readonly QueryPart[]; plan: QueryPlan; summary: StreamSummary; writer: ContinuousWriter },
  ) {
    this.#summary = summary;
    this.#writer = writer;
    this.#session = session;
    this.#plan = plan;
    const options = {
      onContinuity: (event: ContinuityEvent, type: ResourceType) => this.#observe(event, type),
      onLeftOut: (refused: readonly NewlyRefused[]) => this.#goOnWithout(refused),
      onOwners: () => this.#wake({ reconsider: true }),
    };
    this.#parts = parts.map((part) => new LivePart(part, plan, options));
  }

  /** The types of all parts that may be read. */
  get #targets(): readonly WatchTarget[] {
    return this.#parts.flatMap(({ targets }) => targets);
  }

  async run(): Promise<ExitCode> {
    const session = this.#session;
    const { signal } = session;
    using _end = onAbort(signal, () => {
      const owners = this.#parts.flatMap((part) => part.owners?.targets ?? []);
      this.#outages = outagesOf([...this.#targets, ...owners], session.clock.now());
      this.#changed.wake();
    });
    this.#running = Promise.all(this.#parts.map((part) => part.run((reason) => session.end(reason))));
    await this.#stream();
    await this.#running;
    return this.#end(signal.reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#session.end(new StreamEnd('done'));
    await this.#running;
    for (const part of this.#parts) part[Symbol.dispose]();
  }

  async #stream(): Promise<void> {
    const session = this.#session;
    let result: LiveResult | undefined;
    try {
      await this.#sync();
      await Promise.all(this.#parts.map((part) => part.prepare()));
      result = this.#createResult();
      for (const part of this.#parts) for (const target of part.targets) await this.#feed(target, part, result);
      await this.#first(result);
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
    const { signal, clock, startedAt, status } = this.#session;
    const stats = () => this.#parts.flatMap(({ session }) => session.client.stats());
    using _progress = showSyncProgress({ clock, startedAt, client: { stats } }, status);
    await Promise.all(this.#parts.map((part) => part.settled(signal)));
    // refused as a whole: the session ends with the error that names all of it
    if (this.#parts.some(({ targets }) => targets.length === 0)) await abortable(new Promise(() => {}), signal);
  }

  #createResult(): LiveResult {
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
      catalogOf: (target) => this.#partOf(target).catalog,
      matches: matcherOf(this.#plan, { notice, clock }, () => clock.now()),
      redactor,
      looksSame: looksSameIn(this.#plan, redactor, clock),
      isReadable: !this.#plan.format.traits.records,
      onUnsorted: (error) => once(`${messageOf(error)}; the rows are in the order of the server`),
    });
  }

  #partOf(target: ContinuousTarget): LivePart {
    return this.#parts.find(({ asked }) => asked.some((each) => each === target)) as LivePart;
  }

  /** Passes every change of a type to the result. Resolves when what is there has been passed. */
  async #feed(target: WatchTarget, { owners }: LivePart, result: LiveResult): Promise<void> {
    const handler = changeHandler(
      (change) => {
        for (const part of replacementParts(change) ?? [change]) result.put(part, target);
        owners?.look(change.object);
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
  async #first(result: LiveResult): Promise<void> {
    const { signal, clock } = this.#session;
    const plan = this.#plan;
    if (plan.explain)
      for (const { targets, catalog, session } of this.#parts)
        for (const target of targets)
          findIn(plan, target, { catalog, matches: () => true, sink: { clock, notice: session.notice } });
    const ready = this.#writer.print(result);
    const isEmpty = result.shown === 0 && asksForObjects(plan);
    this.#isSynced = true;
    for (const target of this.#targets)
      this.#writer.mark((stamper) => syncedMarker(stamper, target, target.informer.lister.size));
    const hints = this.#parts.map(({ session, plan, targets, catalog, asked }) => {
      const isReportedElsewhere = asked.some(({ forbidden }) => forbidden.length > 0);
      return giveHints(QUERY_WATCH, { plan, targets, catalog, isEmpty, isReportedElsewhere }, session);
    });
    await abortable(Promise.all([ready, this.#writer.print(result), ...hints]), signal);
  }

  async #follow(result: LiveResult): Promise<void> {
    const { clock, signal } = this.#session;
    const mergeMs = this.#plan.flags.merge ?? DEFAULT_MERGE_MS;
    using _time = this.#judgeByTime();
    while (!signal.aborted) {
      if (!this.#hasChanged) await this.#changed.wait(signal);
      if (mergeMs > 0) await clock.sleep(mergeMs, { signal });
      this.#hasChanged = false;
      for (const part of this.#parts)
        if (await part.owners?.followNew(() => part.objects(), signal)) this.#mustReconsider = true;
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
    for (const { target, namespaces } of refused)
      for (const namespace of namespaces) this.#writer.mark((stamper) => forbiddenMarker(stamper, target, namespace));
    this.#wake();
  }

  #observe(event: ContinuityEvent, type: ResourceType): void {
    const session = this.#session;
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
    return this.#parts
      .map(({ leftOut }) => leftOut)
      .filter((text) => text !== '')
      .join('; ');
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

/** Variables of columns that change with the time alone. */
const TIME_COLUMNS: readonly string[] = ['AGE', ...SINCE_VARIABLES, 'cells'];
