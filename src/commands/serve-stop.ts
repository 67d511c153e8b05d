import { connectionFlags } from '../cli/args/shared-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';

export default class ServeStopCommand extends BaseCommand {
  static override summary = 'End the running serve of this cluster and user';
  static override description = 'Ends the running `serve`, and returns when it is gone.';
  static override usage = 'serve stop [FLAGS]';
  static override examples = [{ description: 'End it', command: '<%= config.bin %> serve stop' }];
  static override flags = connectionFlags;

  async execute(): Promise<ExitCode> {
    const flags = this.readFlags(ServeStopCommand.flags);
    const { stopServe } = await import('../cli/serve/status-command.ts');
    return stopServe(flags, this.edges);
  }
}
