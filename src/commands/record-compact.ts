import { statSync } from 'node:fs';
import { duration, group } from '../cli/args/flag.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { thousands } from '../kit/thousands.ts';

export default class RecordCompactCommand extends BaseCommand {
  static override summary = 'Make a recording smaller, and its tables complete';
  static override description =
    'Removes what is older than --keep, gives free room back to the disk, and brings the tables of newest states up to date where the process that recorded was killed. No other process may record into the file meanwhile.';
  static override usage = 'record compact FILE [--keep DURATION]';
  static override examples = [
    { description: 'Keep the last two days', command: '<%= config.bin %> record compact shop.rec --keep 2d' },
  ];
  static override flags = group('RECORDING', {
    keep: duration({ summary: 'remove what is older, such as 7d (default: nothing)' }),
  });

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(RecordCompactCommand.flags);
    const [file, ...more] = words;
    if (file === undefined || more.length > 0)
      throw new InformerError('argument', 'name one recording', { hint: `for example: ${this.edges.called} shop.rec` });
    const [{ Recording }, { compactRecording }] = await Promise.all([
      import('../record/recording.ts'),
      import('../record/recording-writer.ts'),
    ]);
    Recording.open(file)[Symbol.dispose](); // no file is made of a wrong name
    const before = statSync(file).size;
    const removed = compactRecording(file, { clock: systemClock, keepMs: flags.keep });
    const sizes = `${thousands(before)} → ${thousands(statSync(file).size)} bytes`;
    this.edges.io.stderr.write(`${file}: ${thousands(removed)} revisions removed, ${sizes}\n`);
    return ExitCode.ok;
  }
}
