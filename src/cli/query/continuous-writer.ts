import { goText } from '../../expr/go-text.ts';
import { messageOf } from '../../kit/error.ts';
import type { CompiledOutput } from '../../output/compiled-output.ts';
import { cellText, neutralised } from '../../output/escape.ts';
import type { FailedRecord } from '../../output/jq/jq-stream.ts';
import { loadPainter } from '../../output/painter.ts';
import {
  type PrintedRowChange,
  type RowChangePrinter,
  type RowRecord,
  rowChangePrinter,
} from '../../output/row-changes.ts';
import { AlignedTable } from '../../output/tables/table.ts';
import type { LiveResult, UnstampedChange } from '../../query/live/continuous-result.ts';
import type { EventWord } from '../../stream/envelope.ts';
import { lossMarker, lossText, type Marker, type Stamper } from '../../stream/markers.ts';
import type { StreamSummary } from '../../stream/summary.ts';
import { colorLevel } from '../session/output.ts';
import type { CommandSession } from '../session/session.ts';
import { type StreamOutlet, streamOutlet, unendedText } from '../session/stream-outlet.ts';
import { Interrupted } from '../terminal/signals.ts';
import type { QueryPlan } from './read-query.ts';

/** Makes a marker when its place in the stream has come. */
export type MarkerOf = (stamper: Stamper) => Marker;

const WORDS: Readonly<Record<RowRecord['op'], EventWord>> = { '+': 'ADDED', '-': 'DELETED', '~': 'MODIFIED' };

/**
 * Writes the changes of a result. While the reader is slow nothing is written: the changes of a row are merged, which
 * is reported, so that no more waits than one change of each row.
 */
export class ContinuousWriter {
  readonly #session: CommandSession;
  readonly #summary: StreamSummary;
  readonly #withMarkers: boolean;
  readonly #printer: RowChangePrinter;
  readonly #outlet: StreamOutlet;
  #marks: MarkerOf[] = [];
  #seq = 0;
  #isBlocked = false;
  #hasReportedLoss = false;
  #hasReportedFailure = false;

  static async create(session: CommandSession, plan: QueryPlan, summary: StreamSummary): Promise<ContinuousWriter> {
    const { io } = session;
    const { format, printer, flags, noHeaders, output } = plan;
    const painter = await loadPainter(colorLevel(flags.color, { stdout: io.stdout, env: io.env }));
    const rows = numberRows(noHeaders || plan.count);
    return new ContinuousWriter(session, summary, {
      output,
      withMarkers: flags.markers,
      printer: rowChangePrinter({ format, printer, rows, painter }),
    });
  }

  private constructor(
    session: CommandSession,
    summary: StreamSummary,
    { withMarkers, printer, output }: { withMarkers: boolean; printer: RowChangePrinter; output: CompiledOutput },
  ) {
    this.#outlet = streamOutlet(session, output, (error, where, { op }: FailedRecord & { op?: RowRecord['op'] }) => {
      if (op) summary.failed(WORDS[op]);
      this.#unprinted(error, where);
    });
    this.#session = session;
    this.#summary = summary;
    this.#withMarkers = withMarkers;
    this.#printer = printer;
  }

  /** Has a marker printed behind the rows that have changed until now. */
  mark(markerOf: MarkerOf): void {
    if (this.#withMarkers) this.#marks.push(markerOf);
  }

  /** Prints what changed. Resolves when the reader has room for more. */
  async print(result: LiveResult): Promise<void> {
    if (this.#outlet.write(this.#text(result))) return;
    this.#isBlocked = true;
    await this.#outlet.ready();
    this.#isBlocked = false;
    this.#lost(result);
  }

  /** Prints what is left, if there is a reader for it, and the last markers. */
  async end(result: LiveResult | undefined, last: readonly MarkerOf[]): Promise<void> {
    if (this.#isBlocked) this.#summary.losses.unshown = result?.waiting ?? 0;
    for (const markerOf of last) this.mark(markerOf);
    this.#outlet.write(result && !this.#isBlocked ? this.#text(result) : this.#markers());
    const left = await this.#outlet.end(this.#session.signal.reason instanceof Interrupted);
    this.#summary.losses.unshown += left;
    if (left > 0) this.#session.notice(unendedText(left));
  }

  #text(result: LiveResult): string {
    return this.#rows(result.take().map((change) => this.#stamped(change))) + this.#markers();
  }

  #markers(): string {
    const marks = this.#marks;
    this.#marks = [];
    const stamper = { stamp: () => this.#stamp() };
    return marks.map((markerOf) => this.#printer.marker(markerOf(stamper))).join('');
  }

  #stamped({ record: { error, ...record }, type }: UnstampedChange): PrintedRowChange {
    this.#summary.count(WORDS[record.op]);
    if (error !== undefined) this.#summary.losses.unprintable++;
    return { record: { ...record, ...this.#stamp(), ...(error === undefined ? {} : { error }) }, type };
  }

  #stamp() {
    return { seq: ++this.#seq, time: new Date(this.#session.clock.now()).toISOString() };
  }

  /** All but the rows that cannot be printed. */
  #rows(batch: readonly PrintedRowChange[]): string {
    if (batch.length === 0) return '';
    try {
      return this.#printer.changes(batch);
    } catch (error) {
      const [only] = batch;
      if (only && batch.length === 1) {
        this.#summary.failed(WORDS[only.record.op]);
        this.#unprinted(error, only.record.key);
        return '';
      }
      const half = batch.length >> 1;
      return this.#rows(batch.slice(0, half)) + this.#rows(batch.slice(half));
    }
  }

  #unprinted(error: unknown, where: string | undefined): void {
    if (!this.#hasReportedFailure)
      this.#session.notice(neutralised(`${where}: ${messageOf(error)}; it is left out (reported once)`));
    this.#hasReportedFailure = true;
  }

  /** Says what a slow reader did not see one by one. */
  #lost({ merged, waiting }: LiveResult): void {
    if (merged === 0) return;
    const loss = { how: 'coalesced', events: merged, objects: waiting } as const;
    this.#summary.losses.coalesced += merged;
    this.mark((stamper) => lossMarker(stamper, loss));
    if (this.#hasReportedLoss) return;
    this.#hasReportedLoss = true;
    this.#session.notice(`a slow reader: ${lossText(loss)}; each row is shown in its latest state (reported once)`);
  }
}

/** Rows of groups and counts, with one heading above all of them. */
function numberRows(noHeaders: boolean): (rows: readonly Readonly<Record<string, unknown>>[]) => string {
  const table = new AlignedTable();
  let isHeaded = noHeaders;
  return (rows) => {
    const lines = rows.map((row) => Object.values(row).map((cell) => cellText(goText(cell))));
    if (!isHeaded && rows[0]) lines.unshift(Object.keys(rows[0]).map((name) => name.toUpperCase()));
    isHeaded = true;
    for (const line of lines) table.fit(line);
    return lines.map((line) => table.line(line)).join('');
  };
}
