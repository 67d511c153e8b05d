import type { ControllerPhase } from '../controller/explanation.ts';
import type { ManagerCheck, ManagerCheckResult } from '../controller/manager/checks.ts';
import type { StoreMemory } from '../informer/compact/compact-store.ts';
import type { Continuity } from '../informer/watch/continuity-ledger.ts';
import type { Clock } from '../kit/clock.ts';
import { humanDuration } from '../kit/duration.ts';
import { messageOf } from '../kit/error.ts';

/** The part of an informer that its checks and its debug page read. A SharedInformer fits. */
export interface InspectedInformer {
  readonly name: string;
  readonly hasSynced: boolean;
  readonly lastError: unknown;
  readonly continuity: readonly Continuity[];
  readonly lister: { readonly size: number };
  /** Absent: not known. */
  readonly sources?: readonly unknown[] | undefined;
  /** Absent: not known. */
  readonly memory?: StoreMemory | undefined;
}

/** The part of a controller that its check reads. A Controller fits. */
export interface CheckedController {
  snapshot(): { readonly controller: { readonly name: string; readonly phase: ControllerPhase } };
}

/** For this time without a connection a cache counts as current, ms: after it the readiness page turns false. */
const STALE_AFTER_MS = 60_000;

/** The options of readiness. */
export interface ReadinessOptions {
  readonly informers: readonly InspectedInformer[];
  readonly controllers: readonly CheckedController[];
  readonly clock: Clock;
  /** A cache whose informer has had no connection for longer is stale, ms. Default: {@link STALE_AFTER_MS}. */
  readonly staleAfterMs?: number | undefined;
  /** Aborts when the program begins to end. */
  readonly ending: AbortSignal | undefined;
}

/**
 * The conditions under which a program is ready: it is not ending, every informer has synced and is connected or was so
 * a short time ago, and no controller still waits for its sources. A controller that was not started does not count:
 * it may be a stand-by of a leader election.
 */
export function readinessChecks({
  informers,
  controllers,
  clock,
  staleAfterMs = STALE_AFTER_MS,
  ending,
}: ReadinessOptions): ManagerCheck[] {
  return [
    { name: 'shutdown', reason: () => (ending?.aborted ? 'the program is ending' : undefined) },
    ...informers.flatMap((informer) => [
      { name: `sync/${informer.name}`, reason: () => syncReason(informer) },
      { name: `connection/${informer.name}`, reason: () => connectionReason(informer, clock.now(), staleAfterMs) },
    ]),
    ...controllers.map((controller) => ({
      name: `controller/${controller.snapshot().controller.name}`,
      reason: () => PHASES[controller.snapshot().controller.phase],
    })),
  ];
}

const PHASES: Readonly<Record<ControllerPhase, string | undefined>> = {
  'not started': undefined,
  syncing: 'waits for the initial sync of its sources',
  'catching up': 'waits until its caches show what an earlier leader wrote',
  running: undefined,
  draining: 'is ending',
  ended: 'has ended',
};

function syncReason({ hasSynced, lastError }: InspectedInformer): string | undefined {
  if (hasSynced) return undefined;
  return lastError === undefined ? 'no initial sync yet' : `no initial sync yet: ${messageOf(lastError)}`;
}

function connectionReason({ continuity }: InspectedInformer, now: number, staleAfterMs: number): string | undefined {
  for (const { connection } of continuity) {
    if (connection.state !== 'disconnected' || now - connection.since <= staleAfterMs) continue;
    const { error } = connection;
    const why = error === undefined || error === null ? '' : `: ${messageOf(error)}`;
    return `no connection for ${humanDuration(now - connection.since)}${why}`;
  }
  return undefined;
}

/** The results line by line, as kube-apiserver's `?verbose` shows them. */
export function healthText(page: string, results: readonly ManagerCheckResult[]): string {
  const lines = results.map(({ name, reason }) =>
    reason === undefined ? `[+]${name} ok` : `[-]${name} failed: ${reason.replaceAll(/\s+/g, ' ')}`,
  );
  const isMet = results.every(({ reason }) => reason === undefined);
  return [...lines, `${page} check ${isMet ? 'passed' : 'failed'}`, ''].join('\n');
}
