import type { Command } from './processes.ts';
import { node, type Programs, runner } from './programs.ts';
import type { ProcessRow } from './rows.ts';

/** A server that programs find by a kubeconfig, and what it has. */
export interface Cluster {
  readonly kubeconfig: string;
  readonly pods: number;
}

/** The build of a checkout. */
export type Built = Pick<Programs, 'library' | 'cli'>;

/** A busy server may think for longer than a user waits. */
const PATIENT = ['--timeout', '10m'];
const LINES = { word: '\n', of: (objects: number) => objects };

/** A complete initial list of pods by this project's programs, from the server of a kubeconfig. */
export function clusterRows({ library, cli }: Built, { kubeconfig }: Cluster): ProcessRow[] {
  const env = { KUBECONFIG: kubeconfig };
  const from = (command: Command) => () => ({ ...command, env });
  const libraryIn = (mode: string) => from(runner('ours', library, 'kubeconfig', mode));
  return [
    {
      id: 'once',
      group: 'ours',
      name: 'watch pods -A --once',
      command: from(node(cli, 'watch', 'pods', '-A', '--once', '--no-headers', ...PATIENT)),
      counts: LINES,
    },
    {
      id: 'once-json',
      group: 'ours',
      name: 'watch pods -A --once -o json',
      command: from(node(cli, 'watch', 'pods', '-A', '--once', '-o', 'json', ...PATIENT)),
      counts: LINES,
    },
    {
      id: 'sync',
      group: 'ours',
      name: 'library, managedFields dropped, small young generation',
      command: libraryIn('sync'),
    },
    { id: 'whole', group: 'ours', name: 'library, plain defaults', command: libraryIn('whole') },
    {
      id: 'filter',
      group: 'ours',
      name: `query pods -A --filter '${RUNNING}' --count`,
      command: from(node(cli, 'query', 'pods', '-A', '--filter', RUNNING, '--count', ...PATIENT)),
      counts: { word: '\n', of: () => 1 },
      says: (objects) => `${objects}\n`,
    },
  ];
}

const RUNNING = 'object.status.phase == "Running"';

/** A storm: changes as fast as they are taken. Of the library with three handlers, and of the program. */
export function stormRows({ library, cli }: Built, { kubeconfig }: Cluster, events: number): ProcessRow[] {
  const env = { KUBECONFIG: kubeconfig };
  return [
    {
      id: 'storm',
      group: 'ours',
      name: `${events.toLocaleString('en')} changes, library, 3 handlers`,
      command: () => ({ ...runner('ours', library, 'kubeconfig', 'burst', events), env }),
    },
    {
      id: 'storm-watch',
      group: 'ours',
      name: `${events.toLocaleString('en')} changes, watch pods -A`,
      command: () => ({ ...node(cli, 'watch', 'pods', '-A', '--no-headers'), env }),
      counts: { word: '\n', of: (objects) => objects + events },
      endless: true,
    },
  ];
}

/** What takes a moment, run several times in one measurement. */
export function startRow({ cli }: Built, { kubeconfig, pods }: Cluster, times: number): ProcessRow {
  return {
    id: 'start',
    group: 'ours',
    name: `query pods -A of ${pods} pods`,
    command: () => ({ ...node(cli, 'query', 'pods', '-A'), env: { KUBECONFIG: kubeconfig } }),
    counts: { word: '\n', of: () => 0 },
    times,
  };
}
