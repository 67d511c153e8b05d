import type { Client } from '../../client/client.ts';
import { InformerError } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import { checkShard, SHARDED_KEYS, type ShardedKey } from '../../model/shard.ts';
import { checkedSettings, type ElectionSettings, type LeaderElectorOptions } from '../election/elector-options.ts';
import { LONGEST_SUFFIX } from './division-labels.ts';

/** A shard that this process has. */
export interface HeldShard {
  readonly index: number;
  /** Aborts when its work has to end: because it is given back, or because its lease is lost; the reason says which. */
  readonly signal: AbortSignal;
  /** Whether no other process can have it at this moment. See {@link LeaderElector.isLeading}. */
  readonly isHeld: boolean;
  /** How long that is so if its lease is not renewed, ms; 0 unless {@link isHeld}. */
  readonly heldForMs: number;
  /** Throws `leadership` unless {@link isHeld}. For use before each write. */
  assertHeld(): void;
}

/** The sharing, as one process sees it. */
export interface ShardOverview {
  /** Its own shards. */
  readonly held: readonly number[];
  /** The identities of the processes that live. */
  readonly members: readonly string[];
  /** Who has each shard; undefined for one without an owner. */
  readonly holders: readonly (string | undefined)[];
  /** The division of other processes for which this one waits, such as `4-by-uid`; undefined if it does not wait. */
  readonly waitsFor: string | undefined;
}

/** Options of a {@link ShardElector}. */
export interface ShardElectorOptions
  extends Pick<
    LeaderElectorOptions,
    | 'namespace'
    | 'identity'
    | 'labels'
    | 'leaseDurationMs'
    | 'renewDeadlineMs'
    | 'retryPeriodMs'
    | 'drainMs'
    | 'healthToleranceMs'
    | 'onError'
    | 'clock'
    | 'random'
    | 'logger'
    | 'metrics'
  > {
  /** Sends the requests for the Leases. It must not be fenced by them. */
  client: Client;
  /** The name of the shared work, the same in all its processes; the names of the Leases begin with it. */
  name: string;
  /** The number of shards. All processes must give the same one. */
  shards: number;
  /** See {@link Shard}. Default `uid`. */
  by?: ShardedKey | undefined;
  /**
   * The work for one shard. When `signal` aborts it must end, and resolve when nothing of it runs any more: then another
   * process gets the shard. If it fails, {@link ShardElector.run} ends with its error.
   */
  onShard: (shard: HeldShard) => unknown;
  /** Called when the shards of this process have changed, the number of replicas that share them, or what it waits for. */
  onChange?: ((overview: ShardOverview) => unknown) | undefined;
  /** Called when a lease is lost. The process takes part as before. */
  onLost?: ((lost: { readonly index: number; readonly error: unknown }) => unknown) | undefined;
}

const KNOWN_OPTIONS = {
  client: true,
  name: true,
  namespace: true,
  shards: 'number',
  by: SHARDED_KEYS,
  identity: 'text',
  labels: true,
  leaseDurationMs: 'number',
  renewDeadlineMs: 'number',
  retryPeriodMs: 'number',
  drainMs: 'number',
  healthToleranceMs: 'number',
  onShard: 'function',
  onChange: 'function',
  onLost: 'function',
  onError: 'function',
  clock: 'clock',
  random: 'function',
  logger: 'logger',
  metrics: 'metrics',
} satisfies KnownOptionsOf<ShardElectorOptions>;

/** The longest name of a Lease. Source: apimachinery util/validation IsDNS1123Subdomain. */
const LONGEST_NAME = 253;

/** Checks all options. Throws `argument`. */
export function checkedShardSettings(options: ShardElectorOptions): ElectionSettings {
  checkOptions('ShardElector', options, KNOWN_OPTIONS);
  const { shards, by, onShard, onChange: _1, onLost: _2, ...others } = options;
  if (typeof onShard !== 'function')
    throw new InformerError('argument', 'ShardElector: onShard must be a function', {
      hint: 'it does the work of one shard until its signal aborts',
    });
  checkShard({ index: 0, of: shards, by });
  const settings = checkedSettings({ ...others, onStartedLeading() {}, onStoppedLeading() {} });
  if (options.name.length + LONGEST_SUFFIX > LONGEST_NAME) {
    throw new InformerError('argument', `ShardElector: name has ${options.name.length} characters`, {
      hint: `it may have ${LONGEST_NAME - LONGEST_SUFFIX}, because the names of Leases begin with it`,
    });
  }
  return settings;
}
