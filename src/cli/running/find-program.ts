import { InformerError } from '../../kit/error.ts';
import type { RuntimeEnvironment } from '../../kit/runtime-folder.ts';
import { type RunningProgram, runningPrograms } from '../../ops/running-programs.ts';
import { AlignedTable } from '../../output/tables/table.ts';
import { calledName } from '../../package.ts';
import { count, group, text } from '../args/flag.ts';

/** Which of several running programs. */
export const programFlags = group('PROGRAM', {
  name: text({ summary: 'the running reconcile with this hook', helpValue: 'HOOK', noEnv: true }),
  pid: count({ summary: 'the running reconcile with this process id', helpValue: 'PID', min: 1 }),
});

/** The flags that choose a running program. */
export interface ProgramChoice {
  readonly name: string | undefined;
  readonly pid: number | undefined;
}

/**
 * The running `reconcile` that is meant: the only one, or the one that `--name` or `--pid` chooses. Throws `closed` if
 * there is none or if several ones fit; the error lists them.
 */
export async function programOf({ name, pid }: ProgramChoice, env: RuntimeEnvironment): Promise<RunningProgram> {
  const all = await runningPrograms(env);
  const fitting = all.filter(
    ({ about }) => (name === undefined || about.name === name) && (pid === undefined || about.pid === pid),
  );
  const [first, ...others] = fitting;
  if (first && others.length === 0) return first;
  if (all.length === 0) {
    throw new InformerError('closed', 'no reconcile of this user runs on this machine', {
      hint: `start one: ${calledName()} reconcile TYPE --hook FILE; one in a Pod is asked there: kubectl exec POD -- …`,
    });
  }
  const chosen = [name === undefined ? '' : ` --name ${name}`, pid === undefined ? '' : ` --pid ${pid}`].join('');
  const what = first ? 'several reconcile run' : `no running reconcile fits${chosen}`;
  throw new InformerError('closed', `${what}\n${listOf(first ? fitting : all)}`, {
    hint: first && name !== undefined ? 'choose one with --pid' : 'choose one with --name or --pid',
  });
}

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
