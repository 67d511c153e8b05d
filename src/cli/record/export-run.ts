import { InformerError } from '../../kit/error.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import { formatWords, parseOutputFormat, RECORD_LINES } from '../../output/formats.ts';
import { EXPORTED, exportedRows, recordedSources } from '../../record/exported-rows.ts';
import { recordedMoment } from '../../record/moments.ts';
import { Recording } from '../../record/recording.ts';
import type { Edges } from '../base-command.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { writeRows } from '../terminal/write-rows.ts';
import { sayEnd } from './recorded-server.ts';

interface ExportFlags {
  readonly output: string | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly 'no-headers': boolean;
}

/** Prints every change of a recording, or of some types of it, in a format of rows. Keeps no more than the states. */
export async function exportRecording(
  file: string,
  words: readonly string[],
  flags: ExportFlags,
  { io }: Edges,
): Promise<ExitCode> {
  const { traits } = parseOutputFormat(flags.output ?? RECORD_LINES);
  if (traits.rows === false)
    throw new InformerError('argument', `-o ${traits.called} cannot be used with record export: it prints rows`, {
      hint: `use -o ${formatWords('rows').join(', -o ')}`,
    });
  using recording = Recording.open(file);
  const types = words.flatMap((word) => word.split(','));
  for (const type of types)
    if (recordedSources(recording, [type]).length === 0)
      throw new InformerError('argument', `the recording does not have ${JSON.stringify(type)}`, {
        hint: `it has ${[...new Set(recording.sources.map((each) => formatGroupResource(each.type.gvr)))].join(', ')}`,
      });
  const end = Math.max(0, ...recording.runs.map(({ until }) => until));
  const moment = (flag: 'since' | 'until', otherwise: number) =>
    flags[flag] === undefined ? otherwise : recordedMoment(flags[flag], end, `--${flag}`);
  const range = { types, from: moment('since', 0), to: moment('until', Number.MAX_SAFE_INTEGER) };
  sayEnd(recording, io);
  const create = await traits.rows();
  const columns = EXPORTED.filter((name) => traits.needsObject || name !== 'object');
  const rows = create(columns, { noHeaders: flags['no-headers'], terminal: io.stdout.isTerminal });
  await writeRows(io.stdout, rows, exportedRows(recording, { ...range, columns }));
  return ExitCode.ok;
}
