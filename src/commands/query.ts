import { queryFlags } from '../cli/args/query-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { throughServe } from '../cli/query/through-serve.ts';
import { asksForClusters } from '../cli/session/cluster-choice.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';

export default class QueryCommand extends BaseCommand {
  static override summary = 'Answer questions about resources from a synced cache';
  static override description =
    'Asks the cache of a running serve; without one, fills a cache with the given types, answers from it, and ends; with --watch it goes on and prints how the answer changes. Built-in indexes: namespace, label:KEY, owner (kind/name or uid, through all levels), node, image, phase, configmap, secret, serviceaccount, pvc, event (kind/name that an Event is about). When there are several lookups, an object must match all of them.';
  static override usage = 'query TYPE[,TYPE…]|@VIEW [NAME…] [FLAGS]';
  static override examples = [
    {
      description: 'The pods of one node',
      command: '<%= config.bin %> query pods -A --eq node=worker-1 -o name',
    },
    {
      description: 'The pods of a Deployment, through its ReplicaSets',
      command: '<%= config.bin %> query pods -n shop --eq owner=deploy/web',
    },
    {
      description: 'An index of your own: which schedulers pods name, and how often',
      command: '<%= config.bin %> query pods -A --index by=.spec.schedulerName --values by',
    },
    {
      description: 'Pending pods, oldest first',
      command: `<%= config.bin %> query pods -A --filter 'object.status.phase == "Pending"' --sort-by .metadata.creationTimestamp`,
    },
    {
      description: 'What a Deployment owns, down to its pods',
      command: '<%= config.bin %> query deploy/web -n shop --tree',
    },
    {
      description: 'The pods that do not run, as they change',
      command: `<%= config.bin %> query pods -A --where 'STATUS != "Running"' --watch`,
    },
    {
      description: 'The pods that did not run ten minutes before the end of a recording',
      command: `<%= config.bin %> query pods -A --from shop.rec --at 10m --where 'STATUS != "Running"'`,
    },
    {
      description: 'What appeared, changed and vanished in ten minutes of a recording, and by whom',
      command: '<%= config.bin %> query deploy,cm -n shop --from shop.rec --between 2026-11-28T02:10,2026-11-28T02:20',
    },
    {
      description: 'Who changed replicas, in SQL over a recording',
      command: `<%= config.bin %> query --from shop.rec --sql "SELECT time, name, who, before, after FROM changes WHERE path = '.spec.replicas'"`,
    },
    {
      description: 'Without a cluster: how many pods run on each node',
      command: '<%= config.bin %> query pods -A --sandbox --values node',
    },
  ];
  static override flags = queryFlags;
  static override takesViews = true;

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(QueryCommand.flags);
    const line = { flags, words, given: this.line.given };
    if (flags.sql !== undefined) return await (await import('../cli/query/sql-run.ts')).querySql(line, this.edges);
    const answered =
      asksForClusters(flags) || flags.from !== undefined ? undefined : await throughServe(line, this.edges);
    if (answered !== undefined) return answered;
    const { runQuery } = await import('../cli/query/query-run.ts');
    return runQuery(line, this.edges);
  }
}
