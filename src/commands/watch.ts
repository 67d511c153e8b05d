import { BaseCommand } from '../cli/base-command.ts';
import { type ExitCode, withFreshTypes } from '../cli/exit.ts';
import { openSession } from '../cli/session.ts';
import { watchFlags } from '../cli/watch-flags.ts';
import { checkWatch, planOf } from '../cli/watch-plan.ts';
import { watch } from '../cli/watching.ts';

export default class WatchCommand extends BaseCommand {
  static override summary = 'stream every change of any resources, for as long as you like';
  static override description =
    'Shows the objects there are, then every change to them, in one stream over several types and namespaces. The stream goes on through ended, broken and silent connections; what could not be seen is told on stderr. stdout carries the events and nothing else. Exit codes: 0 what was asked for happened, 1 the cluster failed, 2 wrong usage, 3 time ran out first, 4 continuity lost (--strict), 5 --fail-if, 130 and 143 interrupted before that, 141 the reader left before that.';
  static override usage = 'watch TYPE[,TYPE…] [NAME…] | TYPE/NAME… [FLAGS]';
  static override examples = [
    { description: 'pods and deployments of a namespace', command: '<%= config.bin %> watch pods,deploy -n shop -l app=web' },
    { description: 'what changed, for jq', command: `<%= config.bin %> watch pods -A -o json | jq -c '[.type, .key, .changed]'` },
    {
      description: 'pods that crash, by what the table says',
      command: `<%= config.bin %> watch pods -A --where 'STATUS == "CrashLoopBackOff" && RESTARTS > 3'`,
    },
    { description: 'which fields a rollout changes, and who does it', command: '<%= config.bin %> watch deploy/web -o changes' },
    {
      description: 'wait for a rollout, with exit code 3 when it takes longer',
      command: `<%= config.bin %> watch deploy/web --for rollout --timeout 5m`,
    },
    { description: 'as kubectl wait', command: '<%= config.bin %> watch pods -l app=web --for condition=Ready --timeout 60s' },
    {
      description: 'wait until all deployments of a namespace are rolled out, and stay so',
      command: `<%= config.bin %> watch deploy -n shop --until 'rolledOut(object)' --stays 10s`,
    },
    {
      description: 'warnings as they come',
      command: '<%= config.bin %> watch events -A --field-selector type=Warning --watch-only --on added,modified',
    },
    { description: 'try it without a cluster', command: '<%= config.bin %> watch pods,deploy -A --sandbox --live' },
  ];
  static override flags = watchFlags;

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(watchFlags);
    const checked = await checkWatch(flags, this.line, this.edges.io);
    return await withFreshTypes(async () => {
      await using session = await openSession({ ...flags, timeout: checked.timeoutMs }, this.edges, { once: checked.once });
      return await watch(session, await planOf(words, flags, checked, session));
    });
  }
}
