import { aborted } from '../../kit/abort.ts';
import type { GatheredEvents, PrintedEvent, Printer } from '../../output/printer.ts';
import { type EventEnvelope, type EventWord, eventWordOf } from '../../stream/envelope.ts';
import type { StreamTarget } from '../../stream/event-stream.ts';
import type { StreamSummary } from '../../stream/summary.ts';
import type { TextSink } from '../terminal/io.ts';

export interface EventWriterOptions {
  readonly printer: Printer;
  readonly sink: Pick<TextSink, 'write' | 'ready'>;
  /** Resolves when it is known of all events whether they could be printed. Absent: it is known at once. */
  readonly settled?: (() => Promise<void>) | undefined;
  readonly summary: StreamSummary;
  /** Buffers a type's initial list until it is complete, so that the table is laid out for all of it. */
  readonly gatherInitial: boolean;
  /** Buffers the initial list of the only type, in place of its events. It has no limit then. */
  readonly gathered?: GatheredEvents | undefined;
  /** Most events printed; `onLimit` is called with the last of them. */
  readonly limit?: number | undefined;
  readonly onLimit?: (() => void) | undefined;
  /** Called with what the format throws on one event: it is left out, and the stream goes on. */
  readonly onFailure: (error: unknown, printed: PrintedEvent) => void;
  /** Called with each event whose object cannot be printed. */
  readonly onUnprintable?: ((event: EventEnvelope, target: StreamTarget) => void) | undefined;
}

/** Prints a stream's events at the pace of their reader. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  /**
   * Buffered events by type: its initial list, and changes that came before that was complete (in another namespace,
   * say).
   */
  readonly #buffered = new Map<StreamTarget, PrintedEvent[]>();
  readonly #begun = new Set<StreamTarget>();

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Resolves when the reader has room for more; undefined when it has it now. */
  print(event: EventEnvelope, target: StreamTarget): Promise<void> | undefined {
    const { gatherInitial, summary, limit, onLimit, settled } = this.#options;
    if (limit !== undefined && summary.total >= limit) return undefined;
    const isLast = summary.total + 1 === limit;
    summary.count(eventWordOf(event));
    const printed = { event, type: target.type };
    const ready =
      gatherInitial && !this.#begun.has(target) && !isLast
        ? this.#hold(printed, target)
        : this.#write(
            isLast ? [...[...this.#buffered.keys()].flatMap((each) => this.#taken(each)), printed] : [printed],
          );
    if (event.error !== undefined) this.#options.onUnprintable?.(event, target);
    if (!isLast) return ready;
    const ended = () => {
      if (summary.total === limit) onLimit?.(); // one that could not be printed was not shown
    };
    if (settled) return settled().then(ended);
    ended();
    return ready;
  }

  /** Prints an event that is text already, as {@link print} does. */
  printText(text: string, word: EventWord): Promise<void> | undefined {
    const { summary, limit, onLimit, sink } = this.#options;
    if (limit !== undefined && summary.total >= limit) return undefined;
    summary.count(word);
    const hasRoom = sink.write(text);
    if (summary.total === limit) onLimit?.();
    return hasRoom ? undefined : sink.ready();
  }

  /** Forgets the buffered initial list of a type, which begins again. False: a part of it was printed. */
  forget(target: StreamTarget): boolean {
    const { summary, gatherInitial, gathered } = this.#options;
    for (let left = gathered?.clear() ?? 0; left > 0; left--) summary.uncount('ADDED');
    const held = this.#taken(target);
    for (const { event } of held) summary.uncount(eventWordOf(event));
    return gatherInitial || summary.total === 0;
  }

  /** Prints the buffered initial list of a type. */
  initialDone(target: StreamTarget): void {
    this.#begun.add(target);
    this.#write(this.#taken(target));
  }

  /** Prints the gathered initial list, at the pace of its reader, until the signal aborts. */
  async gatheredDone(signal: AbortSignal): Promise<void> {
    const { gathered, sink } = this.#options;
    if (!gathered) return;
    const ended = aborted(signal);
    for (const text of gathered.text()) {
      if (!sink.write(text)) await Promise.race([sink.ready(), ended]);
      if (signal.aborted) return;
    }
  }

  /** Prints what is still buffered: initial lists that never became complete, of which every event was counted. */
  end(): void {
    this.#write([...this.#buffered.keys()].flatMap((target) => this.#taken(target)));
  }

  #hold(printed: PrintedEvent, target: StreamTarget): undefined {
    const { gathered } = this.#options;
    if (gathered) return this.#gather(printed, gathered);
    const held = this.#buffered.get(target);
    if (held) held.push(printed);
    else this.#buffered.set(target, [printed]);
  }

  #gather(printed: PrintedEvent, gathered: GatheredEvents): undefined {
    try {
      gathered.add(printed);
    } catch (error) {
      this.#options.summary.failed(eventWordOf(printed.event));
      this.#options.onFailure(error, printed);
    }
  }

  #taken(target: StreamTarget): PrintedEvent[] {
    const held = this.#buffered.get(target) ?? [];
    this.#buffered.delete(target);
    return held;
  }

  #write(batch: readonly PrintedEvent[]): Promise<void> | undefined {
    const { sink } = this.#options;
    if (batch.length === 0) return undefined;
    return this.#printed(batch) ? undefined : sink.ready();
  }

  /** All but the events that cannot be printed. */
  #printed(batch: readonly PrintedEvent[]): boolean {
    const { printer, sink, summary, onFailure } = this.#options;
    try {
      return sink.write(printer.events(batch));
    } catch (error) {
      const [only] = batch;
      if (only && batch.length === 1) {
        summary.failed(eventWordOf(only.event));
        onFailure(error, only);
        return true;
      }
      const half = batch.length >> 1;
      return [batch.slice(0, half), batch.slice(half)].map((part) => this.#printed(part)).every(Boolean);
    }
  }
}
