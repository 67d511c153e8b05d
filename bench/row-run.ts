import { type Command, type MeasureOptions, measureProcess, type Usage } from './processes.ts';
import type { Work } from './results.ts';
import type { ProcessRow } from './rows.ts';

const ATTEMPTS = 3;
const TOO_LONG_TO_REPEAT_MS = 60_000;

/** A run that did not end when it was done says nothing of the work: it is done again. */
export async function runToEnd(row: ProcessRow, command: Command, objects: number): Promise<Usage> {
  const options = measureOptionsOf(row, objects);
  for (let attempt = 1; ; attempt++) {
    const usage = await measureProcess(command, options);
    if (!usage.stalled || attempt === ATTEMPTS || usage.wallMs > TOO_LONG_TO_REPEAT_MS) return usage;
  }
}

/** What is wrong with a run: a program that is fast because it left something out has not been measured. */
export function faultOf(row: ProcessRow, usage: Usage, wanted: number, objects: number): string | undefined {
  const { counts, endless, says } = row;
  if (usage.stalled) return `did not end: ${usage.stderr || usage.stdout}`;
  if (usage.code !== 0 && !endless) return `ended with ${usage.code}: ${usage.stderr || usage.stdout}`;
  if (says && usage.stdout !== says(objects)) return `said ${JSON.stringify(usage.stdout)}`;
  const [counted, expected] = counts ? [usage.counted, counts.of(objects)] : [said(usage).objects, wanted];
  const isComplete = endless ? (counted ?? 0) >= expected : counted === expected;
  return isComplete ? undefined : `showed ${counted} of ${expected}: ${usage.stderr || usage.stdout.slice(0, 200)}`;
}

/** What a program of bench/runners said of itself; nothing of any other. */
export function said({ stdout }: Usage): Partial<Work> & { objects?: number } {
  try {
    return JSON.parse(stdout) as Partial<Work>;
  } catch {
    return {};
  }
}

function measureOptionsOf({ times, counts, endless }: ProcessRow, objects: number): MeasureOptions {
  const complete = counts ? counts.of(objects) : 1;
  const timeoutMs = times === undefined ? undefined : A_MOMENT_MS;
  return { times, count: counts?.word, ...(endless ? { until: complete } : { complete }), timeoutMs };
}

/** What takes a moment is stuck after this long. */
const A_MOMENT_MS = 20_000;
