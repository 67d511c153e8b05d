import { InformerError } from '../../kit/error.ts';
import type { FieldChange } from '../../model/field-changes.ts';
import { formatGvr, sameGvr } from '../../model/gvr.ts';
import type { PictureText } from '../../output/format-traits.ts';
import { asksForAscii } from '../../output/tables/ascii-terminal.ts';
import { valuePair } from '../../output/value-text.ts';
import { recordedMoment } from '../../record/moments.ts';
import { compileScope } from '../../stream/changes/path-scope.ts';
import { recordedTimeline } from '../../timeline/recorded-timeline.ts';
import type { HistoryFlags } from '../args/record-flags.ts';
import type { Edges } from '../base-command.ts';
import { painterOf } from '../session/output.ts';
import { openSession } from '../session/session.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { type HistoryCommandLine, ofOneNamespace } from './history-run.ts';
import { recordedServer } from './recorded-server.ts';
import { recordingOfServe } from './serve-recording.ts';

/** The objects that have a lane; beyond them those that changed least are left out. */
const MOST_LANES = 60;
/** The changes that have a mark. */
const MOST_CHANGES = 1_000;
const LONGEST_VALUE = 80;
/** The width of a picture that goes into a pipe or a file. */
const USUAL_COLUMNS = 80;

/** Draws what happened to an object and all that it owns, or to the objects of a type, out of a recording. */
export async function historyPicture(
  line: HistoryCommandLine,
  edges: Edges,
  draw: () => Promise<PictureText>,
): Promise<ExitCode> {
  const { flags, words, given } = line;
  const { io } = edges;
  const served = flags.from === undefined ? await recordingOfServe(flags, io) : undefined;
  const from = flags.from ?? served?.file;
  if (from === undefined)
    throw new InformerError('argument', `-o ${flags.output} needs a recording`, {
      hint: `--from FILE names one; 'watch ${words[0]?.split('/')[0] ?? 'pods'} --record FILE' makes it`,
    });
  using recorded = await recordedServer({ from }, given, io);
  await using session = await openSession(flags, edges, { once: true, instead: recorded });
  const [selection, ...others] = await session.resolve(words);
  if (!selection || others.length > 0 || selection.names.length > 1)
    throw new InformerError('argument', 'a picture is of one object, or of one type', {
      hint: `for example: ${edges.called} deploy/web -o ${flags.output}`,
    });
  if (served && !flags.quiet) session.notice(served.text);
  const { recording, at: end } = recorded;
  const { type, names: [name] } = selection; // biome-ignore format: one line
  const asked = flags.namespace?.[0] ?? served?.namespace;
  const sources = recording.sources.filter((source) => sameGvr(source.type.gvr, type.gvr)).map(({ id }) => id);
  if (name !== undefined) ofOneNamespace(recording.revisionsOf(sources, asked, name), type, name);
  const moment = (flag: 'since' | 'until') => {
    const text = flags[flag];
    return text === undefined ? undefined : recordedMoment(text, end, `--${flag}`);
  };
  const [since, until] = [moment('since'), moment('until')];
  if (since !== undefined && since > (until ?? end))
    throw new InformerError('argument', `--since ${flags.since} is after the end of the picture`);
  const timeline = recordedTimeline(recording, {
    type,
    name,
    namespace: type.namespaced ? asked : undefined,
    since,
    until,
    mostLanes: MOST_LANES,
    mostChanges: flags.limit ?? MOST_CHANGES,
    values: (before, after) => valuePair(before, after, LONGEST_VALUE),
    shows: choiceOf(flags),
  });
  if (!timeline) {
    session.notice(
      `${formatGvr(type.gvr)}${name === undefined ? '' : ` ${name}`} is not in the recording in this time`,
    );
    return ExitCode.failed;
  }
  const print = await draw();
  const { stdout, env } = io;
  const painter = await painterOf(flags, { stdout, env });
  stdout.write(print(timeline, { painter, columns: stdout.columns ?? USUAL_COLUMNS, ascii: asksForAscii(env) }));
  return ExitCode.ok;
}

/** The changes that `--path` and `--by` choose. */
function choiceOf({ path, by }: HistoryFlags) {
  const scope = compileScope(path ?? []);
  if (path && !scope)
    throw new InformerError('argument', `--path ${path.join(',')} is not the path of a field`, {
      hint: 'for example --path .spec.replicas',
    });
  return (change: FieldChange | undefined, who = ''): boolean =>
    (!by || by.some((manager) => who.split(',').includes(manager))) &&
    (!scope || (change !== undefined && scope(change.steps)));
}
