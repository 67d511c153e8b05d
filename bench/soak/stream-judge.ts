import { differences, type ObjectState, type Transition, type TypeTruth } from './truth.ts';

/** A record of a stream, as far as it is judged. */
export interface StreamRecord {
  readonly type: string;
  readonly seq: number;
  readonly gvr?: string;
  readonly key?: string;
  readonly cause?: string;
  readonly reason?: string;
  readonly from?: string;
  readonly to?: string;
  readonly resourceVersion?: string;
  readonly exitCode?: number;
  readonly lost?: { readonly events: number };
  readonly summary?: Readonly<Record<string, number>>;
  readonly object?: {
    readonly metadata: {
      readonly uid: string;
      readonly resourceVersion: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
  };
}

/** What a stream did, and every rule that it broke. */
export interface StreamVerdict {
  /** Events that came from a watch, each once and in order. */
  readonly carried: number;
  /** Changes within gaps that the stream reported. */
  readonly toldAsGap: number;
  /** Changes that were neither printed nor within a gap that was reported. */
  readonly lost: number;
  readonly gaps: number;
  readonly relists: number;
  readonly problems: readonly string[];
}

/** The reasons of gaps that a relist ends. */
const endsByRelist = ({ reason }: StreamRecord) =>
  reason !== 'dropped' && reason !== 'coalesced' && reason !== 'forbidden';

/**
 * Judges a stream of one type by what the server did: each change from the initial list on is printed once, in order,
 * or lies in a gap that was reported; each event agrees with the ones before it; after each relist, and at the end, the
 * events add up to the server's state.
 */
export class TypeJudge {
  readonly #truth: TypeTruth;
  readonly #records: readonly StreamRecord[];
  readonly #problems: string[] = [];
  readonly #states = new Map<string, ObjectState>();
  /** The last transition that is accounted for. */
  #at = -1;
  #isSynced = false;
  #isInGap = false;
  #carried = 0;
  #toldAsGap = 0;
  #lost = 0;
  #gaps = 0;
  #relists = 0;

  constructor(truth: TypeTruth, records: readonly StreamRecord[]) {
    this.#truth = truth;
    this.#records = records.filter(({ gvr }) => gvr === truth.gvr);
  }

  judge(): StreamVerdict {
    this.#records.forEach((record, i) => {
      this.#look(record, i);
    });
    const { last } = this.#truth;
    if (this.#isInGap) this.#skipTo(last);
    this.#missed(last + 1, 'the end');
    this.#compare('at the end', this.#truth.statesAt(this.#truth.epochs.at(-1) ?? 0, last));
    return {
      carried: this.#carried,
      toldAsGap: this.#toldAsGap,
      lost: this.#lost,
      gaps: this.#gaps,
      relists: this.#relists,
      problems: this.#problems,
    };
  }

  #look(record: StreamRecord, i: number): void {
    switch (record.type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        this.#event(record);
        break;
      case 'SYNCED':
        this.#isSynced = true;
        this.#at = this.#truth.positionAt(0, Number(record.resourceVersion)) ?? -1;
        this.#compare('at the initial list', this.#truth.statesAt(0, this.#at));
        break;
      case 'GAP':
        if (!endsByRelist(record)) break;
        this.#gaps++;
        this.#isInGap = true;
        break;
      case 'RELISTED':
        this.#relists++;
        this.#relisted(record, i);
        break;
    }
  }

  #event(record: StreamRecord): void {
    const { type, key = '', cause, seq } = record;
    const { uid, version, mark } = stateOf(record);
    const known = this.#states.get(key);
    const text = `record ${seq}: ${type} ${key} at ${version} by ${cause}`;
    if (type === 'ADDED' && known) this.#problem(`${text}, but it was there already`);
    if (type !== 'ADDED' && !known) this.#problem(`${text}, but it was not there`);
    if (type === 'MODIFIED' && known && known.uid !== uid) this.#problem(`${text}, but another object was there`);
    if (type === 'DELETED') this.#states.delete(key);
    else this.#states.set(key, { uid, version, mark });
    if (cause === 'watch') this.#carry({ type: type as Transition['type'], uid, version, mark }, text);
    else if (cause === 'initial') {
      if (this.#isSynced) this.#problem(`${text}, after the initial list`);
    } else if (cause !== 'relist' || !this.#isInGap) this.#problem(`${text}, outside of a gap`);
  }

  #carry(seen: Omit<Transition, 'epoch' | 'gvr' | 'key'>, text: string): void {
    const positions = this.#truth.positionsOf(seen);
    const at = positions.find((position) => position > this.#at);
    if (at === undefined) {
      this.#problem(
        `${text}, ${positions.length > 0 ? 'which was printed before, or too late' : 'which never happened'}`,
      );
      return;
    }
    this.#missed(at, text);
    this.#at = at;
    this.#carried++;
  }

  /** What lies before a position and was not printed is lost. */
  #missed(position: number, text: string): void {
    const count = position - this.#at - 1;
    if (count <= 0) return;
    const { type, key, version, epoch } = this.#truth.transitions[this.#at + 1] as Transition;
    this.#lost += count;
    this.#problem(
      `${count} changes from ${type} ${key} at ${version} (history ${epoch}) on are missing before ${text}`,
    );
  }

  #relisted(record: StreamRecord, i: number): void {
    if (!this.#isInGap) this.#problem(`record ${record.seq}: RELISTED without a GAP`);
    const version = Number(record.to);
    const epoch = this.#epochOf(i);
    const at = this.#truth.positionAt(epoch, version);
    if (at === undefined) this.#problem(`record ${record.seq}: RELISTED to a history that the server never had`);
    else {
      this.#compare(`after the relist to ${version}, record ${record.seq}`, this.#truth.statesAt(epoch, at));
      this.#skipTo(at);
    }
    this.#isInGap = false;
  }

  /** The history from which the list of a relist was: that of its objects, and of the events that follow. */
  #epochOf(i: number): number {
    let next: number | undefined;
    for (let n = i + 1; n < this.#records.length && next === undefined; n++) {
      const record = this.#records[n] as StreamRecord;
      if (record.type === 'GAP' && endsByRelist(record)) break;
      if (record.cause !== 'watch') continue;
      const positions = this.#truth.positionsOf({ type: record.type as Transition['type'], ...stateOf(record) });
      next = positions.find((position) => position > this.#at);
    }
    if (next !== undefined) return this.#truth.epochAt(next);
    // no event says it: the latest history whose state at that version is the one that the events add up to
    const version = Number(this.#records[i]?.to);
    const fits = this.#truth.epochs.findLast((epoch) => {
      const at = this.#truth.positionAt(epoch, version);
      return at !== undefined && differences(this.#states, this.#truth.statesAt(epoch, at)).length === 0;
    });
    return fits ?? this.#truth.epochs.at(-1) ?? 0;
  }

  #skipTo(position: number): void {
    if (position <= this.#at) return;
    this.#toldAsGap += position - this.#at;
    this.#at = position;
  }

  #compare(when: string, right: Map<string, ObjectState>): void {
    const texts = differences(this.#states, right);
    if (texts.length === 0) return;
    const more = texts.length > 3 ? `, and ${texts.length - 3} more` : '';
    this.#problem(`${when}: ${texts.slice(0, 3).join('; ')}${more}`);
  }

  #problem(text: string): void {
    this.#problems.push(`${this.#truth.gvr}: ${text}`);
  }
}

export function stateOf({ object }: StreamRecord): ObjectState {
  const { uid = '', resourceVersion = '', annotations } = object?.metadata ?? {};
  return { uid, version: Number(resourceVersion), mark: annotations?.mark };
}

/** What is wrong with the numbers and the last record of a stream. */
export function frameProblems(records: readonly StreamRecord[], exitCode: number | null): string[] {
  const problems: string[] = [];
  records.forEach(({ seq, type }, i) => {
    if (seq !== i + 1 && problems.length === 0) problems.push(`the record ${i + 1} (${type}) has the number ${seq}`);
  });
  const end = records.at(-1);
  if (end?.type !== 'END') return [...problems, `the last record is ${end?.type ?? 'absent'}, not END`];
  if (end.exitCode !== exitCode) problems.push(`END says exit code ${end.exitCode}, and it was ${exitCode}`);
  for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) {
    const count = records.filter((record) => record.type === type && record.cause !== 'initial').length;
    const all = records.filter((record) => record.type === type).length;
    const told = end.summary?.[type];
    if (told !== count && told !== all) problems.push(`END counts ${told} ${type}, and ${all} were printed`);
  }
  const relists = records.filter(({ type }) => type === 'RELISTED').length;
  if (end.summary?.relists !== relists) problems.push(`END counts ${end.summary?.relists} relists of ${relists}`);
  return problems;
}
