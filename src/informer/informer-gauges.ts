import type { Clock } from '../kit/clock.ts';
import type { MetricsProvider } from '../kit/metrics.ts';
import type { Sharding } from '../model/shard.ts';
import type { Continuity, ContinuityEvent } from './watch/continuity-ledger.ts';
import { shardingOf } from './watch/sharded-source.ts';

/** The part of an informer that its gauges read. */
export interface Observed {
  readonly name: string;
  readonly hasSynced: boolean;
  readonly lastSyncResourceVersion: string;
  readonly continuity: readonly Continuity[];
  readonly lister: { readonly size: number };
  readonly sources: readonly unknown[];
}

/**
 * The cache and the continuity of one informer as metrics. Gauges are read at each scrape, until it is disposed.
 * `depth` is the number of deltas that wait to be applied.
 */
export class InformerGauges implements Disposable {
  readonly #observed: Disposable[];
  readonly #counts: Readonly<Record<'gap' | 'relisted' | 'resumed' | 'disconnected', { add(): void }>>;

  constructor(provider: MetricsProvider, informer: Observed, depth: () => number, clock: Clock) {
    const labels = { name: informer.name };
    const counter = (metric: string) => provider.counter(`kubectl_informer_${metric}`, labels);
    const gauge = (metric: string, read: () => number) => provider.observe(metric, labels, read);
    this.#counts = {
      gap: counter('gaps_total'),
      relisted: counter('relists_total'),
      resumed: counter('resumed_watches_total'),
      disconnected: counter('disconnects_total'),
    };
    const longest = (msOf: (continuity: Continuity) => number) => () =>
      informer.continuity.reduce((most, each) => Math.max(most, msOf(each)), 0) / 1000;
    this.#observed = [
      gauge('informer_queued_items', depth),
      gauge('informer_store_resource_version', () => lastDigits(informer.lastSyncResourceVersion)),
      gauge('kubectl_informer_cache_objects', () => informer.lister.size),
      gauge('kubectl_informer_synced', () => (informer.hasSynced ? 1 : 0)),
      gauge(
        'kubectl_informer_disconnected_seconds',
        longest(({ connection }) => (connection.state === 'disconnected' ? clock.now() - connection.since : 0)),
      ),
      gauge(
        'kubectl_informer_last_sign_of_life_seconds',
        longest(({ ageMs = 0 }) => ageMs),
      ),
      gauge('kubectl_informer_sharded_by_server', () => isShardedByServer(shardingOf(informer))),
    ];
  }

  count({ kind }: ContinuityEvent): void {
    if (kind === 'gap' || kind === 'relisted' || kind === 'resumed' || kind === 'disconnected')
      this.#counts[kind].add();
  }

  [Symbol.dispose](): void {
    for (const gauge of this.#observed.splice(0)) gauge[Symbol.dispose]();
  }
}

/** Not a number (and not shown) for a whole collection, and until it is known of each source. */
function isShardedByServer(sharding: readonly Sharding[]): number {
  if (sharding.length === 0 || sharding.some(({ dividedBy }) => dividedBy === undefined)) return Number.NaN;
  return sharding.every(({ dividedBy }) => dividedBy === 'server') ? 1 : 0;
}

/** As client-go shows a version: as many digits as a float keeps. Not a number (and not shown) for any other text. */
function lastDigits(version: string): number {
  return /^\d+$/.test(version) ? Number(version.slice(-15)) : Number.NaN;
}
