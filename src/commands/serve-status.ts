import { choice, group } from '../cli/args/flag.ts';
import { connectionFlags } from '../cli/args/shared-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';

export default class ServeStatusCommand extends BaseCommand {
  static override summary = 'Describe the running serve of this cluster and user';
  static override description =
    'Shows what the running `serve` holds: types with their objects, how old the data is, whether it is connected, indexes and memory.';
  static override usage = 'serve status [FLAGS]';
  static override examples = [
    { description: 'What it holds', command: '<%= config.bin %> serve status' },
    { description: 'For scripts', command: '<%= config.bin %> serve status -o json' },
  ];
  static override flags = {
    ...group('OUTPUT', {
      output: choice(['table', 'json'], { char: 'o', summary: 'output format', default: 'table', noEnv: true }),
    }),
    ...connectionFlags,
  };

  async execute(): Promise<ExitCode> {
    const flags = this.readFlags(ServeStatusCommand.flags);
    const { showStatus } = await import('../cli/serve/status-command.ts');
    return showStatus(flags, this.edges);
  }
}
