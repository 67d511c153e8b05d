import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { isJsonMap } from '../../kit/exact-json.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import type { Logger } from '../../kit/logger.ts';
import type { MetricsProvider } from '../../kit/metrics.ts';
import type { RandomSource } from '../../kit/random.ts';
import type { KubeObject } from '../../model/object.ts';
import type { LeaseClient } from './lease-lock.ts';

/** Receives the events of an election. An `EventRecorder` fits. */
export interface ElectionRecorder {
  event(object: KubeObject, type: 'Normal', reason: string, message: string): unknown;
}

/** Options of a {@link LeaderElector}. */
export interface LeaderElectorOptions {
  /** Sends the requests for the Lease. It must not be fenced by this election. A `Client` fits. */
  client: LeaseClient;
  /** The name of the Lease. All processes that may lead must give the same one. */
  name: string;
  /** The namespace of the Lease. */
  namespace: string;
  /** Identifies this process among the others. Must be unique. Default: `HOSTNAME_UUID`, with a new random UUID. */
  identity?: string | undefined;
  /** Set on the Lease when it is created, and merged into its labels when it is updated. */
  labels?: Readonly<Record<string, string>> | undefined;
  /**
   * How long the others leave the lease alone after the last renewal that they saw, ms. At least a second; a Lease has
   * whole seconds, so fractions are cut off. Default 15,000.
   */
  leaseDurationMs?: number | undefined;
  /** How long a leader tries to renew the lease before it gives up, ms. Default 10,000. */
  renewDeadlineMs?: number | undefined;
  /** The time between two renewals. An attempt to acquire follows the last after 1 to 2.2 times this, ms. Default 2,000. */
  retryPeriodMs?: number | undefined;
  /**
   * Whether the lease is given up when the work has ended, so that another process leads at once. Otherwise it waits
   * until the lease has expired. Default false.
   */
  releaseOnCancel?: boolean | undefined;
  /**
   * How long the lease is still renewed, after the end was asked for, while the work of `onStartedLeading` ends, ms.
   * If the work takes longer, the lease is not released. Default 25,000.
   */
  drainMs?: number | undefined;
  /** The time after the end of the lease at which {@link LeaderElector.check} fails, ms. Default 20,000. */
  healthToleranceMs?: number | undefined;
  /**
   * The work of the leader. `signal` aborts when it has to end: because {@link LeaderElector.run} was asked to end, or
   * because the lease is lost; the reason says which. If the work fails, the election ends with its error.
   */
  onStartedLeading: (signal: AbortSignal) => unknown;
  /** Called at the end of every {@link LeaderElector.run}, also if this process never led. */
  onStoppedLeading: () => unknown;
  /** Called with the identity of each new leader, this process included, in all processes. */
  onNewLeader?: ((identity: string) => unknown) | undefined;
  /** Called with the error of each attempt that failed. It is tried again. Default: the error is logged. */
  onError?: ((error: unknown) => unknown) | undefined;
  /** Gets the events `IDENTITY became leader` and `IDENTITY stopped leading` about the Lease. */
  recorder?: ElectionRecorder | undefined;
  clock?: Clock | undefined;
  random?: RandomSource | undefined;
  logger?: Logger | undefined;
  metrics?: MetricsProvider | undefined;
}

/** The names and types of {@link LeaderElectorOptions}, for their check. Those with `true` are checked later. */
const KNOWN_ELECTOR_OPTIONS = {
  client: true,
  name: true,
  namespace: true,
  identity: 'text',
  labels: true,
  leaseDurationMs: 'number',
  renewDeadlineMs: 'number',
  retryPeriodMs: 'number',
  releaseOnCancel: 'boolean',
  drainMs: 'number',
  healthToleranceMs: 'number',
  onStartedLeading: true,
  onStoppedLeading: true,
  onNewLeader: 'function',
  onError: 'function',
  recorder: true,
  clock: 'clock',
  random: 'function',
  logger: 'logger',
  metrics: 'metrics',
} satisfies KnownOptionsOf<LeaderElectorOptions>;

/** The durations and the identity of an election, with their defaults. */
export interface ElectionSettings {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly drainMs: number;
  readonly healthToleranceMs: number;
  readonly identity: string;
}

/** An attempt to acquire follows the last one after up to 1 + this times the period. Source: client-go JitterFactor. */
export const JITTER = 1.2;

/**
 * Checks options in client-go's order: names and types, durations, callbacks, the lock, the identity. Throws `argument`.
 * Source: client-go tools/leaderelection NewLeaderElector.
 */
export function checkedSettings(options: LeaderElectorOptions): ElectionSettings {
  checkOptions('LeaderElector', options, KNOWN_ELECTOR_OPTIONS);
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000, drainMs = 25_000 } = options;
  const { healthToleranceMs = 20_000, identity = `${hostname()}_${randomUUID()}` } = options;
  const settings = { leaseDurationMs, renewDeadlineMs, retryPeriodMs, drainMs, healthToleranceMs, identity };
  checkDurations(settings);
  checkCallbacks(options);
  checkLock(options);
  if (settings.identity === '')
    throw refused('Lock identity is empty', 'leave it out for a new one, or give one that no other process has');
  return settings;
}

function checkDurations(settings: ElectionSettings): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = settings;
  if (!(leaseDurationMs > renewDeadlineMs)) {
    throw refused(
      `leaseDurationMs (${leaseDurationMs}) must be greater than renewDeadlineMs (${renewDeadlineMs})`,
      'a leader has to give up before another process may take the lease; the defaults are 15000 and 10000',
    );
  }
  if (!(renewDeadlineMs > JITTER * retryPeriodMs)) {
    throw refused(
      `renewDeadlineMs (${renewDeadlineMs}) must be greater than ${JITTER} times retryPeriodMs (${retryPeriodMs})`,
      'a leader needs time for more than one attempt; the defaults are 10000 and 2000',
    );
  }
  for (const name of ['leaseDurationMs', 'renewDeadlineMs', 'retryPeriodMs', 'drainMs', 'healthToleranceMs'] as const) {
    const isPositive = name === 'drainMs' || name === 'healthToleranceMs' ? settings[name] >= 0 : settings[name] > 0;
    if (!isPositive) throw refused(`${name} must be greater than zero, not ${settings[name]}`, 'it is in milliseconds');
  }
  if (leaseDurationMs < 1_000 || leaseDurationMs > LONGEST_LEASE_MS) {
    throw refused(
      `leaseDurationMs must be from 1000 to ${LONGEST_LEASE_MS}, not ${leaseDurationMs}`,
      'a Lease has its duration in whole seconds',
    );
  }
}

/** A Lease has its seconds as an int32. */
const LONGEST_LEASE_MS = 2_147_483_647_000;

function checkCallbacks(options: LeaderElectorOptions): void {
  for (const name of ['onStartedLeading', 'onStoppedLeading'] as const) {
    if (typeof options[name] !== 'function')
      throw refused(`${name} must be a function`, 'onStartedLeading does the work; onStoppedLeading may do nothing');
  }
}

/** Source: apimachinery util/validation IsDNS1123Subdomain. */
const DNS_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function checkLock({ client, name, namespace, labels = {} }: LeaderElectorOptions): void {
  if (typeof client?.resource !== 'function') throw refused('client is missing', 'give the client of createClient(…)');
  for (const [option, value] of Object.entries({ name, namespace })) {
    if (typeof value !== 'string' || value === '')
      throw refused(`${option} must be a text that is not empty`, 'the lock is the Lease of this namespace and name');
    if (!DNS_NAME.test(value))
      throw refused(`${option} ${JSON.stringify(value)} cannot be that of a Lease`, 'use lower case, digits, - and .');
  }
  if (!isJsonMap(labels) || Object.values(labels).some((value) => typeof value !== 'string'))
    throw refused('labels must be an object of texts', "for example { app: 'shop-operator' }");
}

function refused(problem: string, hint: string): InformerError {
  return new InformerError('argument', `LeaderElector: ${problem}`, { hint });
}
