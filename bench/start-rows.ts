import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ownCluster } from './own-cluster.ts';
import { type Command, measureProcess, type Usage } from './processes.ts';
import { node, type Programs } from './programs.ts';
import { serving } from './serving.ts';
import { figureRow, median, ratioRow, type TargetRow } from './target-row.ts';

const NODE = 'The start of Node and of its modules for TLS, HTTP and streams takes more than half.';
const TLS =
  'Node with its own module for HTTPS and one request, and nothing of this program, takes 76 to 79 ms of CPU time.';

export interface StartOptions {
  readonly rounds: number;
  /** A namespace of the server of KUBECONFIG with three pods. */
  readonly namespace: string;
}

/** Commands that end at once, each beside another program in turn. */
export async function startRows(programs: Programs, { rounds, namespace }: StartOptions): Promise<TargetRow[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-starts-'));
  await using own = process.env.KUBECONFIG ? undefined : await ownCluster(3);
  const where = own ? ['-A'] : ['-n', namespace];
  const env = { KUBECONFIG: own?.kubeconfig ?? process.env.KUBECONFIG ?? '', HOME: folder };
  const from = (command: Command): Command => ({ ...command, env });
  const empty = path.join(folder, 'empty.mjs');
  writeFileSync(empty, '');
  const query = from(node(programs.cli, 'query', 'pods', ...where));
  const complete = from(node(path.join(path.dirname(programs.cli), 'complete.js'), 'watch', 'pods', ...where, ''));
  try {
    const rows: TargetRow[] = [];
    if ('path' in programs.kubectl) {
      const [ours, ratio] = await inTurns(query, from({ command: programs.kubectl.path, args: ['get', 'pods', ...where] }), rounds); // biome-ignore format: one line
      rows.push(ratioRow('`query pods` of 3 pods, CPU', 1.6, 'kubectl get pods', ratio, NODE));
      rows.push(figureRow('`query pods` of 3 pods, peak RSS', 70, 'MB', ours.peakRssMb ?? Number.NaN, 'Node itself takes 45 MB.')); // biome-ignore format: one line
    }
    const [tab] = await inTurns(complete, from(node(empty)), rounds);
    rows.push(figureRow('TAB after the beginning of a name, without a serve, wall', 60, 'ms', tab.wallMs, TLS));
    await using _ = await serving(node(programs.cli, 'serve', 'pods', ...where), env);
    const [, served] = await inTurns(query, from(node(empty)), rounds);
    rows.push(ratioRow('`query pods` through a serve, CPU', 1.1, 'bare Node', served, 'Node’s modules for HTTP and streams, and the kept code of the program.')); // biome-ignore format: one line
    const [held] = await inTurns(complete, from(node(empty)), rounds);
    rows.push(figureRow('TAB after the beginning of a name, with a serve, wall', 60, 'ms', held.wallMs, 'The start of Node takes half.')); // biome-ignore format: one line
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The median of a program, and the median of its CPU time beside that of another one, in turns. */
async function inTurns(command: Command, beside: Command, rounds: number): Promise<readonly [Usage, number]> {
  const pairs: (readonly [Usage, Usage])[] = [];
  for (let round = -2; round < rounds; round++) {
    const early = round % 2 === 0 ? await ended(command) : undefined;
    const other = await ended(beside);
    const usage = early ?? (await ended(command));
    if (round >= 0) pairs.push([usage, other]); // the first ones keep code for the others
  }
  const of = (pick: (usage: Usage) => number) => median(pairs.map(([usage]) => pick(usage)));
  const [[first]] = pairs as [readonly [Usage, Usage]];
  const usage = {
    ...first,
    wallMs: of(({ wallMs }) => wallMs),
    peakRssMb: of(({ peakRssMb = Number.NaN }) => peakRssMb),
  };
  return [usage, median(pairs.map(([own, other]) => (own.cpuMs ?? Number.NaN) / (other.cpuMs ?? Number.NaN)))];
}

/** GNU time counts hundredths of a second, so a program that takes a few of them runs several times. */
async function ended(command: Command): Promise<Usage> {
  const usage = await measureProcess(command, { times: 5 });
  if (usage.code !== 0) throw new Error(`${command.args.join(' ')} ended with ${usage.code}: ${usage.stderr}`);
  return usage;
}
