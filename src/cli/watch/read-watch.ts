import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import type { Representation } from '../../client/resource-api.ts';
import { addressesOf } from '../../expr/jsonpath/fields-read.ts';
import { splitPaths } from '../../expr/jsonpath/path-values.ts';
import { InformerError } from '../../kit/error.ts';
import type { FieldReads } from '../../model/field-path.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { CompiledOutput } from '../../output/compiled-output.ts';
import type { OutputFormat } from '../../output/formats.ts';
import type { LiveTable } from '../../output/live/live-table.ts';
import { TIMESTAMPS } from '../../output/timestamps.ts';
import type { CollectionPart } from '../../query/answer/collection-part.ts';
import { comparing, type SortOrder, sortOrderOf } from '../../query/answer/sort-order.ts';
import { sameRows } from '../../stream/changes/noise.ts';
import type { SameBut } from '../../stream/changes/path-mask.ts';
import { compileScope } from '../../stream/changes/path-scope.ts';
import { type ServerSideFilter, serverSideFilterOf } from '../../stream/conditions/server-side-filter.ts';
import { checkRollouts } from '../../stream/conditions/types-with-rollouts.ts';
import type { CommandLine } from '../args/argv.ts';
import { idleMsOf } from '../args/shared-flags.ts';
import { refuseBeside, refuseWithout } from '../args/useless-flags.ts';
import type { WatchFlags } from '../args/watch-flags.ts';
import { whenAvailable } from '../outage/when-available.ts';
import { askedPart } from '../session/asked-part.ts';
import { clusterVariables } from '../session/cluster-choice.ts';
import { resolveServed, type ServedSelections } from '../session/cluster-types.ts';
import { resolveWhenThere } from '../session/crd-wait.ts';
import {
  addressesPrinted,
  compiledOutputOf,
  type Layout,
  printerOf,
  printsManagedFields,
  readsManagedFields,
  refuseUnshown,
  rowOptionsOf,
} from '../session/output.ts';
import type { ServeUse } from '../session/serve-transport.ts';
import { type CommandSession, checkSelectors, namespacesOf, type Session } from '../session/session.ts';
import { checkEventWords, isOfMetadata, type StreamFilters, streamFiltersOf } from '../session/stream-filters.ts';
import { checkWheres } from '../session/where-check.ts';
import { canRedraw, type Io } from '../terminal/io.ts';
import { type Waits, waitsOf } from './wait-flags.ts';
import type { WatchPlan } from './watch-plan.ts';

/** The part of a command line that can be read and checked before a server is asked. */
export interface CheckedWatch {
  readonly output: CompiledOutput;
  readonly filters: StreamFilters;
  readonly waits: Waits;
  readonly sortBy: SortOrder | undefined;
  readonly wantsLive: boolean;
  /** On a terminal, in the one format that has rows. */
  readonly isLive: boolean;
  /** Ends after the initial list. */
  readonly once: boolean;
  readonly part: CollectionPart | undefined;
  readonly timeoutMs: number | undefined;
}

/** Reads every expression, format and selector. Throws `argument` for what cannot be read, or does not go together. */
export async function checkWatch(flags: WatchFlags, { given, words }: CommandLine, io: Io): Promise<CheckedWatch> {
  const variables = clusterVariables(flags);
  checkSelectors(flags);
  if (given.get('watch')?.values.at(-1) === 'false')
    throw new InformerError('argument', 'watch watches, and -w=false asks for the opposite', {
      hint: '--once shows what is there and ends, as query does',
    });
  checkTimestamps(flags, words);
  const output = await compiledOutputOf(flags);
  const { format } = output;
  // a default yields to what is typed
  const isLive = flags.live && (format.traits.isTable || given.get('live')?.origin === 'flag');
  checkTogether({ ...flags, live: isLive }, format);
  refuseUnshown(given, format);
  if (!isLive)
    refuseBeside(
      given,
      ['sort-by'],
      ['watch-only'],
      '--sort-by orders what is there at the start, which --watch-only leaves out',
    );
  refuseBeside(given, ['verify-every', 'idle-timeout', 'stays'], ['once'], '--once ends with the first look');
  refuseWithout(given, ['record-keep', 'record-size', 'record-key'], ['record']);
  refuseWithout(given, ['seek', 'speed'], ['from']);
  refuseBeside(given, NOT_OF_RECORDINGS, ['from'], 'a recording is watched in place of a cluster, and alone');
  if (isLive && given.get('timestamps')?.origin === 'flag')
    throw new InformerError('argument', '--live has no place for --timestamps', {
      hint: 'the line of its counts has the time of the last event; leave out --live to see the time of each',
    });
  const waits = await waitsOf(flags, { variables });
  const filters = await streamFiltersOf(flags, { variables });
  const ofUpdates = OF_UPDATES.find((name) => given.get(name)?.origin === 'flag');
  checkEventWords(filters.rules, ofUpdates && `--${ofUpdates}`);
  if (flags.once && !waits.isGoal && filters.rules.on?.has('ADDED') === false)
    throw new InformerError('argument', '--once and --on without added leave nothing to show', {
      hint: 'what is there at the start is shown as ADDED; leave out one of them',
    });
  return {
    output,
    part: askedPart(flags, given),
    filters,
    waits,
    ...timesOf(flags, waits, given.get('timeout')?.values.at(-1)),
    sortBy: flags['sort-by'] === undefined ? undefined : await sortOrderOf(flags['sort-by']),
    wantsLive: isLive,
    isLive: isLive && canRedraw(io, io.stdout),
  };
}

/** Flags about a cluster, which say nothing about a recording of one. */
const NOT_OF_RECORDINGS = [
  ...['record', 'all-contexts', 'context', 'sandbox', 'scenario', 'server', 'kubeconfig', 'wait-for-crd', 'shard'],
  ...['verify-every', 'idle-timeout'],
];

/** Flags that choose among the updates of an object. */
const OF_UPDATES = ['changed', 'ignore-changes', 'predicate'];

/** kubectl wait's: 0 looks once, less than 0 waits for a week. Source: kubectl pkg/cmd/wait. */
function timesOf(
  { timeout, once }: WatchFlags,
  { isGoal }: Waits,
  written = '',
): Pick<CheckedWatch, 'once' | 'timeoutMs'> {
  if (timeout === undefined || timeout > 0) return { once, timeoutMs: timeout };
  if (!isGoal)
    throw new InformerError('argument', `invalid argument "${written}" for "--timeout": expected more than no time`, {
      hint: '--once looks once and ends; without --timeout the stream goes on',
    });
  return timeout === 0 ? { once: true, timeoutMs: undefined } : { once, timeoutMs: A_WEEK_MS };
}

const A_WEEK_MS = 7 * 24 * 3600 * 1000;

/** `--timestamps rfc3339` would watch an object of that name. */
function checkTimestamps({ timestamps }: WatchFlags, words: readonly string[]): void {
  const [meant] = timestamps === undefined ? [] : TIMESTAMPS.filter((way) => words.includes(way));
  if (meant === undefined) return;
  throw new InformerError('argument', `--timestamps takes its value behind =, and ${meant} is a word of its own`, {
    hint: `write --timestamps=${meant}`,
  });
}

function checkTogether(flags: WatchFlags, { traits }: OutputFormat): void {
  const refuse = (message: string, hint: string): never => {
    throw new InformerError('argument', message, { hint });
  };
  if (traits.streams !== true)
    refuse(
      `-o ${traits.called} prints ${traits.streams}, and watch prints a stream of events`,
      `query -o ${traits.called} prints what is there; -o ndjson is for streams`,
    );
  if (flags.live && !traits.isTable)
    refuse(`--live is a table, and cannot be -o ${flags.output}`, 'leave out one of them');
  if (flags.live && flags.markers)
    refuse('--live has no place for --markers', 'leave out one of them: stderr reports what the markers report');
  if (flags.markers && !traits.markers)
    refuse(`--markers has no place in -o ${flags.output}`, 'use -o json, yaml or jq');
  if (flags['overflow-buffer'] !== undefined && flags.overflow !== 'drop')
    refuse('--overflow-buffer is for --overflow drop', 'the others lose nothing that a buffer could hold');
  if (flags.once && flags['watch-only'])
    refuse('--once and --watch-only leave nothing to show', 'leave out one of them');
}

/** The part of a plan that differs between the parts of a stream: what is watched there. */
export type PlanPart = Pick<WatchPlan, 'selections' | 'namespaces' | 'pushedDown' | 'unserved'>;

/** Resolves what is to be watched, and puts the plan together. What `--filter` can be asked of the server is. */
export async function planOf(
  words: readonly string[],
  flags: WatchFlags,
  checked: CheckedWatch,
  session: Session,
): Promise<WatchPlan> {
  const ask = () => planPartOf(words, flags, checked, session);
  const part = await (checked.once ? ask() : whenAvailable(session, ask));
  return { ...(await sharedPlanOf([part], flags, checked, session)), ...part };
}

/** Resolves what is to be watched in a cluster. One of several may lack some of the types. */
export async function planPartOf(
  words: readonly string[],
  flags: WatchFlags,
  checked: CheckedWatch,
  session: Session,
): Promise<PlanPart> {
  const { filters, waits } = checked;
  const { selections, unserved } = await selectionsOf(words, flags, session);
  const namespaces = namespacesOf(flags, session.config);
  const types = selections.map(({ type }) => type);
  await checkWheres(filters.wheres, types, namespaces.length === 1 ? namespaces[0] || undefined : undefined, session);
  checkRollouts([...filters.filters, ...waits.programs], waits.rules?.for ?? [], types);
  return { selections, unserved, namespaces, pushedDown: await pushedDownByType(checked, selections, flags, session) };
}

async function selectionsOf(words: readonly string[], flags: WatchFlags, session: Session): Promise<ServedSelections> {
  if (flags['wait-for-crd']) return { selections: await resolveWhenThere(words, session), unserved: [] };
  return session.cluster === undefined
    ? { selections: await session.resolve(words), unserved: [] }
    : resolveServed(words, session);
}

/** The part of a plan that the parts of a stream share: how it is shown, and when it ends. */
export async function sharedPlanOf(
  parts: readonly PlanPart[],
  flags: WatchFlags,
  checked: CheckedWatch,
  session: CommandSession,
): Promise<Omit<WatchPlan, keyof PlanPart>> {
  const { output, filters, waits, sortBy } = checked;
  const { format } = output;
  const namespaces = new Set(parts.flatMap((part) => part.namespaces));
  const layout = {
    severalTypes: parts.some(({ selections }) => selections.length > 1),
    severalNamespaces: namespaces.size > 1 || namespaces.has(''),
    places: session.places,
    once: checked.once,
    only: compileScope((flags.changed ?? []).flatMap(splitPaths)),
  };
  const { traits } = format;
  if (checked.wantsLive && !checked.isLive)
    session.notice(
      `--live needs a terminal${session.io.stdout.isTerminal ? ' that can redraw, and TERM is dumb' : ''}; rows are appended instead`,
    );
  return {
    flags,
    format,
    output,
    waits,
    rules: {
      ...filters.rules,
      ...(traits.columns === 'none' ? {} : { looksSame: looksSameWith(flags, traits.columns === 'wide') }),
    },
    judging: filters,
    reads: readsOf(checked),
    conditionsNamed: checked.waits.conditionsNamed,
    printer: await printerOf(output, flags, layout, {
      stdout: session.io.stdout,
      env: session.io.env,
      clock: session.clock,
    }),
    live: checked.isLive ? await liveTableOf(flags, layout, checked, session) : undefined,
    as: flags.record === undefined ? representationOf(checked) : { table: 'Object' },
    selector: flags.selector,
    part: checked.part,
    fieldSelector: flags['field-selector'],
    // --live shows who changed an object, a recording knows it
    keepManagedFields: checked.isLive || flags.record !== undefined || keepsManagedFields(flags, checked),
    managedFieldsAsText: flags.record !== undefined && !checked.isLive && !keepsManagedFields(flags, checked),
    showManagedFields: flags['show-managed-fields'] || traits.needsOld || checked.isLive || printsManagedFields(format),
    showsLabels: flags['show-labels'] || (flags['label-columns'] ?? []).length > 0,
    withOld: flags.old || traits.needsOld || checked.isLive,
    sortInitial: sortBy && comparing(sortBy),
    once: checked.once,
    ignoreNotFound: flags['ignore-not-found'],
    verifyEveryMs: flags['verify-every'],
    idleMs: idleMsOf(flags['idle-timeout']),
  };
}

/**
 * How a running serve may answer; undefined if the cluster must. What is waited for may have been changed a moment ago,
 * of which a cache may not know yet. The caches of a serve are not divided.
 */
export function serveUseOf(flags: WatchFlags, checked: CheckedWatch): ServeUse | undefined {
  const { waits, part } = checked;
  if (
    flags['no-serve'] ||
    flags.record !== undefined ||
    part !== undefined ||
    waits.isGoal ||
    waits.rules !== undefined
  )
    return undefined;
  return { needsManagedFields: keepsManagedFields(flags, checked), isQuiet: flags.quiet === true };
}

/** The fields that expressions and paths of the command line look at. */
const readsOf = ({ filters, waits, sortBy, output: { format } }: CheckedWatch): readonly FieldReads[] => [
  ...filters.reads,
  ...waits.reads,
  { flag: '--sort-by', addresses: sortBy ? addressesOf(sortBy.path.text) : [] },
  { flag: `-o ${format.traits.called}`, addresses: addressesPrinted(format), isOutput: true },
];

/** Something shows managedFields, looks at them, or names the writers of changes. */
function keepsManagedFields(flags: WatchFlags, checked: CheckedWatch): boolean {
  const { format } = checked.output;
  const shown = flags['show-managed-fields'] || format.traits.needsOld || printsManagedFields(format);
  return shown || flags['with-changes'] || readsManagedFields(readsOf(checked));
}

/** As little of the objects as what is asked needs. Cells come only with tables. */
function representationOf({ output: { format }, filters, waits, sortBy, isLive }: CheckedWatch): Representation {
  const sortsInside = sortBy !== undefined && !isOfMetadata(sortBy.path.text);
  const isWhole = format.traits.needsObject || isLive || filters.needsObject || waits.needsObject || sortsInside;
  if (format.traits.columns !== 'none' || filters.wheres.length > 0) return { table: isWhole ? 'Object' : 'Metadata' };
  return isWhole ? 'object' : 'metadata';
}

/**
 * The selection of the server for each type; undefined when it must not select. A wait or an expression about events
 * forbids it, because an object that leaves the server's selection would look deleted to it. A stream, whose rows say
 * whether an object left or is gone, sends only conditions on what cannot change.
 */
async function pushedDownByType(
  { filters, waits, once }: CheckedWatch,
  selections: readonly ResourceSelection[],
  flags: WatchFlags,
  session: Session,
): Promise<ReadonlyMap<ResourceType, ServerSideFilter> | undefined> {
  const { filters: programs, rules } = filters;
  if (flags.record !== undefined) return undefined; // filters choose what is shown, not what is recorded
  if (programs.length === 0) {
    if (flags.explain) session.notice('--explain: there is no --filter of which the server could do a part');
    return undefined;
  }
  const isJudging = waits.rules !== undefined || rules.conditions?.some((condition) => condition.readsEvent);
  if (isJudging) {
    if (flags.explain)
      session.notice('--explain: --filter is evaluated here, since something waits for objects, or looks at events');
    return undefined;
  }
  const pushedDown = new Map<ResourceType, ServerSideFilter>();
  const fixed = !once; // a row says whether an object left or is gone
  for (const { type, names } of selections) {
    const filter = names.length > 0 ? byNameAlone(type) : await serverSideFilterOf(programs, type, { fixed });
    pushedDown.set(type, filter);
  }
  if (flags.explain)
    for (const { text } of pushedDown.values()) session.notice(`--explain: ${text}${fixed ? OF_FIXED : ''}`);
  return pushedDown;
}

/** An object that was asked for by name and does not match must be distinguished from one that does not exist. */
const byNameAlone = ({ gvr }: ResourceType): ServerSideFilter => ({
  text: `${formatGvr(gvr)}: objects are asked for by name, so --filter is evaluated here`,
});

const OF_FIXED =
  ' (a stream distinguishes what left from what is gone, so only names and namespaces are sent; -l and --field-selector select at the server)';

/**
 * Whether two states look alike in the table that is printed: in every cell it shows but ages, and the labels it shows.
 */
function looksSameWith(flags: WatchFlags, wide: boolean): SameBut {
  return sameRows({ wide, labels: flags['show-labels'] ? 'all' : (flags['label-columns'] ?? []) });
}

async function liveTableOf(
  flags: WatchFlags,
  layout: Layout,
  { sortBy, output: { format } }: CheckedWatch,
  { io }: CommandSession,
): Promise<LiveTable> {
  const { LiveTable: Table } = await import('../../output/live/live-table.ts');
  return new Table({
    ...(await rowOptionsOf(flags, layout, io)),
    wide: format.traits.columns === 'wide',
    sortBy: sortBy && ((object) => sortBy.path.values(object)),
    isDescending: sortBy?.isDescending,
    showManagedFields: flags['show-managed-fields'],
  });
}
