import type { ContinuityEvent } from '../../informer/watch/continuity-ledger.ts';
import { onAbort } from '../../kit/abort.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { answerCatalog } from '../../query/answer/answer-catalog.ts';
import { asksForObjects, usedIndexes } from '../../query/answer/query.ts';
import { representationFor } from '../../query/answer/representation.ts';
import type { IndexCatalog } from '../../query/index/index-catalog.ts';
import { idleMsOf } from '../args/shared-flags.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { clusterText } from '../session/cluster-error.ts';
import { createTargets, type WatchTarget } from '../session/informers.ts';
import { LeavingOut, leftOutText, type NewlyRefused } from '../session/left-out.ts';
import { runTargets } from '../session/refusals.ts';
import type { QueryPart } from './filled-parts.ts';
import { LiveOwners } from './live-owners.ts';
import type { QueryPlan } from './read-query.ts';

export interface LivePartOptions {
  /** Called with each continuity event, after it was reported. */
  readonly onContinuity: (event: ContinuityEvent, type: ResourceType) => void;
  /** Called when something may not be read, and the result goes on without it. */
  readonly onLeftOut: (refused: readonly NewlyRefused[]) => void;
  /** Called when owners have changed: objects may match other lookups now. */
  readonly onOwners: () => void;
}

/**
 * The part of a `query --watch` that is in one cluster: its informers, the owners of its objects, its indexes, and what
 * stderr says of them.
 */
export class LivePart implements Disposable {
  readonly #part: QueryPart;
  /** All types that were asked for, also those that may not be read. */
  readonly asked: readonly WatchTarget[];
  /** The types that may be read, once {@link settled} has resolved. */
  targets: readonly WatchTarget[];
  /** The plan of the command, with the types and namespaces of this cluster. */
  readonly plan: QueryPlan;
  readonly owners: LiveOwners | undefined;
  #catalog: IndexCatalog | undefined;
  readonly #leavingOut: LeavingOut | undefined;
  readonly #reporter: ContinuityReporter;

  constructor(part: QueryPart, plan: QueryPlan, { onContinuity, onLeftOut, onOwners }: LivePartOptions) {
    const { session } = part;
    this.#part = part;
    this.plan = { ...plan, ...part.query };
    this.#reporter = new ContinuityReporter(session, () => this.targets ?? []);
    const goesOn = asksForObjects(plan) && !plan.flags.strict; // a number that leaves a type out would be a wrong one
    const informers = {
      ...this.plan,
      idleMs: idleMsOf(plan.flags['idle-timeout']),
      followsVersions: true,
      onContinuity: (event: ContinuityEvent, type: ResourceType) => {
        if (session.signal.aborted) return;
        this.#reporter.observe(event, type);
        onContinuity(event, type);
      },
    };
    this.asked = createTargets(session, this.plan.selections, {
      ...informers,
      as: representationFor(plan),
      ...(goesOn ? { onRefused: () => this.#leavingOut?.changed() } : {}),
    });
    this.targets = this.asked;
    if (goesOn)
      this.#leavingOut = new LeavingOut(session, this.asked, (refused) => {
        this.targets = this.targets.filter(({ refusal }) => refusal === undefined);
        onLeftOut(refused);
      });
    if (usedIndexes(plan).includes('owner')) this.owners = new LiveOwners(session, informers, onOwners);
  }

  get session() {
    return this.#part.session;
  }

  /** The indexes of this cluster. Throws before {@link prepare} has resolved. */
  get catalog(): IndexCatalog {
    if (!this.#catalog) throw new Error('the indexes are not there yet');
    return this.#catalog;
  }

  /** Runs the informers until the cluster or the command ends. `onEnd` is called with the reason of the cluster's end. */
  async run(onEnd: (reason: unknown) => void): Promise<void> {
    const { session } = this;
    using _end = onAbort(session.signal, () => onEnd(session.signal.reason));
    await runTargets(this.asked, session, { endsWhenRefused: this.#leavingOut === undefined });
    await this.owners?.ended;
  }

  /** Resolves when each type is synced or refused. */
  async settled(signal: AbortSignal): Promise<void> {
    await Promise.all(this.asked.map((target) => target.settled(signal)));
    this.targets = this.asked.filter(({ refusal }) => refusal === undefined);
  }

  /** Finds the owners and the indexes. */
  async prepare(): Promise<void> {
    const { client, signal } = this.session;
    await this.owners?.follow(this.objects());
    const context = { client, signal, isWhole: () => false, resolve: this.owners?.resolve };
    this.#catalog = await answerCatalog(context, this.plan, this.targets);
  }

  *objects(): Iterable<ReadonlyObject> {
    for (const { informer } of this.targets) yield* informer.lister.view();
  }

  /** The parts that the result leaves out because they may not be read. '' for nothing. */
  get leftOut(): string {
    const text = this.#leavingOut ? leftOutText(this.asked) : '';
    const { cluster } = this.session;
    return text === '' || cluster === undefined ? text : `${clusterText(cluster)}: ${text}`;
  }

  [Symbol.dispose](): void {
    this.#reporter[Symbol.dispose]();
  }
}
