import { serveFlags } from '../cli/args/serve-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { readsForAnother } from '../cli/record/process-limits.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';

export default class ServeCommand extends BaseCommand {
  static override summary = 'Keep caches that query and watch then answer from';
  static override description =
    'Holds caches of the given types until it is ended. Later `query` and `watch` commands of the same user find it by themselves, and answer at once without a list of their own. There is one serve for each cluster and user: another `serve` adds its types and indexes to the one that runs.';
  static override usage = 'serve TYPE[,TYPE…] [FLAGS]';
  static override examples = [
    {
      description: 'Keep pods and their owners, in the background',
      command: '<%= config.bin %> serve pods,rs,deploy &',
    },
    { description: 'Then ask, in milliseconds', command: '<%= config.bin %> query pods -A --eq owner=deploy/web' },
    {
      description: 'With an index that is ready before the first question',
      command: '<%= config.bin %> serve pods --index ip=.status.podIP',
    },
    { description: 'What it holds, and how fresh', command: '<%= config.bin %> serve status' },
  ];
  static override flags = serveFlags;

  async execute(): Promise<ExitCode> {
    if (readsForAnother(this.edges.io.env))
      return (await import('../agents/recorded-tools.ts')).answerAsReader(this.edges);
    const { flags, words } = this.read(ServeCommand.flags);
    const { serve } = await import('../cli/serve/serve-run.ts');
    // agents ask on the port, and nothing of them is loaded without one
    const agents = flags.listen === undefined ? undefined : await import('../agents/agent-route.ts');
    return serve(flags, words, this.edges, agents?.agentRoutes);
  }
}
