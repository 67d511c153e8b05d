/** The cluster of the tour, and what other people do in it. */
export interface TourCluster {
  /** Gives the Deployment web another image. */
  release(tag: string, who: string): Promise<void>;
  /** Gives the Deployment web another number of replicas. */
  scale(replicas: number, who: string): Promise<void>;
  /** Ends all connections, and is away for a time. Without its history a watch cannot go on where it was. */
  restart(options: { readonly downMs: number; readonly keepHistory: boolean }): Promise<void>;
}

/** One stop of the tour: a command, and what happens in the cluster meanwhile. */
export interface TourStop {
  readonly title: string;
  /** The things to look at, in short lines. */
  readonly text: readonly string[];
  /** The commands, one after the other. */
  readonly commands: readonly (readonly string[])[];
  /** Files that the commands use, by name; they are shown. */
  readonly files?: Readonly<Record<string, string>>;
  /** The changes while the last command runs, ms after its start. */
  readonly meanwhile?: readonly { readonly ms: number; act(cluster: TourCluster): Promise<void> }[];
  /** The last command has no end of its own, and is ended as by Ctrl-C after this time, ms. */
  readonly stopAfterMs?: number;
  /** Whether the exit code is the point. */
  readonly showsCode?: boolean;
  /** The exit code of the last command. Default: 0. */
  readonly code?: number;
}

const HOOK = `export default ({ object }) =>
  object?.spec.replicas > 3 ? { actions: [{ patch: { spec: { replicas: 3 } } }] } : undefined;
`;

/** The stops, in their order. Together they take about half a minute. */
export const TOUR_STOPS: readonly TourStop[] = [
  {
    title: 'What changed, and who changed it',
    text: [
      'Alice gives the Deployment another image. Each line is a field: the value before, the value after,',
      'and who wrote it. Its consequences are there too.',
    ],
    commands: [
      ['watch', 'deploy/web', '-n', 'shop', '--watch-only', '-o', 'changes', '--limit', '4', '--timeout', '15s'],
    ],
    meanwhile: [{ ms: 1_000, act: (cluster) => cluster.release('1.29.0', 'alice') }],
  },
  {
    title: 'Only the rows that you want',
    text: ['A filter over the columns of the table, while the rollout goes on.'],
    commands: [
      [
        'watch',
        'pods',
        '-n',
        'shop',
        '--where',
        'STATUS != "Running" || RESTARTS > 0',
        '--limit',
        '6',
        '--timeout',
        '15s',
      ],
    ],
  },
  {
    title: 'A wait, with an exit code for your script',
    text: ['Ends with 0 when the rollout is complete, and with 3 when the time runs out.'],
    commands: [['watch', 'deploy/web', '-n', 'shop', '--for', 'rollout', '--timeout', '30s']],
    meanwhile: [{ ms: 300, act: (cluster) => cluster.release('1.29.1', 'alice') }],
    showsCode: true,
  },
  {
    title: 'The server goes away, and the stream goes on',
    text: [
      'The server restarts twice under this watch. The first time nothing is lost, and stderr says so.',
      'The second time it has forgotten its history: the objects are listed again, and the gap is reported.',
    ],
    commands: [['watch', 'deploy', '-n', 'shop', '--watch-only', '--timeout', '8s']],
    meanwhile: [
      { ms: 1_000, act: (cluster) => cluster.restart({ downMs: 1_000, keepHistory: true }) },
      { ms: 4_000, act: (cluster) => cluster.restart({ downMs: 800, keepHistory: false }) },
    ],
  },
  {
    title: 'ServeAnswers to an index',
    text: ['Which nodes run how many pods, and which pods belong to one Deployment.'],
    commands: [
      ['query', 'pods', '-n', 'shop', '--values', 'node'],
      ['query', 'pods', '-n', 'shop', '--eq', 'owner=deploy/web'],
    ],
  },
  {
    title: 'Your own controller, in one file',
    text: [
      'It runs for each Deployment that changes, one key at a time, and is retried when it fails.',
      'Nothing is written without --allow-write. Bob scales to 6; the hook scales back to 3.',
    ],
    files: { 'at-most-three.mjs': HOOK },
    commands: [['reconcile', 'deployments', '-n', 'shop', '--hook', 'at-most-three.mjs', '--allow-write']],
    meanwhile: [{ ms: 2_000, act: (cluster) => cluster.scale(6, 'bob') }],
    stopAfterMs: 5_000,
  },
];
