import { type Client, createClient } from '../../client/client.ts';
import { fencedTransport } from '../../client/http/fenced-transport.ts';
import { LeaderElector } from '../../controller/election/leader-elector.ts';
import { waitForSync } from '../../informer/sync-result.ts';
import { InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import type { GroupVersionResource } from '../../model/gvr.ts';
import { isForbidden, isInvalid, isNotFound, isUnauthorized } from '../../model/status.ts';
import type { ElectionFlags } from '../args/reconcile-flags.ts';
import type { WatchTarget } from '../session/informers.ts';
import { checkNamespaces } from '../session/name-check.ts';
import type { Session } from '../session/session.ts';

/** The lease of `--leader-elect`. */
export interface LeasePlan {
  readonly name: string;
  readonly namespace: string;
  readonly leaseDurationMs: number | undefined;
  readonly renewDeadlineMs: number | undefined;
  readonly retryPeriodMs: number | undefined;
}

/** What a lease is named after, and where it is by default. */
export interface LeaseDefaults {
  readonly hook: string;
  readonly gvr: GroupVersionResource;
  readonly namespaces: readonly string[];
  readonly current: string;
}

/** The lease of the flags; undefined without `--leader-elect`. Throws `argument` for what cannot work. */
export function leasePlanOf(flags: ElectionFlags, defaults: LeaseDefaults): LeasePlan | undefined {
  const { 'leader-elect': isElected, ...others } = flags;
  const useless = Object.entries(others).find(
    ([name, value]) => name.startsWith('leader-elect-') && value !== undefined,
  );
  if (!isElected && useless) {
    throw new InformerError('argument', `--${useless[0]} does nothing without --leader-elect`, {
      hint: 'add --leader-elect, or leave it out',
    });
  }
  if (!isElected) return undefined;
  const namespace = flags['leader-elect-namespace'] ?? namespaceOf(defaults);
  checkNamespaces([namespace]);
  return {
    name: flags['leader-elect-lease-name'] ?? leaseNameOf(defaults),
    namespace,
    leaseDurationMs: flags['leader-elect-lease-duration'],
    renewDeadlineMs: flags['leader-elect-renew-deadline'],
    retryPeriodMs: flags['leader-elect-retry-period'],
  };
}

/** The only namespace of the objects, else that of the context. */
function namespaceOf({ namespaces: [only = '', ...more], current }: LeaseDefaults): string {
  return more.length === 0 && only !== '' ? only : current;
}

/** `reconcile-label.ts-deployments.apps`: the same for each process with this hook and this type. */
function leaseNameOf({ hook, gvr: { group, resource } }: LeaseDefaults): string {
  const text = ['reconcile', hook, group === '' ? resource : `${resource}.${group}`].join('-').toLowerCase();
  return text
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/-*\.[-.]*/g, '.')
    .slice(-200)
    .replaceAll(/^[-.]+|[-.]+$/g, '');
}

/** Work that is done only while this process leads. */
export interface ReconcileElection {
  /** Sends no write unless this process leads. */
  readonly client: Client;
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
/** The lease is renewed until the work has ended, which has a limit of its own, ms. */
const DRAIN_MS = 600_000;

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
        drainMs: DRAIN_MS,
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

const FLAG_OF: Readonly<Record<string, string>> = {
  leaseDurationMs: '--leader-elect-lease-duration',
  renewDeadlineMs: '--leader-elect-renew-deadline',
  retryPeriodMs: '--leader-elect-retry-period',
  namespace: '--leader-elect-namespace',
  name: '--leader-elect-lease-name',
};

/** Names flags where an error of the library names options. */
function inFlags<T>(create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (!isInformerError(error, 'argument')) throw error;
    const text = error.message.replace(/^LeaderElector: /, '').replaceAll(/\((\d+)\)/g, (_, ms) => `(${ms}ms)`);
    const message = text.replaceAll(/\b\w+\b/g, (word) => FLAG_OF[word] ?? word);
    throw new InformerError('argument', message, { cause: error.cause });
  }
}

const isLost = (signal: AbortSignal) => isInformerError(signal.reason, 'leadership');

function atOnce(session: Session): void {
  for (const end of session.atOnce) end();
}

/** The same error is reported again after this time, ms. */
const AGAIN_MS = 60_000;

/** What a person reads about the election. */
class ElectionReports {
  readonly #session: Session;
  readonly #lease: string;
  readonly #reported = new Map<string, number>();
  #hasSeenLease = false;

  constructor(session: Session, { namespace, name }: LeasePlan) {
    this.#session = session;
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
    const { clock } = this.#session;
    const before = this.#reported.get(text);
    if (before !== undefined && clock.monotonic() - before < AGAIN_MS) return;
    if (this.#reported.size > 50) this.#reported.clear();
    this.#reported.set(text, clock.monotonic());
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
