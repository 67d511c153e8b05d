import { type Client, createClient } from '../../client/client.ts';
import { fencedTransport } from '../../client/http/fenced-transport.ts';
import { LeaderElector } from '../../controller/election/leader-elector.ts';
import { waitForSync } from '../../informer/sync-result.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { isForbidden, isInvalid, isNotFound, isUnauthorized } from '../../model/status.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { Session } from '../session/session.ts';
import { LeaseErrors } from './lease-errors.ts';
import { inFlags, LEASE_DRAIN_MS, type LeasePlan } from './lease-plan.ts';

/** Work that is done only while this process leads. */
export interface ReconcileElection {
  /** Sends no write unless this process leads. */
  readonly client: Client;
  /** See {@link LeaderElector.check}. */
  check(): void;
  /** How long this process leads, ms. See {@link LeaderElector.leadsForMs}. */
  readonly leaseLeft: () => number;
  /** Whether the caches were in sync at some time, so that the process could have led. */
  readonly isStandby: boolean;
  /**
   * Waits for the caches and then for the lease, does the work, and releases the lease. Rejects as
   * {@link LeaderElector.run}.
   */
  run(targets: readonly WatchTarget[], work: (signal: AbortSignal) => Promise<void>): Promise<void>;
}

/** How long the caches may take, as for a controller, ms. */
const SYNC_TIMEOUT_MS = 120_000;

/** Creates the election of a plan. Throws `argument` for durations and names that cannot work. */
export function createElection(session: Session, plan: LeasePlan): ReconcileElection {
  const { client, clock, logger } = session;
  let work: (signal: AbortSignal) => Promise<void> = async () => {};
  const reports = new ElectionReports(session, plan);
  const elector: LeaderElector = inFlags(
    () =>
      new LeaderElector({
        ...plan,
        client,
        clock,
        logger,
        releaseOnCancel: true,
        drainMs: LEASE_DRAIN_MS,
        onStartedLeading(signal) {
          reports.leads(elector.identity);
          // a program of a hook that runs on would act beside the next leader
          signal.addEventListener('abort', () => isLost(signal) && atOnce(session), { once: true });
          return work(signal);
        },
        onStoppedLeading() {},
        onNewLeader: (leader) => leader === elector.identity || reports.waits(leader),
        onError: (error) => reports.failed(error, elector),
      }),
  );
  const election = {
    client: createClient(
      fencedTransport(client.transport, () => elector.assertLeading()),
      { clock, logger },
    ),
    check: () => elector.check(),
    leaseLeft: () => elector.leadsForMs,
    isStandby: false,
    async run(targets: readonly WatchTarget[], leaderWork: typeof work) {
      work = leaderWork;
      const options = { timeoutMs: SYNC_TIMEOUT_MS, clock, logger };
      const error = (
        await waitForSync(
          targets.map(({ informer }) => informer),
          session.signal,
          options,
        )
      ).asError();
      if (session.signal.aborted) return;
      if (error) throw error;
      election.isStandby = true;
      await elector.run(session.signal);
    },
  };
  return election;
}

const isLost = (signal: AbortSignal) => isInformerError(signal.reason, 'leadership');

function atOnce(session: Session): void {
  for (const end of session.atOnce) end();
}

/** The notices about the election. */
class ElectionReports {
  readonly #session: Session;
  readonly #lease: string;
  readonly #errors: LeaseErrors;
  #hasSeenLease = false;

  constructor(session: Session, { namespace, name }: LeasePlan) {
    this.#session = session;
    this.#errors = new LeaseErrors(session.clock);
    this.#lease = `${namespace}/${name}`;
  }

  waits(leader: string): void {
    this.#hasSeenLease = true;
    this.#session.notice(`waits for the lease ${this.#lease}, which ${leader} has; the hook does not run before`);
  }

  leads(identity: string): void {
    this.#hasSeenLease = true;
    this.#session.notice(`leads: has the lease ${this.#lease} as ${identity}`);
  }

  /** Ends the session if the first look at the lease shows that no attempt can succeed. */
  failed(error: unknown, { isLeading }: LeaderElector): void {
    const isFinal = isForbidden(error) || isUnauthorized(error) || isNotFound(error) || isInvalid(error);
    if (isFinal && !this.#hasSeenLease) {
      this.#session.end(this.#refusal(error));
      return;
    }
    const text = messageOf(error);
    if (!this.#errors.isDue(text)) return;
    const what = isLeading ? 'renewed' : 'acquired';
    this.#session.notice(`the lease ${this.#lease} could not be ${what}, and is tried again: ${text}`);
  }

  #refusal(error: unknown): InformerError {
    const hint = isNotFound(error)
      ? 'create the namespace, or name another one with --leader-elect-namespace'
      : ((error as InformerError).hint ?? 'name another lease with --leader-elect-lease-name');
    const text = `--leader-elect cannot use the lease ${this.#lease}: ${messageOf(error)}`;
    return new InformerError('api', text, { cause: error, hint });
  }
}
