import type { HookConfig } from '../../hooks/manifest.ts';
import type { CronSchedule } from '../../hooks/triggers/cron-schedule.ts';
import { type RetryLimits, retryLimitsOf } from '../../hooks/triggers/retry-limits.ts';
import { InformerError, isInformerError } from '../../kit/error.ts';
import { checkEventWords, type StreamFilters } from '../session/stream-filters.ts';
import { schedulesOf, triggerFiltersOf } from './config.ts';
import type { LoadedHook } from './hook-loading.ts';
import { parseSnapshots } from './snapshots.ts';

/** The hook that has them, and what it says of itself. */
type TriggeredHook = Pick<LoadedHook, 'name' | 'config'>;

/** The triggers of runs, read and checked before a server is asked. */
export interface Triggers {
  readonly filters: StreamFilters;
  readonly schedules: readonly CronSchedule[];
  readonly retries: RetryLimits;
  readonly snapshots: ReturnType<typeof parseSnapshots>;
}

/** Reads what leads to runs. Throws `argument` for what cannot be read, or does not go together. */
export async function triggersOf(
  config: HookConfig,
  hook: TriggeredHook,
  flags: Readonly<Record<string, unknown>>,
): Promise<Triggers> {
  try {
    const filters = await triggerFiltersOf(config);
    checkTriggers(config, filters);
    return {
      filters,
      schedules: await schedulesOf(config),
      retries: retryLimitsOf(config),
      snapshots: parseSnapshots(config.with ?? []),
    };
  } catch (error) {
    throw blaming(error, hook, flags);
  }
}

/** Refuses flags that leave each other nothing to do. Throws `argument`. */
export function checkTriggers(config: HookConfig, { rules }: Pick<StreamFilters, 'rules'>): void {
  const { on } = rules;
  const refuse = (message: string, hint: string): never => {
    throw new InformerError('argument', message, { hint });
  };
  const ofUpdates = (['changed', 'ignoreChanges', 'predicate', 'noNoise'] as const).find((key) => config[key]);
  checkEventWords(rules, ofUpdates && flagOf(ofUpdates));
  const { finalizer, watchOnly, maxRetries } = config;
  if (finalizer !== undefined && (watchOnly || (on && !on.has('ADDED'))))
    refuse(
      `--finalizer cannot be combined with ${watchOnly ? '--watch-only' : '--on without added'}`,
      'objects get the finalizer when the hook first runs for them, and those that exist would not',
    );
  const retry = (['retryBaseMs', 'retryMaxMs', 'retryQps', 'retryBurst'] as const).find((key) => config[key]);
  if (maxRetries === 0 && retry)
    refuse(`${flagOf(retry)} does nothing beside --max-retries 0`, 'a key is then given up at its first failure');
}

const flagOf = (key: string) => `--${key.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * The error of a check, with the hook's name if the value that it refuses comes from the hook's own config and not from
 * a flag.
 */
export function blaming(
  error: unknown,
  { name, config }: TriggeredHook,
  flags: Readonly<Record<string, unknown>>,
): unknown {
  if (!isInformerError(error, 'argument')) return error;
  const named = [...error.message.matchAll(/--[a-z-]+/g)].map(([flag]) => flag.slice(2));
  const own = Object.keys(config).map((key) => flagOf(key).slice(2));
  const isOwn = named.some((flag) => own.includes(flag) && (flags[flag] === undefined || flags[flag] === false));
  if (!isOwn) return error;
  return new InformerError('argument', `the config of hook ${name}: ${error.message}`, {
    cause: error.cause,
    hint: error.hint,
  });
}
