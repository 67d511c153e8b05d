import type { StreamRecord } from './stream-judge.ts';

/** A time without a connection that a fault made, on the clock of the machine, ms. */
export interface Outage {
  /** The program whose network it was; undefined: the server's, so that all programs had it. */
  readonly program: string | undefined;
  /**
   * `silent`: connections stay open. `half-open`: those that were there are silent, and new ones work, so that it is over
   * when the program notices. `frozen`: the program itself was stopped, so that it could say nothing.
   */
  readonly kind: 'refused' | 'silent' | 'half-open' | 'frozen';
  readonly from: number;
  readonly to: number;
}

/** A shorter outage may be over before it is worth a word, ms. */
const SHORTEST_MS = 2_500;
/** Within this time a broken connection is reported, ms. */
const TOLD_MS = 2_500;
/** Within this time a silent one is reported: docs/watch.md, ms. */
const SILENT_TOLD_MS = 33_000;
const SLACK_MS = 1_500;

/** Outages of a stream that it did not report while they lasted, by its records `DISCONNECTED` and `RESUMED`. */
export function outageProblems(
  outages: readonly Outage[],
  records: readonly (StreamRecord & { readonly at: number })[],
  gvrs: readonly string[],
  program = 'stream',
): { readonly problems: readonly string[]; readonly told: number } {
  const own = outages.filter((outage) => outage.program === undefined || outage.program === program);
  // a stopped program says nothing, and one that waits for a silent server is reported by that outage
  const longer = own.filter(({ kind }) => kind !== 'refused');
  const problems: string[] = [];
  let told = 0;
  for (const { kind, from, to } of own) {
    if (kind === 'frozen' || kind === 'half-open' || to - from < SHORTEST_MS) continue;
    const overlaps = (other: Outage) => other.from < to && from < other.to + SLACK_MS;
    if (longer.some((other) => overlaps(other) && (other.kind === 'frozen' || kind === 'refused'))) continue;
    const deadline = from + (kind === 'silent' ? SILENT_TOLD_MS : TOLD_MS) + SLACK_MS;
    for (const gvr of gvrs) {
      if (intervalsOf(gvr, records).some((each) => each.from <= deadline && each.to >= to - SLACK_MS)) told++;
      else problems.push(`${gvr}: an outage of ${Math.round(to - from)} ms (${kind}) was not reported while it lasted`);
    }
  }
  return { problems, told };
}

function intervalsOf(
  gvr: string,
  records: readonly (StreamRecord & { readonly at: number })[],
): { from: number; to: number }[] {
  const intervals: { from: number; to: number }[] = [];
  for (const record of records) {
    if (record.gvr !== gvr) continue;
    const last = intervals.at(-1);
    if (record.type === 'DISCONNECTED') intervals.push({ from: record.at, to: Number.POSITIVE_INFINITY });
    else if (record.type === 'RESUMED' && last) last.to = record.at;
  }
  return intervals;
}
