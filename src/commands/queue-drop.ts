import { BaseCommand } from '../cli/base-command.ts';
import { changeFlags, changeKeysOf } from '../cli/running/change-command.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';

export default class QueueDropCommand extends BaseCommand {
  static override summary = 'Drop keys from the queue of a running reconcile';
  static override description =
    'Asks the running `reconcile` of this cluster and user on this machine; one of another cluster only with --name or --pid. Nothing runs for a dropped key until its next event. A run that is under way goes on. Nothing in the cluster changes. The exit code is 1 if a key was not waiting.';
  static override usage = 'queue drop KEY… [FLAGS]';
  static override examples = [
    { description: 'One key', command: '<%= config.bin %> queue drop shop/web' },
    {
      description: 'Of one of several that run',
      command: '<%= config.bin %> queue drop shop/web --name guard.sh',
    },
  ];
  static override flags = changeFlags;

  async execute(): Promise<ExitCode> {
    return await changeKeysOf('drop', this.read(changeFlags), this.edges);
  }
}
