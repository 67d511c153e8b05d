import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { type PassedObjects, PassingSource } from '../../informer/watch/passing-source.ts';
import { formatGvr } from '../../model/gvr.ts';
import { keyOf } from '../../model/key.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import { ConditionJudge, failureNotice, variablesOf } from '../../stream/conditions/condition.ts';
import { Enveloper } from '../../stream/envelope.ts';
import { Redactor } from '../../stream/redact.ts';
import { StreamSummary } from '../../stream/summary.ts';
import { continuityOf } from '../outage/continuity-counts.ts';
import { fieldsLookedAt } from '../passing/looked-fields.ts';
import { Passing } from '../passing/passing.ts';
import { refuseUnsynced, type WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { orEnd } from '../session/stream-outlet.ts';
import { showSyncProgress } from '../session/sync-progress.ts';
import { exitCodeOfEnd } from '../terminal/exit-code-of-end.ts';
import { type ExitCode, isReaderGone } from '../terminal/exit-codes.ts';
import { hasStaleType } from '../terminal/stale-type.ts';
import { isFailure, StreamEnd, wordsOfEnd } from '../terminal/stream-ending.ts';
import { EventWriter } from './event-writer.ts';
import { plainly } from './run-ending.ts';
import { UnprintedReports } from './unprinted.ts';
import { giveWatchHints } from './watch-hints.ts';
import type { WatchPlan } from './watch-plan.ts';
import { WatchedPart } from './watched-part.ts';

/**
 * Whether a command may print the objects as they arrive, and keep none: it shows one list once, in the order in which
 * it comes. What waits, compares or sorts, and several lists of which each is shown as a whole, need a cache.
 */
export function canPassWatch(plan: WatchPlan, { cluster }: Session): boolean {
  const { once, waits, live, sortInitial, flags, part, selections, namespaces, pushedDown, output } = plan;
  const [only, ...others] = selections;
  if (!once || only === undefined || others.length > 0 || cluster !== undefined || only.names.length > 0) return false;
  if (
    waits.rules ||
    live ||
    sortInitial ||
    flags.record !== undefined ||
    flags.strict ||
    flags.markers ||
    part ||
    output.jq ||
    plan.withOld
  )
    return false;
  return !only.type.namespaced || (pushedDown?.get(only.type)?.namespaces ?? namespaces).length === 1;
}

/** Prints the objects of one list as they arrive, says on stderr how it ended, and gives the exit code. */
export async function watchOnce(session: Session, plan: WatchPlan): Promise<ExitCode> {
  const once = new Once(session, plan, await looksOf(plan, session));
  return await once.run();
}

type Looks = Pick<PassedObjects, 'fields' | 'needsText'> & Pick<ResourceSelection, 'type'>;

async function looksOf(plan: WatchPlan, { io }: Session): Promise<Looks> {
  const [{ type }] = plan.selections as [ResourceSelection];
  const isAsSent = plan.keepManagedFields === plan.showManagedFields && !plan.flags['with-changes'];
  const needsText = plan.format.traits.linesOfJson && isAsSent && !io.stdout.isTerminal;
  const { filters, wheres } = plan.judging;
  const { showsLabels } = plan;
  const format = needsText ? undefined : plan.format;
  return { type, needsText, fields: await fieldsLookedAt({ type, format, filters, wheres, showsLabels }) };
}

class Once {
  readonly #session: Session;
  readonly #plan: WatchPlan;
  readonly #summary = new StreamSummary();
  readonly #passing: Passing;
  readonly #enveloper: Enveloper;
  readonly #judge: ConditionJudge;
  readonly #unprinted: UnprintedReports;
  readonly #writer: EventWriter;
  readonly #cluster: WatchedPart;
  /** The members that the lines of all objects have in common. */
  #sameOfAll: string | undefined;

  constructor(session: Session, plan: WatchPlan, looks: Looks) {
    this.#session = session;
    this.#plan = plan;
    const notice = (text: string) => session.notice(text);
    const { showManagedFields, flags, format } = plan;
    this.#judge = new ConditionJudge((error) => notice(failureNotice(error)), notice);
    const redactor = new Redactor({ showSecrets: flags['show-secrets'] });
    this.#enveloper = new Enveloper({
      clock: session.clock,
      redactor,
      showManagedFields,
      withChanges: flags['with-changes'],
    });
    this.#unprinted = new UnprintedReports({ called: format.traits.called, summary: this.#summary, notice });
    this.#writer = new EventWriter({
      printer: plan.printer,
      sink: session.io.stdout,
      summary: this.#summary,
      gatherInitial: format.traits.gathers,
      gathered: format.traits.gathers && flags.limit === undefined ? plan.printer.gathered?.() : undefined,
      limit: flags.limit,
      onLimit: () => session.end(new StreamEnd('limit')),
      onFailure: (error, { event, type }) => this.#unprinted.failed(error, `${type.kind} ${event.key}`),
      ...(format.traits.needsObject ? { onUnprintable: (event) => this.#unprinted.unprintable(event) } : {}),
    });
    this.#passing = new Passing(
      { ...looks, reads: plan.reads, notice },
      {
        keeps: (object) => this.#isShown(object),
        print: (object, text) => (session.signal.aborted ? undefined : orEnd(session, () => this.#print(object, text))),
        forget: () => this.#writer.forget(this.#target),
      },
    );
    this.#cluster = new WatchedPart(
      session,
      { ...plan, passing: (source) => new PassingSource(source, this.#passing.objects) },
      { onContinuity: () => {}, onLeftOut: () => {} },
    );
  }

  get #target(): WatchTarget {
    return this.#cluster.asked[0] as WatchTarget;
  }

  async run(): Promise<ExitCode> {
    const session = this.#session;
    using cluster = this.#cluster;
    const running = cluster.run();
    await this.#passed();
    if (!session.signal.aborted && cluster.refusal === undefined) {
      orEnd(session, () => this.#writer.initialDone(this.#target));
      await this.#writer.gatheredDone(session.signal);
      cluster.synced(this.#target);
      if (!session.signal.aborted) await this.#giveHints();
    }
    this.#summary.losses.expressionErrors += this.#judge.errors;
    session.end(new StreamEnd('done'));
    await running;
    return this.#ended();
  }

  /** Waits until the list has been passed on, or is refused. */
  async #passed(): Promise<void> {
    const { clock, startedAt, client, status } = this.#session;
    using _progress = showSyncProgress({ clock, startedAt, client }, status);
    await this.#cluster.leaveOutRefused();
  }

  #isShown(object: ReadonlyObject): boolean {
    const { name, excludeName, conditions = [] } = this.#plan.rules;
    const { name: own = '' } = object.metadata;
    if (!(name?.test(own) ?? true) || excludeName?.test(own)) return false;
    if (conditions.length === 0) return true;
    const change = { type: 'added', object, cause: 'initial' } as const;
    const variables = variablesOf(change, this.#session.clock.now(), this.#target.type);
    return conditions.every((condition) => this.#judge.holds(condition, variables));
  }

  #print(object: ReadonlyObject, text: string | undefined): Promise<void> | undefined {
    return text === undefined ? this.#printObject(object) : this.#printText(object, text);
  }

  #printObject(object: ReadonlyObject): Promise<void> | undefined {
    const { type } = this.#target;
    const [event] = this.#enveloper.envelop({ type: 'added', object, cause: 'initial' }, type);
    return event && this.#writer.print(event, this.#target);
  }

  /** The line of an event whose object is text already. */
  #printText(object: ReadonlyObject, text: string): Promise<void> | undefined {
    const key = JSON.stringify(keyOf(object));
    this.#sameOfAll ??= JSON.stringify({ gvr: formatGvr(this.#target.type.gvr), cause: 'initial', changed: [] }).slice(
      1,
      -1,
    );
    const { seq, time } = this.#enveloper.stamp();
    const stamp = `"key":${key},${this.#sameOfAll},"seq":${seq},"time":"${time}"}`;
    return this.#writer.printText(`{"type":"ADDED","object":${text},${stamp}\n`, 'ADDED');
  }

  async #giveHints(): Promise<void> {
    const { sample } = this.#passing;
    await giveWatchHints(this.#cluster, {
      shown: () => this.#summary.total,
      isReportedElsewhere: false,
      ...(sample.count > 0 ? { targets: [sample.cached(this.#target)] } : {}),
      reads: sample.absent,
    });
  }

  #ended(): ExitCode {
    const session = this.#session;
    const cluster = this.#cluster;
    const { reason } = session.signal;
    const { expressionErrors, unprintable } = this.#summary.losses;
    const isQuiet = expressionErrors + unprintable === 0 || isFailure(reason) || isReaderGone(reason);
    const elapsedMs = session.clock.monotonic() - session.startedAt;
    if (!isQuiet) session.notice(this.#summary.line(wordsOfEnd(reason), elapsedMs, continuityOf(cluster.targets)));
    if (!cluster.isSynced) refuseUnsynced(reason, cluster.targets);
    if (hasStaleType(reason) && this.#summary.total > 0) throw plainly(reason);
    const code = exitCodeOfEnd(reason, { isSynced: cluster.isSynced, isWaiting: false });
    if (cluster.refusal !== undefined) throw cluster.refusal;
    return code;
  }
}
