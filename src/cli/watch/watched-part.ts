import type { ContinuityEvent } from '../../informer/watch/continuity-ledger.ts';
import { onAbort } from '../../kit/abort.ts';
import { nothingFound } from '../hints/nothing-found.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { createTargets, type WatchTarget } from '../session/informers.ts';
import { LeavingOut, leftOutText, type NewlyRefused } from '../session/left-out.ts';
import { missingNames } from '../session/missing-names.ts';
import { refusalOf, runTargets } from '../session/refusals.ts';
import type { Session } from '../session/session.ts';
import { hasStaleType } from '../terminal/stale-type.ts';
import { goesOnWithout, type WatchPlan } from './watch-plan.ts';

export interface WatchedPartOptions {
  /** Called with each continuity event, after it was reported. */
  readonly onContinuity: (event: ContinuityEvent) => void;
  /** Called when something may not be read, and the stream goes on without it. */
  readonly onLeftOut: (refused: readonly NewlyRefused[]) => void;
}

/** How long the initial list of one of several parts may hold up the lists of the others, ms. */
const LATE_MS = 3000;

/** The part of a `watch` that is in one cluster, usually all of it: its informers, and what stderr says of them. */
export class WatchedPart implements Disposable {
  readonly session: Session;
  readonly plan: WatchPlan;
  /** All that was asked for, also what may not be read. */
  readonly asked: readonly WatchTarget[];
  /** The targets that may be read, once that is known. Empty when the part has ended. */
  targets: readonly WatchTarget[];
  /** Why a command that answers once cannot read something here. */
  refusal: unknown;
  readonly #synced = new Set<WatchTarget>();
  readonly #reporter: ContinuityReporter;
  readonly #leavingOut: LeavingOut | undefined;
  readonly #overdue = Promise.withResolvers<void>();
  readonly #options: WatchedPartOptions;
  #isLate = false;
  #disposables: Disposable[] = [];

  constructor(session: Session, plan: WatchPlan, options: WatchedPartOptions) {
    this.session = session;
    this.plan = plan;
    this.#options = options;
    this.#reporter = new ContinuityReporter(session, () => this.targets ?? [], { isOneShot: plan.once });
    const isOneOfSeveral = session.cluster !== undefined;
    this.targets = createTargets(session, plan.selections, {
      ...plan,
      followsVersions: true,
      onContinuity: (event, type) => {
        if (session.signal.aborted) return;
        this.#reporter.observe(event, type);
        options.onContinuity(event);
      },
      ...(isOneOfSeveral ? { isPatient: !plan.once && !plan.flags.strict, overdue: this.#overdue.promise } : {}),
      ...(goesOnWithout(plan) ? { onRefused: () => this.#leavingOut?.changed() } : {}),
    });
    this.asked = this.targets;
    if (goesOnWithout(plan))
      this.#leavingOut = new LeavingOut(session, this.asked, (refused) => this.#goOnWithout(refused));
  }

  /** Runs the informers until the cluster or the command ends. */
  async run(): Promise<void> {
    const { session, plan } = this;
    if (session.cluster !== undefined) this.#disposables.push(onAbort(session.signal, () => this.#overdue.resolve()));
    await runTargets(this.targets, session, { once: plan.once, endsWhenRefused: this.#leavingOut === undefined });
  }

  /** Lets the other parts wait for the initial list of this one for some seconds, then calls `onLate`. */
  becomeLate(onLate: () => void): void {
    const late = this.session.clock.after(LATE_MS, () => {
      if (this.isSynced) return;
      this.#isLate = true;
      this.#overdue.resolve();
      onLate();
    });
    this.#disposables.push(late);
  }

  /** The initial list of a target has been shown. */
  synced(target: WatchTarget): void {
    this.#synced.add(target);
  }

  /** All initial lists have been shown. */
  get isSynced(): boolean {
    return this.targets.every((target) => this.#synced.has(target));
  }

  /** The others do not wait for its initial list any more. */
  get isLate(): boolean {
    return this.#isLate && !this.isSynced;
  }

  /** The parts that the stream leaves out: types, namespaces and names that may not be read. '' for nothing. */
  get leftOut(): string {
    return this.#leavingOut ? leftOutText(this.asked) : '';
  }

  /** True if the stream leaves out sources that the server forbids. */
  get isPartial(): boolean {
    return this.#leavingOut !== undefined && this.asked.some(({ forbidden }) => forbidden.length > 0);
  }

  /**
   * Waits until every type is synced or refused, for a command that answers once. Keeps the refusals; where nothing is
   * left, or something waits, they end the cluster.
   */
  async leaveOutRefused(): Promise<void> {
    const { session, plan } = this;
    const { signal } = session;
    await Promise.all(this.targets.map((target) => target.settled(signal))).catch(() => {}); // the session has ended
    const refusal = signal.aborted ? undefined : await refusalOf(this.targets, session);
    if (refusal === undefined) return;
    const readable = this.targets.filter((target) => target.refusal === undefined);
    if (readable.length === 0 || plan.waits.rules || hasStaleType(refusal)) session.end(refusal);
    else this.targets = readable;
    this.refusal = refusal;
  }

  /** The error of names that are not there. */
  missing(): unknown {
    return missingNames(this.targets, this.plan);
  }

  /** The text when there are no objects at all; undefined where it is not needed. */
  nothingFound(): string | undefined {
    return this.#isWorthSayingEmpty ? nothingFound(this.#readable) : undefined;
  }

  [Symbol.dispose](): void {
    this.#reporter[Symbol.dispose]();
    for (const each of this.#disposables) each[Symbol.dispose]();
    this.#disposables = [];
  }

  /** Reports the parts that may not be read at once, and leaves them out of the stream. */
  #goOnWithout(refused: readonly NewlyRefused[]): void {
    const lost = new Set(refused.filter(({ target }) => target.refusal !== undefined).map(({ target }) => target));
    this.targets = this.targets.filter((target) => !lost.has(target));
    this.#options.onLeftOut(refused);
  }

  /** The plan with the namespaces of which something may be read. */
  get #readable(): WatchPlan {
    const isRead = (namespace: string) =>
      !this.targets.every(({ forbidden }) => forbidden.some((each) => each.namespaces.includes(namespace)));
    return { ...this.plan, namespaces: this.plan.namespaces.filter(isRead) };
  }

  /**
   * kubectl says so of tables alone; a watch that goes on says it in every format. What is missing or refused is an
   * error instead.
   */
  get #isWorthSayingEmpty(): boolean {
    const { once, ignoreNotFound, format, selections, waits } = this.plan;
    if (waits.rules?.for?.[0]?.kind === 'delete') return false; // it is what is waited for
    if (ignoreNotFound || this.targets.some(({ informer }) => informer.lister.size > 0)) return false;
    if (!once) return true; // with what may be read
    const isRefused =
      this.targets.length < selections.length || this.targets.some(({ forbidden }) => forbidden.length > 0);
    const isAnswered = isRefused || this.missing() !== undefined;
    return !isAnswered && format.traits.forPeople;
  }
}
