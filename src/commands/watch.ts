import { refuseWithout } from '../cli/args/useless-flags.ts';
import { type WatchFlags, watchFlags } from '../cli/args/watch-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { asksForClusters } from '../cli/session/cluster-choice.ts';
import { openSession } from '../cli/session/session.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';
import { withFreshTypes } from '../cli/terminal/stale-type.ts';
import { type CheckedWatch, checkWatch, planOf, serveUseOf } from '../cli/watch/read-watch.ts';
import { canPassWatch, watchOnce } from '../cli/watch/watch-once.ts';
import { watch } from '../cli/watch/watch-run.ts';

export default class WatchCommand extends BaseCommand {
  static override summary = 'Stream every change to resources, for as long as you like';
  static override description =
    `Prints the objects that exist, then every change to them, in one stream over several types and namespaces. The stream continues through watches that end, break or go silent; changes that it may have missed are reported on stderr. stdout carries only the events.

Exit codes: 0 done, 1 the cluster failed, 2 wrong usage, 3 timeout, 4 continuity lost (--strict), 5 --fail-if; when interrupted before the end 130 (Ctrl-C), 143 (SIGTERM) or 141 (the reader of stdout left).`;
  static override usage = 'watch TYPE[,TYPE…] [NAME…] | TYPE/NAME… [FLAGS]';
  static override examples = [
    {
      description: 'Pods and Deployments of a namespace',
      command: '<%= config.bin %> watch pods,deploy -n shop -l app=web',
    },
    {
      description: 'The changed fields of each event, for jq',
      command: `<%= config.bin %> watch pods -A -o json | jq -c '[.type, .key, .changed]'`,
    },
    {
      description: 'Pods that crash, selected by columns of the table',
      command: `<%= config.bin %> watch pods -A --where 'STATUS == "CrashLoopBackOff" && RESTARTS > 3'`,
    },
    {
      description: 'Which fields a rollout changes, and who changes them',
      command: '<%= config.bin %> watch deploy/web -o changes',
    },
    {
      description: 'Wait for a rollout; the exit code is 3 when it takes longer',
      command: `<%= config.bin %> watch deploy/web --for rollout --timeout 5m`,
    },
    {
      description: 'Wait for a condition, as kubectl wait does',
      command: '<%= config.bin %> watch pods -l app=web --for condition=Ready --timeout 60s',
    },
    {
      description: 'Wait until all Deployments of a namespace are rolled out, and stay so for 10 s',
      command: `<%= config.bin %> watch deploy -n shop --until 'rolledOut(object)' --stays 10s`,
    },
    {
      description: 'New warnings of the cluster',
      command: '<%= config.bin %> watch events -A --field-selector type=Warning --watch-only --on added,modified',
    },
    {
      description: 'Why it is not ready, and all that happens to it and to what it owns',
      command: '<%= config.bin %> watch deploy/checkout --story --logs 20',
    },
    {
      description: 'Without a cluster: one table of a shop in which a rollout goes on',
      command: '<%= config.bin %> watch pods,deploy -A --sandbox --live',
    },
  ];
  static override flags = watchFlags;
  static override takesViews = true;

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(watchFlags);
    if (flags.story)
      return await (await import('../cli/story/watched-story.ts')).watchStory(flags, this.line, this.edges);
    refuseWithout(this.line.given, ['logs'], ['story']);
    const checked = await checkWatch(flags, this.line, this.edges.io);
    if (asksForClusters(flags)) {
      const { watchClusters } = await import('../cli/watch/clusters-run.ts');
      const serve = serveUseOf(flags, checked);
      return await withFreshTypes(() => watchClusters({ words, flags, checked }, this.edges, serve));
    }
    return await withFreshTypes(async () => {
      using replayed = await this.#replayed(flags, checked);
      await using session = await openSession({ ...flags, timeout: checked.timeoutMs }, this.edges, {
        once: checked.once,
        serve: serveUseOf(flags, checked),
        instead: replayed,
      });
      replayed?.play(session); // a plan may ask for columns
      const plan = await planOf(words, flags, checked, session);
      return await (canPassWatch(plan, session) ? watchOnce(session, plan) : watch(session, plan));
    });
  }

  async #replayed({ from, ...flags }: WatchFlags, { once, isLive }: CheckedWatch) {
    if (from === undefined) return undefined;
    const { replayedServer } = await import('../cli/record/replayed-server.ts');
    const speed = isLive ? 1 : Number.POSITIVE_INFINITY;
    return await replayedServer({ flags: { ...flags, from }, given: this.line.given, speed, once }, this.edges.io);
  }
}
