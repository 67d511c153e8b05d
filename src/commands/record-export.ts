import { group, text } from '../cli/args/flag.ts';
import { outputFlags } from '../cli/args/shared-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';
import { InformerError } from '../kit/error.ts';
import { formatHelp, formatWords } from '../output/formats.ts';

const exportFlags = {
  ...group('SELECTION', {
    since: text({ summary: 'only what was received since this time, as 2026-11-28T14:03:00Z or 10m (before the end)', helpValue: 'TIME' }), // biome-ignore format: one line
    until: text({ summary: 'only what was received until this time', helpValue: 'TIME' }),
  }),
  ...group('OUTPUT', {
    output: text({ char: 'o', summary: `default: ndjson; ${formatHelp('rows')}`, helpValue: 'FORMAT', words: formatWords('rows') }), // biome-ignore format: one line
    'no-headers': outputFlags['no-headers'],
  }),
};

export default class RecordExportCommand extends BaseCommand {
  static override summary = 'Write a recording as NDJSON or CSV';
  static override description =
    'Prints every recorded change of all types, or of the given ones, in the order in which they were received: a JSON object for each with the whole object, or a row of CSV or TSV without it. Times in which changes may be missing are lines of their own (GAP), in their places.';
  static override usage = 'record export FILE [TYPE…] [-o ndjson|csv|tsv] [FLAGS]';
  static override examples = [
    {
      description: 'The names and sizes of images that were ever in use, by jq',
      command: `<%= config.bin %> record export shop.rec pods | jq -r '.object.spec.containers[]?.image' | sort -u`,
    },
    {
      description: 'A spreadsheet of what changed in the last hour, and by whom',
      command: '<%= config.bin %> record export shop.rec deployments -o csv --since 1h > hour.csv',
    },
  ];
  static override flags = exportFlags;

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(RecordExportCommand.flags);
    const [file, ...types] = words;
    if (file === undefined)
      throw new InformerError('argument', 'name a recording', { hint: `for example: ${this.edges.called} shop.rec` });
    const { exportRecording } = await import('../cli/record/export-run.ts');
    return await exportRecording(file, types, flags, this.edges);
  }
}
