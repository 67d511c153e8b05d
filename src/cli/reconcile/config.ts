import type { PredicateName } from '../../controller/sources/predicate.ts';
import { isFinalizerName } from '../../controller/writes/finalizer.ts';
import { type HookConfig, readWriteLimit, type WatchConfig, type WriteLimit } from '../../hooks/manifest.ts';
import { type CronSchedule, parseSchedules } from '../../hooks/triggers/cron-schedule.ts';
import { InformerError } from '../../kit/error.ts';
import { camelCased } from '../args/flag.ts';
import { type ConfigurableFlags, configurableFlags } from '../args/reconcile-flags.ts';
import { type StreamFilters, streamFiltersOf } from '../session/stream-filters.ts';
import type { LoadedHook } from './hook-loading.ts';

/**
 * The values of the flags, and for flags that are not given those of the hook's own config. What lets a hook write or
 * see more than it would otherwise is the operator's to say: only flags do.
 */
export function mergedConfig(flags: ConfigurableFlags, { name, config }: LoadedHook): HookConfig {
  if (config.hookMode !== undefined) {
    throw new InformerError('argument', `the config of hook ${name} has hookMode, which is only for executables`, {
      hint: 'leave it out: a module is loaded once',
    });
  }
  const { allowWrite: _w, passCredentials: _c, showSecrets: _s, ...own } = config;
  // A namespace given by flag is all the operator gave: no config widens it, or narrows what -A opened.
  const isScoped = flags.namespace !== undefined || flags['all-namespaces'];
  const { namespace: _n, allNamespaces: _a, ...unscoped } = own;
  return { ...(isScoped ? unscoped : own), ...withoutUnset(flagConfig(flags)) };
}

/**
 * Throws `argument` for a name that servers refuse, and for a finalizer beside a selector: an object that leaves the
 * selector would keep its finalizer, because nothing would remove it.
 */
export function checkFinalizer({ finalizer, selector, fieldSelector }: HookConfig): void {
  if (finalizer === undefined) return;
  if (!isFinalizerName(finalizer))
    throw new InformerError('argument', `--finalizer must be a name such as example.com/cleanup, not "${finalizer}"`, {
      hint: 'your domain, a slash, and a name: servers refuse any other for built-in types',
    });
  if (selector === undefined && fieldSelector === undefined) return;
  throw new InformerError(
    'argument',
    '--finalizer cannot be combined with a selector: an object that leaves it would keep the finalizer',
    {
      hint: 'select within the hook instead, or name the objects',
    },
  );
}

/** The settings in a hook's config that only a flag can give, in words; undefined when there is none. */
export function ignoredNotice(flags: ConfigurableFlags, { name, config }: LoadedHook): string | undefined {
  const asked = [
    config.allowWrite && !flags['allow-write'] ? '--allow-write' : undefined,
    config.passCredentials && !flags['pass-credentials'] ? '--pass-credentials' : undefined,
    config.showSecrets && !flags['show-secrets'] ? '--show-secrets' : undefined,
  ].filter((flag) => flag !== undefined);
  return asked.length === 0
    ? undefined
    : `the config of ${name} asks for what only a flag can give: ${asked.join(', ')}`;
}

function flagConfig(flags: ConfigurableFlags): { [K in keyof HookConfig]: HookConfig[K] | undefined } {
  const {
    allNamespaces,
    dryRun,
    watches: _w,
    map: _m,
    predicate,
    watchOnly,
    noNoise,
    every,
    hookTimeout,
    maxWrites,
    retryBase,
    retryMax,
    ...same
  } = camelCased(configurableFlags, flags);
  return {
    ...same,
    allNamespaces: allNamespaces || undefined,
    dryRun: dryRun || undefined,
    watches: watchesOf(flags),
    predicate: predicate as PredicateName[] | undefined,
    watchOnly: watchOnly || undefined,
    noNoise: noNoise || undefined,
    everyMs: every,
    hookTimeoutMs: hookTimeout,
    retryBaseMs: retryBase,
    retryMaxMs: retryMax,
    maxWrites: maxWrites === undefined ? undefined : writeLimit(maxWrites),
  };
}

function withoutUnset<T extends object>(config: T): HookConfig {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

function watchesOf({ watches = [], map = [] }: ConfigurableFlags): WatchConfig[] | undefined {
  if (watches.length !== map.length) {
    throw new InformerError(
      'argument',
      `each --watches needs a --map: there are ${watches.length} of one and ${map.length} of the other`,
      {
        hint: 'for example --watches configmaps --map .metadata.labels.app',
      },
    );
  }
  return watches.length === 0 ? undefined : watches.map((type, i) => ({ type, map: map[i] as string }));
}

function writeLimit(text: string): WriteLimit {
  const limit = readWriteLimit(text);
  if (!('expected' in limit)) return limit;
  throw new InformerError('argument', `invalid argument "${text}" for "--max-writes": expected ${limit.expected}`);
}

/** The schedules of a config. Throws `argument` for what cannot be read, and for a zone without a schedule. */
export function schedulesOf({ schedule = [], scheduleZone }: HookConfig): Promise<CronSchedule[]> {
  if (schedule.length === 0 && scheduleZone !== undefined)
    throw new InformerError('argument', '--schedule-zone does nothing without --schedule', {
      hint: 'add --schedule, or leave it out',
    });
  return parseSchedules(schedule, scheduleZone ?? 'UTC');
}

/** The filters of a config, compiled. Throws `argument` for what cannot be read, with its place. */
export function triggerFiltersOf(config: HookConfig): Promise<StreamFilters> {
  const copy = (list: readonly string[] | undefined) => list && [...list];
  return streamFiltersOf({
    name: config.name,
    'exclude-name': config.excludeName,
    'watch-only': config.watchOnly ?? false,
    on: copy(config.on),
    filter: copy(config.filter),
    where: copy(config.where),
    changed: copy(config.changed),
    'ignore-changes': copy(config.ignoreChanges),
    predicate: copy(config.predicate),
    'no-noise': config.noNoise ?? false,
  });
}
