import { bool, count, duration, group, list, text } from '../cli/args/flag.ts';
import { connectionFlags, habitFlags, outputFlags, selectionFlags } from '../cli/args/shared-flags.ts';
import { refuseBeside, refuseUnshown } from '../cli/args/useless-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { checkIndexes, checkQuestion, query } from '../cli/query/run.ts';
import { resolveWhenThere } from '../cli/session/crd-wait.ts';
import { addressesPrinted, compiledOutputOf, printerOf } from '../cli/session/output.ts';
import { checkRollouts } from '../cli/session/rollout-check.ts';
import { checkSelectors, namespacesOf, openSession } from '../cli/session/session.ts';
import { splitSortOrder } from '../cli/session/sort-order.ts';
import { compiledAll } from '../cli/session/stream-filters.ts';
import { type ExitCode, withFreshTypes } from '../cli/terminal/exit-codes.ts';
import { loadExpression } from '../expr/load-expression.ts';
import { InformerError } from '../kit/error.ts';
import { neutralised } from '../output/escape.ts';
import { parseIndex } from '../query/index-definition.ts';
import { type LookupFlag, parseLookup } from '../query/lookup.ts';

export default class QueryCommand extends BaseCommand {
  static override summary = 'Answer questions about resources from a synced cache';
  static override description =
    'Fills a cache with the given types, answers from it, and ends. Built-in indexes: namespace, label:KEY, owner (kind/name or uid, through all levels), node, image, phase, configmap, secret, serviceaccount. When there are several lookups, an object must match all of them.';
  static override usage = 'query TYPE[,TYPE…] [NAME…] [FLAGS]';
  static override examples = [
    {
      description: 'The pods of one node',
      command: '<%= config.bin %> query pods -A --eq node=worker-1 -o name',
    },
    {
      description: 'The pods of a Deployment, through its ReplicaSets',
      command: '<%= config.bin %> query pods -n shop --eq owner=deploy/web',
    },
    {
      description: 'An index of your own: which schedulers pods name, and how often',
      command: '<%= config.bin %> query pods -A --index by=.spec.schedulerName --values by',
    },
    {
      description: 'Pending pods, oldest first',
      command: `<%= config.bin %> query pods -A --filter 'object.status.phase == "Pending"' --sort-by .metadata.creationTimestamp`,
    },
    {
      description: 'Without a cluster: how many pods run on each node',
      command: '<%= config.bin %> query pods -A --sandbox --values node',
    },
  ];
  static override flags = {
    ...selectionFlags,
    ...group('SELECTION', {
      filter: list({ summary: 'only objects for which an expression over object and now is true', helpValue: 'CEL' }),
    }),
    ...group('INDEX', {
      eq: list({ summary: 'objects with this value in an index', helpValue: 'NAME=VALUE' }),
      in: list({ summary: 'objects with one of these values', helpValue: 'NAME=V1,V2' }),
      prefix: list({ summary: 'objects with a value that begins like this', helpValue: 'NAME=TEXT' }),
      range: list({ summary: 'objects with a value in a range', helpValue: 'NAME=FROM..TO' }),
      values: text({ summary: 'the values of an index, and how many objects have each', helpValue: 'NAME' }),
      index: list({ summary: 'an index of your own, for the flags above', helpValue: 'NAME=EXPRESSION' }),
    }),
    ...group('ANSWER', {
      count: bool({ summary: 'only how many objects are found' }),
      'group-by': text({ summary: 'how many objects have each value of an expression', helpValue: 'EXPRESSION' }),
      'sort-by': text({
        summary: 'order by an expression; --sort-by=-PATH sorts in descending order',
        helpValue: 'JSONPATH',
      }),
      limit: count({ summary: 'return at most N objects', min: 1 }),
      explain: bool({ summary: 'report on stderr how the answer was found, and how fresh it is' }),
      timeout: duration({ summary: 'time limit of the initial sync: 30s, 2m' }),
    }),
    ...outputFlags,
    ...connectionFlags,
    ...habitFlags,
  };

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(QueryCommand.flags);
    refuseWatching(flags);
    checkSelectors(flags);
    const output = await compiledOutputOf(flags);
    const { format } = output;
    checkQuestion(flags, format);
    refuseUnshown(this.line.given, format);
    const counted = ['count', 'values', 'group-by'];
    refuseBeside(this.line.given, ['sort-by'], counted, 'counts have an order of their own: the most frequent first');
    refuseBeside(this.line.given, ['show-labels', 'label-columns', 'show-kind'], counted, 'a count prints no objects');
    const lookups = (['eq', 'in', 'prefix', 'range'] as LookupFlag[]).flatMap((flag) =>
      (flags[flag] ?? []).map((t) => parseLookup(flag, t)),
    );
    const asked = [...lookups.map(({ index }) => index), flags.values ?? ''];
    const flagged = (flags.index ?? []).map((text) => text.split('=')[0]);
    const own = ownIndexes(
      this.edges.config.indexes,
      asked.filter((name) => !flagged.includes(name)),
    );
    const declared = await Promise.all([...own, ...(flags.index ?? [])].map((text) => parseIndex(text, this.failed)));
    const filter = await compiledAll(flags.filter, 'filter');
    const order = flags['sort-by'] === undefined ? undefined : splitSortOrder(flags['sort-by']);
    const expressions = {
      groupBy: await this.expressionOf('--group-by', flags['group-by']),
      sortBy: await this.expressionOf('--sort-by', order?.expression),
    };
    checkIndexes({ declared, lookups, values: flags.values });
    return await withFreshTypes(async () => {
      await using session = await openSession(flags, this.edges, { once: true });
      const selections = await (flags['wait-for-crd'] ? resolveWhenThere(words, session) : session.resolve(words));
      checkRollouts(
        filter.programs,
        [],
        selections.map(({ type }) => type),
      );
      const namespaces = namespacesOf(flags, session.config);
      const layout = {
        severalTypes: selections.length > 1,
        severalNamespaces: namespaces.length > 1 || namespaces[0] === '',
        single:
          selections.length === 1 &&
          selections[0]?.names.length === 1 &&
          namespaces.length === 1 &&
          namespaces[0] !== '',
      };
      return await query(session, {
        ...expressions,
        sortsDescending: order?.isDescending ?? false,
        selections,
        namespaces,
        declared,
        filters: filter.programs,
        filtersNeedObject: filter.needsObject,
        lookups,
        values: flags.values,
        count: flags.count,
        limit: flags.limit,
        explain: flags.explain,
        format,
        printer: await printerOf(output, flags, layout, session),
        selector: flags.selector,
        fieldSelector: flags['field-selector'],
        keepManagedFields: flags['show-managed-fields'],
        showSecrets: flags['show-secrets'],
        noHeaders: flags['no-headers'],
        ignoreNotFound: flags['ignore-not-found'],
        reads: [
          ...filter.reads,
          ...declared.map(({ name, reads = [] }) => ({ flag: `--index ${name}`, addresses: reads })),
          { flag: '--group-by', addresses: expressions.groupBy?.reads ?? [] },
          { flag: '--sort-by', addresses: expressions.sortBy?.reads ?? [] },
          { flag: `-o ${format.kind}`, addresses: addressesPrinted(format), isOutput: true },
        ],
      });
    });
  }

  /** An expression that fails on an object finds nothing there, which is said once. */
  private readonly failed = (error: Error): void => {
    this.edges.io.stderr.write(`${neutralised(error.message)}; it counts as no value (reported once)\n`);
  };

  private async expressionOf(flag: string, text: string | undefined) {
    return text === undefined ? undefined : loadExpression(text, { flag, onError: this.failed });
  }
}

/** It would be taken and do nothing. */
function refuseWatching({ watch }: { watch: boolean }): void {
  if (!watch) return;
  throw new InformerError('argument', 'query answers once, and -w asks for more than that', {
    hint: "'watch' shows every change, with --filter and --where too",
  });
}

/** Of the indexes named in the user's file those that this question asks and no flag declares. */
function ownIndexes(named: Readonly<Record<string, string>>, asked: readonly string[]): string[] {
  return Object.entries(named)
    .filter(([name]) => asked.includes(name))
    .map(([name, path]) => `${name}=${path}`);
}
