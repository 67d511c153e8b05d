import { historyFlags } from '../cli/args/record-flags.ts';
import { refuseWithout } from '../cli/args/useless-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';
import { parseOutputFormat } from '../output/formats.ts';

export default class HistoryCommand extends BaseCommand {
  static override summary = 'Show when an object changed, by whom, and in which fields';
  static override description =
    'Reads a recording that `watch --record` or `serve --record` made (--from). The times in which changes may be missing are shown in their places. Without --from it reads the recording of a running `serve --record`; without that it shows what the cluster still knows: the last write of each field manager, Events, and the revisions of ReplicaSets and ControllerRevisions, and says on stderr what that leaves out.';
  static override usage = 'history TYPE/NAME | TYPE NAME | TYPE -o PICTURE [FLAGS]';
  static override examples = [
    {
      description: 'Who changed the replicas of a Deployment, and when',
      command: '<%= config.bin %> history deploy/web -n shop --path .spec.replicas --from shop.rec',
    },
    {
      description: 'All changed fields of the last hour, with both values',
      command: '<%= config.bin %> history deploy/web -n shop --since 1h -o changes --from shop.rec',
    },
    {
      description: 'Why it is not ready, and what happened to it and to all that it owns',
      command: '<%= config.bin %> history deploy/checkout -n shop --story --from shop.rec',
    },
    {
      description: 'A picture of it and of all that it owns: changes, readiness, replicas and restarts over time',
      command: '<%= config.bin %> history deploy/checkout -n shop -o timeline --from shop.rec',
    },
    {
      description: 'The same as one page for a browser, of all Deployments',
      command: '<%= config.bin %> history deploy -n shop -o html --from shop.rec > night.html',
    },
    {
      description: 'Without a recording: what the cluster still knows',
      command: '<%= config.bin %> history deploy/web -n shop',
    },
  ];
  static override flags = historyFlags;

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(HistoryCommand.flags);
    const line = { flags, words, given: this.line.given };
    refuseWithout(line.given, ['logs'], ['story']);
    if (flags.story) return await (await import('../cli/story/story-run.ts')).historyStory(line, this.edges);
    const { draws } = parseOutputFormat(flags.output ?? '').traits;
    if (draws) return await (await import('../cli/record/picture-run.ts')).historyPicture(line, this.edges, draws);
    const { history } = await import('../cli/record/history-run.ts');
    return await history(line, this.edges);
  }
}
