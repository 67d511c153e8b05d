import { clusterText } from '../session/cluster-error.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { errorTexts } from '../terminal/error-text.ts';
import { SeveralErrors } from '../terminal/exit-codes.ts';
import type { AbsentCluster } from './late-cluster.ts';
import type { WatchPlan } from './watch-plan.ts';
import type { WatchedPart } from './watched-part.ts';

/** The parts of a stream of several that are not in it at its start. */
export interface JoiningParts {
  readonly absent: readonly AbsentCluster[];
  /** True if no part can still join the stream. */
  readonly isComplete: boolean;
  /** Passes on the parts that join later. */
  onReady(take: (session: Session, plan: WatchPlan) => void): void;
}

/** The parts of a stream, usually one: those that are in it, those that have ended, and those that are absent. */
export class StreamParts implements Disposable {
  /** Those that are in the stream, or were. */
  readonly all: WatchedPart[] = [];
  /** Parts that ended before the stream, and why. */
  readonly #ended = new Map<WatchedPart, unknown>();
  /** Undefined in a stream of one part. */
  readonly #joining: JoiningParts | undefined;

  constructor(joining: JoiningParts | undefined) {
    this.#joining = joining;
  }

  /** Whether the stream is one of several parts, which have names. */
  get isOfSeveral(): boolean {
    return this.#joining !== undefined;
  }

  get targets(): readonly WatchTarget[] {
    const [only, ...more] = this.all;
    return only && more.length === 0 ? only.targets : this.all.flatMap(({ targets }) => targets);
  }

  get isSynced(): boolean {
    return this.all.every((part) => part.isSynced || part.isLate);
  }

  /** True if no part can still join the stream. */
  get isComplete(): boolean {
    return this.#joining?.isComplete ?? true;
  }

  /** True if a part leaves out sources that the server forbids. */
  get isPartial(): boolean {
    return this.all.some((part) => part.isPartial && !this.#ended.has(part));
  }

  get absent(): readonly AbsentCluster[] {
    return this.#joining?.absent ?? [];
  }

  onReady(take: (session: Session, plan: WatchPlan) => void): void {
    this.#joining?.onReady(take);
  }

  /** Notes that a part has ended. `isLast`: nothing else is in the stream, or can still join it. */
  ended(part: WatchedPart, reason: unknown): { readonly isLast: boolean } {
    this.#ended.set(part, reason);
    part.refusal ??= reason;
    return { isLast: this.#ended.size === this.all.length && this.isComplete };
  }

  /** Why the parts ended, as one error. */
  get endReason(): unknown {
    return SeveralErrors.of([...this.#ended.values()]);
  }

  /** The sources that the parts in the stream leave out. */
  get leftOut(): string {
    return this.all
      .filter((part) => !this.#ended.has(part) && part.leftOut !== '')
      .map(({ leftOut, session: { cluster } }) =>
        cluster === undefined ? leftOut : `${clusterText(cluster)}: ${leftOut}`,
      )
      .join('; ');
  }

  /** `; by cluster: east 3, west 0`. */
  counted(shown: ReadonlyMap<string, number>): string {
    if (!this.isOfSeveral) return '';
    const absent = this.absent.map(({ cluster }) => `${cluster} absent`);
    const counts = this.all.map(({ session: { cluster = '' } }) => `${cluster} ${shown.get(cluster) ?? 0}`);
    return `; by cluster: ${[...counts, ...absent].join(', ')}`;
  }

  /** Of several parts: those that are missing from a stream that goes on, and the types that a part does not have. */
  get absentTexts(): string[] {
    if (!this.isOfSeveral) return [];
    const absent = this.absent.map(({ cluster, error }) =>
      error === undefined ? `${clusterText(cluster)}: no answer` : errorTexts(error).message,
    );
    const ended = [...this.#ended.values()].map((reason) => errorTexts(reason).message);
    const late = this.all
      .filter((part) => part.isLate && !this.#ended.has(part))
      .map(({ session }) => `${clusterText(session.cluster ?? '')}: no initial sync`);
    const unserved = this.all.flatMap(({ plan }) => plan.unserved ?? []).map((each) => errorTexts(each).message);
    return [...absent, ...ended, ...late, ...unserved].map((text) => `${text}: not in this stream`);
  }

  /** The errors of parts that answer once: names that do not exist, if they are asked for, and types that may not be read. */
  unanswered(asksForNames: boolean): unknown[] {
    const missing = asksForNames ? this.all.map((part) => part.session.named(part.missing())) : [];
    const refusals = this.all.flatMap(({ refusal, plan, session }) => [
      session.named(refusal),
      ...(plan.unserved ?? []),
    ]);
    return [...missing, ...refusals, ...this.absent.map(({ error }) => error)];
  }

  [Symbol.dispose](): void {
    for (const part of this.all) part[Symbol.dispose]();
  }
}
