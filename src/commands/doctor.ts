import { choice, group } from '../cli/args/flag.ts';
import { connectionFlags, outputFlags, selectionFlags } from '../cli/args/shared-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';

export default class DoctorCommand extends BaseCommand {
  static override summary = 'Examine installation, login, server and rights';
  static override description =
    'Every check has a time limit: --request-timeout, else 10 seconds. Nothing is written to the cluster; the reviews that ask who you are and what you may do store nothing. Exit code 1 says that there is a problem, warnings alone give 0.';
  static override usage = 'doctor [TYPE…] [FLAGS]';
  static override examples = [
    { description: 'All that a watch of pods needs', command: '<%= config.bin %> doctor' },
    {
      description: 'Whether you may read these types in two namespaces',
      command: '<%= config.bin %> doctor deployments configmaps -n shop,other',
    },
    {
      description: 'Only the problems, for a script',
      command: '<%= config.bin %> doctor -o json | jq \'.findings[] | select(.status == "problem")\'',
    },
  ];
  static override flags = {
    ...group('SELECTION', {
      namespace: selectionFlags.namespace,
      'all-namespaces': selectionFlags['all-namespaces'],
    }),
    ...group('OUTPUT', {
      output: choice(['table', 'wide', 'json'], {
        char: 'o',
        summary: 'output format; wide adds ids and times',
        default: 'table',
        noEnv: true,
      }),
      color: outputFlags.color,
    }),
    ...connectionFlags,
  };

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(DoctorCommand.flags);
    const [{ runDoctor }, { painterOf }] = await Promise.all([
      import('../doctor/checks.ts'),
      import('../cli/session/output.ts'),
    ]);
    const painter = await painterOf(flags, this.edges.io);
    return runDoctor({ ...this.edges, flags, words, contextGiven: this.line.given.get('context'), painter });
  }
}
