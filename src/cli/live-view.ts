import type { Clock, Timer } from '../kit/clock.ts';
import type { LiveTable } from '../output/live-table.ts';
import type { EventEnvelope } from '../stream/envelope.ts';
import type { StreamTarget } from '../stream/event-stream.ts';
import type { StreamSummary } from '../stream/summary.ts';
import type { Io } from './io.ts';
import type { Status } from './status-line.ts';

/** How soon after a change the screen shows it, and how often ages are renewed. */
const DRAW_AFTER_MS = 100;
const TICK_MS = 1000;

export interface LiveViewOptions {
  readonly table: LiveTable;
  readonly io: Io;
  readonly clock: Clock;
  readonly summary: StreamSummary;
  /** See `EventWriter`. */
  readonly limit?: number | undefined;
  readonly onLimit?: (() => void) | undefined;
}

/**
 * Shows a stream as one table that is redrawn in place, at most ten times a second, and at once when the terminal's size changes. What else is
 * printed on the terminal stands above it. Disposing leaves the last frame, and the terminal as it was.
 */
export class LiveView implements Disposable, Status {
  readonly #options: LiveViewOptions;
  readonly #resizing: Disposable;
  #timer: Timer;
  #isDue = false;
  #note: string | undefined;
  #isClosed = false;

  constructor(options: LiveViewOptions) {
    const { io, clock } = options;
    this.#options = options;
    this.#resizing = io.stdout.onResize(() => this.#draw());
    this.#timer = clock.after(TICK_MS, () => this.#draw());
    if (io.stderr.isTerminal) io.stderr.beforeText = () => this.#makeRoom();
  }

  print(event: EventEnvelope, { type }: StreamTarget): undefined {
    const { summary, limit, onLimit, table } = this.#options;
    if (limit !== undefined && summary.total >= limit) return;
    table.update({ event, type });
    summary.count(event.type);
    if (!this.#isDue) this.#soon();
    if (summary.total === limit) onLimit?.();
  }

  show(text: string): void {
    this.#note = text;
    this.#options.table.note(text);
    if (!this.#isDue) this.#soon();
  }

  clear(own?: string): void {
    if (own !== undefined && own !== this.#note) return;
    this.#note = undefined;
    this.#options.table.note(undefined);
    if (!this.#isDue) this.#soon();
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#options.io.stdout.writeNow(this.#options.table.clear()); // terminals write ^C where the cursor is
    this.#draw();
    this.#isClosed = true;
    this.#timer.cancel();
    this.#resizing[Symbol.dispose]();
    this.#options.io.stderr.beforeText = undefined;
    this.#options.io.stdout.writeNow(this.#options.table.end());
  }

  #soon(): void {
    this.#isDue = true;
    this.#timer.cancel();
    this.#timer = this.#options.clock.after(DRAW_AFTER_MS, () => this.#draw());
  }

  #draw(): void {
    if (this.#isClosed) return;
    const { table, io, clock } = this.#options;
    this.#isDue = false;
    this.#timer.cancel();
    io.stdout.writeNow(table.frame({ columns: io.stdout.columns ?? 80, rows: io.stdout.rows ?? 24 }, clock.now()));
    this.#timer = clock.after(TICK_MS, () => this.#draw());
  }

  /** The frame goes, the text comes where it was, and a new frame below that. */
  #makeRoom(): void {
    if (this.#isClosed) return;
    this.#options.io.stdout.writeNow(this.#options.table.clear());
    this.#soon();
  }
}
