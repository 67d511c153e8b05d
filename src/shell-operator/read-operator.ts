import path from 'node:path';
import type { CommandLine } from '../cli/args/argv.ts';
import { type FlagValues, namesOf } from '../cli/args/flag.ts';
import { reconcileFlags } from '../cli/args/reconcile-flags.ts';
import { connectionFlags } from '../cli/args/shared-flags.ts';
import { isTyped } from '../cli/args/useless-flags.ts';
import type { Edges } from '../cli/base-command.ts';
import { type LeasePlan, leasePlanOf } from '../cli/reconcile/lease-plan.ts';
import { type Environment, hookEnvironment } from '../hooks/run/hook-environment.ts';
import { parseSchedules } from '../hooks/triggers/cron-schedule.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import type { JqLibrary } from '../output/jq/jq-library.ts';
import { type CrontabTimes, readCrontab } from './crontab.ts';
import { findHooks } from './find-hooks.ts';
import { loadHooks, type OperatorHook } from './load-hooks.ts';
import { compileFilter, type ObjectFilter } from './object-filter.ts';
import { RunFolder } from './run-files.ts';
import { shellLibrary } from './shell-library.ts';

type Flags = FlagValues<typeof reconcileFlags>;

/** The flags of `reconcile` that hooks of shell-operator leave something to do. */
const MEANT = [
  'shell-operator',
  'per-object',
  'pass-env',
  'workers',
  'hook-timeout',
  'allow-write',
  'dry-run',
  'max-writes',
  'hot-loop',
  'pass-credentials',
  'show-secrets',
  'leader-elect',
  'leader-elect-lease-name',
  'leader-elect-namespace',
  'leader-elect-lease-duration',
  'leader-elect-renew-deadline',
  'leader-elect-retry-period',
  'observe',
  'idle-timeout',
  'metrics',
  'grace',
  'color',
  'log-format',
  ...namesOf(connectionFlags),
];

/** A folder of hooks that can run. */
export interface ReadOperator {
  readonly folder: string;
  readonly hooks: readonly OperatorHook[];
  /** The jqFilters of all hooks, by their texts. */
  readonly filters: ReadonlyMap<string, ObjectFilter>;
  /** The times of the crontabs, by their texts. */
  readonly times: ReadonlyMap<string, CrontabTimes>;
  readonly remarks: readonly string[];
}

/** Checks a command line of `reconcile --shell-operator`, and reads its hooks. Throws `argument`. */
export async function readOperator(line: CommandLine, flags: Flags, edges: Edges): Promise<ReadOperator> {
  const useless = namesOf(reconcileFlags).find((name) => !MEANT.includes(name) && isTyped(line.given, name));
  if (useless !== undefined)
    throw new InformerError('argument', `--${useless} does nothing beside --shell-operator`, {
      hint: 'the configuration of each hook says what it watches, and when it runs',
    });
  if (line.words.length > 0)
    throw new InformerError('argument', `--shell-operator takes no TYPE, and ${line.words.join(' ')} is given`, {
      hint: 'each hook says by itself what it watches',
    });
  if (flags.workers !== undefined && !flags['per-object'])
    throw new InformerError('argument', '--workers needs --per-object beside --shell-operator', {
      hint: 'a queue keeps its order: name several queues in the hooks, or let objects go side by side with --per-object',
    });
  return await readFolder(flags['shell-operator'] ?? '', environmentOf(flags, edges.io.env, undefined), edges.signal);
}

/** Asks the hooks of a folder for their configurations. Throws `argument`. */
export async function readFolder(
  given: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ReadOperator> {
  const { folder, hooks: files, remarks } = await findHooks(given);
  await using asked = await RunFolder.make();
  const hooks = await loadHooks(files, {
    folder,
    env: { ...env, ...shellLibrary(asked.path, folder) },
    clock: systemClock,
    signal,
  });
  return { folder, remarks, hooks, filters: await filtersOf(hooks), times: await timesOf(hooks) };
}

/** The lease of `--leader-elect`; undefined without it. */
export function operatorLease(flags: Flags, folder: string, current: string): LeasePlan | undefined {
  const unshared = { ...flags, shards: undefined, 'shard-by': undefined };
  return leasePlanOf(unshared, {
    hook: path.basename(folder),
    gvr: HOOKS,
    isNamespaced: false,
    namespaces: [''],
    current,
  });
}

const HOOKS = { group: '', version: 'v1', resource: 'hooks' };

/** The environment of hooks, without the files of a run. */
export function environmentOf(
  flags: Pick<Flags, 'pass-env' | 'pass-credentials'>,
  env: Environment,
  credentials: Environment | undefined,
): Record<string, string> {
  const named = (flags['pass-env'] ?? []).flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  const own = hookEnvironment({ from: env, passCredentials: flags['pass-credentials'], credentials });
  return { ...Object.fromEntries(named), ...own };
}

/** jq, or an error with the way to get it. */
export async function loadJq(): Promise<JqLibrary> {
  try {
    return await (await import('../output/jq/jq-library.ts')).loadJqLibrary();
  } catch (cause) {
    throw new InformerError('argument', messageOf(cause).replace('-o jq needs', 'jqFilter needs'), {
      cause,
      hint: (cause as { hint?: string }).hint,
    });
  }
}

/** jq is loaded only where there is a filter. */
async function filtersOf(hooks: readonly OperatorHook[]): Promise<Map<string, ObjectFilter>> {
  const filters = new Map<string, ObjectFilter>();
  for (const { name, config } of hooks)
    for (const { at, jqFilter } of config.kubernetes) {
      if (jqFilter === '' || filters.has(jqFilter)) continue;
      filters.set(jqFilter, await compileFilter(jqFilter, `${name} ${at}.jqFilter`, await loadJq(), systemClock));
    }
  return filters;
}

async function timesOf(hooks: readonly OperatorHook[]): Promise<Map<string, CrontabTimes>> {
  const crontabs = new Set(hooks.flatMap(({ config }) => config.schedules.map(({ crontab }) => crontab)));
  const times = [...crontabs].map(async (each) => [each, await readCrontab(each, parseSchedules)] as const);
  return new Map(await Promise.all(times));
}
