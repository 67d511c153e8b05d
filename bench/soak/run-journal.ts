import { readFileSync } from 'node:fs';

/** What a hook writes about a run. */
export interface RunRecord {
  readonly group: string;
  readonly pid: number;
  readonly key: string;
  readonly run: number;
  readonly what: 'start' | 'end';
  /** The mark of the object that the run was given; null if it was gone. */
  readonly mark: string | null;
  /** On the clock of all processes of the machine, ms. */
  readonly at: number;
}

export interface JournalVerdict {
  readonly runs: number;
  readonly problems: readonly string[];
}

/** The records of a journal. A line that a killed process did not finish is left out. */
export function readJournal(file: string): RunRecord[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as RunRecord];
      } catch {
        return [];
      }
    });
}

/**
 * Judges the runs of replicas that share keys: no key runs twice at once, and the last run that ended saw the last
 * change of its object. `endedAt`: a run of a process that has ended is over then. `seesDeletions`: one process lived
 * all the time, so that it must have run for what is gone.
 */
export function judgeRuns(
  records: readonly RunRecord[],
  {
    marks,
    endedAt,
    seesDeletions,
    withoutLeases = [],
  }: {
    readonly marks: ReadonlyMap<string, string | undefined>;
    readonly endedAt: ReadonlyMap<number, number>;
    readonly seesDeletions: boolean;
    /** Times in which the server had lost the Leases that keep replicas apart. */
    readonly withoutLeases?: readonly { readonly from: number; readonly to: number }[];
  },
): JournalVerdict {
  const problems: string[] = [];
  const open = new Map<string, RunRecord>();
  const done = new Map<string, RunRecord>();
  let runs = 0;
  for (const record of records) {
    const { key, what, pid, run, at } = record;
    const before = open.get(key);
    if (what === 'end') {
      if (before?.pid === pid && before.run === run) open.delete(key);
      done.set(key, record);
      continue;
    }
    runs++;
    const over = before && endedAt.get(before.pid);
    const isLeased = !withoutLeases.some(({ from, to }) => from <= at && at <= to);
    if (before && isLeased && !(over !== undefined && over <= at)) {
      problems.push(`${key} ran in ${pid} while the run of ${before.pid} was not over`);
    }
    open.set(key, record);
  }
  for (const [key, mark] of marks) {
    const last = done.get(key);
    if (last?.mark !== mark) problems.push(`${key} has the change ${mark}, and its last run saw ${last?.mark}`);
  }
  for (const [key, { mark }] of done) {
    if (seesDeletions && mark !== null && !marks.has(key)) problems.push(`${key} is gone, and no run saw that`);
  }
  return { runs, problems };
}
