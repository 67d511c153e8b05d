import { abortable } from '../../kit/abort.ts';
import { InformerError, isInformerError } from '../../kit/error.ts';
import { usedIndexes } from '../../query/answer/query.ts';
import { representationFor } from '../../query/answer/representation.ts';
import { samplesOf } from '../../query/answer/samples.ts';
import { keptFieldsOf } from '../../query/answer/search.ts';
import { CLUSTER_INDEX, canHaveMatches, clusterIndex } from '../../query/index/cluster-index.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import { indexersOf } from '../../query/index/stored-index.ts';
import type { Edges } from '../base-command.ts';
import { ContinuityReporter } from '../outage/continuity-reporter.ts';
import { inCluster } from '../session/cluster-error.ts';
import { resolveServed } from '../session/cluster-types.ts';
import { type ClusterSession, type Clusters, openClusters } from '../session/clusters.ts';
import { createTargets, refusalOf, runTargets, type WatchTarget } from '../session/informers.ts';
import { namespacesOf } from '../session/session.ts';
import { shardNotice } from '../session/shard-choice.ts';
import { ExitCode, hasStaleType, SeveralErrors, withFreshTypes } from '../terminal/exit-codes.ts';
import { StreamEnd } from '../terminal/stream-ending.ts';
import { answerTogether, type ClusterPart } from './clusters-answer.ts';
import type { QueryLine } from './query-once.ts';
import { queryPlanOf } from './query-plan.ts';
import { type ReadQuery, readQuery } from './read-query.ts';

/** Flags of answers that no several clusters can give. */
const ONE_CLUSTER = ['watch', 'since-last', 'tree'];

/** What a cluster of several is asked, and how it ends. */
interface AskedCluster {
  readonly session: ClusterSession;
  readonly targets: readonly WatchTarget[];
  readonly namespaces: readonly string[];
  readonly running: Promise<void>;
  /** What of it is missing. */
  readonly errors: readonly unknown[];
}

/**
 * Answers a question from several clusters. Each is asked at the same time, by itself: one that cannot be reached, lacks
 * a type or refuses it does not keep the others from their answer, and is an error at the end. A number that leaves a
 * cluster out would be a wrong one: then there is none.
 */
export async function queryClusters({ flags, words, given }: QueryLine, edges: Edges): Promise<ExitCode> {
  for (const flag of ONE_CLUSTER) {
    if (given.get(flag) === undefined) continue;
    throw new InformerError('argument', `--${flag} reads one cluster`, {
      hint: flag === 'watch' ? 'watch streams several; query --watch takes one --context' : 'name one --context',
    });
  }
  const notice = (text: string) => void edges.io.stderr.write(`${text}\n`);
  const groupsByCluster = flags['group-by'] === CLUSTER_INDEX;
  const asked = groupsByCluster ? { ...flags, 'group-by': undefined } : flags;
  const { indexes } = edges.config;
  const question = await readQuery(asked, { given, indexes, more: [clusterIndex('')], notice });
  return await withFreshTypes(async () => {
    await using clusters = await openClusters(flags, edges, { once: true });
    const wanted = clusters.all.filter(({ cluster }) => canHaveMatches(cluster, question.lookups));
    if (wanted.length === 0) throw noCluster(clusters);
    const all = await Promise.all(wanted.map((session) => ask(session, question, words, flags)));
    try {
      return await answerAll(clusters, { all, question, groupsByCluster });
    } finally {
      for (const { session } of all) session.end(new StreamEnd('done'));
      await Promise.all(all.map(({ running }) => running));
    }
  });
}

function noCluster({ all }: Clusters): InformerError {
  const names = all.map(({ cluster }) => cluster).join(', ');
  return new InformerError('argument', 'no cluster has the name that the index cluster is asked for', {
    hint: `the clusters are ${names}`,
  });
}

/** Syncs the caches of one cluster. Never rejects. */
async function ask(
  session: ClusterSession,
  question: ReadQuery,
  words: readonly string[],
  flags: QueryLine['flags'],
): Promise<AskedCluster> {
  const { cluster, signal } = session;
  const named = (error: unknown) => inCluster(cluster, error);
  try {
    const { selections, unserved } = await abortable(resolveServed(words, session), signal);
    const namespaces = namespacesOf(flags, session.config);
    const catalog = new IndexCatalog([...withoutCluster(question), clusterIndex(cluster)]);
    const indexers = indexersOf(usedIndexes(question).map((name) => catalog.get(name)));
    const reporter = new ContinuityReporter(session, () => targets, { isOneShot: true });
    const targets: readonly WatchTarget[] = createTargets(session, selections, {
      ...question,
      namespaces,
      as: representationFor(question),
      once: true,
      indexers: indexers as never,
      fields: await keptFieldsOf(question),
      onContinuity: (event, type) => reporter.observe(event, type),
    });
    const running = runTargets(targets, session, { once: true }).finally(() => reporter[Symbol.dispose]());
    try {
      await Promise.all(targets.map((target) => target.settled(signal)));
    } catch {
      return { session, targets: [], namespaces, running, errors: [named(signal.reason)] };
    }
    const refusal = await refusalOf(targets, session);
    const errors = [...unserved, ...(refusal === undefined ? [] : [named(refusal)])];
    return { session, targets: targets.filter((target) => target.refusal === undefined), namespaces, running, errors };
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error;
    return { session, targets: [], namespaces: [], running: Promise.resolve(), errors: [named(reason)] };
  }
}

/** A type that another cluster has is not a typing error: one cluster fails. */
function ofOneCluster(error: unknown): unknown {
  if (!isInformerError(error, 'discovery')) return error;
  return new InformerError('list', error.message, { cause: error, hint: error.hint });
}

const withoutCluster = ({ declared }: ReadQuery) => declared.filter(({ name }) => name !== CLUSTER_INDEX);

async function answerAll(
  clusters: Clusters,
  { all, question, groupsByCluster }: { all: AskedCluster[]; question: ReadQuery; groupsByCluster: boolean },
): Promise<ExitCode> {
  const isAnswered = all.some(({ targets }) => targets.length > 0);
  const errors = [...clusters.broken.map(({ error }) => error), ...all.flatMap((each) => each.errors)].map((error) =>
    isAnswered ? ofOneCluster(error) : error,
  );
  const refusal = SeveralErrors.of(errors);
  if (hasStaleType(refusal)) throw refusal;
  const readable = all.filter(({ targets }) => targets.length > 0);
  const isNumber = question.values !== undefined || question.count || question.groupBy !== undefined || groupsByCluster;
  if (refusal !== undefined && (readable.length === 0 || isNumber || question.measures.length > 0)) throw refusal;
  const { io, clock } = clusters;
  const selections = readable.flatMap(({ targets }) =>
    targets.map(({ type }) => ({ type, names: [], versioned: false })),
  );
  const namespaces = [...new Set(readable.flatMap((each) => each.namespaces))];
  const scope = { selections: selections as never, namespaces, severalClusters: true };
  const plan = await queryPlanOf(question, scope, { stdout: io.stdout, env: io.env, clock });
  const parts = readable.map(
    ({ session, targets, namespaces: own }): ClusterPart => ({
      cluster: session.cluster,
      plan: { ...plan, namespaces: own, declared: [...withoutCluster(question), clusterIndex(session.cluster)] },
      holdings: targets,
      context: { client: session.client, clock, signal: session.signal, limitMs: question.flags.timeout },
    }),
  );
  if (question.shard)
    for (const { session, targets } of readable) session.notice(shardNotice(question.shard, targets.map(samplesOf)));
  const sink = {
    clock,
    notice: (text: string) => clusters.notice(text),
    async write(text: string) {
      if (!io.stdout.write(text)) await io.stdout.ready();
    },
  };
  const missing = await abortable(
    answerTogether(plan, parts, {
      sink,
      signal: clusters.signal,
      isPartial: refusal !== undefined,
      groupsByCluster,
    }),
    clusters.signal,
  );
  const failed = SeveralErrors.of([missing, refusal].filter((error) => error !== undefined));
  if (failed !== undefined) throw failed;
  return ExitCode.ok;
}
