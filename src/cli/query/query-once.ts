import { onlyNamespaceOf } from '../../query/answer/query.ts';
import type { CommandLine } from '../args/argv.ts';
import type { Edges } from '../base-command.ts';
import { resolveWhenThere } from '../session/crd-wait.ts';
import { namespacesOf, openSession } from '../session/session.ts';
import { checkWheres } from '../session/where-check.ts';
import { type ExitCode, withFreshTypes } from '../terminal/exit-codes.ts';
import { queryContinuously } from './continuous-run.ts';
import { OutdatedCaches } from './fresh-answer.ts';
import { queryPlanOf } from './query-plan.ts';
import { type QueryFlagValues, readQuery } from './read-query.ts';
import { query } from './run.ts';
import { querySinceLast } from './since-last.ts';

/** A command line of `query`, parsed. */
export interface QueryLine extends Pick<CommandLine, 'given' | 'words'> {
  readonly flags: QueryFlagValues;
}

/** Answers a command line from caches of its own, on the cluster. */
export async function queryOnce({ flags, words, given }: QueryLine, edges: Edges): Promise<ExitCode> {
  const { indexes } = edges.config;
  const notice = (text: string) => void edges.io.stderr.write(`${text}\n`);
  const question = await readQuery(flags, { given, indexes, notice });
  return await withNewLists(() =>
    withFreshTypes(async () => {
      const needsManagedFields = question.keepManagedFields;
      // a result that goes on reads what a serve has as it reads a cluster
      const isServed = flags.watch && !flags['no-serve'] && !question.shard;
      const serve = isServed ? { needsManagedFields, isQuiet: flags.quiet === true } : undefined;
      await using session = await openSession(flags, edges, { once: !flags.watch, serve });
      const selections = await (flags['wait-for-crd'] ? resolveWhenThere(words, session) : session.resolve(words));
      const namespaces = namespacesOf(flags, session.config);
      const types = selections.map(({ type }) => type);
      await checkWheres(question.wheres, types, onlyNamespaceOf(namespaces), session, { ofEvents: false });
      const surface = { stdout: session.io.stdout, env: session.io.env, clock: session.clock };
      const plan = await queryPlanOf(question, { selections, namespaces }, surface);
      if (flags['since-last']) return await querySinceLast(session, plan);
      return await (flags.watch ? queryContinuously(session, plan) : query(session, plan));
    }),
  );
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
