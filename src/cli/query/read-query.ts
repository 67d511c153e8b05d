import { loadExpression } from '../../expr/path-or-cel.ts';
import { InformerError } from '../../kit/error.ts';
import type { FieldReads } from '../../model/field-path.ts';
import { isComparable } from '../../model/resource-version.ts';
import type { CompiledOutput } from '../../output/compiled-output.ts';
import { neutralised } from '../../output/escape.ts';
import type { OutputFormat } from '../../output/formats.ts';
import type { Printer } from '../../output/printer.ts';
import type { CountTableOptions } from '../../output/tables/count-table.ts';
import { groupOrderOf, measuresOf } from '../../query/answer/measure-flags.ts';
import type { Query, QueryScope } from '../../query/answer/query.ts';
import { splitSortOrder } from '../../query/answer/sort-order.ts';
import { VERBS } from '../../query/answer/sums.ts';
import type { PlaceIndex } from '../../query/index/cluster-index.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import { parseIndex } from '../../query/index/index-definition.ts';
import { formatLookup, type LookupFlag, parseLookup } from '../../query/index/lookup.ts';
import type { CommandLine, GivenWords } from '../args/argv.ts';
import type { FlagValues } from '../args/flag.ts';
import type { queryFlags } from '../args/query-flags.ts';
import { idleMsOf } from '../args/shared-flags.ts';
import { refuseBeside, refuseWithout } from '../args/useless-flags.ts';
import { askedPart } from '../session/asked-part.ts';
import {
  addressesPrinted,
  compiledOutputOf,
  printsManagedFields,
  readsManagedFields,
  refuseUnshown,
} from '../session/output.ts';
import { checkSelectors } from '../session/session.ts';
import { objectFiltersOf } from './read-filters.ts';

export type QueryFlagValues = FlagValues<typeof queryFlags>;

/** A command line of `query`, parsed. */
export interface QueryLine extends GivenWords {
  readonly flags: QueryFlagValues;
}

/** The flags of `query`, read and checked. */
export interface ReadQuery extends Query {
  readonly flags: QueryFlagValues;
  /** The fields that expressions and paths of the command line look at. */
  readonly reads: readonly FieldReads[];
  readonly output: CompiledOutput;
  readonly format: OutputFormat;
  readonly noHeaders: boolean;
}

/** A query about types and namespaces of a server, and how its answer is printed. */
export interface QueryPlan extends ReadQuery, QueryScope {
  readonly printer: Printer;
  readonly counting: CountLook;
}

/** The look of printed counts. */
export interface CountLook extends Pick<CountTableOptions, 'painter' | 'bars'> {
  readonly terminal: boolean;
  /** Only characters of ASCII are drawn. */
  readonly ascii: boolean;
}

export interface QueryReading {
  /** The flags that were given, with their origin. */
  readonly given: CommandLine['given'];
  /** The indexes of the user's file. */
  readonly indexes: Readonly<Record<string, string>>;
  /** The index of the places of objects, where there are several. */
  readonly place?: PlaceIndex | undefined;
  /** Shows a line to a person. */
  notice(text: string): void;
}

/**
 * Reads the flags of `query`. Throws `argument` for what cannot be read, with its place, for questions that exclude
 * each other, and for indexes that do not exist.
 */
export async function readQuery(
  flags: QueryFlagValues,
  { given, indexes, place, notice }: QueryReading,
): Promise<ReadQuery> {
  checkSelectors(flags);
  const output = await compiledOutputOf(flags);
  const { format } = output;
  checkTogether(flags, given, format);
  const lookups = (['eq', 'in', 'prefix', 'range'] as LookupFlag[]).flatMap((flag) =>
    (flags[flag] ?? []).map((t) => parseLookup(flag, t)),
  );
  const asked = [...lookups.map(({ index }) => index), flags.values ?? ''];
  const flagged = (flags.index ?? []).map((text) => text.split('=')[0]?.trim());
  // an expression that fails on an object finds nothing there
  const onError = (error: Error) => notice(`${neutralised(error.message)}; it counts as no value (reported once)`);
  const own = ownIndexes(
    indexes,
    asked.filter((name) => !flagged.includes(name)),
  );
  const declared = [...(await declaredIndexes(own, flags.index ?? [], onError)), ...(place ? [place.index] : [])];
  const objectFilters = await objectFiltersOf(flags);
  const measures = await measuresOf(flags, onError);
  const isCounted = flags.values !== undefined || flags['group-by'] !== undefined;
  if (!isCounted) refuseBeside(given, ['sort-by'], VERBS, 'without --group-by there is one row, which has no order');
  const sorting = flags['sort-by'];
  const groupOrder = isCounted && sorting !== undefined ? groupOrderOf(sorting, measures) : undefined;
  const order = isCounted || sorting === undefined ? undefined : splitSortOrder(sorting);
  const expressionOf = async (flag: string, text: string | undefined) =>
    text === undefined ? undefined : loadExpression(text, { flag, onError });
  const groupBy =
    place && flags['group-by'] === place.index.name
      ? place.expression
      : await expressionOf('--group-by', flags['group-by']);
  const sortBy = await expressionOf('--sort-by', order?.expression);
  checkIndexes({ declared, lookups, values: flags.values });
  const unasked = given.get('index')?.origin === 'flag' ? flagged.filter((name) => !asked.includes(name ?? '')) : [];
  for (const name of unasked) notice(`--index ${name} is not used: --eq ${name}=VALUE or --values ${name} asks it`);
  const reads: readonly FieldReads[] = [
    ...objectFilters.reads,
    ...declared.map(({ name, reads = [] }) => ({ flag: `--index ${name}`, addresses: reads })),
    { flag: '--group-by', addresses: groupBy?.reads ?? [] },
    ...measures.map(({ verb, expression }) => ({ flag: `--${verb}`, addresses: expression.reads })),
    { flag: '--sort-by', addresses: sortBy?.reads ?? [] },
    { flag: `-o ${format.traits.called}`, addresses: addressesPrinted(format), isOutput: true },
  ];
  const { needsObject: object, columns } = format.traits;
  const cells = columns !== 'none';
  const showManagedFields = flags['show-managed-fields'] || printsManagedFields(format);
  return {
    flags,
    declared,
    ...objectFilters.filters,
    lookups,
    values: flags.values,
    count: flags.count,
    tree: treeWords(flags.tree),
    groupBy,
    measures,
    groupOrder,
    sortBy,
    sortsDescending: order?.isDescending ?? false,
    limit: flags.limit,
    explain: flags.explain,
    freshness: { freshMs: flags.fresh, atLeastRv: flags['at-least-rv'] },
    output,
    format,
    selector: flags.selector,
    part: askedPart(flags, given),
    fieldSelector: flags['field-selector'],
    keepManagedFields: showManagedFields || readsManagedFields(reads),
    showManagedFields,
    showSecrets: flags['show-secrets'],
    noHeaders: flags['no-headers'],
    ignoreNotFound: flags['ignore-not-found'],
    shows: { object, cells },
    reads,
  };
}

/** Refuses flags that do not go together, or not with the format. Throws `argument`. */
function checkTogether(flags: QueryFlagValues, given: CommandLine['given'], format: OutputFormat): void {
  checkOneAnswer(flags, format);
  if (flags.between === undefined) refuseChanges(format);
  else checkBetween(given, format);
  refuseUnshown(given, format);
  checkWatching(flags, given, format);
  checkTree(flags, given, format);
  checkSinceLast(given, format);
  refuseWithout(given, ['at', 'between'], ['from']);
  refuseBeside(given, NOT_OF_RECORDINGS, ['from'], 'a recording does not change, and is asked alone');
  const counted = ['count', 'values', 'group-by'];
  refuseBeside(given, ['sort-by'], ['count'], 'one number has no order');
  refuseBeside(
    given,
    ['show-labels', 'label-columns', 'show-kind'],
    [...counted, ...VERBS],
    'a count prints no objects',
  );
}

/** The indexes of the config file that are asked for, and those of the command line. */
function declaredIndexes(
  own: readonly (readonly [name: string, text: string])[],
  ofFlags: readonly string[],
  onError: (error: Error) => void,
) {
  return Promise.all([
    ...own.map(([name, text]) =>
      parseIndex(`${name}=${text}`, onError, { flag: `indexes.${name} of the config file` }),
    ),
    ...ofFlags.map((text) => parseIndex(text, onError)),
  ]);
}

/** Refuses what a continuous result cannot do, and what only such a one can. Throws `argument`. */
function checkWatching(flags: QueryFlagValues, given: CommandLine['given'], { traits }: OutputFormat): void {
  const version = flags['at-least-rv'];
  if (version !== undefined && !isComparable(version))
    throw new InformerError(
      'argument',
      `invalid argument "${version}" for "--at-least-rv": expected a resourceVersion`,
      {
        hint: 'it is a number; kubectl get TYPE NAME -o jsonpath={.metadata.resourceVersion} prints one',
      },
    );
  const kept = 'a result that is watched is always as new as the stream; stderr reports when it has no connection';
  refuseBeside(given, ['fresh', 'at-least-rv'], ['watch'], kept);
  refuseWithout(given, ['merge', 'markers', 'strict', 'idle-timeout'], ['watch']);
  idleMsOf(flags['idle-timeout']);
  if (flags.watch && traits.streams !== true)
    throw new InformerError(
      'argument',
      `-o ${traits.called} cannot be used with --watch: it prints ${traits.streams}`,
      {
        hint: 'leave out --watch, or use -o ndjson',
      },
    );
  if (flags.watch && flags.markers && !traits.markers)
    throw new InformerError('argument', `--markers has no place in -o ${flags.output}`, {
      hint: 'use -o json, yaml, jq or a table',
    });
}

/** Refuses filters beside `--since-last`: a filter would hide that an object stopped matching it. */
function checkSinceLast(given: CommandLine['given'], { traits }: OutputFormat): void {
  const why = 'it compares all objects of a selection: types, names, namespaces and selectors';
  refuseBeside(given, NOT_SINCE_LAST, ['since-last'], why);
  refuseBeside(given, ['since-last'], ['sandbox', 'scenario'], 'an embedded sandbox begins new each time');
  if (given.get('since-last')?.values.at(-1) !== 'true' || traits.changesBetween) return;
  throw new InformerError('argument', `--since-last cannot be printed as ${traits.called}`, {
    hint: 'leave out -o for rows, or use -o json or -o ndjson',
  });
}

/** The flags that a cluster alone can answer. */
const NOT_OF_RECORDINGS = [
  ...['watch', 'since-last', 'fresh', 'at-least-rv', 'all-contexts', 'context', 'sandbox', 'scenario', 'wait-for-crd'],
  ...['server', 'kubeconfig', 'shard'],
];

const NOT_SINCE_LAST = [
  ...['eq', 'in', 'prefix', 'range', 'values', 'index', 'count', 'group-by', 'sort-by', 'limit', 'explain'],
  ...[
    'filter',
    'where',
    'name',
    'exclude-name',
    'watch',
    'show-labels',
    'label-columns',
    'show-secrets',
    'tree',
    'fresh',
    'at-least-rv',
  ],
];

/** The types of `--tree=TYPE,…`. */
const treeWords = (text: string | undefined): readonly string[] | undefined =>
  text
    ?.split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Refuses what a tree cannot be combined with. Throws `argument`. */
function checkTree(flags: QueryFlagValues, given: CommandLine['given'], { traits }: OutputFormat): void {
  if (flags.tree === undefined) return;
  const beside = ['values', 'count', 'group-by', ...VERBS].find((name) => given.get(name) !== undefined);
  const asked = flags.watch ? 'watch' : beside;
  if (asked !== undefined && (flags[asked as 'count'] as unknown) !== false)
    throw new InformerError('argument', `--tree cannot be combined with --${asked}`, {
      hint: 'a tree shows objects as they are now',
    });
  if (traits.trees === false)
    throw new InformerError('argument', `--tree has no place in -o ${traits.called}`, {
      hint: 'it prints a table, or data with -o json, ndjson or yaml',
    });
  refuseBeside(
    given,
    ['show-labels', 'label-columns', 'show-managed-fields'],
    ['tree'],
    'a tree has columns of its own',
  );
}

/** The indexes of the user's file that this query uses. */
const ownIndexes = (named: Readonly<Record<string, string>>, asked: readonly string[]): [string, string][] =>
  Object.entries(named).filter(([name]) => asked.includes(name));

/** Refuses formats of changes. Throws `argument`. */
function refuseChanges({ traits }: OutputFormat): void {
  if (traits.answers) return;
  throw new InformerError('argument', `-o ${traits.called} shows changes, and an answer has none`, {
    hint: 'watch -o shows them as they come, query --between those of a recording',
  });
}

/** Refuses what has no place between two moments. Throws `argument`. */
function checkBetween(given: CommandLine['given'], { traits }: OutputFormat): void {
  refuseBeside(
    given,
    ['at', 'explain', 'sort-by', 'show-labels', 'label-columns'],
    ['between'],
    'it compares two moments',
  );
  if (traits.isTable || traits.streams === true) return;
  throw new InformerError('argument', `-o ${traits.called} cannot be used with --between`, {
    hint: 'leave out -o for rows, or use -o changes, diff or ndjson',
  });
}

/** Refuses questions that exclude each other, and those that the output cannot answer. */
function checkOneAnswer(flags: QueryFlagValues, { traits }: OutputFormat) {
  const asked = (['values', 'count', 'group-by'] as const).filter((name) => flags[name]).map((name) => `--${name}`);
  if (asked.length > 1) {
    throw new InformerError('argument', `${asked.join(' and ')} cannot be combined`, {
      hint: 'ask for one of them at a time',
    });
  }
  const [verb] = VERBS.filter((name) => flags[name] !== undefined);
  if (verb !== undefined && (flags.values !== undefined || flags.count)) {
    throw new InformerError('argument', `--${verb} cannot be combined with ${asked[0]}`, {
      hint: '--group-by EXPRESSION makes groups of which it is counted; alone it gives one row',
    });
  }
  const [first = verb && `--${verb}`] = asked;
  if (first !== undefined && traits.counts === false) {
    throw new InformerError('argument', `${first} has no objects for -o ${traits.called}`, {
      hint: 'it prints a table, or data with -o json, ndjson, yaml, csv or tsv',
    });
  }
}

/** Refuses lookups on indexes that do not exist. */
function checkIndexes(question: Pick<Query, 'declared' | 'lookups' | 'values'>): void {
  const catalog = new IndexCatalog(question.declared);
  for (const lookup of question.lookups) catalog.get(lookup.index);
  if (question.values === undefined) return;
  catalog.get(question.values);
  if (question.lookups.length > 0) {
    const hint = 'use --group-by with an expression to count among what is found';
    const beside = question.lookups.map(formatLookup).join(' and ');
    throw new InformerError('argument', `--values cannot be combined with ${beside}`, { hint });
  }
}
