import { Terminal } from '../../test/output/terminal.ts';
import { frameProblems, type StreamRecord, stateOf, TypeJudge } from './stream-judge.ts';
import { differences, type ObjectState, type States, type TypeTruth } from './truth.ts';

/** What the judgement of one program came to. */
export interface Verdict {
  readonly problems: readonly string[];
  /** Figures by name, such as `events`. */
  readonly figures: Readonly<Record<string, number>>;
}

type Truths = ReadonlyMap<string, TypeTruth>;

/** Complete lines out of chunks. */
export function linesOf(each: (line: string) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) each(line);
  };
}

/** The states to which the events of a stream add up, by type. */
class Folded {
  readonly #states = new Map<string, Map<string, ObjectState>>();

  take(record: StreamRecord): void {
    const { type, gvr = '', key = '' } = record;
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return;
    const states = this.#states.get(gvr) ?? new Map<string, ObjectState>();
    this.#states.set(gvr, states);
    if (type === 'DELETED') states.delete(key);
    else states.set(key, stateOf(record));
  }

  of(gvr: string): States {
    return this.#states.get(gvr) ?? new Map();
  }
}

/** Reads `watch -o json --markers`. */
export class StreamReader {
  readonly records: (StreamRecord & { readonly at: number })[] = [];
  readonly #folded = new Folded();
  readonly #problems: string[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  readonly take = linesOf((line) => {
    try {
      const { object, ...record } = JSON.parse(line) as StreamRecord;
      const { uid = '', resourceVersion = '', annotations } = object?.metadata ?? {};
      const mark = annotations?.mark;
      // what is judged is kept, and nothing else: a soak may last for hours
      const metadata = { uid, resourceVersion, ...(mark === undefined ? {} : { annotations: { mark } }) };
      const kept = { ...record, ...(object && { object: { metadata } }), at: this.#now() };
      this.records.push(kept);
      this.#folded.take(kept);
    } catch {
      this.#problems.push(`a line is no JSON: ${line.slice(0, 120)}`);
    }
  });

  isAtEnd(truths: Truths): boolean {
    return [...truths].every(([gvr, truth]) => differences(this.#folded.of(gvr), lastStates(truth)).length === 0);
  }

  /** Judges a stream that prints every change. */
  judgeAll(truths: Truths, exitCode: number | null): Verdict {
    const types = [...truths.values()].map((truth) => new TypeJudge(truth, this.records).judge());
    const sum = (of: 'carried' | 'toldAsGap' | 'lost' | 'gaps' | 'relists') =>
      types.reduce((total, verdict) => total + verdict[of], 0);
    return {
      problems: [...this.#frame(exitCode), ...types.flatMap(({ problems }) => problems)],
      figures: {
        events: sum('carried'),
        'reported as a gap': sum('toldAsGap'),
        'lost without a word': sum('lost'),
        gaps: sum('gaps'),
        relists: sum('relists'),
      },
    };
  }

  /**
   * Judges a stream that may leave out states of an object, and says how many. `isWhole`: the last state of each is there.
   */
  judgeCoalesced(truths: Truths, exitCode: number | null, { isWhole = true } = {}): Verdict {
    const problems = this.#frame(exitCode);
    for (const [gvr, truth] of truths) {
      // what was dropped may have been the last change
      if (isWhole)
        problems.push(...differences(this.#folded.of(gvr), lastStates(truth)).map((text) => `at the end: ${text}`));
      problems.push(...orderProblems(truth, this.records));
    }
    const events = this.records.filter(({ cause }) => cause === 'watch').length;
    const left = this.records.reduce((total, { type, lost }) => total + (type === 'GAP' ? (lost?.events ?? 0) : 0), 0);
    return { problems, figures: { events, 'reported as left out': left } };
  }

  #frame(exitCode: number | null): string[] {
    return [...this.#problems, ...frameProblems(this.records, exitCode)];
  }
}

/** Events of an object that came in another order than the server's. */
function orderProblems(truth: TypeTruth, records: readonly StreamRecord[]): string[] {
  const at = new Map<string, number>();
  const problems: string[] = [];
  for (const record of records) {
    const { gvr, key = '', cause, type, seq } = record;
    if (gvr !== truth.gvr || cause !== 'watch' || type === 'DELETED') continue;
    const { uid, version, mark } = stateOf(record);
    const last = at.get(key) ?? -1;
    const positions = (['ADDED', 'MODIFIED'] as const).flatMap((each) => [
      ...truth.positionsOf({ type: each, uid, version, mark }),
    ]);
    const next = Math.max(-1, ...positions);
    if (next < 0) problems.push(`record ${seq}: ${type} ${key} at ${version} never happened`);
    else if (next <= last) problems.push(`record ${seq}: ${type} ${key} at ${version} is older than the one before`);
    at.set(key, Math.max(last, next));
  }
  return problems;
}

/** Reads `query --watch -o json --markers`: rows that enter, change and leave. */
export class RowReader {
  readonly #states = new Map<string, Map<string, ObjectState>>();
  readonly #problems: string[] = [];
  #rows = 0;
  #last: StreamRecord | undefined;

  readonly take = linesOf((line) => {
    const record = parsed(line) as (StreamRecord & { op?: string }) | undefined;
    if (!record) {
      this.#problems.push(`a line is no JSON: ${line.slice(0, 120)}`);
      return;
    }
    this.#last = record;
    if (record.op === undefined) return;
    this.#rows++;
    const { gvr = '', key = '', op } = record;
    const states = this.#states.get(gvr) ?? new Map<string, ObjectState>();
    this.#states.set(gvr, states);
    if ((op === '+') === states.has(key)) this.#problems.push(`row ${this.#rows}: ${op} ${key} does not fit`);
    if (op === '-') states.delete(key);
    else states.set(key, stateOf(record));
  });

  isAtEnd(truths: Truths): boolean {
    return this.#different(truths).length === 0;
  }

  judge(truths: Truths, exitCode: number | null): Verdict {
    const problems = [...this.#problems, ...this.#different(truths)];
    if (this.#last?.type !== 'END') problems.push('the last record is not END');
    if (exitCode !== 0) problems.push(`exit code ${exitCode}`);
    return { problems, figures: { rows: this.#rows } };
  }

  #different(truths: Truths): string[] {
    return [...truths].flatMap(([gvr, truth]) => {
      const right = new Map([...lastStates(truth)].filter(([, { mark }]) => Number(mark) % 2 === 0));
      return differences(this.#states.get(gvr) ?? new Map(), right).map((text) => `at the end: ${text}`);
    });
  }
}

/** Reads the screen of `watch --live`. */
export class ScreenReader {
  readonly #size: { readonly rows: number; readonly columns: number };
  #text = '';

  constructor(size: { rows: number; columns: number }) {
    this.#size = size;
  }

  readonly take = (chunk: string) => {
    this.#text += chunk;
  };

  get text(): string {
    return this.#text;
  }

  /** The lines that are on the screen. */
  get lines(): string[] {
    const { columns, rows } = this.#size;
    const terminal = new Terminal(columns, rows);
    // a program may be in the middle of a sequence
    const sequence = this.#text.lastIndexOf('\x1b');
    const isCut = sequence >= 0 && !/[A-Za-z]/.test(this.#text.slice(sequence));
    terminal.write(isCut ? this.#text.slice(0, sequence) : this.#text);
    return terminal.screen;
  }

  /** What the screen shows and should not, or the reverse. */
  differences(truth: TypeTruth): string[] {
    const shown = new Set<string>();
    const problems: string[] = [];
    for (const line of this.lines) {
      const [, namespace, name] = /\b(n\d) +(thing-\d+) /.exec(line) ?? [];
      if (namespace) shown.add(`${namespace}/${name}`);
      if (/disconnected/i.test(line)) problems.push(`the screen says ${line.trim()}`);
    }
    const right = lastStates(truth);
    for (const key of right.keys()) if (!shown.has(key)) problems.push(`${key} is not on the screen`);
    for (const key of shown) if (!right.has(key)) problems.push(`${key} is on the screen, and gone`);
    return problems;
  }
}

export function lastStates(truth: TypeTruth): States {
  return truth.statesAt(truth.epochs.at(-1) ?? 0, truth.last);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
