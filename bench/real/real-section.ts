import { withSection } from '../page-section.ts';
import { type Omission, type RunResult, runOf } from '../results.ts';
import { figure, number } from '../tables.ts';
import { markdownOf, type TextTable } from '../text-table.ts';

/** What `npm run bench -- --server real --save` measured, as it is kept in `real.json`. */
export interface RealResults {
  /** RFC 3339. */
  readonly date: string;
  readonly machine: string;
  /** The load of the machine before the first run. */
  readonly load: number;
  /** The version of the server. */
  readonly server: string;
  readonly pods: number;
  /** The commit of the checkout whose build was measured. */
  readonly commit: string;
  readonly runs: readonly RunResult[];
  readonly omitted: readonly Omission[];
}

const METHOD = `The server is a real kube-apiserver with etcd, on the machine that runs the programs, so server and client share its cores. All programs find it by the same kubeconfig, over TLS. They run in turn, round after round; the figures are medians. CPU is the user and system time of the process, memory its peak resident set (10⁶ bytes). client-go's rows are informers of client-go in a Go program, with its own choice between a list and a streamed list. "Small young generation" is \`keepYoungGenerationSmall()\`, which the program calls too. Where others use the machine as well, wall times are those of a busy server; CPU times are to be compared. To measure again: \`npm run build && npm run bench -- --server real --save\` ([what it needs](https://github.com/kubectl-informer/kubectl-informer/blob/main/bench/README.md)).`;

const HEADING = '## Beside client-go on a real API server';

/** The section of docs/performance.md with the initial list from a real server. */
export function realSection(results: RealResults, limits: Readonly<Record<string, string>>): string[] {
  const { date, machine, load, server, commit } = results;
  const measured = `Measured ${date.slice(0, 10)} at ${commit.slice(0, 8)} on ${machine}; kube-apiserver ${server}; load before the first run ${load.toFixed(1)}.`;
  return [
    HEADING,
    `${runTable(results).title}. ${measured}`,
    markdownOf(realTargets(results, limits)),
    markdownOf(runTable(results)),
    METHOD,
  ];
}

/** The page with this section in the place of the one it has, or before the last one. */
export function withRealSection(page: string, ...section: Parameters<typeof realSection>): string {
  return withSection(page, realSection(...section));
}

/** Each program beside client-go's typed informer and the floor. */
export function runTable({ runs, pods }: RealResults): TextTable {
  const client = runs.find(({ id }) => id === 'go-typed');
  return {
    title: `The initial list of ${number(pods)} pods`,
    head: ['', 'program', 'CPU s', 'wall s', 'peak RSS MB', 'CPU × client-go', 'RSS × client-go', 'runs'],
    rows: runs.map(({ group, name, cpuMs, wallMs, peakRssMb, rounds }) => [
      group,
      name,
      seconds(cpuMs),
      seconds(wallMs),
      figure(peakRssMb),
      times(cpuMs, client?.cpuMs),
      times(peakRssMb, client?.peakRssMb),
      String(rounds),
    ]),
  };
}

interface Target {
  readonly id: string;
  readonly of: string;
  readonly figure: 'cpuMs' | 'wallMs' | 'peakRssMb';
  readonly most: number;
  /** The row that it is compared with; without one, `most` is the figure itself. */
  readonly to?: string | undefined;
}

const TARGETS: readonly Target[] = [
  { id: 'real-sync-cpu', of: 'sync', figure: 'cpuMs', most: 0.5, to: 'go-typed-trimmed' },
  { id: 'real-sync-rss', of: 'sync', figure: 'peakRssMb', most: 0.45, to: 'go-typed-trimmed' },
  { id: 'real-sync-wall', of: 'sync', figure: 'wallMs', most: 1.1, to: 'curl' },
  { id: 'real-whole-cpu', of: 'whole', figure: 'cpuMs', most: 0.9, to: 'go-typed' },
  { id: 'real-whole-rss', of: 'whole', figure: 'peakRssMb', most: 0.7, to: 'go-typed' },
  { id: 'real-compact-cpu', of: 'compact', figure: 'cpuMs', most: 1.1, to: 'sync' },
  { id: 'real-once-cpu', of: 'once', figure: 'cpuMs', most: 0.35, to: 'go-typed' },
  { id: 'real-once-rss', of: 'once', figure: 'peakRssMb', most: 130 },
  { id: 'real-once-json-cpu', of: 'once-json', figure: 'cpuMs', most: 0.45, to: 'go-typed' },
  { id: 'real-once-json-rss', of: 'once-json', figure: 'peakRssMb', most: 130 },
  { id: 'real-filter-cpu', of: 'filter', figure: 'cpuMs', most: 2500 },
  { id: 'real-filter-rss', of: 'filter', figure: 'peakRssMb', most: 130 },
];

const FIGURES = { cpuMs: 'CPU', wallMs: 'wall', peakRssMb: 'peak RSS' } as const;

/** The targets with what these results say of them. */
export function realTargets({ runs }: RealResults, limits: Readonly<Record<string, string>>): TextTable {
  const rows = TARGETS.map(({ id, of, figure: which, most, to }) => {
    const [run, other] = [runOf({ runs }, of), to === undefined ? undefined : runOf({ runs }, to)];
    const value = run?.[which];
    const show = (amount: number) =>
      which === 'peakRssMb' ? `${figure(amount)} MB` : `${(amount / 1000).toFixed(2)} s`;
    const measured =
      to === undefined ? value : value === undefined ? undefined : value / (other?.[which] ?? Number.NaN);
    const isKnown = measured !== undefined && Number.isFinite(measured);
    return [
      `${run?.name ?? of}, ${FIGURES[which]}`,
      to === undefined ? `≤ ${show(most)}` : `≤ ${most} × ${other?.name ?? to}`,
      !isKnown ? 'not measured' : to === undefined ? show(measured) : `${measured.toFixed(2)} ×`,
      !isKnown ? '' : measured <= most ? 'yes' : '**no**',
      limits[id] ?? '',
    ];
  });
  return { title: 'Targets', head: ['work', 'target', 'measured', 'met', 'what limits it'], rows };
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? '–' : (ms / 1000).toFixed(2);
}

function times(a: number | undefined, b: number | undefined): string {
  return a === undefined || b === undefined ? '–' : (a / b).toFixed(2);
}
