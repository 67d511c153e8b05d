import { BaseCommand } from '../cli/base-command.ts';
import { changeFlags, changeKeysOf } from '../cli/running/change-command.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';

export default class QueueRetryCommand extends BaseCommand {
  static override summary = 'Run keys of a running reconcile again, now';
  static override description =
    'Asks the running `reconcile` of this cluster and user on this machine; one of another cluster only with --name or --pid. A parked key is released: its failures are forgotten. A key that waits for its back-off runs at once, without a new event. A key that is processed now runs once more after that. The exit code is 1 if there is no such key.';
  static override usage = 'queue retry KEY… [FLAGS]';
  static override examples = [
    { description: 'One key', command: '<%= config.bin %> queue retry shop/web' },
    {
      description: 'All that were given up',
      command: '<%= config.bin %> queue list --parked -o name | xargs <%= config.bin %> queue retry',
    },
  ];
  static override flags = changeFlags;

  async execute(): Promise<ExitCode> {
    return await changeKeysOf('retry', this.read(changeFlags), this.edges);
  }
}
