import { choice, group } from '../cli/args/flag.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { explanationText } from '../cli/running/explain-text.ts';
import { programFlags, programOf } from '../cli/running/find-program.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { systemClock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import { explanationsOf } from '../ops/program-pages.ts';

export default class ReconcileExplainCommand extends BaseCommand {
  static override summary = 'Explain why a running reconcile ran a key, or why not';
  static override description =
    'Asks the running `reconcile` of this cluster and user on this machine; one of another cluster only with --name or --pid. Prints the state of the key, then what led to it in the order of time: events with the fields that they changed, predicates that they did not pass, how they were merged, runs with their outcome and exit code, and when it is due next. It also says why a key is not queued. Times are in UTC. The exit code is 1 if nothing is known of the key.';
  static override usage = 'reconcile explain KEY [FLAGS]';
  static override examples = [
    { description: 'Why is it run again and again?', command: '<%= config.bin %> reconcile explain shop/web' },
    { description: 'As data', command: '<%= config.bin %> reconcile explain shop/web -o json' },
  ];
  static override flags = {
    ...programFlags,
    ...group('OUTPUT', {
      output: choice(['text', 'json'], { char: 'o', summary: 'output format', default: 'text', noEnv: true }),
    }),
  };

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(ReconcileExplainCommand.flags);
    const { io } = this.edges;
    const [key = '', ...others] = words;
    if (key === '' || others.length > 0) {
      throw new InformerError('argument', 'reconcile explain takes one key', {
        hint: 'NAMESPACE/NAME, or NAME of an object without a namespace',
      });
    }
    const program = await programOf(flags, io);
    const explained = await explanationsOf(program, key, systemClock);
    if (flags.output === 'json')
      io.stdout.write(`${JSON.stringify({ program: program.about, controllers: explained }, null, 2)}\n`);
    else io.stdout.write(explained.map((each) => explanationText(each, program.about.type)).join(''));
    return explained.some(({ state, isCached }) => state !== 'unknown' || isCached) ? ExitCode.ok : ExitCode.failed;
  }
}
