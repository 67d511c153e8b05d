import { InformerError } from '../../kit/error.ts';
import { type RunningProgram, runningPrograms } from '../../ops/running-programs.ts';
import { neutralised } from '../../output/escape.ts';
import { AlignedTable } from '../../output/tables/table.ts';
import { calledName } from '../../package.ts';
import { count, type FlagValues, group, text } from '../args/flag.ts';
import { loginFlags } from '../args/shared-flags.ts';
import { serveKeyOf } from '../session/program-key.ts';
import type { Io } from '../terminal/io.ts';

/** Which of several running programs. */
export const programFlags = {
  ...group('PROGRAM', {
    name: text({ summary: 'the running reconcile with this hook, of any cluster', helpValue: 'HOOK', noEnv: true }),
    pid: count({ summary: 'the running reconcile with this process id, of any cluster', helpValue: 'PID', min: 1 }),
  }),
  ...loginFlags,
};

/** The flags that choose a running program. */
export type ProgramChoice = FlagValues<typeof programFlags>;

/**
 * The running `reconcile` that is meant: the only one of the cluster and the user of these flags, or the one that
 * `--name` or `--pid` chooses, of whatever cluster. Says on stderr which one it is, and of which cluster. Throws `closed`
 * if there is none or if several ones fit; the error lists them.
 */
export async function programOf(flags: ProgramChoice, io: Io): Promise<RunningProgram> {
  const { name, pid } = flags;
  const all = await runningPrograms(io.env);
  const isNamed = name !== undefined || pid !== undefined;
  const here = isNamed ? undefined : (await serveKeyOf(flags, io))?.key;
  const fitting = all.filter(({ about }) =>
    isNamed
      ? (name === undefined || about.name === name) && (pid === undefined || about.pid === pid)
      : here !== undefined && about.identity === here,
  );
  const [first, ...others] = fitting;
  if (first && others.length === 0) {
    io.stderr.write(`${neutralised(`from ${first.about.name} (pid ${first.about.pid}) at ${clusterText(first)}`)}\n`);
    return first;
  }
  if (all.length === 0) {
    throw new InformerError('closed', 'no reconcile of this user runs on this machine', {
      hint: `start one: ${calledName()} reconcile TYPE --hook FILE; one in a Pod is asked there: kubectl exec POD -- …`,
    });
  }
  const chosen = [name === undefined ? '' : ` --name ${name}`, pid === undefined ? '' : ` --pid ${pid}`].join('');
  const absent = isNamed ? `no running reconcile fits${chosen}` : 'no reconcile runs for this cluster and user';
  const what = first ? 'several reconcile run' : absent;
  const elsewhere = first || isNamed ? '' : ', or its cluster with --context';
  throw new InformerError('closed', `${what}\n${listOf(first ? fitting : all)}`, {
    hint: first && name !== undefined ? 'choose one with --pid' : `choose one with --name or --pid${elsewhere}`,
  });
}

const clusterText = ({ about: { server, context } }: RunningProgram) =>
  context === undefined ? server : `${server} (context ${context})`;

function listOf(programs: readonly RunningProgram[]): string {
  const table = new AlignedTable();
  const rows = [
    ['NAME', 'PID', 'TYPE', 'NAMESPACES', 'SERVER', 'STARTED'],
    ...programs.map(({ about }) => [
      about.name,
      String(about.pid),
      about.type,
      about.namespaces.join(',') || '(all)',
      about.context === undefined ? about.server : `${about.server} (${about.context})`,
      about.started,
    ]),
  ];
  for (const row of rows) table.fit(row);
  return rows.map((row) => table.line(row).trimEnd()).join('\n');
}
