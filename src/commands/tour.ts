import path from 'node:path';
import { bool, group } from '../cli/args/flag.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { painterOf } from '../cli/session/output.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';
import type { TourCluster } from '../cli/tour/stops.ts';
import { Tour } from '../cli/tour/tour.ts';
import { createClient } from '../client/client.ts';
import { privateFile } from '../hooks/journal/private-file.ts';
import { oneFile } from '../kit/one-file.ts';
import { calledName } from '../package.ts';
import { Sandbox } from '../sandbox/index.ts';

export default class TourCommand extends BaseCommand {
  static override summary = 'See what it can do, in half a minute, without a cluster';
  static override usage = 'tour [--no-pause]';
  static override examples = [
    { description: 'Six commands, one screen each, on a cluster in memory', command: '<%= config.bin %> tour' },
    { description: 'Without a terminal it goes on by itself', command: '<%= config.bin %> tour > tour.txt 2>&1' },
  ];
  static override flags = group('TOUR', {
    'no-pause': bool({ summary: 'go on without waiting for a key' }),
  });

  async execute(): Promise<ExitCode> {
    const flags = this.readFlags(TourCommand.flags);
    const { io, signal, atOnce } = this.edges;
    await using sandbox = await Sandbox.start({ scenario: 'rollout', seed: SEED });
    await using file = await privateFile('kubeconfig', sandbox.kubeconfig());
    atOnce.add(() => file.removeNow());
    const tour = new Tour({
      io,
      signal,
      atOnce,
      painter: await painterOf({ color: 'auto' }, io),
      cluster: clusterOf(sandbox),
      kubeconfig: file.path,
      folder: path.dirname(file.path),
      called: calledName(),
      program: oneFile?.executable
        ? [process.execPath]
        : [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
      input: process.stdin,
      goesOn: flags['no-pause'],
    });
    return await tour.run();
  }
}

const SEED = 7;

/** The acts of other people, by ordinary requests under their names. */
function clusterOf(sandbox: Sandbox): TourCluster {
  const client = createClient(sandbox.transport());
  const deployments = client.resource({ group: 'apps', version: 'v1', resource: 'deployments' }, { namespace: 'shop' });
  return {
    async release(tag, who) {
      const containers = [{ name: 'web', image: `nginx:${tag}` }];
      await deployments.patch(
        'web',
        { spec: { template: { spec: { containers } } } },
        { type: 'strategic', fieldManager: who },
      );
    },
    async scale(replicas, who) {
      await deployments.patch('web', { spec: { replicas } }, { type: 'merge', fieldManager: who });
    },
    restart: (options) => sandbox.restart(options),
  };
}
