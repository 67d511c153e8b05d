import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { abortable } from '../../kit/abort.ts';
import { InformerError } from '../../kit/error.ts';
import type { AnswerPart } from '../../query/answer/answer.ts';
import { pushedDownOf, withdrawSelectors } from '../../query/answer/push-down.ts';
import { PushedDownCaches } from '../../query/answer/pushed-down-caches.ts';
import { asksForObjects, onlyNamespaceOf, usedIndexes } from '../../query/answer/query.ts';
import { representationFor } from '../../query/answer/representation.ts';
import { keptFieldsOf } from '../../query/answer/search.ts';
import { CLUSTER_INDEX, canHaveMatches, clusterIndex, OF_CLUSTERS } from '../../query/index/cluster-index.ts';
import { IndexCatalog } from '../../query/index/index-catalog.ts';
import { indexersOf } from '../../query/index/stored-index.ts';
import { checkRollouts } from '../../stream/conditions/types-with-rollouts.ts';
import type { Edges } from '../base-command.ts';
import { whenAvailable } from '../outage/when-available.ts';
import { asksForClusters } from '../session/cluster-choice.ts';
import { resolveServed } from '../session/cluster-types.ts';
import { openSessions } from '../session/clusters.ts';
import { resolveWhenThere } from '../session/crd-wait.ts';
import { namespacesOf, type Session, type Sessions } from '../session/session.ts';
import { checkWheres } from '../session/where-check.ts';
import { ExitCode, SeveralErrors } from '../terminal/exit-codes.ts';
import { withFreshTypes } from '../terminal/stale-type.ts';
import { fillCaches, NO_CACHES, usingCaches } from './filled-caches.ts';
import { type FilledPart, type FilledParts, type QueryPart, refusalOfAll, together } from './filled-parts.ts';
import { printAnswer } from './printed-answer.ts';
import { canPassQuery, printPassed } from './query-passed.ts';
import { queryPlanOf } from './query-plan.ts';
import { type QueryFlagValues, type QueryLine, type QueryPlan, type ReadQuery, readQuery } from './read-query.ts';
import { OutdatedCaches } from './stale-answer.ts';
import { stdoutSink } from './stdout-sink.ts';

/**
 * Answers a command line from caches of its own, on the cluster or on several. Each of several is asked at the same
 * time, by itself: one that cannot be reached, lacks a type or refuses it does not keep the others from their answer,
 * and is an error at the end. A number that leaves a cluster out would be a wrong one: then there is none.
 */
export async function runQuery({ flags, words, given }: QueryLine, edges: Edges): Promise<ExitCode> {
  const { indexes } = edges.config;
  const notice = (text: string) => void edges.io.stderr.write(`${text}\n`);
  const query = await readQuery(flags, {
    given,
    indexes,
    place: asksForClusters(flags) ? OF_CLUSTERS : undefined,
    notice,
  });
  if (flags.between !== undefined)
    return await (await import('./between.ts')).queryBetween({ flags, words, given }, edges, query, checkedPart);
  return await withNewLists(() =>
    withFreshTypes(async () => {
      const needsManagedFields = query.keepManagedFields;
      // query --watch reads from a serve as it reads from a cluster
      const isServed = flags.watch && !flags['no-serve'] && !query.part;
      const serve = isServed ? { needsManagedFields, isQuiet: flags.quiet === true } : undefined;
      using recorded = flags.from === undefined ? undefined : await openedRecording(flags, given, edges);
      await using sessions = await openSessions(flags, edges, { once: !flags.watch, serve, instead: recorded });
      const asked = sessions.all.filter(
        ({ cluster }) => cluster === undefined || canHaveMatches(cluster, query.lookups),
      );
      if (asked.length === 0) throw noCluster(sessions);
      const planFor = (parts: readonly QueryPart[]) => planOf(parts, query, sessions);
      if (flags.watch) {
        const parts = await Promise.all(
          asked.map(async (session) => {
            using _deadline = deadlineOf(session, limitOf(sessions, query));
            return await checkedPart(session, query, words);
          }),
        );
        const error = errorOf(parts, sessions);
        if (error !== undefined) throw error; // a result that goes on begins with all of it, or not at all
        const { queryContinuously } = await import('./continuous-run.ts');
        return await queryContinuously(sessions, parts, await planFor(parts));
      }
      const alone = await onlyPartOf(asked, query, words);
      const passed = alone && (await printPassed(sessions, alone, planFor));
      if (passed !== undefined) return passed;
      const sinceLast = flags['since-last'] ? await import('./since-last.ts') : undefined;
      const fill = sinceLast?.filledWhole ?? filledPushedDown;
      const filled = await together(
        sessions,
        asked.map(async (session) => {
          using _deadline = deadlineOf(session, limitOf(sessions, query));
          const part = alone ?? (await checkedPart(session, query, words));
          return part.query.selections.length === 0 ? { ...part, caches: NO_CACHES } : await fill(part);
        }),
      );
      return await usingCaches(sessions, filled, async () => {
        const plan = await planFor(filled);
        const errors = sessions.broken.map(({ error }) => error);
        const print = sinceLast?.printSinceLast ?? printOnce;
        return await print(sessions, plan, { filled, errors });
      });
    }),
  );
}

async function openedRecording(flags: QueryFlagValues, given: QueryLine['given'], { io }: Edges) {
  const { recordedServer } = await import('../record/recorded-server.ts');
  return await recordedServer({ ...flags, from: flags.from as string }, given, io);
}

/** How often the caches are filled, where a server answers with an older state than it has. */
const MOST_LISTS = 3;

/** Runs a command again whose caches were filled from an older state than it asks for. */
async function withNewLists<R>(run: () => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof OutdatedCaches) || tries === MOST_LISTS) throw error;
    }
  }
}

function noCluster({ all }: Sessions): InformerError {
  const names = all.map(({ cluster }) => cluster).join(', ');
  return new InformerError('argument', 'no cluster has the name that the index cluster is asked for', {
    hint: `the clusters are ${names}`,
  });
}

/** Asks a cluster what the words mean there. Rejects only for the one cluster of a command. */
async function partOf(session: Session, query: ReadQuery, words: readonly string[]): Promise<QueryPart> {
  const { cluster, signal } = session;
  const namespaces = namespacesOf(query.flags, session.config);
  const declared = cluster === undefined ? query.declared : declaredIn(cluster, query);
  const scoped = { ...query, declared, namespaces };
  const resolve = async (): Promise<{ selections: readonly ResourceSelection[]; unserved: readonly unknown[] }> => {
    if (query.flags['wait-for-crd']) return { selections: await resolveWhenThere(words, session), unserved: [] };
    if (cluster === undefined) return { selections: await session.resolve(words), unserved: [] };
    return await abortable(resolveServed(words, session), signal);
  };
  try {
    const { selections, unserved } = await (query.flags.watch ? whenAvailable(session, resolve) : resolve());
    return { session, query: { ...scoped, selections }, errors: unserved };
  } catch (error) {
    if (cluster === undefined) throw error;
    const own = session.named(signal.aborted ? signal.reason : error);
    if (query.flags.watch) throw own;
    return { session, query: { ...scoped, selections: [] }, errors: [own] };
  }
}

/** As {@link partOf}. Throws `argument` for an expression that does not fit the types, before anything is listed. */
export async function checkedPart(session: Session, query: ReadQuery, words: readonly string[]): Promise<QueryPart> {
  const part = await partOf(session, query, words);
  const { wheres, filters, selections, namespaces } = part.query;
  const types = selections.map(({ type }) => type);
  await checkWheres(wheres, types, onlyNamespaceOf(namespaces), session, { ofEvents: false });
  checkRollouts(filters, [], types);
  return part;
}

/** The part of the only cluster, for a query that may be answered without caches; undefined for any other. */
async function onlyPartOf(
  [session, ...others]: readonly Session[],
  query: ReadQuery,
  words: readonly string[],
): Promise<QueryPart | undefined> {
  const isAlone = session !== undefined && others.length === 0 && session.cluster === undefined;
  return isAlone && canPassQuery(query) ? await checkedPart(session, query, words) : undefined;
}

/** How the answer of all parts is printed. Throws what is wrong with the clusters where none knows the types. */
async function planOf(parts: readonly QueryPart[], query: ReadQuery, sessions: Sessions): Promise<QueryPlan> {
  const reached = parts.filter((part) => part.query.selections.length > 0);
  const [first] = reached;
  if (first === undefined) throw errorOf(parts, sessions);
  const scope = {
    selections: reached.flatMap((part) => part.query.selections),
    namespaces: [...new Set(reached.flatMap((part) => part.query.namespaces))],
    places: sessions.places,
  };
  const { io, clock } = sessions;
  return await queryPlanOf(query, scope, { stdout: io.stdout, env: io.env, clock });
}

/** The errors of the clusters and of their types, as one. */
const errorOf = (parts: readonly QueryPart[], { broken }: Sessions) =>
  SeveralErrors.of([...broken.map(({ error }) => error), ...parts.flatMap(({ errors }) => errors)]);

/** Ends one of several clusters a little before `--timeout`, so that the answer of the others is still printed. */
function deadlineOf({ cluster, clock, end }: Session, limitMs: number | undefined): Disposable | undefined {
  if (cluster === undefined || limitMs === undefined) return undefined;
  const late = new InformerError('sync', 'no complete answer within --timeout', {
    hint: 'can it be reached? a longer --timeout waits longer, --request-timeout limits each request',
  });
  const timer = clock.after(limitMs, () => end(late));
  return { [Symbol.dispose]: () => timer.cancel() };
}

const declaredIn = (cluster: string, { declared }: ReadQuery) => [
  ...declared.filter(({ name }) => name !== CLUSTER_INDEX),
  clusterIndex(cluster),
];

/** Fills caches for this query alone: with what the server can select of it. */
async function filledPushedDown(part: QueryPart): Promise<FilledPart> {
  const { session, query } = part;
  const catalog = new IndexCatalog(query.declared);
  const indexers = indexersOf(usedIndexes(query).map((name) => catalog.get(name)));
  const pushedDown = await pushedDownOf(query, query.selections);
  const caches = await fillCaches(session, query.selections, {
    ...query,
    pushedDown,
    onRefusedPushDown: (type) => withdrawSelectors(pushedDown, type),
    as: representationFor(query),
    indexers: indexers as never,
    fields: await keptFieldsOf(query),
  });
  const pushedDownCaches = pushedDown.size === 0 ? undefined : new PushedDownCaches(pushedDown, query, session);
  return { ...part, caches, pushedDownCaches };
}

async function printOnce(sessions: Sessions, plan: QueryPlan, { filled, errors }: FilledParts): Promise<ExitCode> {
  const readable = filled.filter(({ caches }) => caches.readable.length > 0);
  const refusal = refusalOfAll({ filled, errors }, readable);
  // a number that leaves something out would be a wrong one; objects that leave some out are still objects
  if (refusal !== undefined && (readable.length === 0 || !asksForObjects(plan))) throw refusal;
  const parts = readable.map(({ session, query, caches, pushedDownCaches }) => {
    const { client, signal } = session;
    const notice = (text: string) => session.notice(text);
    return { query, allCached: caches.readable, client, signal, pushedDownCaches, notice } satisfies AnswerPart;
  });
  const printing = {
    sink: stdoutSink(sessions),
    signal: sessions.signal,
    isPartial: refusal !== undefined,
    follows: false,
    limitMs: limitOf(sessions, plan),
  };
  const missing = await abortable(printAnswer(plan, parts, printing), sessions.signal);
  const error = SeveralErrors.of([missing, refusal].filter((each) => each !== undefined));
  if (error !== undefined) throw error;
  return ExitCode.ok;
}

/** The time that `--timeout` leaves for a wait. The wait ends a little earlier, to say what it waited for. */
function limitOf({ clock, startedAt }: Sessions, { flags: { timeout } }: ReadQuery): number | undefined {
  return timeout === undefined ? undefined : Math.max(1, timeout - (clock.monotonic() - startedAt) - 100);
}
