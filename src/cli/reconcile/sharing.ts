import { type Client, createClient } from '../../client/client.ts';
import { fencedTransport } from '../../client/http/fenced-transport.ts';
import { whenCachesCurrent } from '../../controller/consistency/current-caches.ts';
import { ShardGate } from '../../controller/shard-gate.ts';
import { ShardElector } from '../../controller/sharding/shard-elector.ts';
import type { HeldShard, ShardOverview } from '../../controller/sharding/shard-options.ts';
import { unevenText } from '../../controller/sharding/uneven-shards.ts';
import { abortable, aborted } from '../../kit/abort.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { ObjectKey } from '../../model/key.ts';
import { ShardSet } from '../../model/shard-set.ts';
import { isForbidden, isInvalid, isNotFound, isUnauthorized } from '../../model/status.ts';
import type { PartReader } from '../../query/answer/collection-part.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { shardReader } from '../session/shard-choice.ts';
import { inFlags, LEASE_DRAIN_MS, type LeasePlan } from './lease-plan.ts';
import type { ReconcilePlan } from './reconcile-plan.ts';
import { SharingReports } from './sharing-reports.ts';

/** The caches of a run whose work is shared. */
export interface SharedCaches {
  readonly primary: WatchTarget;
  /** Each cache once. */
  readonly all: readonly WatchTarget[];
}

/** Work that this process shares with other replicas: it does that of the keys in its shards. */
export interface Sharing {
  /** Reads the reconciled objects of this process. */
  readonly part: PartReader;
  /**
   * Reads the owned objects of this process; undefined: all. By namespace they are in the namespaces of their owners.
   * The uid of an object says nothing about its owner.
   */
  readonly ownedPart: PartReader | undefined;
  /** Lets the keys of its shards through, and no others. */
  readonly gate: ShardGate;
  /** Sends the writes of a run only while no other replica can have the shard of its key. */
  readonly client: Client;
  /** See {@link ShardElector.check}. */
  check(): void;
  /**
   * Takes part until the session ends, and gives everything back then. Ends the session with an error that no further
   * attempt can repair. Never rejects.
   */
  run(): Promise<void>;
}

/** Shards that come or go within this time lead to one list, ms. */
const TOGETHER_MS = 50;
/** How long a list waits for shards that are being taken, ms. */
const MOST_TOGETHER_MS = 1000;

/** The parts of a run that a {@link Sharing} works with. */
export interface SharingOptions {
  readonly plan: Pick<ReconcilePlan, 'finalizer' | 'graceMs' | 'operations' | 'consistency'>;
  readonly lease: LeasePlan & { readonly sharing: NonNullable<LeasePlan['sharing']> };
  readonly caches: () => SharedCaches;
  readonly drop: (key: ObjectKey) => void;
}

/** Throws `argument` for durations, names and numbers that cannot work. */
export function createSharing(session: Session, options: SharingOptions): Sharing {
  return new SharedWork(session, options);
}

class SharedWork implements Sharing {
  readonly part: PartReader;
  readonly ownedPart: PartReader | undefined;
  readonly gate: ShardGate;
  readonly client: Client;
  readonly #shards: ShardSet;
  readonly #session: Session;
  readonly #options: SharingOptions;
  readonly #reports: SharingReports;
  readonly #elector: ShardElector;
  /** The shards whose keys this process works on, or is about to. */
  readonly #wanted = new Set<number>();
  #changing: Promise<void> | undefined;

  constructor(session: Session, options: SharingOptions) {
    const { client, clock, logger } = session;
    const { plan, lease, caches, drop } = options;
    const reports = new SharingReports(session, lease, { hasFinalizer: plan.finalizer !== undefined });
    this.#session = session;
    this.#options = options;
    this.#reports = reports;
    this.#shards = inFlags(() => new ShardSet(lease.sharing));
    this.part = shardReader(this.#shards);
    this.ownedPart = this.#shards.by === 'namespace' ? this.part : undefined;
    this.gate = new ShardGate({
      shards: this.#shards,
      objects: () => caches().primary.informer.lister,
      graceMs: plan.graceMs,
      drop,
      onWait: (index, isWaiting) => reports.waits(index, isWaiting),
      clock,
    });
    this.client = createClient(
      fencedTransport(client.transport, () => this.gate.assertHeld()),
      { clock, logger },
    );
    this.#elector = inFlags(() => this.#createElector());
  }

  check(): void {
    this.#elector.check();
  }

  async run(): Promise<void> {
    this.#reports.begins(this.#elector.identity);
    try {
      await this.#elector.run(this.#session.signal);
    } catch (error) {
      this.#session.end(isFinal(error) ? refusal(error, this.#options.lease) : error);
    }
    this.#reports.close();
  }

  #createElector(): ShardElector {
    const { client, clock, logger } = this.#session;
    const { plan, lease } = this.#options;
    const reports = this.#reports;
    return new ShardElector({
      client,
      name: lease.name,
      namespace: lease.namespace,
      shards: lease.sharing.of,
      by: lease.sharing.by,
      leaseDurationMs: lease.leaseDurationMs,
      renewDeadlineMs: lease.renewDeadlineMs,
      retryPeriodMs: lease.retryPeriodMs,
      drainMs: LEASE_DRAIN_MS,
      onShard: (held) => this.#work(held),
      onChange: (overview: ShardOverview) => reports.changed(overview),
      onLost: ({ index, error }) => reports.lost(index, error),
      onError: (error) => {
        if (reports.isFirst && isFinal(error)) this.#session.end(refusal(error, lease));
        else reports.failed(error);
      },
      clock,
      logger,
      metrics: plan.operations.metrics,
    });
  }

  /** Works on the keys of a shard until its lease ends. */
  async #work(held: HeldShard): Promise<void> {
    const { index, signal } = held;
    const [shards, gate] = [this.#shards, this.gate];
    const { caches, plan } = this.#options;
    try {
      this.#wanted.add(index);
      await abortable(this.#change(), signal);
      await shards.whenRead(signal);
      await Promise.all(caches().all.map(({ informer }) => informer.whenSynced(signal)));
      await Promise.all(caches().all.map(({ informer }) => informer.whenApplied(signal)));
      const informers = caches().all.map(({ informer }) => informer);
      const { clock, logger } = this.#session;
      if (plan.consistency !== 'none') await whenCachesCurrent(informers, { clock, logger, signal });
      gate.open(held);
      this.#reports.opened(index);
      if (shards.by === 'namespace') this.#reports.uneven(unevenText(caches().primary.informer.lister.keys(), shards));
      await aborted(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await gate.close(index);
      this.#reports.closed(index);
      this.#wanted.delete(index);
      void this.#change();
    }
  }

  /** Resolves when the shards of the caches are the wanted ones. */
  #change(): Promise<void> {
    this.#changing ??= this.#together().then(() => {
      this.#changing = undefined;
      this.#shards.change(this.#wanted);
    });
    return this.#changing;
  }

  /** Waits for shards that come or go at the same time. */
  async #together(): Promise<void> {
    let waitedMs = 0;
    do {
      await this.#session.clock.sleep(TOGETHER_MS);
      waitedMs += TOGETHER_MS;
    } while (this.#elector.isClaiming && waitedMs < MOST_TOGETHER_MS);
  }
}

const isFinal = (error: unknown) =>
  isForbidden(error) || isUnauthorized(error) || isNotFound(error) || isInvalid(error);

function refusal(error: unknown, { namespace, name }: LeasePlan): InformerError {
  const hint = isNotFound(error)
    ? 'create the namespace, or name another one with --leader-elect-namespace'
    : ((error as InformerError).hint ?? 'name other Leases with --leader-elect-lease-name');
  const text = `--shards cannot use the Leases ${namespace}/${name}-*: ${messageOf(error)}`;
  return new InformerError('api', text, { cause: error, hint });
}
