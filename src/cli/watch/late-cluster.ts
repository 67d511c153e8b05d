import { abortable, aborted } from '../../kit/abort.ts';
import { Backoff } from '../../kit/backoff.ts';
import type { Clock } from '../../kit/clock.ts';
import { humanDuration } from '../../kit/duration.ts';
import { InformerError, isInformerError } from '../../kit/error.ts';
import { isUnauthorized, statusOf } from '../../model/status.ts';
import { remindAt } from '../outage/reminder-times.ts';
import type { ClusterSession } from '../session/clusters.ts';
import { errorTexts } from '../terminal/error-text.ts';
import { SeveralErrors } from '../terminal/exit-codes.ts';
import { Interrupted } from '../terminal/signals.ts';
import { isFailure, StreamEnd } from '../terminal/stream-ending.ts';

/** A cluster that is not in the stream. */
export interface AbsentCluster {
  readonly cluster: string;
  /** The reason, which names the cluster. Undefined = the cluster has not answered yet. */
  readonly error: unknown;
  /** Trying again does not help: the cluster does not have the types, or the kubeconfig is wrong. */
  readonly isFinal: boolean;
}

export interface ClusterStartOptions<P> {
  readonly clusters: readonly ClusterSession[];
  /** The clusters that cannot be used from the start. */
  readonly broken?: readonly Omit<AbsentCluster, 'isFinal'>[] | undefined;
  /** Asks a cluster for what the stream needs to know of it. */
  readonly prepare: (session: ClusterSession) => Promise<P>;
  /** The stream begins without clusters that do not answer, and they are tried again. Otherwise each is tried once. */
  readonly isPatient: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long the clusters that answer wait for the others at the start, ms. */
const GRACE_MS = 3000;
const POLL = { initialMs: 1000, factor: 2, jitter: 0.2, capMs: 30_000 };
/** A login is tried less often: a plugin may open a browser, and a server may lock a user out. */
const LOGIN_POLL = { initialMs: 30_000, factor: 2, jitter: 0.2, capMs: 300_000 };

/**
 * Prepares several clusters at the same time for one stream. The stream can begin when {@link first} resolves; the
 * others join when they answer. What goes wrong with a cluster is reported, and ends none of the others.
 */
export class ClusterStart<P> {
  readonly #options: ClusterStartOptions<P>;
  readonly #ready = new Map<string, P>();
  readonly #absent = new Map<string, AbsentCluster>();
  #onReady: ((session: ClusterSession, part: P) => void) | undefined;
  readonly #late: [ClusterSession, P][] = [];
  /** The clusters that the stream began with, or that have joined it. */
  readonly #begun = new Set<string>();
  /** Resolves when one cluster has answered. */
  readonly #one = Promise.withResolvers<void>();
  /** Resolves when none ever will. */
  readonly #none = Promise.withResolvers<void>();
  /** The last report about each cluster. */
  readonly #reported = new Map<string, string>();

  constructor(options: ClusterStartOptions<P>) {
    this.#options = options;
    for (const each of options.broken ?? []) this.#absent.set(each.cluster, { ...each, isFinal: true });
    for (const { cluster } of options.clusters)
      this.#absent.set(cluster, { cluster, error: undefined, isFinal: false });
  }

  /** The clusters that are not in the stream, in no particular order. */
  get absent(): readonly AbsentCluster[] {
    return [...this.#absent.values()];
  }

  /** True if no cluster can still join the stream. */
  get isComplete(): boolean {
    return !this.absent.some(({ isFinal }) => !isFinal);
  }

  /**
   * The clusters that have answered, in their order: all that can within three seconds of the first one, or all that
   * ever will where the start is not patient. Rejects when none can be used, with what is wrong with each; a patient start
   * goes on trying while one may still answer.
   */
  async first(): Promise<[ClusterSession, P][]> {
    const { clusters, clock, signal, isPatient } = this.#options;
    const tries = clusters.map((session) => this.#try(session));
    const all = Promise.all(tries);
    const ended = aborted(signal);
    const soon = this.#one.promise.then(() => clock.sleep(GRACE_MS, { signal })).catch(() => {});
    await (isPatient ? Promise.race([all, soon, ended]) : all);
    if (this.#ready.size === 0 && this.isComplete) throw this.#failure();
    const later = isPatient ? clusters.filter(({ cluster }) => !this.#ready.has(cluster)) : [];
    for (const session of later) {
      this.#report(session);
      void tries[clusters.indexOf(session)]?.then(() => this.#untilThere(session)).catch(() => {}); // it has ended
      void this.#remind(session).catch(() => {});
    }
    if (later.length > 0) await Promise.race([this.#one.promise, this.#none.promise, ended]);
    if (this.#ready.size === 0) throw this.#failure();
    const begun = clusters.filter(({ cluster }) => this.#ready.has(cluster));
    for (const { cluster } of begun) this.#begin(cluster);
    return begun.map((session) => [session, this.#ready.get(session.cluster) as P]);
  }

  #begin(cluster: string): void {
    this.#absent.delete(cluster);
    this.#begun.add(cluster);
  }

  /** Passes on the clusters that answer later. */
  onReady(take: (session: ClusterSession, part: P) => void): void {
    this.#onReady = take;
    for (const [session, part] of this.#late.splice(0)) take(session, part);
  }

  async #try(session: ClusterSession): Promise<void> {
    const { cluster, signal } = session;
    try {
      const part = await abortable(this.#options.prepare(session), signal);
      this.#ready.set(cluster, part);
      this.#one.resolve();
    } catch (error) {
      if (!isFailure(error)) return; // the command has ended
      this.#absent.set(cluster, { cluster, error: session.named(error), isFinal: isFinal(error) });
    }
  }

  async #untilThere(session: ClusterSession): Promise<void> {
    const { clock } = this.#options;
    const { cluster, signal } = session;
    const [pauses, logins] = [new Backoff(POLL), new Backoff(LOGIN_POLL)];
    while (!signal.aborted) {
      const part = this.#ready.get(cluster);
      if (part !== undefined) {
        this.#join(session, part);
        return;
      }
      const { error, isFinal } = this.#absent.get(cluster) ?? {};
      if (this.#textOf(cluster) !== this.#reported.get(cluster)) this.#report(session);
      if (this.isComplete) this.#none.resolve();
      if (isFinal) return;
      await clock.sleep((isLogin(error) ? logins : pauses).next(clock.monotonic()), { signal });
      await session.client.discovery.invalidate().catch(() => {});
      await this.#try(session);
    }
  }

  async #remind(session: ClusterSession): Promise<void> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    for (let reminders = 0; ; reminders++) {
      await clock.sleep(remindAt(reminders) - (clock.monotonic() - startedAt), { signal: session.signal });
      if (this.#absent.get(session.cluster)?.isFinal !== false) return;
      this.#report(session, clock.monotonic() - startedAt);
    }
  }

  #join(session: ClusterSession, part: P): void {
    if (this.#begun.has(session.cluster)) return;
    this.#begin(session.cluster);
    session.notice('it answers, and is in the stream from now on');
    if (this.#onReady) this.#onReady(session, part);
    else this.#late.push([session, part]);
  }

  #textOf(cluster: string): string {
    const error = this.#absent.get(cluster)?.error;
    return error === undefined ? '' : errorTexts(error).message;
  }

  #report({ cluster, notice, signal }: ClusterSession, elapsedMs?: number): void {
    const { error, isFinal } = this.#absent.get(cluster) ?? {};
    if (signal.aborted) return;
    this.#reported.set(cluster, this.#textOf(cluster));
    const since = elapsedMs === undefined ? '' : ` for ${humanDuration(elapsedMs)}`;
    if (error === undefined) {
      notice(`no answer${since || ' yet'}; the stream goes on without it meanwhile`);
      return;
    }
    const { message, hint } = errorTexts(error);
    const text = message.replace(`cluster ${cluster}: `, '');
    if (isFinal) notice(`error: ${text}; not in this stream`);
    else notice(`${since === '' ? '' : `not reached${since}: `}${text}; trying again`);
    if (hint !== undefined) notice(`hint: ${hint}`);
  }

  #outOfTime(cause: StreamEnd): InformerError {
    const names = this.#options.clusters.map(({ cluster }) => cluster).join(', ');
    return new InformerError('sync', `none of the clusters ${names} answered within --timeout`, {
      cause,
      hint: 'can they be reached? a longer --timeout waits longer, --request-timeout limits each request',
    });
  }

  /** The error of each cluster; an error of all clusters is given once. */
  #failure(): unknown {
    const { reason } = this.#options.signal;
    if (reason instanceof Interrupted) return reason;
    if (reason instanceof StreamEnd) return this.#outOfTime(reason);
    const errors = this.absent.flatMap(({ error }) => (error === undefined ? [] : [error]));
    const causes = errors.map((error) => (error as Error).cause ?? error);
    const texts = new Set(causes.map((cause) => errorTexts(cause).message));
    return texts.size === 1 ? causes[0] : (SeveralErrors.of(errors) ?? reason);
  }
}

/** A wrong command line, or a type that the cluster does not have. */
const isFinal = (error: unknown) =>
  isInformerError(error, 'argument') || (isInformerError(error, 'discovery') && !statusOf(error));

const isLogin = (error: unknown) =>
  isUnauthorized(error) || isInformerError(error, 'credentials') || isInformerError(error, 'config');
