import { bool, choice, count, group } from '../cli/args/flag.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { programFlags, programOf } from '../cli/running/find-program.ts';
import { queueTable, rowsOf } from '../cli/running/queue-table.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { systemClock } from '../kit/clock.ts';
import { queuesOf } from '../ops/program-pages.ts';

export default class QueueListCommand extends BaseCommand {
  static override summary = 'List the keys in the queue of a running reconcile';
  static override description =
    'Asks the running `reconcile` of this cluster and user on this machine; one of another cluster only with --name or --pid. The keys are in the order in which they will run: those that are processed now, those in line, those that wait for a time, and at the end the parked ones, which wait for a change or for `queue retry`.';
  static override usage = 'queue list [FLAGS]';
  static override examples = [
    { description: 'All keys of the one that runs', command: '<%= config.bin %> queue list' },
    { description: 'The keys that were given up, and why', command: '<%= config.bin %> queue list --parked -o wide' },
    {
      description: 'Try all of them again',
      command: '<%= config.bin %> queue list --parked -o name | xargs <%= config.bin %> queue retry',
    },
  ];
  static override flags = {
    ...group('FILTER', {
      parked: bool({ summary: 'only keys that were given up until something changes' }),
      limit: count({ summary: 'at most N keys of each state', default: 1000, max: 20_000 }),
    }),
    ...programFlags,
    ...group('OUTPUT', {
      output: choice(['table', 'wide', 'json', 'name'], {
        char: 'o',
        summary: 'output format',
        default: 'table',
        noEnv: true,
      }),
    }),
  };

  async execute(): Promise<ExitCode> {
    const flags = this.readFlags(QueueListCommand.flags);
    const { io } = this.edges;
    const program = await programOf(flags, io);
    const pages = await queuesOf(program, flags.limit, systemClock);
    const shown = flags.parked ? pages.map((page) => ({ ...page, processing: [], queued: [], delayed: [] })) : pages;
    if (flags.output === 'json') {
      io.stdout.write(`${JSON.stringify({ program: program.about, controllers: shown }, null, 2)}\n`);
      return ExitCode.ok;
    }
    const rows = shown.flatMap((page) => rowsOf(page, systemClock.now()));
    if (flags.output === 'name') io.stdout.write(rows.map(({ key }) => `${key}\n`).join(''));
    else if (rows.length > 0) io.stdout.write(queueTable(rows, { wide: flags.output === 'wide' }));
    if (rows.length === 0) io.stderr.write(flags.parked ? 'no key is parked\n' : 'the queue is empty\n');
    if (pages.some(({ isCut }) => isCut))
      io.stderr.write(`only ${flags.limit} keys of each state are shown; --limit shows more\n`);
    return ExitCode.ok;
  }
}
