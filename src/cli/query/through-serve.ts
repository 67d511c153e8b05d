import { VERSIONS_VARIABLE } from '../../hooks/run/known-versions.ts';
import { systemClock } from '../../kit/clock.ts';
import { ageDuration } from '../../kit/duration.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { askServe } from '../../serve/client/ask.ts';
import { connectionRecord } from '../../serve/connection-record.ts';
import { type FoundServe, findServe } from '../../serve/find.ts';
import type { AnswerTrailer, QueryRequest } from '../../serve/protocol.ts';
import { namesOf } from '../args/flag.ts';
import { clusterChoiceFlags, connectionFlags, loginFlags, serveChoiceFlags } from '../args/shared-flags.ts';
import { withTemplateText } from '../args/template-file.ts';
import type { Edges } from '../base-command.ts';
import { forgetKilled } from '../session/killed-serve.ts';
import { reportError } from '../terminal/error-text.ts';
import { ExitCode, isReaderGone } from '../terminal/exit-codes.ts';
import { writeNotice } from '../terminal/notice.ts';
import { optionsAsFlags } from '../terminal/option-flags.ts';
import type { QueryLine } from './read-query.ts';

/**
 * Lets a running serve of this cluster and user answer, if there is one, and says so on stderr. Undefined if the
 * command must ask the cluster itself: there is no serve, it cannot answer this, or it does not answer; what is not
 * expected is said too. Loads as little as it can: the answer takes little longer than a start of this program.
 */
export async function throughServe(line: QueryLine, edges: Edges): Promise<ExitCode | undefined> {
  const { flags } = line;
  // query --watch keeps its result up to date here, from the lists and watches that a serve answers as a server does
  if (flags['no-serve'] || flags.sandbox || flags.scenario !== undefined) return undefined;
  if (flags.watch || flags['since-last']) return undefined;
  const notice = (text: string) => writeNotice(edges.io, text);
  let found: Found | undefined;
  try {
    found = await serveOf(flags, edges);
  } catch (error) {
    notice(`a running serve is not used: ${messageOf(error)}`);
    return undefined;
  }
  if (found && flags.shard !== undefined) {
    notice(`the serve with pid ${found.serve.about.pid} has no shards, so the cluster is asked`);
    return undefined;
  }
  return found && (await askedOf(found, line, edges));
}

interface Found {
  readonly serve: FoundServe;
  /** The namespace of the context, if the kubeconfig was read to find the serve: another context may have led to it. */
  readonly namespace: string | undefined;
}

async function serveOf(flags: QueryLine['flags'], { io }: Edges): Promise<Found | undefined> {
  let namespace: string | undefined;
  const login = Object.fromEntries(namesOf(loginFlags).map((name) => [name, flags[name]]));
  const serve = await findServe(
    io.env,
    (parts) => connectionRecord(login, io.env, parts),
    async () => {
      const { serveKeyOf } = await import('../session/program-key.ts');
      const found = await serveKeyOf(flags, io);
      namespace = found?.namespace;
      return found?.key;
    },
  );
  return serve && { serve, namespace };
}

async function askedOf({ serve, namespace }: Found, line: QueryLine, edges: Edges): Promise<ExitCode | undefined> {
  const { io, signal } = edges;
  const { pid } = serve.about;
  const ending = AbortSignal.any([signal, io.stdout.closed]);
  const request = await requestOf(line, edges);
  let isBegun = false;
  const take = async (text: string) => {
    isBegun = true;
    if (!io.stdout.write(text)) await io.stdout.ready();
  };
  try {
    const asked = await askServe(serve, { ...request, namespace }, { signal: ending, clock: systemClock, take });
    if (asked.kind === 'answered') return ended(asked.end, pid, line.flags.quiet, edges);
    if (asked.kind === 'gone') await forget(serve, edges);
    else
      writeNotice(edges.io, `the serve with pid ${pid} cannot answer this, so the cluster is asked: ${asked.reason}`);
    return undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    if (io.stdout.closed.aborted) return isReaderGone(error) ? ExitCode.ok : ExitCode.failed;
    if (isBegun || !(error instanceof InformerError)) throw error;
    const hint = error.hint === undefined ? '' : ` (${optionsAsFlags(error.hint)})`;
    writeNotice(edges.io, `the cluster is asked instead of a running serve: ${error.message}${hint}`);
    return undefined;
  }
}

function ended(end: AnswerTrailer, pid: number, isQuiet: boolean, { io }: Edges): ExitCode {
  const { exitCode, ageMs, notices, errors = [] } = end;
  for (const text of notices) writeNotice(io, text);
  for (const error of errors) reportError(new InformerError('terminal', error.message, error), io);
  const age = ageMs === undefined ? '' : `, ${ageDuration(ageMs)} old`;
  if (!isQuiet) writeNotice(io, `from serve (pid ${pid})${age}`);
  return Object.values(ExitCode).find((code) => code === exitCode) ?? ExitCode.failed;
}

async function forget(serve: FoundServe, { io }: Edges): Promise<void> {
  const line = await forgetKilled(serve);
  if (line !== undefined) writeNotice(io, line);
}

async function requestOf({ words, given }: QueryLine, { config, io }: Edges): Promise<QueryRequest> {
  const kept = [...given].filter(
    ([name]) => !(name in connectionFlags) && !(name in clusterChoiceFlags) && !(name in serveChoiceFlags),
  );
  return {
    words,
    given: Object.fromEntries(
      await Promise.all(
        kept.map(async ([name, flag]) => {
          const values = name === 'output' ? await Promise.all(flag.values.map(withTemplateText)) : flag.values;
          return [name, { ...flag, values }] as const;
        }),
      ),
    ),
    config: { indexes: config.indexes },
    terminal: { isTerminal: io.stdout.isTerminal, columns: io.stdout.columns },
    env: Object.fromEntries(
      PASSED_VARIABLES.flatMap((name) => (io.env[name] === undefined ? [] : [[name, io.env[name]]])),
    ),
  };
}

/** The variables that decide about colours and characters. */
const LOOK_VARIABLES = ['NO_COLOR', 'FORCE_COLOR', 'TERM', 'COLORTERM', 'LC_ALL', 'LC_CTYPE', 'LANG', 'WT_SESSION'];
const PASSED_VARIABLES = [...LOOK_VARIABLES, VERSIONS_VARIABLE];
